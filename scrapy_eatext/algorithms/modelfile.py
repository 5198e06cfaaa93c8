"""Model files: named arrays and a header in one small file, read without pickle.

Layout, with little-endian numbers: 8 bytes of magic, the format's version (uint16), the
header's length (uint32), the header (JSON, UTF-8), then the concatenated bytes of the
arrays, compressed by zlib.  The same arrays give the same bytes.  Nothing in a file is
executed, and each size in it is bounded.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.declared import text
from scrapy_eatext.durable import write_whole

MAGIC = b"EATEXTMD"
FORMAT = 1
SHIPPED = Path(__file__).parent / "models"

_START = struct.Struct("<8sHI")
_MAX_HEADER = 1 << 20
_MAX_ARRAYS = 1 << 28
_MAX_DIMENSIONS = 4
# The types of arrays in a file, as numpy names them; no objects, no strings.
_TYPES = frozenset("|b1 |i1 |u1 <i2 <u2 <i4 <u4 <i8 <u8 <f2 <f4 <f8".split())


def model_path() -> Any:
    """The option for the path of a model file; the default is the shipped model."""
    return text(
        "",
        "the path of a model file",
        "Empty for the one that is shipped; see [Training](../training.md).",
    )


class ModelError(ValueError):
    """A model file that is damaged, of another format, or of another algorithm."""


@dataclass(frozen=True)
class Model:
    """The content of a model file: the trainer's ``header``, and read-only arrays."""

    version: str
    header: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def save_model(
    path: str | Path,
    algorithm: str,
    version: str,
    arrays: Mapping[str, NDArray[Any]],
    header: Mapping[str, Any] | None = None,
) -> None:
    """Write a model file atomically.

    The header is JSON data.  Raises ModelError for an array of a type that a file can't
    hold, and OSError if the file can't be written; an existing file is then unchanged.
    """
    path = Path(path)
    rows: list[dict[str, Any]] = []
    chunks: list[bytes] = []
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if array.dtype.str not in _TYPES or array.ndim > _MAX_DIMENSIONS:
            raise ModelError(
                f"{path}: array {name!r} is {array.dtype}, {array.ndim}-dimensional"
            )
        # The original shape, as ascontiguousarray makes a scalar one-dimensional.
        shape = list(np.shape(arrays[name]))
        rows.append({"name": name, "type": array.dtype.str, "shape": shape})
        chunks.append(array.tobytes())
    payload = b"".join(chunks)
    head = {
        "algorithm": algorithm,
        "version": version,
        "arrays": rows,
        "sha256": hashlib.sha256(payload).hexdigest(),
        "header": dict(header or {}),
    }
    text = json.dumps(head, sort_keys=True, ensure_ascii=False, allow_nan=False)
    written = text.encode()
    if len(written) > _MAX_HEADER or len(payload) > _MAX_ARRAYS:
        raise ModelError(f"{path}: the model is too big for a model file")
    start = _START.pack(MAGIC, FORMAT, len(written))
    write_whole(path, start + written + zlib.compress(payload, 9))


def load_model(path: str | Path, algorithm: str) -> Model:
    """Read a model of the algorithm, the shipped one if the path is "".

    Raises ModelError, naming the file, if it is damaged, of another format version or
    of another algorithm, and OSError if it can't be read.
    """
    path = Path(path or SHIPPED / f"{algorithm}.model")
    data = path.read_bytes()
    if len(data) < _START.size or not data.startswith(MAGIC):
        raise ModelError(f"{path} is no model file")
    _, version, length = _START.unpack_from(data)
    if version != FORMAT:
        raise ModelError(
            f"{path} has model format {version}; this release reads format {FORMAT}"
        )
    end = _START.size + length
    if length > _MAX_HEADER or end > len(data):
        raise ModelError(f"{path} is damaged: its header is cut off")
    try:
        head = json.loads(data[_START.size : end])
        made_for, model_version = str(head["algorithm"]), str(head["version"])
        rows = [_row(row) for row in head["arrays"]]
        digest, header = head["sha256"], dict(head["header"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ModelError(f"{path} is damaged: its header can't be read") from error
    if made_for != algorithm:
        raise ModelError(f"{path} is a model of {made_for!r}, not of {algorithm!r}")
    size = sum(dtype.itemsize * math.prod(shape) for _, dtype, shape in rows)
    if size > _MAX_ARRAYS:
        raise ModelError(f"{path} is damaged: it claims {size} bytes of arrays")
    stream = zlib.decompressobj()
    try:
        # One byte more, to detect a longer payload; not much more is ever allocated.
        payload = stream.decompress(data[end:], size + 1)
    except zlib.error as error:
        raise ModelError(f"{path} is damaged: {error}") from error
    is_whole = len(payload) == size and stream.eof and not stream.unused_data
    if not is_whole or hashlib.sha256(payload).hexdigest() != digest:
        raise ModelError(f"{path} is damaged: its arrays are not those it states")
    arrays: dict[str, NDArray[Any]] = {}
    at = 0
    for name, dtype, shape in rows:
        arrays[name] = np.ndarray(shape, dtype, payload, at)
        at += arrays[name].nbytes
    return Model(model_version, header, arrays)


def _row(row: Mapping[str, Any]) -> tuple[str, np.dtype[Any], tuple[int, ...]]:
    """An array's name, type and shape from the header.  Raises ValueError."""
    name, kind, shape = row["name"], row["type"], tuple(row["shape"])
    sound = (
        isinstance(name, str)
        and kind in _TYPES
        and len(shape) <= _MAX_DIMENSIONS
        and all(type(n) is int and 0 <= n <= _MAX_ARRAYS for n in shape)
        # numpy refuses larger ones even if they are empty.
        and math.prod(filter(None, shape)) <= 1 << 59
    )
    if not sound:
        raise ValueError(f"no description of an array: {row!r}")
    return name, np.dtype(kind), shape


def save_card(model: str | Path, card: Mapping[str, Any]) -> Path:
    """Write what a user should know of a model beside it, as JSON; return the path."""
    path = Path(model).with_suffix(".json")
    text = json.dumps(
        card, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False
    )
    write_whole(path, (text + "\n").encode())
    return path


def load_card(model: str | Path) -> dict[str, Any]:
    """The card beside a model, empty if there is none that can be read."""
    try:
        card = json.loads(Path(model).with_suffix(".json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return card if isinstance(card, dict) else {}
