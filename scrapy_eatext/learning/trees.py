"""Grows ensembles of oblivious trees with CatBoost, and converts them to whole numbers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.learning import need
from scrapy_eatext.tagger.trees import Trees, constant_trees

# The parts of a logit that whole numbers count.
_SCALE = 2000


@dataclass(frozen=True)
class Rounds:
    """The settings by which an ensemble is grown."""

    trees: int
    rate: float
    depth: int = 6
    columns: float = 0.2
    rows: float = 0.6
    ridge: float = 5.0
    borders: int = 64


def grow(
    matrix: NDArray[Any],
    truth: NDArray[Any],
    weight: NDArray[np.float64],
    names: Sequence[str],
    how: Rounds,
    seed: int,
    loss: str = "CrossEntropy",
) -> Trees:
    catboost = need("catboost")
    if loss == "CrossEntropy":
        truth = np.clip(truth, 0, 1)
    elif len(set(truth.tolist())) == 1:
        # There is nothing to learn from equal labels.
        answer = 0.0 if loss == "MultiClass" else float(truth[0])
        return constant_trees(answer, how.depth, _SCALE)
    pool = catboost.Pool(matrix, truth, weight=weight)
    model = catboost.CatBoost(
        {
            "loss_function": loss,
            "iterations": how.trees,
            "learning_rate": how.rate,
            "depth": how.depth,
            "rsm": how.columns,
            "bootstrap_type": "Bernoulli",
            "subsample": how.rows,
            "l2_leaf_reg": how.ridge,
            "border_count": how.borders,
            "random_seed": seed,
            "thread_count": 1,
            "allow_writing_files": False,
            "verbose": False,
        }
    )
    model.fit(pool)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        return whole_trees(json.loads(path.read_text("utf-8")), names, how.depth)


def whole_trees(model: Mapping[str, Any], names: Sequence[str], depth: int) -> Trees:
    """CatBoost's JSON of an ensemble as Trees, with the features in use alone."""
    # Trees without splits occur if pages are all alike.
    trees = [tree for tree in model["oblivious_trees"] if tree["splits"]]
    flat = [tree for tree in model["oblivious_trees"] if not tree["splits"]]
    splits = [
        [(s["float_feature_index"], int(np.floor(s["border"]))) for s in tree["splits"]]
        for tree in trees
    ]
    borders = sorted({split for row in splits for split in row})
    used = sorted({feature for feature, _ in borders})
    starts = np.searchsorted([of for of, _ in borders], [*used, np.inf])
    scale, bias = model["scale_and_bias"]
    bias = np.add(bias, sum(np.multiply(tree["leaf_values"], scale) for tree in flat))
    classes = len(bias)
    features = np.zeros((len(trees), depth), dtype=np.int16)
    bins = np.zeros((len(trees), depth), dtype=np.uint8)
    leaves = np.zeros((classes, len(trees), 1 << depth), dtype=np.int16)
    for t, (tree, row) in enumerate(zip(trees, splits, strict=True)):
        values = np.array(tree["leaf_values"], dtype=np.float64) * scale * _SCALE
        values = np.rint(values.reshape(-1, classes)).clip(-32768, 32767)
        # In a tree of fewer levels the higher bits make no difference.
        leaves[:, t] = values[np.arange(1 << depth) & (len(values) - 1)].T
        for level, split in enumerate(row):
            features[t, level] = used.index(split[0])
            bins[t, level] = borders.index(split) - starts[features[t, level]]
    return Trees(
        names=tuple(names[i] for i in used),
        borders=np.array([border for _, border in borders], dtype=np.int32),
        starts=starts.astype(np.int32),
        feature=features,
        bin=bins,
        leaves=leaves,
        bias=np.rint(bias * _SCALE).astype(np.int32),
        scale=_SCALE,
    )
