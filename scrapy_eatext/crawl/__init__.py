"""The parts of a crawl: the add-on, the components, their service, its settings."""
