"""Model files: what goes in comes out, and nothing else is let in."""

from __future__ import annotations

import errno
import json
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.algorithms.modelfile import (
    SHIPPED,
    ModelError,
    load_model,
    save_card,
    save_model,
)
from tests.support.suites import values_of

ARRAYS = {
    "weights": np.arange(12, dtype=np.float32).reshape(3, 4),
    "counts": np.array([1, 2, 70000], dtype=np.uint32),
    "flag": np.array(True),
    "nothing": np.zeros((0, 3), dtype=np.float64),
}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.model"
    save_model(path, "dragnet", "3", ARRAYS, {"features": ["a", "ü"]})
    return path


def test_round_trip(path):
    model = load_model(path, "dragnet")
    assert model.version == "3"
    assert model.header == {"features": ["a", "ü"]}
    assert set(model.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert model.arrays[name].dtype == array.dtype
        assert model.arrays[name].shape == array.shape
        assert np.array_equal(model.arrays[name], array)
    with pytest.raises(ValueError, match="read-only"):
        model.arrays["weights"][0, 0] = 1


def test_same_bytes_in_any_order(path, tmp_path):
    other, arrays = tmp_path / "b.model", dict(reversed(ARRAYS.items()))
    save_model(other, "dragnet", "3", arrays, {"features": ["a", "ü"]})
    assert other.read_bytes() == path.read_bytes()


@given(
    hnp.arrays(
        st.sampled_from(["i1", "<u2", ">i4", "<i8", "<f4", ">f8", "?"]),
        hnp.array_shapes(min_dims=0, min_side=0, max_dims=3),
    )
)
@settings(max_examples=settings().max_examples // 2)
def test_any_array_round_trips(tmp_path_factory, array):
    path = tmp_path_factory.mktemp("any") / "a.model"
    save_model(path, "x", "1", {"a": array})
    back = load_model(path, "x").arrays["a"]
    assert back.dtype == array.dtype.newbyteorder("<")
    assert back.shape == array.shape
    assert back.tobytes() == array.astype(back.dtype).tobytes()


@pytest.mark.parametrize(
    "array", [np.array([object()]), np.array(["a"]), np.zeros((1,) * 5)]
)
def test_arrays_that_no_file_holds(tmp_path, array):
    with pytest.raises(ModelError, match="array 'a' is"):
        save_model(tmp_path / "a.model", "x", "1", {"a": array})
    assert not list(tmp_path.iterdir())


def test_too_big_a_header(tmp_path):
    with pytest.raises(ModelError, match="too big"):
        save_model(tmp_path / "a.model", "x", "1", {}, {"a": "x" * (1 << 20)})


def change_format(data):
    changed = bytearray(data)
    struct.pack_into("<H", changed, 8, 9)
    return bytes(changed)


@pytest.mark.parametrize(
    ("change", "algorithm", "said"),
    [
        (bytes, "ngram", "a model of 'dragnet', not of 'ngram'"),
        (change_format, "dragnet", r"a\.model has model format 9; this release reads"),
        (lambda data: b"", "dragnet", r"a\.model is no model file"),
        (lambda data: b"EATEXT", "dragnet", r"a\.model is no model file"),
        (lambda data: b"\x80\x04}q\x00." * 9, "dragnet", r"a\.model is no model file"),
        (lambda data: data + b"x", "dragnet", "damaged"),
    ],
)
def test_other_files(path, change, algorithm, said):
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ModelError, match=said):
        load_model(path, algorithm)


def test_every_cut_is_seen(path):
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(ModelError):
            load_model(path, "dragnet")


def test_a_changed_byte_of_the_arrays_is_seen(path):
    data = bytearray(path.read_bytes())
    for at in range(14 + struct.unpack_from("<I", data, 10)[0], len(data)):
        changed = data.copy()
        changed[at] ^= 0x10
        path.write_bytes(changed)
        # Bits that pad the compressed stream mean nothing; all others show.
        try:
            arrays = load_model(path, "dragnet").arrays
        except ModelError as error:
            assert "damaged" in str(error)
        else:
            assert all(np.array_equal(arrays[name], ARRAYS[name]) for name in ARRAYS)


HEAD = {"algorithm": "x", "version": "1", "arrays": [], "sha256": "", "header": {}}


def forge(path: Path, text: bytes, payload: bytes = b"") -> None:
    """Write a file with a header, true or not."""
    start = struct.pack("<8sHI", b"EATEXTMD", 1, len(text))
    path.write_bytes(start + text + zlib.compress(payload))


FORGED = [{**HEAD, **changes} for changes in values_of("tables/forged_headers.txt")]


@pytest.mark.parametrize("header", [*map(json.dumps, FORGED), "[" * 100_000])
def test_forged_headers(tmp_path, header):
    forge(tmp_path / "a.model", header.encode())
    with pytest.raises(ModelError, match="header can't be read"):
        load_model(tmp_path / "a.model", "x")


@pytest.mark.parametrize(
    ("row", "payload", "said"),
    [
        # Huge claims allocate nothing, and neither does a payload that swells.
        ({"name": "a", "type": "<f8", "shape": [1 << 27, 1 << 27]}, b"", "claims"),
        ({"name": "a", "type": "|u1", "shape": [10]}, b"\0" * 10_000_000, "states"),
    ],
)
def test_forged_sizes(tmp_path, row, payload, said):
    head = json.dumps({**HEAD, "arrays": [row]}).encode()
    forge(tmp_path / "a.model", head, payload)
    with pytest.raises(ModelError, match=said):
        load_model(tmp_path / "a.model", "x")


def zeros(*shape):
    return lambda array: np.zeros(shape)


@pytest.mark.parametrize(
    ("algorithm", "name", "change"),
    [
        ("dragnet", "vocabulary", None),
        # It was not trained to find this.
        ("dragnet", "page", np.zeros_like),
        ("dragnet", "page", lambda a: np.full_like(a, np.nan)),
        ("dragnet", "chosen", lambda a: a[:0]),
        ("dragnet", "vocabulary", lambda a: a[:-1]),
        ("ngram", "units2", lambda a: a[:-1]),
        ("ngram", "units2", lambda a: a[::-1].copy()),
        ("ngram", "following3", lambda a: a[:-1]),
        ("ngram", "counts2", lambda a: a[:, :-1]),
        ("ngram", "pruned1", lambda a: a[:, :0]),
        ("ngram", "values", lambda a: a[:1]),
        ("ngram", "values", None),
        ("ngram", "bias", lambda a: a[:0]),
        ("ngram", "strange", None),
        ("perceptron", "blocks.mlp-3-3.output", None),
        ("perceptron", "blocks.mlp-3-3.output", zeros(16, 1)),
        ("perceptron", "blocks.mlp-3-3.output", zeros(17)),
        ("perceptron", "blocks.mlp-3-3.output", zeros(17, 2)),
        ("perceptron", "written.mlp-3-3.hidden", zeros(10, 5)),
        ("perceptron", "blocks.mean", zeros(2)),
        ("perceptron", "written.spread", zeros(3)),
    ],
)
def test_a_model_whose_arrays_do_not_fit_is_refused(tmp_path, algorithm, name, change):
    model = load_model("", algorithm)
    arrays = {**model.arrays, name: change(model.arrays[name]) if change else None}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    path = tmp_path / "damaged.model"
    save_model(path, algorithm, "1", arrays, model.header)
    options = {"model": str(path), "reference": name.startswith("written")}
    with pytest.raises(ModelError, match=r"damaged\.model"):
        get_algorithm(algorithm, options)


@pytest.mark.parametrize("changes", [{"trained": [1]}, {"order": "x"}, {"trained": 3}])
def test_a_model_whose_header_does_not_fit_is_refused(tmp_path, changes):
    model = load_model("", "ngram")
    path = tmp_path / "damaged.model"
    save_model(path, "ngram", "1", model.arrays, {**model.header, **changes})
    with pytest.raises(ModelError, match=r"damaged\.model"):
        get_algorithm("ngram", {"model": str(path)})


def test_files_that_are_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"a\.model"):
        load_model(tmp_path / "a.model", "x")
    with pytest.raises(FileNotFoundError, match=r"a\.model"):
        save_model(tmp_path / "none" / "a.model", "x", "1", {})


def test_a_full_disk_leaves_the_old_model(path, monkeypatch):
    before = path.read_bytes()

    def full(fd):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left.*a\.model"):
        save_model(path, "dragnet", "4", ARRAYS)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["a.model"]


def test_card(path):
    card = save_card(path, {"seed": 1, "data": "ours"})
    assert card.name == "a.json"
    assert json.loads(card.read_text("utf-8")) == {"data": "ours", "seed": 1}
    assert card.read_text("utf-8").endswith("}\n")


def test_the_shipped_models_are_small():
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 6 << 20
