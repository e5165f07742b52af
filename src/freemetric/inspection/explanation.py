"""What predictions are made of: neighbours, the estimators beside them, features."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted, validate_data

from .features import behind_table, training_rows_have_no_names


@dataclass(frozen=True)
class Explanation:
    """Parts of predictions; every array has a row for each sample.

    Attributes
    ----------
    prediction : ndarray of shape (n_samples,)
        The predicted class, or the predicted target.
    against : ndarray of shape (n_samples,) or None
        The strongest other class; None for numbers.
    value : ndarray of shape (n_samples,)
        The log odds of the two classes; for numbers, the target on the scale of the
        model, before it is limited to the range of the training targets.
    parts : list of str
        "neighbors", the names of the estimators, and for classes "bias".
    contributions : ndarray of shape (n_samples, n_parts)
        Parts of the value, which they add up to.
    neighbors : ndarray of shape (n_samples, n_neighbors)
        Training rows whose votes weigh most.
    vote_shares : ndarray of shape (n_samples, n_neighbors)
        Their shares of all votes.
    distances : ndarray of shape (n_samples, n_neighbors)
        Their averaged distances.
    contrast : ndarray of shape (n_samples,)
        The nearest training row of the strongest other class; for numbers, the nearest
        one on the other side of the median target.
    features : ndarray of shape (n_samples, n_features)
        By how much the value falls if the feature is that of the contrast.
    """

    prediction: np.ndarray
    against: np.ndarray | None
    value: np.ndarray
    parts: list
    contributions: np.ndarray
    neighbors: np.ndarray
    vote_shares: np.ndarray
    distances: np.ndarray
    contrast: np.ndarray
    features: np.ndarray

    @property
    def shares(self):
        """Shares (n_samples, n_parts) of the parts in the sum of their sizes."""
        sizes = np.abs(self.contributions)
        return sizes / np.maximum(sizes.sum(axis=1, keepdims=True), 1e-300)


def explain(model, X, n_neighbors=5):
    r"""Say what predictions of a free-energy model are made of.

    The log odds of the predicted class c against the strongest other class c' are a sum
    over the pool of votes and estimators,

    .. math:: \log \frac{P_c}{P_{c'}} = a \log \frac{v_c + \epsilon}{v_{c'} + \epsilon}
        + \sum_b s_b \log \frac{p_{bc}}{p_{bc'}} + \mathrm{bias}_c - \mathrm{bias}_{c'},

    so that every part has its share. The value of a number is a sum over neighbours and
    trends. Rows that carry the votes and features that separate the sample from the
    other class come with it. Costs n_features predictions for every sample.

    Parameters
    ----------
    model : FreeEnergyClassifier or FreeEnergyRegressor
        A fitted model, or a model of tables with one; its features are those that the
        table became, ``model.get_feature_names_out()``.
    X : array-like of shape (n_samples, n_features)
        Samples.
    n_neighbors : int, default=5
        Number of training rows to name.

    Returns
    -------
    explanation : Explanation
        The parts.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric import FreeEnergyClassifier
    >>> from freemetric.inspection import explain
    >>> X, y = load_wine(return_X_y=True)
    >>> model = FreeEnergyClassifier(random_state=0).fit(X[::2], y[::2])
    >>> found = explain(model, X[1:2])
    >>> found.parts
    ['neighbors', 'student_t', 'naive_bayes', 'trees', 'linear', 'bias']
    >>> bool(abs(found.contributions.sum() - found.value[0]) < 1e-9)
    True
    """
    check_is_fitted(model)
    model, X = behind_table(model, X)
    X = validate_data(model, X, reset=False, dtype=float, ensure_all_finite="allow-nan")
    ensemble = model.ensemble_
    X = ensemble.filled(X)
    with training_rows_have_no_names():
        if is_classifier(model):
            order = np.argsort(model.predict_proba(X), axis=1)
            first, second = order[:, -1], order[:, -2]
            prediction, against = model.classes_[first], model.classes_[second]
            classes = ensemble.training_set.values.argmax(axis=1)
            is_other = classes == second[:, None]

            def contributions_of(samples):
                return log_odds_parts(model, samples, first, second)
        else:
            prediction = model.predict(X)
            against = None
            is_high = ensemble.training_set.values[:, 0]
            is_high = is_high > np.median(is_high)
            is_other = is_high != is_high[model.kneighbors(X, 1, False)]

            def contributions_of(samples):
                return value_parts(model, samples)

        contributions = contributions_of(X)
        value = contributions.sum(axis=1)
        contrast = nearest_of(ensemble, X, is_other)
        features = np.empty(X.shape)
        for j in range(X.shape[1]):
            changed = X.copy()
            changed[:, j] = ensemble.X[contrast, j]
            features[:, j] = value - contributions_of(changed).sum(axis=1)
    rows, vote_shares = ensemble.strongest_votes(X, n_neighbors)
    names = [name for name, _ in model.estimators_]
    return Explanation(
        prediction=prediction,
        against=against,
        value=value,
        parts=["neighbors", *names] + ["bias"] * is_classifier(model),
        contributions=contributions,
        neighbors=rows,
        vote_shares=vote_shares,
        distances=distances_to(ensemble, X, rows),
        contrast=contrast,
        features=features,
    )


def log_odds_parts(model, X, first, second):
    """Parts (n, n_parts) of the log odds of classes number ``first`` and ``second``."""
    votes = model.ensemble_.votes(X)
    chances = [fitted.predict_proba(X) for _, fitted in model.estimators_]
    terms = model.pool_.contributions(votes, chances)
    bias = model.pool_.bias + np.log(model.class_weight_)
    terms = np.concatenate([terms, np.broadcast_to(bias, (1, *terms.shape[1:]))])
    rows = np.arange(len(X))
    return (terms[:, rows, first] - terms[:, rows, second]).T


def value_parts(model, X):
    """Parts (n, n_parts) of the location of a target on the scale of the model."""
    votes = model.ensemble_.votes(X)
    trends = [fitted.predict(X) for _, fitted in model.estimators_]
    terms = model.combination_.terms(votes, trends) * model.combination_.strengths
    n_trends = len(trends)
    beside, along = terms[:, 1 : 1 + n_trends], terms[:, 1 + n_trends :]
    return np.column_stack([terms[:, 0], beside + along])


def nearest_of(ensemble, X, is_wanted):
    """The nearest training row (n,) among those wanted (n, n_rows) of every sample."""
    Z, Q = ensemble.embed(ensemble.X), ensemble.embed(X)
    squares = [((Z - q) ** 2).sum(axis=1) for q in Q]
    return np.where(is_wanted, squares, np.inf).argmin(axis=1)


def distances_to(ensemble, X, rows):
    """Averaged distances (n, n_rows) of samples to training rows (n, n_rows)."""
    Z, Q = ensemble.embed(ensemble.X), ensemble.embed(X)
    return np.linalg.norm(Q[:, None] - Z[rows], axis=2)
