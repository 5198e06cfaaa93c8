"""What addresses that are alike have given so far."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# So many addresses that are alike may give nothing in a row, and more the more have given
# something before; each that gives a page, or addresses that are new, makes up for some.
_TRIES, _WORTH, _MOST_TRIES = 6, 6, 300
# Of those that a site itself names the first may all be old.
NAMED, _NAMED_TRIES = "named", 16
# So many shapes are remembered, those that were met last.
_MOST = 20_000

ASK, HOLD, REFUSE = "ask", "hold", "refuse"


@dataclass(slots=True)
class _Shape:
    """How many more answers may be worth nothing; how many come, were worth it, and came."""

    left: int
    coming: int = 0
    worth: int = 0
    answers: int = 0


class Yields:
    """For each shape of addresses whether it is worth further requests.

    Until an address of a shape has given something, few of them are asked for at a time.
    """

    def __init__(self) -> None:
        self._shapes: OrderedDict[str, _Shape] = OrderedDict()

    def judge(self, shapes: Sequence[str]) -> tuple[str, str]:
        """ASK for an address, HOLD it until more is known, or REFUSE it, and by which shape.

        The first of its shapes is its own, the others are wider: these refuse it only
        if they have never given anything.  What is asked for counts as coming.
        """
        known = [self._known(shape) for shape in shapes]
        for at, (shape, one) in enumerate(zip(shapes, known, strict=True)):
            if one.left <= 0 and not (at and one.worth):
                return REFUSE, shape
        for shape, one in zip(shapes, known, strict=True):
            if not one.worth and one.coming >= one.left:
                return HOLD, shape
        for one in known:
            one.coming += 1
        return ASK, ""

    def answered(
        self, shapes: Sequence[str], gave: bool | None
    ) -> Iterator[tuple[str, str]]:
        """Count an answer; the shapes whose addresses need not be held any longer.

        Each comes with what to do with them: ASK or REFUSE.  An answer whose worth
        nobody knows has None.
        """
        for shape in shapes:
            one = self._known(shape)
            one.coming = max(one.coming - 1, 0)
            if gave is None:
                continue
            one.answers += 1
            one.worth += gave
            if gave:
                most = _TRIES + min(one.worth, _MOST_TRIES) // _WORTH
                one.left = min(one.left + _WORTH, most)
                if one.worth == 1:
                    yield shape, ASK
            else:
                one.left -= 1
                if not one.left and not one.worth:
                    yield shape, REFUSE

    def most_gave(self, shape: str) -> bool:
        """Whether three of four answers to addresses of a shape, and some, were worth it."""
        one = self._known(shape)
        return one.worth >= _TRIES and one.worth * 4 >= one.answers * 3

    def forget_coming(self) -> None:
        """No answer is under way."""
        for one in self._shapes.values():
            one.coming = 0

    def _known(self, shape: str) -> _Shape:
        tries = _NAMED_TRIES if shape.startswith(f"{NAMED} ") else _TRIES
        known = self._shapes.setdefault(shape, _Shape(tries))
        self._shapes.move_to_end(shape)
        if len(self._shapes) > _MOST:
            self._shapes.popitem(last=False)
        return known
