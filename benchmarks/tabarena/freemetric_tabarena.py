"""TableClassifier and TableRegressor as an entry of TabArena."""

import warnings

import numpy as np
from autogluon.core.models import AbstractModel

import freemetric
from freemetric.ensemble.base import CANDIDATES, NEIGHBORS


class FreeEnergyModel(AbstractModel):
    """The free-energy ensembles behind AutoGluon's interface.

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
        table, ensemble = estimators(self.problem_type)
        model = table(ensemble(**parameters))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of columns that are left out
            self.model = model.fit(self.preprocess(X), y.to_numpy(), weights)

    @classmethod
    def _estimate_memory_usage_static(cls, *, X, **kwargs):
        """Return bytes: libraries, votes of 2,000 samples, encoded rows, full maps."""
        n, d = X.shape
        is_number = [X[name].dtype.kind in "biuf" for name in X.columns]
        names = zip(X.columns, is_number, strict=True)
        width = sum(1 if number else min(X[n].nunique(), 32) for n, number in names)
        width = width or d
        return int(5e8 + 8 * 6 * n * width + 8 * 200 * min(width, 500) ** 2)


def estimators(problem_type):
    """Return the estimator of tables and the ensemble for a task."""
    if problem_type == "regression":
        return freemetric.TableRegressor, freemetric.FreeEnergyRegressor
    return freemetric.TableClassifier, freemetric.FreeEnergyClassifier


def draw_configurations(n_configurations, seed=1234):
    """Return configurations to tune over, the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n_configurations):
        candidates = [name for name in CANDIDATES if rng.random() < 0.7]
        one_k = int(rng.choice([1, 3, 5, 9, 15, 25]))
        several = list(NEIGHBORS)
        found.append(
            {
                "n_replicas": int(rng.choice([12, 36, 72])),
                "candidates": candidates or [CANDIDATES[0]],
                "n_neighbors": one_k if rng.random() < 0.3 else several,
            }
        )
    return found


def generator():
    """Return TabArena's generator of configurations: the defaults, and drawn ones."""
    from tabarena.utils.config_utils import CustomAGConfigGenerator

    return CustomAGConfigGenerator(FreeEnergyModel, draw_configurations, [{}])


def registry_entry():
    """Return the entry as TabArena's registry wants it."""
    from tabarena.models._method_metadata import MethodMetadata
    from tabarena.models._model_info import ModelInfo

    metadata = MethodMetadata.config(
        method=FreeEnergyModel.ag_name,
        ag_key=FreeEnergyModel.ag_key,
        config_default=f"{FreeEnergyModel.ag_name}_c1_BAG_L1",
        compute="cpu",
        is_bag=True,
        display_name="FreeEnergy (freemetric)",
        reference_url="https://doi.org/10.48550/arXiv.2106.05495",
        date_introduced="2021-06",
        license="BSD-3-Clause",
    )
    return ModelInfo(FreeEnergyModel, generator(), metadata, pip_extra=("freemetric",))
