"""From HTML to MainText, without a crawl."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.cascade import Failure, cascade
from scrapy_eatext.choice import Choice, changed
from scrapy_eatext.page import Page

if TYPE_CHECKING:
    from parsel import Selector
    from scrapy.http import TextResponse

    from scrapy_eatext.algorithms.base import Algorithm
    from scrapy_eatext.result import MainText

logger = logging.getLogger(__name__)


def extract(
    html: bytes | str | Selector | TextResponse,
    *,
    url: str | None = None,
    algorithm: str | type[Algorithm[Any]] | Sequence[str | type[Algorithm[Any]]] = (
        DEFAULT
    ),
    options: Mapping[str, Any] | None = None,
    min_chars: int = 0,
    min_score: float = 0.0,
    keep: str | Sequence[str] = (),
    remove: str | Sequence[str] = (),
    blocks: bool = False,
) -> MainText:
    """Extract the main text of a page.

    ``algorithm`` is the name of one, its class, or a list of these: the first whose
    text passes wins, which is a text of ``min_chars`` characters or more of which
    the algorithm is as sure as ``min_score``; where none passes, the longest text
    does.  An algorithm of a list that fails leaves its place to the next, and says
    so in the log.  ``options`` are those of the one algorithm, or a dict of them per
    algorithm.  ``keep`` and ``remove`` are CSS selectors, each one or a list, for
    elements that are main text whatever an algorithm says, and for those that are
    not.

    A Selector or response hands over the tree it has parsed, which is never
    changed, and should not be by its owner before all is asked of the result that is
    wanted.  With ``blocks`` the verdict on every block is computed at once.
    Raises OptionError for an unknown algorithm, for an option that does not
    exist or is out of range, and for selectors that are none.
    """
    said = {
        "algorithm": algorithm,
        "options": {} if options is None else options,
        "min_chars": min_chars,
        "min_score": min_score,
        "keep": keep,
        "remove": remove,
    }
    choice = changed(Choice(), said)
    for name in choice.algorithms:
        # What one of several cannot be made of is no matter of a page.
        get_algorithm(name, choice.options.get(name))
    failures: list[Failure] = []
    result, _ = cascade(choice, Page.of(html, url), failures)
    for failure in failures:
        logger.warning(
            "An algorithm failed with %s, and the next took over\n%s",
            failure.name,
            failure.traceback,
        )
    if blocks:
        return result.backed({"blocks": result.blocks}, result.source)
    return result
