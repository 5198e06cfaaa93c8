"""Logistic regressions with an L2 penalty: of dense and of sparse columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.learning import need

Floats = NDArray[np.float64]

_ROUNDS = 200
_STILL = 1e-7
# The most steps of the search on sparse columns.
_STEPS = 40


class Regression:
    """Fits many subsets of the columns of one dataset, a row for each example.

    The fit of a subset starts from the weights of all columns.  The penalty is on the
    squared weights of standardised columns, for examples that weigh 1 on average.
    """

    def __init__(
        self, columns: Floats, truth: NDArray[np.bool_], weights: Floats
    ) -> None:
        self._mean, self._scale = columns.mean(axis=0), columns.std(axis=0)
        self._scale[self._scale == 0] = 1
        ones = np.ones((len(columns), 1))
        self._columns = np.hstack([(columns - self._mean) / self._scale, ones])
        self._truth, self._weights = truth, weights / weights.mean()
        # The intercept is not penalised.
        self._penalty = np.append(np.ones(columns.shape[1]), 0.0)
        self._whole = np.zeros(columns.shape[1] + 1)
        self._whole = self._fitted(np.ones(len(self._whole), dtype=np.bool_))

    def fit(self, used: NDArray[np.bool_]) -> Floats:
        """The weights of the columns, 0 for those not ``used``; last, the intercept."""
        fitted = self._fitted(np.append(used, True))
        slopes = fitted[:-1] / self._scale
        return np.append(slopes, fitted[-1] - slopes @ self._mean)

    def _fitted(self, mask: NDArray[np.bool_]) -> Floats:
        fitted = np.zeros(len(mask))
        columns, start = self._columns[:, mask], self._whole[mask]
        of_data = columns, self._truth, self._weights
        fitted[mask] = newton(*of_data, self._penalty[mask], start)
        return fitted


def newton(
    columns: Floats,
    truth: NDArray[np.bool_],
    weights: Floats,
    penalty: Floats,
    start: Floats,
    near: Floats | float = 0.0,
) -> Floats:
    """The weights of the columns with the least loss.

    ``penalty`` is for the squared distance of each weight from ``near``.
    """
    target = truth.astype(np.float64)

    def loss_at(solution: Floats, values: Floats) -> float:
        losses = np.logaddexp(0, values) - target * values
        return float(weights @ losses + 0.5 * penalty @ (solution - near) ** 2)

    # Above zero, so that the matrix is regular.
    ridge = np.diag(np.maximum(penalty, 1e-9))
    solution, values = start, columns @ start
    loss = loss_at(solution, values)
    for _ in range(_ROUNDS):
        shares = 1 / (1 + np.exp(-np.clip(values, -500, 500)))
        slope = (weights * (shares - target)) @ columns + penalty * (solution - near)
        hessian = (columns.T * (weights * shares * (1 - shares))) @ columns + ridge
        step = np.linalg.solve(hessian, slope)
        if np.abs(step).max() < _STILL:
            break
        # Far from the minimum Newton's step may be too long.
        for halvings in range(30):
            candidate = solution - step / 2**halvings
            values = columns @ candidate
            new_loss = loss_at(candidate, values)
            if new_loss <= loss * (1 + 1e-12):
                break
        solution, loss = candidate, new_loss
    return solution


def sparse(matrix: Any, truth: Floats, weights: Floats, penalty: float) -> Floats:
    """The weights of a sparse matrix's columns, without the intercept, by L-BFGS."""
    transposed = matrix.T.tocsr()

    def loss(parameters: Floats) -> tuple[float, Floats]:
        solution, bias = parameters[:-1], parameters[-1]
        logit = matrix @ solution + bias
        value = float((weights * (np.logaddexp(0, logit) - truth * logit)).sum())
        error = weights * (1 / (1 + np.exp(-logit)) - truth)
        slope = np.append(transposed @ error + penalty * solution, error.sum())
        return value + penalty * float(solution @ solution) / 2, slope

    start = np.zeros(matrix.shape[1] + 1)
    found = need("scipy.optimize").minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}
    )
    solution: Floats = found.x[:-1]
    return solution
