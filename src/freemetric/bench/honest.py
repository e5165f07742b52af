"""k-NN in a learned space with k chosen by refitting inner folds."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from ..learners.votes import NeighborVotes, shares


class HonestKNN(ClassifierMixin, BaseEstimator):
    """Features scaled to [0, 1], any metric learner, and the k that is best for patterns the metric did not see.

    A metric makes its own training points look separable, so k cannot be chosen among them: every inner fold is
    judged by a metric learned on the others.
    """

    def __init__(self, learner, *, most_neighbors=40, n_folds=5, random_state=0):
        self.learner = learner
        self.most_neighbors = most_neighbors
        self.n_folds = n_folds
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_, y = np.unique(y, return_inverse=True)
        folds = StratifiedKFold(self.n_folds, shuffle=True, random_state=self.random_state)
        smallest_part = len(y) - -(-len(y) // self.n_folds)
        most = min(self.most_neighbors, smallest_part)
        wrong = np.zeros(most)
        for train, held_out in folds.split(X, y):
            space, voters = self._learn(X[train], y[train], most)
            wrong += self._wrong(voters.of(space.transform(X[held_out])), y[held_out])
        self.n_neighbors_ = int(wrong.argmin()) + 1
        self.space_, self.voters_ = self._learn(X, y, self.n_neighbors_)
        return self

    def predict(self, X):
        votes = self.voters_.of(self.space_.transform(X))
        return self.classes_[shares(votes)[:, -1].argmax(axis=1)]

    def _learn(self, X, y, n_neighbors):
        space = make_pipeline(MinMaxScaler(), clone(self.learner)).fit(X, y)
        return space, NeighborVotes(space.transform(X), y, len(self.classes_), n_neighbors)

    def _wrong(self, votes, y):
        return (shares(votes).argmax(axis=2) != y[:, None]).sum(axis=0)
