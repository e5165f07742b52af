"""Counterfactuals: the fewest changes of a sample that change its class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from .features import check_ensemble, feature_groups, training_rows_have_no_names

N_DONORS = 5  # training rows whose values are tried; the fewest changes win
BATCH_SIZE = 64  # training rows that are predicted together


@dataclass(frozen=True)
class Counterfactuals:
    """Samples of another class, and what has changed in them.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The changed samples; rows of NaN where no allowed change was found.
    y : ndarray of shape (n_samples,)
        Their predicted classes; without a counterfactual, that of the sample itself.
    changed : ndarray of shape (n_samples, n_features)
        Which values have changed.
    rows : ndarray of shape (n_samples,)
        Rows of ``model.ensemble_.X`` that changed values are from; -1 without changes.
    """

    X: NDArray[np.float64]
    y: NDArray
    changed: NDArray[np.bool_]
    rows: NDArray[np.intp]


def counterfactuals(
    model: Any,
    X: ArrayLike,
    target: Any = None,
    *,
    fixed: Sequence[Any] = (),
    groups: ArrayLike | None = None,
) -> Counterfactuals:
    """Find the fewest changes of each sample that change its predicted class.

    A sample takes the values of a training row of another class, the nearest ones
    first. Values are then taken back one by one, each time the one that matters least,
    as long as the class stays. Of five such rows the one with the fewest changes wins,
    then the nearest. So the class does change, each change is needed for it, and all
    changed values are those of one training row.

    Costs about :math:`g^2 / 2` predictions for each of the five rows, with g features
    or groups that differ.

    Parameters
    ----------
    model : FreeEnergyClassifier
        A fitted model.
    X : array-like of shape (n_samples, n_features)
        Samples.
    target : label or None, default=None
        The class wanted; None: any other. A sample that has it stays as it is.
    fixed : sequence, default=()
        Features or groups that may not change, by name, or by number where features
        have no names.
    groups : array-like of shape (n_features,) or None, default=None
        Name of the group of each feature; those of one group, such as the columns of a
        one-hot encoding, change together. None: each feature is a group of its own.

    Returns
    -------
    counterfactuals : Counterfactuals
        ``X``, ``y``, ``changed`` and ``rows``.

    References
    ----------
    .. [1] S. Wachter, B. Mittelstadt, C. Russell, "Counterfactual Explanations without
       Opening the Black Box", Harvard Journal of Law & Technology 31, 2018.
    .. [2] M. T. Keane, B. Smyth, "Good Counterfactuals and Where to Find Them", ICCBR,
       2020.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric import FreeEnergyClassifier
    >>> from freemetric.inspection import counterfactuals
    >>> X, y = load_wine(return_X_y=True)
    >>> model = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X, y)
    >>> found = counterfactuals(model, X[:1], target=1, fixed=[0])
    >>> found.y, bool(model.predict(found.X)[0] == 1), bool(found.changed[0, 0])
    (array([1]), True, False)
    """
    check_is_fitted(model)
    if hasattr(model, "pipeline_"):
        advice = "give model.pipeline_[-1], and model.pipeline_[0].transform(X)"
        raise TypeError(f"counterfactuals changes numbers, not cells: {advice}.")
    if is_regressor(model):
        raise TypeError("counterfactuals changes classes, and this model has none.")
    check_ensemble(model, "FreeEnergyClassifier")
    samples = validate_data(
        model, X, reset=False, dtype=float, ensure_all_finite="allow-nan"
    )
    if target is not None and target not in model.classes_:
        raise ValueError(f"target is {target!r}, which is none of the model's classes.")
    numbers = np.arange(model.n_features_in_)
    feature_names = getattr(model, "feature_names_in_", numbers)
    names, columns = feature_groups(groups, feature_names)
    for name in fixed:
        if name not in names:
            raise ValueError(f"fixed names {name!r}, which is no feature or group.")
    may_change = np.array([name not in fixed for name in names])
    with training_rows_have_no_names():
        search = _Search(model, columns, may_change)
        return _found(search, samples, target)


def _found(search: "_Search", samples: NDArray, target: Any) -> Counterfactuals:
    """Search sample by sample, and let the model confirm each class."""
    before = search.model.predict(samples)
    changed_samples = samples.copy()
    rows = np.full(len(samples), -1)
    for i, x in enumerate(samples):
        if before[i] != target:
            changed_samples[i], rows[i] = search.counterfactual(x, before[i], target)
    is_found = rows >= 0
    after = before.copy()
    if is_found.any():
        after[is_found] = search.model.predict(changed_samples[is_found])
    changed = is_found[:, None] & _differ(samples, changed_samples)
    return Counterfactuals(changed_samples, after, changed, rows)


def _differ(first: NDArray, second: NDArray) -> NDArray[np.bool_]:
    return (first != second) & ~(np.isnan(first) & np.isnan(second))


class _Search:
    """Gives a sample values of training rows, its donors, until it has their class."""

    def __init__(self, model: Any, columns: list[NDArray], may_change: NDArray):
        self.model = model
        self.columns = columns
        self.may_change = may_change  # (n_groups,)
        self.group_of = np.empty(model.n_features_in_, dtype=np.intp)
        for group, of_group in enumerate(columns):
            self.group_of[of_group] = group
        self.donors = model.ensemble_.X
        self.coordinates = self._coordinates(self.donors)
        self.classes = model.predict_proba(self.donors).argmax(axis=1)

    def counterfactual(self, x: NDArray, own: Any, target: Any) -> tuple[NDArray, int]:
        """Values (d,) and the training row that they are from; NaN and -1: none."""
        labels = self.model.classes_[self.classes]
        is_wanted = labels != own if target is None else labels == target
        wanted = np.flatnonzero(is_wanted)
        distances = self._distances(x, self.coordinates[wanted])
        nearest = wanted[np.argsort(distances, kind="stable")]
        for batch in gen_batches(len(nearest), BATCH_SIZE):
            rows = nearest[batch]
            changes = self._allowed_changes(x, rows)
            works = np.flatnonzero(self._probability(x, rows, changes) > 0)[:N_DONORS]
            if len(works):
                return self._fewest_changes(x, rows[works], changes[works])
        return np.full(len(x), np.nan), -1

    def _fewest_changes(self, x, rows, changes):
        changes = self._without_needless(x, rows, changes)
        candidates = self._changed(x, rows, changes)
        coordinates = self._coordinates(np.vstack([x, candidates]))[1:]
        distances = self._distances(x, coordinates)
        best = np.lexsort((distances, changes.sum(axis=1)))[0]
        return candidates[best], rows[best]

    def _without_needless(self, x, rows, changes):
        """Take back changes one by one, each time the one that matters least."""
        while True:
            donor, group = np.nonzero(changes)
            trials = changes[donor]
            trials[np.arange(len(donor)), group] = False
            probability = np.zeros(changes.shape)
            trial_probability = self._probability(x, rows[donor], trials)
            probability[donor, group] = trial_probability
            shorter = np.flatnonzero(probability.max(axis=1) > 0)
            if not len(shorter):
                return changes
            changes[shorter, probability[shorter].argmax(axis=1)] = False

    def _allowed_changes(self, x, rows):
        """Groups (m, n_groups) in which x differs from these rows and may change."""
        differ = _differ(x, self.donors[rows])
        groups = [differ[:, of_group].any(axis=1) for of_group in self.columns]
        return np.column_stack(groups) & self.may_change

    def _changed(self, x, rows, changes):
        """x (d,) with the values of these groups (m, n_groups) from rows (m,)."""
        return np.where(changes[:, self.group_of], self.donors[rows], x)

    def _probability(self, x, rows, changes):
        """Probability (m,) of the row's class, and 0 where another is predicted."""
        P = self.model.predict_proba(self._changed(x, rows, changes))
        wanted = self.classes[rows]
        is_predicted = P.argmax(axis=1) == wanted
        return np.where(is_predicted, P[np.arange(len(P)), wanted], 0.0)

    def _distances(self, x, coordinates):
        return np.linalg.norm(coordinates - self._coordinates(x[None]), axis=1)

    def _coordinates(self, samples):
        """Coordinates (m, n_axes) as an array; set_config makes frames of them."""
        return np.asarray(self.model.transform(samples))
