"""From HTML to MainText, without a crawl."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.declared import OptionError
from scrapy_eatext.execution.cascade import Failure, cascade
from scrapy_eatext.execution.choice import Choice, changed
from scrapy_eatext.page import Page
from scrapy_eatext.page.decode import is_binary
from scrapy_eatext.page.page import held_by
from scrapy_eatext.result import NOTHING

if TYPE_CHECKING:
    from parsel import Selector
    from scrapy.http import TextResponse

    from scrapy_eatext.algorithms.base import Algorithm
    from scrapy_eatext.result import MainText

logger = logging.getLogger(__name__)

_DEFAULTS = Choice()


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
    keep_walls: bool = False,
    title: bool = False,
    markdown: Mapping[str, Any] | None = None,
    chunks: Mapping[str, Any] | None = None,
    blocks: bool = False,
) -> MainText:
    """Extract the main text of a page: bytes, text, a Selector or a response.

    The result is empty for the bytes of a PDF, an image or the like, also in a response.
    ``url`` is the page's address, which makes its links absolute; a response has its
    own.  ``algorithm`` is an algorithm's name or class, or a list of these: the first
    whose text passes wins.  A text passes if it has at least ``min_chars`` characters
    and a score of ``min_score``; if none passes, the longest text wins.  If an
    algorithm of a list fails, that is logged and the next is tried.  ``options`` are
    those of the one algorithm, or a dict of options per algorithm.  ``keep`` and
    ``remove`` are CSS selectors, or lists of them, for elements that are main text, and
    that are not, whatever the algorithm decides.  With ``keep_walls`` walls, such as
    error pages and log-ins, keep their text, which is empty otherwise.  With ``title``
    text, Markdown and HTML begin with the page's headline.  ``markdown`` may have
    ``front_matter``, ``links`` and ``images``, each true or false, and ``chunks`` the
    arguments of MainText.chunks(); see EATEXT_MARKDOWN and EATEXT_CHUNKS.  With
    ``blocks`` the verdict on every block is computed at once, not on first access.

    The parsed tree of a Selector or response is used and never changed; its owner should
    not change it before the last access to the result's attributes.  There is no limit
    of time, size or memory.

    Raises OptionError, a ValueError, for a wrong value of an argument, and for an
    option that does not exist or has a wrong value; OSError or ValueError for a file of
    an option that cannot be read; TypeError if ``html`` is no page; and the exception of
    the last algorithm if all fail.
    """
    given = {
        "algorithm": algorithm,
        "options": options,
        "min_chars": min_chars,
        "min_score": min_score,
        "keep": keep,
        "remove": remove,
        "keep_walls": keep_walls,
        "title": title,
        "markdown": markdown or None,
        "chunks": chunks or None,
    }
    if not isinstance(url, (str, type(None))):
        raise OptionError("url", url, "a string")
    # Defaults need no check.
    defaults = extract.__kwdefaults__ or {}
    given = {name: one for name, one in given.items() if one is not defaults[name]}
    choice = changed(_DEFAULTS, given) if given else _DEFAULTS
    for name in choice.algorithms:
        # An algorithm that cannot be made is an error, even if another one works.
        get_algorithm(name, choice.options.get(name))
    held = held_by(html)
    body = getattr(held, "body", held)
    encoding = getattr(held, "encoding", None) or ""
    if isinstance(body, bytes) and is_binary(body, encoding):
        return NOTHING
    failures: list[Failure] = []
    result, _ = cascade(choice, Page.of(html, url), failures)
    message = "An algorithm failed with %s, and the next took over\n%s"
    for failure in failures:
        logger.warning(message, failure.name, failure.traceback)
    if blocks:
        result.value("blocks")  # the result keeps what it has computed
    return result
