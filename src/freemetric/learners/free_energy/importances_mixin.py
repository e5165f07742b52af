"""The classifier's importances: asked for when somebody wants them, and then remembered."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..base import one_blas_thread
from .importances import Importances, group_names, importances

# No attribute of a model: to be asked must not change it, and its file holds nothing that can be computed.
KNOWN: "WeakKeyDictionary[object, tuple[Any, Importances]]" = WeakKeyDictionary()


class ImportancesMixin:
    """Importances of an estimator with a ``committee_`` and the ``jury_`` that judged it."""

    committee_: Any
    jury_: Any
    n_features_in_: int
    shortlist_: int
    scoring: Any
    n_jobs: int | None

    def permutation_importances(
        self,
        groups: ArrayLike | None = None,
        *,
        scoring: Any = None,
        n_repeats: int | None = None,
        random_state: int = 0,
    ) -> Importances:
        r"""What the out-of-bag score loses when the values of features are shuffled among the training patterns.

        For a group g of features and a score S,

        .. math:: I_g = S(P(x_1), \ldots, P(x_n)) - S(P(x_1^g), \ldots, P(x_n^g)),

        where :math:`x_i^g` has the features of g from another pattern, drawn at random. As for ``oob_score_`` a pattern
        is judged only by metrics that have not learned on it, without its own vote, and by classes as wholes that it
        had no part in; weights and calibration are those of the model. The standard error is a jackknife over 30 parts
        of the patterns, with copies of a row in one part.

        Features that say the same can stand in for each other, and each alone then seems dispensable: ask for them
        together, as a group.

        Costs as much as predicting ``n_repeats`` times the judges for every group, in half of the replicas. At most
        1,000 patterns are asked; of very many features fewer, and fewer replicas.

        Parameters
        ----------
        groups : array-like of shape (n_features,) or None, default=None
            Name of the group of every feature, whose features are shuffled together, such as the columns that one
            category was spread over; None: every feature on its own.
        scoring : str, callable or None, default=None
            A scorer as in the constructor; None is the constructor's. "neg_log_loss" also sees what changes
            probabilities but no decision.
        n_repeats : int or None, default=None
            Shuffles of every group; None is up to five, where there are fewer than 600 judges.
        random_state : int, default=0
            Seed of the shuffles, which are the same for every group.

        Returns
        -------
        importances : Importances
            A named tuple with ``names``, ``mean`` and ``error`` of the groups, in the order in which they come first;
            ``score`` and ``n_judges``. NaN where no pattern was out of bag.

        References
        ----------
        .. [1] L. Breiman, "Random Forests", Machine Learning 45, 2001.

        Examples
        --------
        >>> import numpy as np
        >>> from freemetric import FreeEnergyClassifier
        >>> rng = np.random.default_rng(0)
        >>> X = rng.random((120, 3))
        >>> model = FreeEnergyClassifier(n_replicas=8, random_state=0).fit(X, X[:, 1] > 0.5)
        >>> found = model.permutation_importances(["first", "that counts", "last"])
        >>> str(found.names[found.mean.argmax()])
        'that counts'
        """
        check_is_fitted(self)
        names = group_names(groups, getattr(self, "feature_names_in_", None), self.n_features_in_)
        if not (n_repeats is None or (isinstance(n_repeats, int | np.integer) and n_repeats > 0)):
            raise ValueError(f"n_repeats is a number of shuffles, at least 1; got {n_repeats!r}.")
        score = self._score_of(self.scoring if scoring is None else scoring)
        with one_blas_thread():
            return importances(
                self.committee_,
                self.jury_,
                score,
                names,
                size=self.shortlist_,
                n_repeats=n_repeats,
                seed=random_state,
                n_jobs=self.n_jobs,
            )

    def _score_of(self, scoring):
        """A function (predictions, y, weights) -> float."""
        raise NotImplementedError

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        return self._importances.mean

    @property
    def feature_importances_error_(self) -> NDArray[np.float64]:
        return self._importances.error

    @property
    def _importances(self) -> Importances:
        check_is_fitted(self)
        scoring, known = KNOWN.get(self.committee_, (None, None))
        if known is None or scoring != self.scoring:
            known = self.permutation_importances(np.arange(self.n_features_in_))
            KNOWN[self.committee_] = self.scoring, known
        return known
