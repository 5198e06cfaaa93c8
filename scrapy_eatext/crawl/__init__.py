"""What knows a crawler: the add-on, the components, their service, its settings."""
