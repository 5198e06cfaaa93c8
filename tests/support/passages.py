"""Prose and menus in many languages, written for the tests."""

from __future__ import annotations

from tests.support.suites import table_of

# By language: a few sentences as a newspaper would have them; prose in languages that
# are measured by character, and menus and lists of products in these.
PROSE, UNSPACED_PROSE, UNSPACED_MENUS = (
    dict(table_of(f"tables/passages/{name}.txt"))
    for name in ("prose", "unspaced_prose", "unspaced_menus")
)

# A passage of a story, and one as it stands at the foot of pages.
STORY = (
    "The ferry was late that year, and when at last it came around the bend the whole"
    " village stood on the slip to see it, as if they had never seen one before."
)
# A page that says who wrote it, and when.
BOATS = """<html lang=en><head><title>Boats</title>
<meta property="og:image" content="/boats.png"><meta name=author content="Ann Li">
<meta property="article:published_time" content="2024-03-01T09:00:00+02:00">
<meta property="article:modified_time" content="2024-03-02"></head>
<body><h1>Boats</h1><p>The <b>river</b> of the small town was quiet, and nobody who came to
see the boats that day, of whom there were many, had seen it so before.</p>"""
NOTICE = (
    "Copyright 2024 All rights reserved. Privacy Policy Terms of Use Cookie settings"
    " Subscribe to our newsletter Follow us on Facebook Sign in Contact us Advertise"
)
