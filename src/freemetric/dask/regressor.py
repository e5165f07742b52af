"""DaskFreeEnergyRegressor: voters for numbers that stay in the partitions of Dask arrays and dataframes."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..ensemble import FreeEnergyRegressor
from ..ensemble.running import given_recipe
from ..ensemble.tasks.decisions import check_alpha
from ..ensemble.tasks.intervals import check_chances, interval_chances
from ..ensemble.tasks.regression import Prediction, RegressionHead, RegressionTask
from ..ensemble.tasks.scales import RegressionScore
from ..learners.base import one_blas_thread
from ..learners.validation import warn_of_samples
from ..magnitudes import reduced
from .model import DaskFreeEnergyModel
from .partitioned_targets import FarNumbers
from .partitions import is_dask, numbers, target_blocks


class DaskFreeEnergyRegressor(DaskFreeEnergyModel, FreeEnergyRegressor):  # type: ignore[misc]
    """FreeEnergyRegressor on Dask arrays and dataframes, whose rows need not fit one machine.

    The search sees a stratified sample of the rows, as that of :class:`freemetric.FreeEnergyRegressor` does, and its
    tasks run on the workers. All rows vote, and they stay where they are, see :class:`DaskFreeEnergyClassifier`. Trends
    are those of all rows, too: every partition sums up its own, and what the trends of other rows say of a row is found
    where that row is. For the same data and ``random_state`` the metrics are those of one process, whatever the chunks
    and the number of workers, and predictions are the same but for rounding.

    Numbers of all rows come here, and what trends say of each; of the patterns only those of the sample do, and few
    values near quantiles.

    Parameters are those of :class:`freemetric.FreeEnergyRegressor`. ``shortlist`` counts rows of every partition, or
    of every 65,535 rows of a larger one, so that more are asked than in one process; None asks all rows, which is
    exact. ``n_jobs`` counts only without a client, and votes are counted on the CPU whatever the ``device``.

    Attributes
    ----------
    ensemble_ : Ensemble
        The metrics and their weights, the trends and the reading, with the rows of the sample as voters: for displays,
        reports and ``embed``. ``to_local`` gives one with all rows.
    n_rows_ : int
        Rows, all of which vote.

    See Also
    --------
    freemetric.FreeEnergyRegressor : Has all other attributes.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric.dask import DaskFreeEnergyRegressor
    >>> X, y = (da.from_array(part, chunks=(150, *part.shape[1:])) for part in load_diabetes(return_X_y=True))
    >>> model = DaskFreeEnergyRegressor(n_replicas=10, random_state=0).fit(X, y)
    >>> model.predict_interval(X, alpha=0.2)
    dask.array<...>
    >>> model.score(X, y) > 0.4
    True
    """

    local = FreeEnergyRegressor

    def _target_blocks(self, y):
        return target_blocks(y, numbers)

    def _far_rows(self, X, y):
        training_set = FarNumbers(X, y, self.n_features_in_)
        with one_blas_thread():
            training_set.encode(given_recipe(self, len(training_set)).trends, self.scale)
        return training_set

    def _warn_about(self, panel):
        warn_of_samples(panel.X, getattr(self, "feature_names_in_", None))

    def _task(self, training_set):
        score = RegressionScore(self.scoring, training_set.scale)
        return RegressionTask(training_set.encoding, training_set.trends, training_set.scale, score)

    def _read(self):
        return partial(predictions_of, self._head())

    def predict(self, X: Any) -> Any:
        """Expected numbers.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), dask dataframe or array-like
            Patterns.

        Returns
        -------
        y : dask array of shape (n_samples,)
            Their means. A numpy array where X is nothing of Dask's.
        """
        return self._said(X, RegressionHead.means)

    def predict_quantiles(self, X: Any, q: ArrayLike = (0.1, 0.5, 0.9)) -> Any:
        """Numbers that the target is below with given chances.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), dask dataframe or array-like
            Patterns.
        q : float or array-like of shape (n_quantiles,), default=(0.1, 0.5, 0.9)
            Chances, between 0 and 1.

        Returns
        -------
        Q : dask array of shape (n_samples, n_quantiles)
            Quantiles, which never cross; (n_samples,) where q is one number. A numpy array where X is nothing of
            Dask's.
        """
        chances = check_chances(q)
        Q = self._said(X, RegressionHead.quantiles, chances)
        return Q[:, 0] if np.ndim(q) == 0 else Q

    def predict_interval(self, X: Any, alpha: float = 0.1) -> Any:
        """Intervals that hold the number of a pattern with a chance of 1 - alpha, as those of one process.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), dask dataframe or array-like
            Patterns.
        alpha : float, default=0.1
            Share of intervals that may miss, between 0 and 1.

        Returns
        -------
        I : dask array of shape (n_samples, 2)
            Lower and upper ends. A numpy array where X is nothing of Dask's.
        """
        check_alpha(alpha, "intervals without the target")
        check_is_fitted(self)
        chances = interval_chances(len(self.ensemble_.head.errors), alpha)
        return self._said(X, RegressionHead.quantiles, chances)

    def _said(self, X, what, *chances):
        """What the committee says of patterns, (n,) or for some chances (n, n_chances); of Dask where X is."""
        answers = self._answers(X, 2)
        say = partial(said, self._head(), what, *chances)
        if not is_dask(answers):
            return say(answers)
        if not chances:
            return answers.map_blocks(say, drop_axis=1, meta=np.empty(0))
        return answers.map_blocks(say, chunks=(answers.chunks[0], (len(*chances),)), meta=np.empty((0, 0)))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """R^2 of the predictions.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), dask dataframe or array-like
            Patterns.
        y : dask array of shape (n_samples,), dask series or array-like
            Their numbers, in partitions of the same rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, where X is nothing of Dask's.

        Returns
        -------
        score : float
            One less the mean squared error in units of the variance of y.
        """
        if not is_dask(X):
            return super().score(X, y, sample_weight)
        if sample_weight is not None:
            raise ValueError("Rows in Dask's partitions have no weights; give X and sample_weight as arrays.")
        check_is_fitted(self)
        found = self._compared(X, y, partial(errors_of, self._head()))
        n, apart, squares, errors = np.sum(found, axis=0)
        variance = squares - apart**2 / n
        return float(1 - errors / variance) if variance > 0 else float(errors == 0)


def predictions_of(head: RegressionHead, shares: NDArray, queries: NDArray) -> NDArray[np.float64]:
    """Place and spread (n, 2) of queries that got these shares of all votes."""
    return np.column_stack(head(shares, head.wholes(queries)))


def said(head: RegressionHead, what: Any, *given: Any) -> NDArray[np.float64]:
    """What a head makes of location and spread (n, 2), the last of what is given."""
    *chances, answers = given
    return what(head, Prediction(*answers.T), *chances)


def errors_of(head: RegressionHead, answers: NDArray, y: NDArray) -> NDArray[np.float64]:
    """How many numbers y (n,) there are; sums of what they are off a centre, its square, and that of errors.

    All are in units of the scale, in which squares are numbers.
    """
    scale = head.scale
    centre = scale.reduced_back(np.zeros(1))  # any number near those of y
    known, told = (reduced(values, scale.exponent) for values in (y, said(head, RegressionHead.means, answers)))
    apart, errors = known - centre, known - told
    return np.array([len(y), apart.sum(), (apart**2).sum(), (errors**2).sum()])
