"""L2 logistic regression on one set of data, over many subsets of its columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROUNDS = 200
_STILL = 1e-7


class Regression:
    """Fits by Newton's method.

    All columns are fitted first.  The fit of a subset starts from their weights and
    keeps their curvature; only if its steps do not become shorter is the curvature
    computed anew.  ``columns`` has a row for each example, ``truth`` and ``weights`` an
    entry.  ``penalty`` is on the squared weights of standardised columns, for examples
    that weigh 1 on average.
    """

    def __init__(
        self,
        columns: Floats,
        truth: NDArray[np.bool_],
        weights: Floats,
        penalty: float = 1.0,
    ) -> None:
        self._middle, self._scale = columns.mean(axis=0), columns.std(axis=0)
        self._scale[self._scale == 0] = 1
        ones = np.ones((len(columns), 1))
        self._columns = np.hstack([(columns - self._middle) / self._scale, ones])
        self._truth = truth.astype(np.float64)
        self._weights = weights / weights.mean()
        # The intercept costs nothing.
        self._penalty = np.full(columns.shape[1] + 1, penalty)
        self._penalty[-1] = 0
        everything = np.ones(columns.shape[1] + 1, dtype=np.bool_)
        start = np.zeros(columns.shape[1] + 1)
        self._whole, self._curvature = self._newton(start, everything, None)

    def fit(self, seen: NDArray[np.bool_]) -> Floats:
        """The weights of the columns, 0 for those not seen, and last the intercept."""
        mask = np.append(seen, True)
        found = np.zeros(len(mask))
        curvature = self._curvature[np.ix_(mask, mask)]
        found[mask], _ = self._newton(self._whole[mask], mask, curvature)
        slopes = found[:-1] / self._scale
        return np.append(slopes, found[-1] - slopes @ self._middle)

    def _newton(
        self, found: Floats, mask: NDArray[np.bool_], curvature: Floats | None
    ) -> tuple[Floats, Floats]:
        """The minimum for the columns of a mask, from a start, and the last curvature."""
        columns = self._columns if mask.all() else self._columns[:, mask]
        penalty = self._penalty[mask]
        values = columns @ found
        loss = self._loss(values, found, penalty)
        before = np.inf
        for _ in range(_ROUNDS):
            shares = 1 / (1 + np.exp(-np.clip(values, -500, 500)))
            slope = (self._weights * (shares - self._truth)) @ columns + penalty * found
            if curvature is None:
                curvature = self._curve(columns, shares, penalty)
            step = np.linalg.solve(curvature, slope)
            if np.abs(step).max() > before / 2:
                curvature = self._curve(columns, shares, penalty)
                step = np.linalg.solve(curvature, slope)
            before = float(np.abs(step).max())
            if before < _STILL:
                break
            # Newton's step may be too long far from the minimum.
            for half in range(30):
                after = found - step / 2**half
                values = columns @ after
                new_loss = self._loss(values, after, penalty)
                if new_loss <= loss * (1 + 1e-12):
                    break
            found, loss = after, new_loss
        assert curvature is not None  # noqa: S101 - there is a round at least
        return found, curvature

    def _curve(self, columns: Floats, shares: Floats, penalty: Floats) -> Floats:
        """The matrix of second derivatives."""
        bends = self._weights * shares * (1 - shares)
        # Kept away from zero, where nothing could be solved.
        ridge = np.diag(np.maximum(penalty, 1e-9))
        curved: Floats = (columns.T * bends) @ columns + ridge
        return curved

    def _loss(self, values: Floats, found: Floats, penalty: Floats) -> float:
        """The loss that is minimised."""
        each = np.logaddexp(0, values) - self._truth * values
        return float(self._weights @ each + 0.5 * penalty @ found**2)
