"""Lines encoded for the compiled twin, and checks that it was built for them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from scrapy_eatext.page.columns import BLOCK_COLUMNS
from scrapy_eatext.tagger import context, facts, operations

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_FIRST, _LATER = facts.FACTS, context.FACTS
# More columns of blocks, which only sums read; n is 1 for every block.
VALUES = "n headings long flowing copied weight expected".split()
COLUMNS = [*context.COLUMNS, *VALUES]


# Models and callers use few sets of features.
@lru_cache(maxsize=8)
def program(
    names: tuple[str, ...], flags: int, later: bool
) -> list[npt.NDArray[np.int32]]:
    """The lines of context.lines_of(), encoded."""
    columns = context.COLUMNS if later else context.FIRST_COLUMNS
    lines = context.lines_of(names, flags, later)
    return [operations.encoded(part, columns) for part in lines]


def sums_of_facts(narrow: Iterable[str], wide: Iterable[str]) -> dict[str, str | None]:
    """The facts of both rounds by name, each with the column that it sums up, or None.

    ``narrow`` and ``wide`` name the facts of 32 and of 64 bits that the compiled twin
    has.  Raises ImportError if these are not the facts of both rounds.
    """
    rounds = operations.names_of(_FIRST), operations.names_of(_LATER)
    summed: dict[str, str | None] = dict.fromkeys([*rounds[0], *rounds[1]])
    of_blocks = {*_FIRST[""], *_LATER[""], *VALUES}
    numbered = {str(of): f"{of}1" for of in ("of_box", "of_like", "branch")}
    made = {*narrow, *wide}
    for name in summed:
        of, _, last = name.rpartition(".")
        full = _compiled_name(name)
        source = f"sum.{last}" if of in ("box", "like") else last
        known = full in made or numbered.get(name.rstrip("0123456789")) in summed
        if of and full not in made and source in summed.keys() | of_blocks:
            summed[name] = source
        elif not known and name not in BLOCK_COLUMNS:
            raise ImportError(f"it was built without the fact {name!r}")
    names = {_compiled_name(name) for name in (*summed, *VALUES)}
    if not names >= made:
        raise ImportError(f"it was built with other facts: {sorted(made - names)}")
    return summed


def _compiled_name(name: str) -> str:
    """A fact's name in the compiled module."""
    return name.replace(".", "_").upper()


def check_order(made: Iterable[str], domains: Iterable[str]) -> None:
    """Raise ImportError unless the twin has these operations and domains."""
    names = [f"O_{operation.__name__.upper()}" for operation in operations.READS]
    if names != list(made):
        raise ImportError(f"it was built with other operations than {names}")
    names = [f"D_{name.upper()}" for name in operations.DOMAINS]
    if names != list(domains):
        raise ImportError(f"it was built with other domains than {names}")
