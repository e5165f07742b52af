"""How sure a mean over splits is, though their training rows overlap."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

from ..magnitudes import spread

SURE = 0.95


class Estimate(NamedTuple):
    """A mean over splits, its standard error, NaN where there is one value alone, and how many values are behind it."""

    mean: float
    error: float
    n: int

    @property
    def margin(self) -> float:
        """What the mean may be off by to one side, at 95 %."""
        return float(student.ppf(SURE, self.n - 1) * self.error) if self.n > 1 else np.nan


def estimate(values: ArrayLike, folds: int) -> Estimate:
    r"""Mean and standard error of the values of J splits, those that are defined.

    Training rows of two splits are largely the same, so that the variance of the mean is more than
    :math:`\sigma^2 / J`. By Nadeau and Bengio it is about

    .. math:: \left(\frac1J + \frac{n_{test}}{n_{train}}\right) \sigma^2, \qquad
              \frac{n_{test}}{n_{train}} = \frac1{folds - 1}.

    Parameters
    ----------
    values : array-like of shape (J,)
        One value for every split; NaN is one that is not defined.
    folds : int
        Folds of a repeat.

    Returns
    -------
    Estimate

    References
    ----------
    C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 239-281 (2003).

    Examples
    --------
    >>> print("{:.2f} {:.2f} {}".format(*estimate([9, 11, 10, 10, float("nan")], 5)))
    10.00 0.58 4
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return Estimate(float(known[0]) if len(known) else np.nan, np.nan, len(known))
    error = np.sqrt(1 / len(known) + 1 / (folds - 1)) * spread(known, ddof=1)
    return Estimate(float(known.mean()), float(error), len(known))
