"""FreeEnergyClassifier and FreeEnergyRegressor behind the interface of AutoGluon, which is that of TabArena."""

import time
import warnings

from autogluon.core.models import AbstractModel

from .encoding import FrameEncoder

SAMPLED = 0.8  # of the time limit; the rest weighs the metrics
LEAST_SECONDS = 0.1  # some replica is always sampled


class FreeEnergyModel(AbstractModel):
    """Hyperparameters are those of FreeEnergyClassifier and FreeEnergyRegressor, ``recipe__...`` among them.

    Rows that validate are not learned from and not needed: replicas are scored out of bag.
    """

    ag_key = "FREEMETRIC"
    ag_name = "FreeEnergy"
    seed_name = "random_state"
    _supported_problem_types = ["binary", "multiclass", "regression"]
    _default_auxiliary_params_extra = {"valid_raw_types": ["int", "float", "category"]}
    default_resources_physical_cores_only = True

    def _set_default_params(self):
        self._set_default_param_value("n_replicas", "auto")

    def _preprocess(self, X, is_train=False, **kwargs):
        """Numbers only; what is made of the columns is decided on the training rows."""
        X = super()._preprocess(X, **kwargs)
        if is_train:
            self._encoder = FrameEncoder().fit(X)
        return self._encoder.transform(X)

    def _fit(
        self,
        X,
        y,
        X_val=None,
        y_val=None,
        time_limit=None,
        num_cpus=1,
        sample_weight=None,
        **kwargs,
    ):
        start = time.monotonic()
        parameters = self._get_model_params()
        samples = self.preprocess(X, is_train=True)
        if time_limit is not None:
            left = time_limit - (time.monotonic() - start)
            parameters["max_seconds"] = max(SAMPLED * left, LEAST_SECONDS)
        if isinstance(num_cpus, int):
            parameters.setdefault("n_jobs", num_cpus)
        weights = None if sample_weight is None else sample_weight.to_numpy()
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # time was up: the model is made of what there is
            model = self._learner(self.problem_type)().set_params(**parameters)
            self.model = model.fit(samples, y.to_numpy(), weights)

    @classmethod
    def warmup(cls, problem_type=None, **kwargs):
        """Compile the kernels, once for an environment and kept on disk: not a part of what is timed."""
        from sklearn.datasets import load_diabetes, load_wine

        X, y = (load_diabetes if problem_type == "regression" else load_wine)(
            return_X_y=True
        )
        cls._learner(problem_type)(12, random_state=0).fit(X, y).predict(X[:5])

    @staticmethod
    def _learner(problem_type):
        from freemetric import (
            FreeEnergyClassifier,
            FreeEnergyRegressor,
        )  # AutoGluon imports models it does not fit

        return (
            FreeEnergyRegressor
            if problem_type == "regression"
            else FreeEnergyClassifier
        )

    @classmethod
    def _estimate_memory_usage_static(cls, *, X, **kwargs):
        """Bytes: libraries, distances of 4,000 out-of-bag samples to 16,384 rows, encoded rows, 200 full maps."""
        n, d = X.shape
        d = (
            sum(
                1 if X[name].dtype.kind in "biuf" else min(X[name].nunique(), 32)
                for name in X.columns
            )
            or d
        )
        return int(
            5e8
            + 8 * min(n, 4000) * min(n, 16384)
            + 8 * 6 * n * d
            + 8 * 200 * min(d, 500) ** 2
        )
