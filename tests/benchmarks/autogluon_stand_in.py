"""As much of AutoGluon 1.6's AbstractModel as the entry for TabArena meets.

Columns of kinds that a model does not take are dropped, the seed goes to the
hyperparameter of its name, and of two classes the second has the probabilities.
For regression, ``predict_proba`` returns the predicted targets.
"""

import pickle
from pathlib import Path


def raw_kind(column):
    return {"i": "int", "u": "int", "b": "int", "f": "float"}.get(
        getattr(column.dtype, "kind", "O"), "category"
    )


class AbstractModel:
    ag_key = ag_name = seed_name = None
    _supported_problem_types = None
    _default_auxiliary_params_extra = None
    default_random_seed = 0

    def __init__(self, *, path, name, problem_type, eval_metric, hyperparameters):
        self.path, self.name, self.problem_type = path, name, problem_type
        self.given = dict(hyperparameters)
        self.model = None

    def _set_default_param_value(self, name, value):
        self.params.setdefault(name, value)

    def _get_model_params(self):
        return dict(self.params)

    def fit(self, *, X, y, **options):
        valid = self._default_auxiliary_params_extra["valid_raw_types"]
        self.features = [name for name in X.columns if raw_kind(X[name]) in valid]
        self.params = dict(self.given)
        self.params.setdefault(self.seed_name, self.default_random_seed)
        self._fit(X=X, y=y, **options)
        return self

    def preprocess(self, X, **options):
        return self._preprocess(X[self.features], **options)

    def _preprocess(self, X, **options):
        return X

    def predict_proba(self, X):
        if self.problem_type == "regression":
            return self.model.predict(self.preprocess(X))
        P = self.model.predict_proba(self.preprocess(X))
        return P[:, 1] if self.problem_type == "binary" else P

    def estimate_memory_usage(self, X):
        return self._estimate_memory_usage_static(X=X)

    def save(self):
        Path(self.path, "model.pkl").write_bytes(pickle.dumps(self))

    @classmethod
    def load(cls, path):
        return pickle.loads(Path(path, "model.pkl").read_bytes())
