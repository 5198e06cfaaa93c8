"""The nodes of a tree in document order, with the beginnings and ends of elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from scrapy_eatext.deadline import check


def events(
    root: Any, skip: Callable[[Any], bool] = lambda element: False
) -> Iterator[tuple[str, Any]]:
    """The nodes of a tree in document order, each after its event.

    The events are "start" and "end" of an element, "skipped" for an element for which
    ``skip`` is true and whose content is left out, and "other" for a comment or a
    processing instruction.  lxml's iterwalk() takes quadratic time on many sibling
    comments.
    """
    yield "start", root
    open_elements = [(root, root.iterchildren())]
    while open_elements:
        check()
        element, children = open_elements[-1]
        child = next(children, None)
        if child is None:
            open_elements.pop()
            yield "end", element
        elif not isinstance(child.tag, str):
            yield "other", child
        elif skip(child):
            yield "skipped", child
        else:
            yield "start", child
            open_elements.append((child, child.iterchildren()))
