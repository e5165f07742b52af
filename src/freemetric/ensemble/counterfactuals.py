"""Counterfactuals: the smallest change of a sample, by values of a real one, that changes its class."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..learners.base import one_blas_thread
from ..magnitudes import lengths
from .fitted import FittedEnsemble
from .tasks.intervals import check_one_target

N_DONORS = 5  # training samples whose values are tried, of which the fewest changes win
AT_A_TIME = 64  # training samples that are looked at together


class Counterfactuals(NamedTuple):
    """Samples of another class, and what has changed in them.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples with the fewest changes that were found; rows of NaN where there is none. Single ones are gaps.
    y : ndarray of shape (n_samples,)
        What the model predicts for them; for a sample without a counterfactual, its own class.
    changed : ndarray of shape (n_samples, n_features)
        Which values have changed.
    rows : ndarray of shape (n_samples,)
        The training row that changed values are from; -1 where nothing has changed.
    """

    X: NDArray[np.float64]
    y: NDArray
    changed: NDArray[np.bool_]
    rows: NDArray[np.intp]


class Rules(NamedTuple):
    """Which features change together, and which changes are allowed."""

    groups: list[NDArray]  # columns of every group
    group_of: NDArray[np.intp]  # (d,) the group of every column
    fixed: NDArray[np.bool_]  # (n_groups,)
    direction: NDArray[np.int_]  # (d,): 1 may only rise, -1 may only fall, 0 may do both
    n_features: int  # the columns behind are companions of gaps

    @classmethod
    def of(
        cls, names: list[Any], groups: list[NDArray], fixed: Sequence[Any], monotone: Mapping[Any, int], n_features: int
    ) -> "Rules":
        """The rules of groups with these names; ValueError where another one is named."""
        for what, given in (("fixed", fixed), ("monotone", monotone)):
            unknown = [name for name in given if name not in names]
            if unknown:
                raise ValueError(f"{what} names {unknown[0]!r}, which is no feature or group.")
        for name, direction in monotone.items():
            if direction not in (-1, 0, 1):
                raise ValueError(f"monotone[{name!r}] must be 1 (may rise), -1 (may fall) or 0, got {direction!r}.")
        group_of = np.empty(sum(map(len, groups)), dtype=np.intp)
        for number, columns in enumerate(groups):
            group_of[columns] = number
        directions = np.array([monotone.get(name, 0) for name in names])
        return cls(groups, group_of, np.array([name in fixed for name in names]), directions[group_of], n_features)

    def changes(self, x: NDArray, donors: NDArray) -> NDArray[np.bool_]:
        """Which groups (m, n_groups) of x (d,) differ from those of donors (m, d), and may."""
        apart = donors - x
        wrong = apart * self.direction < 0
        gaps = slice(self.n_features, None)  # a value neither rises nor falls where it comes or goes
        wrong[:, gaps] = (apart[:, gaps] != 0) & (self.direction[gaps] != 0)
        differ, breaks = (
            np.stack([some[:, columns].any(axis=1) for columns in self.groups], axis=1) for some in (apart != 0, wrong)
        )
        return differ & ~breaks & ~self.fixed


class CounterfactualSearch(NamedTuple):
    """Gives a sample values of training samples, its donors, until it has their class."""

    model: Any
    rules: Rules

    def counterfactual(self, x: NDArray, own: int, target: Any) -> tuple[NDArray, int, int]:
        """Values (d,) for x (d,) of class number ``own``, the training row that they are from, and its class number."""
        training_set, classes = self.model.ensemble_.training_set, self.model.classes_
        wanted = np.arange(len(classes)) != own if target is None else classes == target
        if wanted[own]:
            return x, -1, own
        able = np.flatnonzero(wanted[training_set.y])
        everyone = able[np.argsort(self._distances(x, training_set.X[able]), kind="stable")]
        for start in range(0, len(everyone), AT_A_TIME):
            donors = everyone[start : start + AT_A_TIME]
            groups = self.rules.changes(x, training_set.X[donors])
            does = np.flatnonzero((self._gain(x, donors, groups) > 0) & groups.any(axis=1))[:N_DONORS]
            if len(does):
                donors, groups = donors[does], self._fewest(x, donors[does], groups[does])
                found = self._changed(x, donors, groups)
                best = np.lexsort((self._distances(x, found), groups.sum(axis=1)))[0]
                return found[best], int(training_set.rows[donors[best]]), training_set.y[donors[best]]
        return np.full(len(x), np.nan), -1, own

    def probabilities(self, samples: NDArray) -> NDArray[np.float64]:
        """Class probabilities (n, C) of samples (n, d)."""
        model = self.model
        return model.ensemble_.predict(samples, model.n_jobs, model.device, model._n_looked_at)

    def _distances(self, x, others):
        Z = self.model.ensemble_.embed(np.vstack([x[None], others]))
        return lengths(Z[1:] - Z[0])

    def _changed(self, x, donors, groups):
        """x (d,) with the values of these groups (m, n_groups) from donors (m,), (m, d)."""
        return np.where(groups[:, self.rules.group_of], self.model.ensemble_.training_set.X[donors], x)

    def _gain(self, x, donors, groups):
        """Probability (m,) that they then have of the donor's class where it is predicted; zero elsewhere."""
        P, wanted = self.probabilities(self._changed(x, donors, groups)), self.model.ensemble_.training_set.y[donors]
        return np.where(P.argmax(axis=1) == wanted, P[np.arange(len(P)), wanted], 0.0)

    def _fewest(self, x, donors, groups):
        """Take back changes one by one, each time the one that matters least, as long as the class stays."""
        while True:
            donor, group = np.nonzero(groups)
            trials = groups[donor]
            trials[np.arange(len(donor)), group] = False
            gains = np.zeros(groups.shape)
            gains[donor, group] = self._gain(x, donors[donor], trials)
            able = np.flatnonzero(gains.max(axis=1) > 0)
            if not len(able):
                return groups
            groups[able, gains[able].argmax(axis=1)] = False


class CounterfactualsMixin(FittedEnsemble):
    """Counterfactuals of a classifier with an ``ensemble_``."""

    def counterfactual(
        self,
        X: ArrayLike,
        target: Any = None,
        *,
        fixed: Sequence[Any] = (),
        monotone: Mapping[Any, int] | None = None,
        groups: ArrayLike | None = None,
    ) -> Counterfactuals:
        """What would have to be otherwise for the model to predict another class.

        The nearest training samples of another class, in the averaged metric, give their values; of those that are
        enough to change the class, changes are taken back one by one, each time the one whose loss matters least, as
        long as the class stays. The result with the fewest changes wins, then the nearest. So the class does change,
        every single change is needed for it, and changed values are those of one training sample.

        Costs about g^2 / 2 predictions for each of five training samples, with g groups that differ.

        {samples}
        target : label or None, default=None
            The class wanted; None: any other. A sample that has it stays as it is.
        fixed : sequence of names, default=()
            Features or groups that may not change, by their names, or numbers where they have none.
        monotone : dict or None, default=None
            By feature or group, 1 where a value may only rise, -1 where it may only fall; it is then neither filled in
            nor left out.
        {groups}

        Returns
        -------
        counterfactuals : Counterfactuals
            A named tuple of ``X`` with the changes, rows of NaN where there are none; ``y``, their predicted classes;
            ``changed``, which values; and ``rows``, the training rows that values are from.

        References
        ----------
        .. [1] S. Wachter, B. Mittelstadt, C. Russell, "Counterfactual Explanations without Opening the Black Box",
           Harvard Journal of Law & Technology 31, 2018.
        .. [2] M. T. Keane, B. Smyth, "Good Counterfactuals and Where to Find Them", ICCBR, 2020.

        Examples
        --------
        {fitted_wine}
        >>> found = model.counterfactual(X[:1], target=1, fixed=[0])
        >>> found.y, bool(model.predict(found.X)[0] == 1), bool(found.changed[0, 0])
        (array([1]), True, False)
        """
        check_is_fitted(self)
        check_one_target(self, "Counterfactuals are")
        self._check_keeps_rows()
        samples = self._samples(X).astype(np.float64)
        names, columns = self._groups(groups)
        rules = Rules.of(names.tolist(), columns, fixed, monotone or {}, self.n_features_in_)
        if target is not None and target not in self.classes_.tolist():
            raise ValueError(f"target is {target!r}, which is none of the classes seen in fit.")
        search = CounterfactualSearch(self, rules)
        with one_blas_thread():
            before = search.probabilities(samples).argmax(axis=1)
            found = [search.counterfactual(x, own, target) for x, own in zip(samples, before, strict=True)]
        values, rows, after = (np.array(some) for some in zip(*found, strict=True))
        changed = (values != samples) & ~np.isnan(values)
        gaps = self.ensemble_.training_set.gaps
        if gaps is not None:
            values, d = gaps.back(values), self.n_features_in_
            changed[:, gaps.features] |= changed[:, d:]
            changed = changed[:, :d]
        return Counterfactuals(values, self.classes_[after], changed, rows)
