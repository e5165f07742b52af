"""Parameters of the free-energy estimators: constraints and descriptions that both share."""

from numbers import Real
from typing import Annotated, Any, TypeVar, dataclass_transform

from ..learners.parameters import DESCRIPTIONS, USUAL, CountOrAuto, make_estimator
from ..sklearn_compat import Interval, StrOptions
from .settings import EFFORTS, Recipe
from .tasks.scales import SCALES

Class = TypeVar("Class", bound=type)

CONSTRAINTS: dict[str, Any] = USUAL | {
    "n_replicas": CountOrAuto,
    "effort": Annotated[str, StrOptions(set(EFFORTS))],
    "scale": Annotated[str, StrOptions({"auto", *SCALES})],
    "recipe": Annotated[Any, Recipe, None],
    "class_weight": Annotated[Any, dict, list, StrOptions({"balanced"}), None],
    "max_seconds": Annotated[Any, Interval(Real, 0, None, closed="neither"), None],
}
"""Allowed values of the parameters, by name."""

SHARED = {
    "n_replicas": """n_replicas : int or "auto"
        Number of sampled metrics. "auto" is 60, or 90 for regression, or as many as ``effort`` or ``recipe`` says; up
        to twice as many for small bags, and more where larger bags are better.""",
    "effort": """effort : {"low", "default", "high"}
        How much a fit may cost: which recipe is taken where ``recipe`` is None. "low" is fast and often as good, on
        bags of at most 250 samples; "high" samples twice the replicas in longer walks.""",
    "recipe": """recipe : Recipe or None
        All other constants of the search, such as ``Recipe(temperature=1e-3, n_neighbors=5)``; None is the recipe of
        ``effort``. ``recipe__temperature`` in ``set_params`` and grid searches makes one where there is none.""",
    "max_seconds": """max_seconds : float or None
        Time after which sampling stops, at the next replica, with a warning; the model is made of what there is.""",
    "n_jobs": """n_jobs : int or None
        Number of replica tasks at a time, by joblib: in threads unless ``joblib.parallel_config`` says otherwise.
        Results do not depend on it.""",
    "verbose": """verbose : bool
        Log what every round of the search has found.""",
    "random_state": """random_state : int, RandomState or None
        Seed of everything random.""",
    "fitted": """ensemble_ : Ensemble
        The fitted model as a value: the metrics, their weights, the training set.
    members_ : list of Member
        Its candidates that vote, each with its sampled ``maps``.
    views_ : dict
        The views of the features that they use.
    feature_importances_ : ndarray of shape (n_features,)
        Loss of the out-of-bag score when the values of a feature are shuffled, see ``permutation_importances``; below
        zero by chance. Computed on first access, which may take seconds, also by ``hasattr``, and cached; ``dir``
        does not name them before, so that debuggers and notebooks do not compute them.
    feature_importances_error_ : ndarray of shape (n_features,)
        Its standard error.
    distance_weights_ : ndarray of shape (n_features,)
        Share of every feature in the squared distances between training samples, averaged over replicas. A feature
        that varies much has a large share even where it decides nothing.
    distance_weights_std_ : ndarray of shape (n_features,)
        Its standard deviation over replicas.
    oob_indices_ : OOBIndices
        The samples that were scored out of bag, and which replicas left them out.
    n_neighbors_ : int
        Number of neighbours with the largest weight.
    shortlist_ : int
        Number of training samples that a prediction looks at where ``Recipe.shortlist`` has several to choose from.
    shortlist_recall_ : float
        Share of the neighbours that vote that are among them, measured on training samples.
    temperature_, confinement_ : float
        Those of the learned candidate with the largest weight. With a given ``Recipe.sampler``, ``temperature_`` is the
        last temperature of its first replica.
    trace_ : dict of ndarray of shape (n_steps, n_replicas)
        "temperature", "energy" and "acceptance" of every Monte Carlo step, of all replicas sampled.
    snapshots_ : dict of ndarray
        "step" (n,) and "map" (n, p, d): the first replica of that candidate along its walk, in "view" and "form".
    n_searched_ : int
        Number of samples of the fit that found all this; ``partial_fit`` may have added others.""",
}
"""Descriptions of parameters and attributes that both docstrings hold by name, in braces."""


@dataclass_transform(eq_default=False)
def free_energy_estimator(cls: Class) -> Class:
    """Give a class the constructor, the constraints and the documentation of its annotated parameters."""
    return make_estimator(cls, DESCRIPTIONS | SHARED, CONSTRAINTS)
