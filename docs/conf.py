"""Sphinx's settings for the documentation, which is MyST Markdown."""

from __future__ import annotations

from scrapy_eatext import __version__

project = "scrapy-eatext"
author = "The scrapy-eatext authors"
project_copyright = author
release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
# Images of the README stand beside the pages, and pages may link to headings.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist"]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
# Types as they are written in the source, and not what they stand for.
autodoc_type_aliases = {"Selector": "Selector", "TextResponse": "TextResponse"}
autodoc_use_type_comments = False

html_theme = "furo"
html_title = f"scrapy-eatext {release}"
html_copy_source = False
