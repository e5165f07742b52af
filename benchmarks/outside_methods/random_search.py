"""A small honest search: drawn configurations, scored by inner folds of the training rows alone."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from freemetric.bench.protocol import probability_scores

from .folds import inner_folds


class RandomSearch(ClassifierMixin, BaseEstimator):
    """The best of some configurations, the defaults among them; it is then fitted on all rows.

    The same folds score all of them, by the mean log loss. Where a family has rounds, the folds stop it, and the final
    fit takes their mean number.

    Parameters
    ----------
    family : object
        With ``first``, ``draw(rng)`` and ``fit(parameters, seed, X, y, held_out, rounds)``, as in ``families``.
    n_configurations : int, default=20
        The first one is the family's defaults.
    n_folds : int, default=3
        Inner folds.
    random_state : int or None, default=None
        Seed of draws, folds and fits.
    """

    def __init__(self, family, n_configurations=20, n_folds=3, random_state=None):
        self.family = family
        self.n_configurations = n_configurations
        self.n_folds = n_folds
        self.random_state = random_state

    def fit(self, X, y):
        rng = np.random.default_rng(self.random_state)
        drawn = [self.family.draw(rng) for _ in range(self.n_configurations - 1)]
        folds = list(inner_folds(y, self.n_folds, self.random_state))
        tried = [(*self._scored(parameters, X, y, folds), parameters) for parameters in (self.family.first, *drawn)]
        self.log_loss_, rounds, self.parameters_ = min(tried, key=lambda found: found[0])
        self.classes_ = np.unique(y)
        self.model_, self.rounds_ = self.family.fit(self.parameters_, self.random_state, X, y, rounds=rounds)
        return self

    def _scored(self, parameters, X, y, folds):
        """Mean log loss over the folds, and mean number of rounds."""
        losses, rounds = [], []
        for train, test in folds:
            left_out = X[test], y[test]
            model, n_rounds = self.family.fit(parameters, self.random_state, X[train], y[train], held_out=left_out)
            losses.append(probability_scores(model.predict_proba(left_out[0]), left_out[1])["log_loss"])
            rounds.append(n_rounds)
        return float(np.mean(losses)), round(float(np.mean(rounds)))

    def predict_proba(self, X):
        return self.model_.predict_proba(X)
