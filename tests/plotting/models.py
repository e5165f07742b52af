"""Small models with the public attributes of an ensemble and of a model of tables."""

from types import SimpleNamespace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import validate_data

K = np.array([1, 2, 3])


class Votes(BaseEstimator):
    """Nearest neighbours after stretching the features to a standard deviation of 1."""

    def fit(self, X, y):
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.scale = X.std(axis=0)
        values = self._values(y)
        training_set = SimpleNamespace(values=values)
        self.ensemble_ = SimpleNamespace(X=X, training_set=training_set)
        self.feature_importances_ = np.arange(1.0, X.shape[1] + 1)
        self.selection_ = {
            "view": np.repeat(["scaled", "quantiles"], 3),
            "form": np.repeat(["full", "identity"], 3),
            "n_neighbors": np.tile(K, 2),
            "oob_loss": np.array([0.5, 0.4, 0.45, 0.3, 0.2, 0.25]),
            "weight": np.array([0.0, 0.1, 0.0, 0.1, 0.5, 0.3]),
        }
        self.estimators_ = [("density", "a density"), ("trees", "some trees")]
        _, found = self._nearest(X, 4)
        self.oob = values[found[:, 1:]].mean(axis=1)
        return self

    def transform(self, X):
        return validate_data(self, X, dtype=np.float64, reset=False) / self.scale

    def get_mahalanobis_matrix(self):
        return np.diag(1 / self.scale**2)

    def _nearest(self, X, k):
        search = NearestNeighbors(n_neighbors=k).fit(self.ensemble_.X / self.scale)
        return search.kneighbors(X / self.scale)

    def _outputs(self, X):
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.ensemble_.training_set.values[self._nearest(X, 1)[1][:, 0]]


class Classifier(ClassifierMixin, Votes):
    pool_ = SimpleNamespace(strengths=np.array([0.25, 1.5]))

    def _values(self, y):
        self.classes_ = np.unique(y)
        return (y[:, None] == self.classes_).astype(float)

    @property
    def oob_decision_function_(self):
        return self.oob

    @property
    def oob_score_(self):
        return np.mean(
            self.oob.argmax(axis=1) == self.ensemble_.training_set.values.argmax(axis=1)
        )

    def predict_proba(self, X):
        return self._outputs(X)

    def predict(self, X):
        return self.classes_[self._outputs(X).argmax(axis=1)]


class Regressor(RegressorMixin, Votes):
    def _values(self, y):
        return y[:, None]

    @property
    def oob_prediction_(self):
        return self.oob[:, 0]

    oob_score_ = 0.5
    scale_ = SimpleNamespace(back=lambda z: z)
    combination_ = SimpleNamespace(strengths=np.arange(5.0))

    def predict(self, X):
        return self._outputs(X)[:, 0]

    def predict_interval(self, X, alpha=0.1):
        return self.predict(X)[:, None] + np.array([-1, 1]) * 10 * (1 - alpha)


class Table(ClassifierMixin, BaseEstimator):
    """A data frame of a number and a category, encoded in front of a classifier."""

    def fit(self, frame, y):
        self.feature_names_in_ = np.asarray(frame.columns)
        self.n_features_in_ = frame.shape[1]
        encoder = make_column_transformer(
            (OneHotEncoder(sparse_output=False), [frame.columns[-1]]),
            remainder="passthrough",
            verbose_feature_names_out=False,
        )
        self.pipeline_ = make_pipeline(encoder, Classifier()).fit(frame, y)
        self.classes_ = self.pipeline_.classes_
        return self

    def predict(self, frame):
        return self.pipeline_.predict(frame)

    def predict_proba(self, frame):
        return self.pipeline_.predict_proba(frame)
