"""A verdict on a page as text, Markdown and HTML."""
