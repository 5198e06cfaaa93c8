"""Ties items to the responses that they came from, up to the last pipeline."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import ref

if TYPE_CHECKING:
    from scrapy.http import Response

# The response of the item that is in the pipelines.  Scrapy runs all pipelines of an
# item in one context.
_current: ContextVar[ref[Response] | None] = ContextVar("response", default=None)


class ItemTies:
    """The responses of a crawl's items."""

    def __init__(self) -> None:
        # Whether a pipeline fills items.
        self.wanted = False
        # By id(), as few items are hashable.  The reference keeps the id from being
        # reused.
        self._tied: dict[int, tuple[Any, list[ref[Response]]]] = {}

    def tie(self, item: object, response: Response) -> None:
        """Remember an item's response until the item enters the pipelines.

        If the item never enters them, the tie ends when the response is freed.
        """
        if not self.wanted:
            return
        key = id(item)
        _, ties = self._tied.setdefault(key, (item, []))
        ties.append(ref(response, lambda tie: self._untie(key, tie)))

    def _untie(self, key: int, tie: ref[Response]) -> None:
        _, ties = self._tied[key]
        ties.remove(tie)
        if not ties:
            del self._tied[key]

    def enter(self, item: Any) -> Any:
        """Untie an item that enters the pipelines, and set its context's response."""
        response = None
        if id(item) in self._tied:
            _, ties = self._tied[id(item)]
            # An item that was yielded twice enters twice, in the same order.
            response = ties.pop(0)()
            if not ties:
                del self._tied[id(item)]
        _current.set(None if response is None else ref(response))
        return item


def current_response() -> Response | None:
    """The response of the item that is in the pipelines in this context."""
    tie = _current.get()
    return None if tie is None else tie()
