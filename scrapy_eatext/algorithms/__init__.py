"""The algorithms by name; the module of each is imported on first use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from scrapy_eatext.algorithms.base import Algorithm, make_options
from scrapy_eatext.declared import OptionError

# The import path of each algorithm's class; a name here is a value of EATEXT_ALGORITHM.
REGISTRY = {
    "dragnet": "scrapy_eatext.algorithms.dragnet.Dragnet",
    "density": "scrapy_eatext.algorithms.density.Density",
    "eatext": "scrapy_eatext.algorithms.eatext.Eatext",
    "eatiht": "scrapy_eatext.algorithms.eatiht.Eatiht",
    "justext": "scrapy_eatext.algorithms.justext.Justext",
    "ngram": "scrapy_eatext.algorithms.ngram.Ngram",
    "perceptron": "scrapy_eatext.algorithms.perceptron.Perceptron",
}
DEFAULT = "eatext"


def algorithm_class(name: str) -> type[Algorithm[Any]]:
    """The class at a name or an import path.  Raises OptionError if there is none."""
    path = REGISTRY.get(name, name) if isinstance(name, str) else ""
    module, _, cls = path.rpartition(".")
    why = ""
    if module:
        try:
            own = getattr(import_module(module), cls, None)
        except ImportError as error:
            why = f" ({error})"
        else:
            missing = [n for n in ("name", "options_class") if not hasattr(own, n)]
            if not (isinstance(own, type) and issubclass(own, Algorithm)):
                why = f" ({module} has no subclass of Algorithm named {cls})"
            elif missing:
                why = f" ({path} has no {missing[0]})"
            else:
                return own
    known = ", ".join(sorted(REGISTRY))
    allowed = f"one of {known}, or the import path of a class{why}"
    raise OptionError("algorithm", name, allowed)


def get_algorithm(
    name: str, options: Mapping[str, Any] | None = None
) -> Algorithm[Any]:
    """An algorithm with some options, cached.  Raises OptionError for wrong ones."""
    cls = algorithm_class(name)
    return _instance(cls, make_options(cls.options_class, options or {}))


# The cache is bounded, as options can come from the meta of requests.
@lru_cache(maxsize=64)
def _instance(cls: type[Algorithm[Any]], options: Any) -> Algorithm[Any]:
    made = cls(options)
    if not hasattr(made, "version"):
        raise OptionError("algorithm", cls.__name__, "a class with a version")
    return made
