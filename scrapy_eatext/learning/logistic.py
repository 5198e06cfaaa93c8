"""L2 logistic regression on many subsets of the columns of one dataset."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROUNDS = 200
_STILL = 1e-7


class Regression:
    """Fits by Newton's method.

    All columns are fitted first.  The fit of a subset starts from their weights and
    reuses their Hessian, which is computed anew only if steps do not become shorter.
    ``columns`` has a row for each example, ``truth`` and ``weights`` an entry.  The
    penalty is on the squared weights of standardised columns, for examples that weigh 1
    on average.
    """

    def __init__(
        self, columns: Floats, truth: NDArray[np.bool_], weights: Floats
    ) -> None:
        self._mean, self._scale = columns.mean(axis=0), columns.std(axis=0)
        self._scale[self._scale == 0] = 1
        ones = np.ones((len(columns), 1))
        self._columns = np.hstack([(columns - self._mean) / self._scale, ones])
        self._truth = truth.astype(np.float64)
        self._weights = weights / weights.mean()
        # The intercept is not penalised.
        self._penalty = np.ones(columns.shape[1] + 1)
        self._penalty[-1] = 0
        all_columns = np.ones(columns.shape[1] + 1, dtype=np.bool_)
        start = np.zeros(columns.shape[1] + 1)
        self._whole, self._hessian = self._newton(start, all_columns, None)

    def fit(self, seen: NDArray[np.bool_]) -> Floats:
        """The weights of the columns, 0 for those not ``seen``; last, the intercept."""
        mask = np.append(seen, True)
        fitted = np.zeros(len(mask))
        hessian = self._hessian[np.ix_(mask, mask)]
        fitted[mask], _ = self._newton(self._whole[mask], mask, hessian)
        slopes = fitted[:-1] / self._scale
        return np.append(slopes, fitted[-1] - slopes @ self._mean)

    def _newton(
        self, solution: Floats, mask: NDArray[np.bool_], hessian: Floats | None
    ) -> tuple[Floats, Floats]:
        """The minimum for the columns of a mask, and the last Hessian.

        ``solution`` is where to start; ``hessian`` is the first to use, if any.
        """
        columns = self._columns if mask.all() else self._columns[:, mask]
        penalty = self._penalty[mask]
        values = columns @ solution
        loss = self._loss(values, solution, penalty)
        last_step = np.inf
        for _ in range(_ROUNDS):
            shares = 1 / (1 + np.exp(-np.clip(values, -500, 500)))
            slope = (
                self._weights * (shares - self._truth)
            ) @ columns + penalty * solution
            if hessian is None:
                hessian = self._hessian_at(columns, shares, penalty)
            step = np.linalg.solve(hessian, slope)
            if np.abs(step).max() > last_step / 2:
                hessian = self._hessian_at(columns, shares, penalty)
                step = np.linalg.solve(hessian, slope)
            last_step = float(np.abs(step).max())
            if last_step < _STILL:
                break
            # Far from the minimum Newton's step may be too long.
            for halvings in range(30):
                candidate = solution - step / 2**halvings
                values = columns @ candidate
                new_loss = self._loss(values, candidate, penalty)
                if new_loss <= loss * (1 + 1e-12):
                    break
            solution, loss = candidate, new_loss
        assert hessian is not None  # noqa: S101 - there is at least one round
        return solution, hessian

    def _hessian_at(self, columns: Floats, shares: Floats, penalty: Floats) -> Floats:
        """The matrix of second derivatives."""
        second = self._weights * shares * (1 - shares)
        # Above zero, so that the matrix is regular.
        ridge = np.diag(np.maximum(penalty, 1e-9))
        hessian: Floats = (columns.T * second) @ columns + ridge
        return hessian

    def _loss(self, values: Floats, solution: Floats, penalty: Floats) -> float:
        """The loss that is minimised."""
        losses = np.logaddexp(0, values) - self._truth * values
        return float(self._weights @ losses + 0.5 * penalty @ solution**2)
