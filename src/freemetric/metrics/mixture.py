"""A mixture of candidates and numbers of neighbours, with its calibration: from shares of votes to probabilities."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ..files.checks import check_array, is_number, require
from .reading import Reading

MANY_CLASSES = 64  # shares of so many are mixed one by one: together, and in double precision, they are too large


class Calibration:
    """P_c = softmax_c(slope * log(share_c + floor) - sum_b strength_b F_bc + bias_c).

    The slope says how far shares of votes are from probabilities; the strengths, how far the free energies F of the
    classes as wholes count beside them; the bias moves votes towards classes that are scattered among others and get
    too few of them.

    Parameters
    ----------
    slope : float
        Positive; 1 leaves shares as they are, but for the floor.
    bias : ndarray of shape (n_classes,)
        Added to the logarithms.
    floor : float, default=0.05
        Added to every share, so that a class without votes keeps a chance.
    strengths : ndarray of shape (n_basins,) or None, default=None
        Not negative, of every basin; None where there are none.
    """

    def __init__(self, slope: float, bias: NDArray, floor: float = 0.05, strengths: NDArray | None = None):
        self.slope, self.bias, self.floor = slope, bias, floor
        self.strengths = np.empty(0) if strengths is None else strengths

    def __call__(self, shares: NDArray, energies: NDArray | None = None) -> NDArray:
        """Class probabilities (..., C) of shares (..., C) and free energies (n_basins, ..., C)."""
        logits = self.slope * np.log(shares + self.floor) + self.bias
        if len(self.strengths):
            assert energies is not None
            logits -= np.tensordot(self.strengths, energies, 1)
        return softmax(logits, axis=-1)

    def favouring(self, weights: NDArray) -> "Calibration":
        """The same with probabilities times these weights (C,) of the classes, normalised again."""
        return Calibration(self.slope, self.bias + np.log(weights), self.floor, self.strengths)

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Calibration":
        slope, bias, floor, strengths = (state[name] for name in ("slope", "bias", "floor", "strengths"))
        for name, value in (("slope", slope), ("floor", floor)):
            require(is_number(value) and value > 0, f"{name} of Calibration", "is no positive number")
        check_array(bias, "bias of Calibration", 1)
        check_array(strengths, "strengths of Calibration", 1)
        require((strengths >= 0).all(), "strengths of Calibration", "are negative")
        return cls(slope, bias, floor, strengths)


def mixed_shares(weights: NDArray, shares: NDArray) -> NDArray:
    """Shares (n, C) from those of every ensemble and k, (n_ensembles, n_neighbors, n, C), by their weights."""
    if shares.shape[-1] <= MANY_CLASSES:
        return np.tensordot(weights, shares, 2)
    total = np.zeros(shares.shape[2:])
    for pair in zip(*np.nonzero(weights), strict=True):
        total += weights[pair] * shares[pair]
    return total


class Mixture:
    """P = calibration(sum over ensembles e and k of weights[e, k] * shares[e, k], free energies of the classes).

    Parameters
    ----------
    weights : ndarray of shape (n_ensembles, n_neighbors)
        Not negative, with sum one.
    calibration : Calibration or Reading
        What makes probabilities, or numbers, of the mixed shares.
    """

    def __init__(self, weights: NDArray, calibration: Any):
        self.weights, self.calibration = weights, calibration

    def __call__(self, shares: NDArray, energies: NDArray | None = None) -> NDArray:
        """Class probabilities (n, C) from shares (n_ensembles, n_neighbors, n, C) and energies (n_basins, n, C)."""
        return self.calibration(mixed_shares(self.weights, shares), energies)

    def restricted(self, ensembles: NDArray | Sequence[int]) -> "Mixture":
        """The same with some of the ensembles only, those that matter."""
        weights = self.weights[ensembles]
        return Mixture(weights / weights.sum(), self.calibration)

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Mixture":
        weights, calibration = state["weights"], state["calibration"]
        check_array(weights, "weights of Mixture", 2)
        # 1e-6: they are normalised in double precision
        whole = weights.size and (weights >= 0).all() and abs(weights.sum() - 1) < 1e-6
        require(whole, "weights of Mixture", "do not add up to one")
        known = type(calibration) in (Calibration, Reading)
        require(known, "calibration of Mixture", "is something else")
        return cls(weights, calibration)
