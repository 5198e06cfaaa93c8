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

    The fit of a subset starts from the weights and Hessian of all columns.  The penalty
    is on the squared weights of standardised columns, for examples that weigh 1 on
    average.
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
        start = np.zeros(columns.shape[1] + 1)
        self._whole, self._hessian = newton(
            self._columns, self._truth, self._weights, self._penalty, start
        )

    def fit(self, used: NDArray[np.bool_]) -> Floats:
        """The weights of the columns, 0 for those not ``used``; last, the intercept."""
        mask = np.append(used, True)
        fitted = np.zeros(len(mask))
        fitted[mask], _ = newton(
            self._columns if mask.all() else self._columns[:, mask],
            self._truth,
            self._weights,
            self._penalty[mask],
            self._whole[mask],
            hessian=self._hessian[np.ix_(mask, mask)],
        )
        slopes = fitted[:-1] / self._scale
        return np.append(slopes, fitted[-1] - slopes @ self._mean)


def newton(
    columns: Floats,
    truth: NDArray[np.bool_],
    weights: Floats,
    penalty: Floats,
    start: Floats,
    *,
    near: Floats | float = 0.0,
    hessian: Floats | None = None,
) -> tuple[Floats, Floats]:
    """The weights of the columns with the least loss, and the last Hessian.

    ``penalty`` is for the squared distance of each weight from ``near``.  The Hessian
    is computed anew only if steps do not become shorter.
    """
    target = truth.astype(np.float64)

    def loss_at(solution: Floats, values: Floats) -> float:
        losses = np.logaddexp(0, values) - target * values
        return float(weights @ losses + 0.5 * penalty @ (solution - near) ** 2)

    def hessian_at(shares: Floats) -> Floats:
        second = weights * shares * (1 - shares)
        # Above zero, so that the matrix is regular.
        ridge = np.diag(np.maximum(penalty, 1e-9))
        matrix: Floats = (columns.T * second) @ columns + ridge
        return matrix

    solution, values = start, columns @ start
    loss, last_step = loss_at(solution, values), np.inf
    for _ in range(_ROUNDS):
        shares = 1 / (1 + np.exp(-np.clip(values, -500, 500)))
        slope = (weights * (shares - target)) @ columns + penalty * (solution - near)
        if hessian is None:
            hessian = hessian_at(shares)
        step = np.linalg.solve(hessian, slope)
        if np.abs(step).max() > last_step / 2:
            hessian = hessian_at(shares)
            step = np.linalg.solve(hessian, slope)
        last_step = float(np.abs(step).max())
        if last_step < _STILL:
            break
        # Far from the minimum Newton's step may be too long.
        for halvings in range(30):
            candidate = solution - step / 2**halvings
            values = columns @ candidate
            new_loss = loss_at(candidate, values)
            if new_loss <= loss * (1 + 1e-12):
                break
        solution, loss = candidate, new_loss
    assert hessian is not None  # noqa: S101 - there is at least one round
    return solution, hessian


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
