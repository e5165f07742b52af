"""TableClassifier and TableRegressor behind AutoGluon's interface, as TabArena asks."""

import warnings

from autogluon.core.models import AbstractModel


class FreeEnergyModel(AbstractModel):
    """The free-energy ensembles on tables.

    Hyperparameters are those of FreeEnergyClassifier and FreeEnergyRegressor. Rows that
    validate are not needed, because replicas are scored out of bag.
    """

    ag_key = "FREEMETRIC"
    ag_name = "FreeEnergy"
    seed_name = "random_state"
    _supported_problem_types = ["binary", "multiclass", "regression"]
    _default_auxiliary_params_extra = {"valid_raw_types": ["int", "float", "category"]}
    default_resources_physical_cores_only = True

    def _fit(self, X, y, num_cpus=1, sample_weight=None, **kwargs):
        parameters = self._get_model_params()
        if isinstance(num_cpus, int):
            parameters.setdefault("n_jobs", num_cpus)
        weights = None if sample_weight is None else sample_weight.to_numpy()
        table, ensemble = self._classes(self.problem_type)
        model = table(ensemble(**parameters))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of columns that are left out
            self.model = model.fit(self.preprocess(X), y.to_numpy(), weights)

    @classmethod
    def warmup(cls, problem_type=None, **kwargs):
        """Compile the kernels, once for an environment: no part of what is timed."""
        from sklearn.datasets import load_diabetes, load_wine

        load = load_diabetes if problem_type == "regression" else load_wine
        X, y = load(return_X_y=True)
        _, ensemble = cls._classes(problem_type)
        ensemble(random_state=0).fit(X, y).predict(X[:5])

    @staticmethod
    def _classes(problem_type):
        import freemetric  # AutoGluon imports models that it does not fit

        if problem_type == "regression":
            return freemetric.TableRegressor, freemetric.FreeEnergyRegressor
        return freemetric.TableClassifier, freemetric.FreeEnergyClassifier

    @classmethod
    def _estimate_memory_usage_static(cls, *, X, **kwargs):
        """Return bytes: libraries, votes of 2,000 samples, encoded rows, full maps."""
        n, d = X.shape
        is_number = [X[name].dtype.kind in "biuf" for name in X.columns]
        names = zip(X.columns, is_number, strict=True)
        width = sum(1 if number else min(X[n].nunique(), 32) for n, number in names)
        width = width or d
        return int(5e8 + 8 * 6 * n * width + 8 * 200 * min(width, 500) ** 2)
