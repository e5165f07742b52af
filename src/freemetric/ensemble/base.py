"""What the free-energy classifier and regressor have in common."""

from collections.abc import Callable
from copy import copy
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from ..energies import as_energy, knows_its_data
from ..sklearn_compat import (
    check_sample_weight,
    dense,
    naming_texts,
    refuse_gaps,
    seed_sequence,
)
from .ensemble import Ensemble, Member
from .search import (
    SMALL_BAG,
    Candidate,
    Search,
    sample_replicas,
    scored_samples,
    selection_weights,
    stratified_part,
)
from .training_set import TrainingSet
from .views import VIEWS, can_be_logged, parse_candidate

MOST_SEARCHED = 16_384  # samples that bags are drawn from, and that vote in a search
NEIGHBORS = (1, 2, 3, 5, 8, 13, 20, 32)
CANDIDATES = (
    "scaled/identity",
    "quantiles/identity",
    "scaled/diagonal",
    "quantiles/diagonal",
    "scaled/full",
    "logs/full",
    "quantiles/full",
)
LEAST_WEIGHT = 1e-30  # of the largest: less is nothing in single precision
LARGEST = 1e150  # of a feature: squares of differences stay numbers


class FreeEnergyModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """An estimator with an ``ensemble_``: distances, neighbours, and what a fit needs.

    The squared distance is the weighted mean over all metrics that vote, each scaled to
    a mean squared distance of one.
    """

    # --- the learned distance -----------------------------------------------------

    def transform(self, X) -> NDArray:
        """Map samples to coordinates in which the averaged distance is Euclidean.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_axes)
            Coordinates on principal axes, centred on the training samples.
        """
        X = self._samples(X)
        return self.ensemble_.embed(X)

    def kneighbors(self, X, n_neighbors: int = 5, return_distance=True) -> Any:
        """Find the training samples nearest in the averaged distance.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        n_neighbors : int, default=5
            How many.
        return_distance : bool, default=True
            Whether to return distances, too.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Distances; only if ``return_distance``.
        indices : ndarray of shape (n_samples, n_neighbors)
            Rows of the training samples, the nearest first.
        """
        X = self._samples(X)
        most = len(self.ensemble_.X)
        if not isinstance(n_neighbors, Integral) or not 1 <= n_neighbors <= most:
            raise ValueError(
                f"n_neighbors must be an integer from 1 to {most}, the number of "
                f"training samples; got {n_neighbors!r}."
            )
        distances, indices = self.ensemble_.kneighbors(X, n_neighbors)
        return (distances, indices) if return_distance else indices

    def pair_distance(self, pairs) -> NDArray:
        """Return the averaged distances of pairs of samples.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            Pairs.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
            Their distances.
        """
        check_is_fitted(self)
        pairs = check_array(
            pairs,
            dtype=np.float64,
            allow_nd=True,
            ensure_2d=False,
            ensure_all_finite="allow-nan",
        )
        if pairs.ndim != 3 or pairs.shape[1:] != (2, self.n_features_in_):
            raise ValueError(
                f"pairs must have shape (n_pairs, 2, {self.n_features_in_}); "
                f"got {pairs.shape}."
            )
        ensemble = self.ensemble_
        first = ensemble.embed(ensemble.filled(pairs[:, 0]))
        second = ensemble.embed(ensemble.filled(pairs[:, 1]))
        return np.linalg.norm(first - second, axis=1)

    def pair_score(self, pairs) -> NDArray:
        """Return minus the distances of pairs: larger for more similar pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            Pairs.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Their scores.
        """
        return -self.pair_distance(pairs)

    def get_metric(self) -> Callable[..., float]:
        """Return a function ``metric(u, v, squared=False)`` of two samples.

        It is independent of this model from now on.
        """
        check_is_fitted(self)
        ensemble = self.ensemble_

        def metric(u, v, squared=False) -> float:
            both = ensemble.filled(np.array([u, v], dtype=np.float64))
            Z = ensemble.embed(both)
            square = float(((Z[0] - Z[1]) ** 2).sum())
            return square if squared else float(np.sqrt(square))

        return metric

    def get_mahalanobis_matrix(self) -> NDArray:
        """Return M of the averaged squared distance (u - v)^T M (u - v).

        There is one only where no metric that votes is one of quantiles or logarithms,
        as with ``candidates=["scaled/full"]``; ValueError otherwise.

        Returns
        -------
        M : ndarray of shape (n_features, n_features)
            The matrix.
        """
        check_is_fitted(self)
        for name in ("quantiles", "logs"):
            if name in self.ensemble_.used_views:
                raise ValueError(
                    f"There is no Mahalanobis matrix, because metrics of {name} vote; "
                    'candidates=["scaled/diagonal", "scaled/full"] are linear.'
                )
        # Steps as wide as the training samples: rounding then does not matter.
        low = self.ensemble_.X.min(axis=0)
        width = np.ptp(self.ensemble_.X, axis=0)
        width = np.where(width > 0, width, 1.0)
        steps = self.ensemble_.embed(low + np.diag(width))
        J = (steps - self.ensemble_.embed(low[None])) / width[:, None]
        return J @ J.T

    @property
    def feature_importances_(self) -> NDArray:
        """Share of every feature in the averaged squared distance, (n_features,).

        Estimators beside the votes play no part in it;
        :func:`freemetric.inspection.permutation_importance` measures those, too.
        """
        check_is_fitted(self)
        return self.ensemble_.feature_shares

    @property
    def _n_features_out(self):
        return len(self.ensemble_.embedding.centre)

    # --- what a fit needs ---------------------------------------------------------

    def _samples(self, X):
        """Validated samples without gaps, for a fitted model."""
        check_is_fitted(self)
        with naming_texts(X):
            X = validate_data(self, X, reset=False, **SAMPLES)
        return self.ensemble_.filled(in_reach(dense(X)))

    def _training_samples(self, X, y, sample_weight, **options):
        """Validated training samples with gaps, targets, and weights or None.

        Weights have a mean of one; None where all are equal. Samples of weight zero are
        left out. The model itself stays as it was: the fit may yet fail.
        """
        refuse_gaps(y)
        with naming_texts(X):
            X, y = validate_data(copy(self), X, y, **SAMPLES, **options)
        X = in_reach(dense(X))
        if sample_weight is None:
            return X, y, None
        weights = check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        counts = weights > LEAST_WEIGHT * weights.max()
        if counts.sum() < options.get("ensure_min_samples", 1):
            raise ValueError(
                f"sample_weight is zero for all but {counts.sum()} samples."
            )
        X, y, weights = X[counts], y[counts], weights[counts]
        weights = weights / weights.max()
        weights = weights / weights.mean()
        return X, y, None if np.ptp(weights) == 0 else weights

    def _search(self, X, task, weights, gap_values):
        """Sample the metrics.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Training samples without gaps.
        task : ClassTask or TargetTask
            What they vote for, and what the energy is.
        weights : ndarray of shape (n_samples,)
            Their weights, of mean one.
        gap_values : ndarray of shape (n_features,)
            What stands in for gaps.

        Returns
        -------
        ensemble : Ensemble
            Metrics with the weight that each got out of bag.
        votes : ndarray of shape (n_scored, n_values)
            Out-of-bag votes.
        scored : ndarray of shape (n_scored,)
            Numbers of the samples that have some.
        selection : dict of ndarray
            What was tried.
        """
        seed = seed_sequence(self.random_state)
        rows = np.arange(len(X))
        if len(rows) > MOST_SEARCHED:
            rng = np.random.default_rng(seed.spawn(1)[0])
            rows = stratified_part(task.strata, MOST_SEARCHED, rng)
        task_of_rows = task.part(rows)
        views, candidates = self._candidates(X[rows])
        searched = TrainingSet.of(X[rows], task_of_rows.values, weights[rows])
        sizes = checked_sizes(self.n_neighbors, len(rows) - 1)
        rng = np.random.default_rng(seed.spawn(1)[0])
        n_numbers = task.values.shape[1] * len(sizes) * len(candidates)
        search = Search(
            task=task_of_rows,
            training_set=searched,
            in_views={name: view(X[rows]) for name, view in views.items()},
            scored=scored_samples(task_of_rows.strata, n_numbers, rng),
            sizes=sizes,
            energy=None if self.energy is None else as_energy(self.energy),
            sampler=self.sampler,
            n_jobs=self.n_jobs,
            seed=seed,
        )
        tried = sample_replicas(search, candidates, self.n_replicas)
        chances = selection_weights(search, tried)
        members = [
            Member(candidate.view, candidate.form, np.array(candidate.maps), row)
            for candidate, row in zip(tried, chances, strict=True)
            if row.any()
        ]
        votes = sum(
            np.tensordot(row, candidate.mean_votes(), 1)
            for candidate, row in zip(tried, chances, strict=True)
        )
        is_out = np.all([candidate.n_votes > 0 for candidate in tried], axis=0)
        # No estimator beside the votes does without one of two samples of a class.
        n_alike = np.bincount(task_of_rows.strata)[task_of_rows.strata]
        is_out &= n_alike[search.scored] > 2
        used = {member.view: views[member.view] for member in members}
        training_set = TrainingSet.of(X, task.values, weights)
        ensemble = Ensemble(gap_values, used, members, np.array(sizes), training_set)
        selection = selection_table(search, tried, chances)
        return ensemble, votes[is_out], rows[search.scored][is_out], selection

    def _candidates(self, X):
        """Views by name, fitted to samples X, and candidates without replicas."""
        names = self.candidates
        if self.energy is not None and knows_its_data(as_energy(self.energy)):
            # A function of maps has data of its own: the scaled features, in full.
            names = ["scaled/full"]
        if isinstance(names, str) or len(names) == 0:
            raise ValueError(
                "candidates is a sequence such as ['scaled/full', 'quantiles/full']; "
                f"got {names!r}."
            )
        pairs = [parse_candidate(name, X.shape[1]) for name in names]
        if not can_be_logged(X).any():  # logarithms are then the scaled features
            pairs = [
                ("scaled" if view == "logs" else view, form) for view, form in pairs
            ]
        pairs = list(dict.fromkeys(pairs))
        views = {name: VIEWS[name].fit(X) for name in dict(pairs)}
        if self.n_replicas == 0 and all(form != "identity" for _, form in pairs):
            raise ValueError(
                "n_replicas=0 samples no metric; candidates need one that learns "
                f"nothing, such as 'scaled/identity'; got {names!r}."
            )
        size = min(SMALL_BAG, max(2, len(X) // 2))
        return views, [Candidate(view, form, size) for view, form in pairs]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


SAMPLES = {
    "dtype": np.float64,
    "ensure_all_finite": "allow-nan",
    "accept_sparse": ("csr", "csc"),
    "order": "C",
}


def in_reach(X):
    """Samples X; ValueError where a value is too large to square."""
    largest = np.nanmax(np.abs(X), initial=0.0)
    if largest > LARGEST:
        row, column = np.argwhere(np.abs(X) > LARGEST)[0]
        raise ValueError(
            f"X has the value {X[row, column]:.3g} in row {row}, column {column}, too "
            f"large for a distance; look for a wrong cell."
        )
    return X


def fill_values(X):
    """What stands in for gaps: the means of the features; zero where all are gaps."""
    n_values = np.maximum((~np.isnan(X)).sum(axis=0), 1)
    return np.nansum(X / n_values, axis=0)


def checked_sizes(n_neighbors, most):
    """Numbers of neighbours in ascending order, at most so many."""
    sizes = [n_neighbors] if isinstance(n_neighbors, Integral) else list(n_neighbors)
    if not sizes or not all(isinstance(k, Integral) and k > 0 for k in sizes):
        raise ValueError(
            "n_neighbors is a positive integer or a sequence of them; got "
            f"{n_neighbors!r}."
        )
    return sorted({min(int(k), most) for k in sizes})


def selection_table(search, candidates, chances):
    """What was tried: equally long arrays, with a row per candidate and size."""
    n_sizes = len(search.sizes)
    losses = [
        search.task.losses(candidate.mean_votes(), search.scored).mean(axis=1)
        for candidate in candidates
    ]
    return {
        "view": np.repeat([candidate.view for candidate in candidates], n_sizes),
        "form": np.repeat([candidate.form for candidate in candidates], n_sizes),
        "bag_size": np.repeat([c.bag_size for c in candidates], n_sizes),
        "n_neighbors": np.tile(search.sizes, len(candidates)),
        "oob_loss": np.concatenate(losses),
        "weight": chances.ravel(),
    }


def check_alpha(alpha):
    """ValueError unless alpha is between 0 and 1."""
    if not (isinstance(alpha, Real) and 0 < alpha < 1):
        raise ValueError(
            "alpha is the share of predictions that may miss, between 0 and 1; got "
            f"{alpha!r}."
        )
