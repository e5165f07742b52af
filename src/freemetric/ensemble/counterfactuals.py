"""Counterfactuals: the smallest change of a sample, by values of a real one, that changes its class."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..learners.base import one_blas_thread
from ..magnitudes import lengths
from ..metrics import TrainingSet
from .data_values import check_keeps_rows
from .importances import group_names
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
    fixed: NDArray[np.bool_]  # (n_groups,)
    direction: NDArray[np.int_]  # (d,): 1 may only rise, -1 may only fall, 0 may do both
    n_features: int  # the columns behind are companions of gaps

    @classmethod
    def of(cls, names: NDArray, fixed: Sequence[Any], monotone: Mapping[Any, int], owner: NDArray) -> "Rules":
        """The rules of features with these names of groups; ValueError where another one is named.

        Columns belong to the features ``owner`` (d,).
        """
        order = names[np.sort(np.unique(names, return_index=True)[1])].tolist()
        for what, given in (("fixed", fixed), ("monotone", monotone)):
            unknown = [name for name in given if name not in order]
            if unknown:
                raise ValueError(f"{what} names {unknown[0]!r}, which is no feature or group.")
        for name, direction in monotone.items():
            if direction not in (-1, 0, 1):
                raise ValueError(f"monotone[{name!r}] must be 1 (may rise), -1 (may fall) or 0, got {direction!r}.")
        groups = [np.flatnonzero(names[owner] == name) for name in order]
        directions = np.array([monotone.get(name, 0) for name in names.tolist()])[owner]
        return cls(groups, np.array([name in set(fixed) for name in order]), directions, len(names))

    def changes(self, x: NDArray, donors: NDArray) -> NDArray[np.bool_]:
        """Which groups (m, n_groups) of x (d,) differ from those of donors (m, d), and may."""
        apart = donors - x
        differ = np.stack([(apart[:, some] != 0).any(axis=1) for some in self.groups], axis=1)
        wrong = apart * self.direction < 0
        gaps = slice(self.n_features, None)  # a value neither rises nor falls where it comes or goes
        wrong[:, gaps] = (apart[:, gaps] != 0) & (self.direction[gaps] != 0)
        breaks = np.stack([wrong[:, some].any(axis=1) for some in self.groups], axis=1)
        return differ & ~breaks & ~self.fixed

    def of_features(self, values: NDArray) -> NDArray:
        """Values (..., d) of all features, from those (..., n_groups) of their groups."""
        out = np.zeros((*values.shape[:-1], sum(map(len, self.groups))), dtype=values.dtype)
        for number, some in enumerate(self.groups):
            out[..., some] = values[..., number, None]
        return out


class CounterfactualSearch(NamedTuple):
    """Gives a sample values of training samples, its donors, until it has their class."""

    probabilities: Callable[[NDArray], NDArray]  # of samples (n, d), (n, C)
    training_set: TrainingSet
    rules: Rules

    def changes(self, x: NDArray, donors: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """The first few donors (m,) that can give x (d,) their class, and the groups (m, n_groups) that are enough."""
        for start in range(0, len(donors), AT_A_TIME):
            some = donors[start : start + AT_A_TIME]
            groups = self.rules.changes(x, self.training_set.X[some])
            does = np.flatnonzero((self.gain(x, some, groups) > 0) & groups.any(axis=1))[:N_DONORS]
            if len(does):
                return some[does], self._fewest(x, some[does], groups[does])
        return donors[:0], np.empty((0, len(self.rules.groups)), dtype=bool)

    def changed(self, x: NDArray, donors: NDArray[np.intp], groups: NDArray[np.bool_]) -> NDArray:
        """x (d,) with the values of these groups (m, n_groups) from donors (m,), (m, d)."""
        return np.where(self.rules.of_features(groups), self.training_set.X[donors], x)

    def gain(self, x: NDArray, donors: NDArray[np.intp], groups: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Probability (m,) that they then have of the donor's class where it is predicted; zero elsewhere."""
        P, wanted = self.probabilities(self.changed(x, donors, groups)), self.training_set.y[donors]
        return np.where(P.argmax(axis=1) == wanted, P[np.arange(len(P)), wanted], 0.0)

    def _fewest(self, x, donors, groups):
        """Take back changes one by one, each time the one that matters least, as long as the class stays."""
        while True:
            donor, group = np.nonzero(groups)
            trials = groups[donor]
            trials[np.arange(len(donor)), group] = False
            gains = np.zeros(groups.shape)
            gains[donor, group] = self.gain(x, donors[donor], trials)
            able = np.flatnonzero(gains.max(axis=1) > 0)
            if not len(able):
                return groups
            groups[able, gains[able].argmax(axis=1)] = False


class CounterfactualsMixin:
    """Counterfactuals of a classifier with an ``ensemble_``."""

    ensemble_: Any
    classes_: NDArray
    n_features_in_: int
    n_jobs: int | None
    device: str
    _n_looked_at: Any
    _samples: Callable[[ArrayLike], NDArray]

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

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        target : label or None, default=None
            The class wanted; None: any other. A sample that has it stays as it is.
        fixed : sequence of names, default=()
            Features that may not change, by their names, or numbers where they have none.
        monotone : dict or None, default=None
            By feature, 1 where its value may only rise, -1 where it may only fall; it is then neither filled in nor
            left out.
        groups : array-like of shape (n_features,) or None, default=None
            Name of the group of every feature; those of one group, such as the columns of a one-hot encoding, change
            together. ``fixed`` and ``monotone`` then name groups. None: every feature on its own.

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
        >>> from sklearn.datasets import load_wine
        >>> from freemetric import FreeEnergyClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> model = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X, y)
        >>> found = model.counterfactual(X[:1], target=1, fixed=[0])
        >>> found.y, bool(model.predict(found.X)[0] == 1), bool(found.changed[0, 0])
        (array([1]), True, False)
        """
        check_is_fitted(self)
        check_one_target(self, "Counterfactuals are")
        check_keeps_rows(self)
        samples = self._samples(X).astype(np.float64)
        names = group_names(groups, getattr(self, "feature_names_in_", None), self.n_features_in_)
        rules = Rules.of(names, fixed, monotone or {}, self.ensemble_.training_set.owner)
        if target is not None and target not in self.classes_.tolist():
            raise ValueError(f"target is {target!r}, which is none of the classes seen in fit.")
        with one_blas_thread():
            before = self._class_numbers(samples)
            found = [self._counterfactual(x, own, target, rules) for x, own in zip(samples, before, strict=True)]
            after = np.array([new for _, _, new in found])
        values = np.array([value for value, _, _ in found])
        changed = (values != samples) & ~np.isnan(values)
        gaps = self.ensemble_.training_set.gaps
        if gaps is not None:
            values, d = gaps.back(values), self.n_features_in_
            changed[:, gaps.features] |= changed[:, d:]
            changed = changed[:, :d]
        return Counterfactuals(values, self.classes_[after], changed, np.array([row for _, row, _ in found]))

    def _probabilities(self, samples):
        return self.ensemble_.predict(samples, self.n_jobs, self.device, self._n_looked_at)

    def _class_numbers(self, samples):
        return self._probabilities(samples).argmax(axis=1)

    def _counterfactual(self, x, own, target, rules):
        """Values (d,) of a counterfactual of x (d,), the training row that they are from, and its class number."""
        training_set = self.ensemble_.training_set
        wanted = np.arange(len(self.classes_)) != own if target is None else self.classes_ == target
        if wanted[own]:
            return x, -1, own
        able = np.flatnonzero(wanted[training_set.y])
        donors = able[np.argsort(self._distances(x, training_set.X[able]), kind="stable")]
        search = CounterfactualSearch(self._probabilities, training_set, rules)
        donors, groups = search.changes(x, donors)
        if not len(donors):
            return np.full(len(x), np.nan), -1, own
        found = search.changed(x, donors, groups)
        best = np.lexsort((self._distances(x, found), groups.sum(axis=1)))[0]
        return found[best], int(training_set.rows[donors[best]]), training_set.y[donors[best]]

    def _distances(self, x, others):
        Z = self.ensemble_.embed(np.vstack([x[None], others]))
        return lengths(Z[1:] - Z[0])
