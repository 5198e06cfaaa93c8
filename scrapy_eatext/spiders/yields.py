"""Which URL patterns ("shapes") were worth their requests so far.

A response is worth its request if it gives an item or new entries.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# A shape begins with a budget of _BUDGET worthless responses.  A response that is worth
# its request adds _GAIN to the budget, up to a cap.  The cap grows by one for every
# _GAIN of such responses, up to _MAX_COUNTED.
_BUDGET, _GAIN, _MAX_COUNTED = 6, 6, 300
# Shapes of URLs from sitemaps and feeds, whose first URLs may all be old pages.
NAMED, _NAMED_BUDGET = "named", 16
# The number of shapes that are remembered, the latest ones.
_MAX_SHAPES = 20_000

# Verdicts, which are statuses of URLs in the queue.
REQUEST, HOLD, REFUSE = "pending", "held", "refused"


@dataclass(slots=True)
class _Shape:
    """The budget of a shape, its requests in flight, and its responses."""

    budget: int
    in_flight: int = 0
    worth: int = 0
    responses: int = 0


class Yields:
    """For each shape of URLs whether it is worth further requests.

    Until a response is worth its request, a shape's requests in flight are limited to
    its budget.
    """

    def __init__(self) -> None:
        self._shapes: OrderedDict[str, _Shape] = OrderedDict()

    def judge(self, shapes: Sequence[str]) -> tuple[str, str]:
        """REQUEST (counted as in flight), HOLD or REFUSE, and the shape that decided."""
        if refusing := self.refusing(shapes):
            return REFUSE, refusing
        records = [self._record(shape) for shape in shapes]
        for shape, record in zip(shapes, records, strict=True):
            if not record.worth and record.in_flight >= record.budget:
                return HOLD, shape
        for record in records:
            record.in_flight += 1
        return REQUEST, ""

    def refusing(self, shapes: Sequence[str]) -> str:
        """The first of a URL's shapes that refuses it, "" if none does.

        The wider ones, after its own, refuse it only if none of their responses was
        worth its request.
        """
        for index, shape in enumerate(shapes):
            record = self._record(shape)
            if record.budget <= 0 and not (index and record.worth):
                return shape
        return ""

    def count(
        self, shapes: Sequence[str], is_worth: bool | None
    ) -> Iterator[tuple[str, str]]:
        """Count a response.  Yields the shapes whose held URLs are decided by it.

        Each comes with REQUEST or REFUSE for these URLs.  ``is_worth`` is whether the
        response was worth its request, None if that is unknown.
        """
        for shape in shapes:
            record = self._record(shape)
            record.in_flight = max(record.in_flight - 1, 0)
            if is_worth is None:
                continue
            record.responses += 1
            record.worth += is_worth
            if is_worth:
                cap = _BUDGET + min(record.worth, _MAX_COUNTED) // _GAIN
                record.budget = min(record.budget + _GAIN, cap)
                if record.worth == 1:
                    yield shape, REQUEST
            else:
                record.budget -= 1
                if not record.budget and not record.worth:
                    yield shape, REFUSE

    def is_mostly_worth(self, shape: str) -> bool:
        """Whether six or more responses of a shape, and 75% of them, were worth it."""
        record = self._record(shape)
        return record.worth >= _BUDGET and record.worth * 4 >= record.responses * 3

    def reset_in_flight(self) -> None:
        for record in self._shapes.values():
            record.in_flight = 0

    def _record(self, shape: str) -> _Shape:
        budget = _NAMED_BUDGET if shape.startswith(f"{NAMED} ") else _BUDGET
        record = self._shapes.setdefault(shape, _Shape(budget))
        self._shapes.move_to_end(shape)
        if len(self._shapes) > _MAX_SHAPES:
            self._shapes.popitem(last=False)
        return record
