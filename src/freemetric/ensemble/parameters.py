"""Parameters of the free-energy estimators: constraints and descriptions that both share."""

from numbers import Integral, Real
from os import PathLike
from typing import Annotated, Any, TypeVar, dataclass_transform

from sklearn.metrics import get_scorer_names

from ..learners.parameters import DESCRIPTIONS, USUAL, CountOrAuto, CountOrNone, NotNegativeOrAuto, make_estimator
from ..sklearn_compat import HasMethods, Interval, StrOptions
from .settings import Recipe
from .tasks.scales import SCALES

Class = TypeVar("Class", bound=type)

CONSTRAINTS: dict[str, Any] = USUAL | {
    "n_replicas": CountOrAuto,
    "temperature": NotNegativeOrAuto,
    "confinement": NotNegativeOrAuto,
    "n_neighbors": CountOrAuto,
    "subsample": Annotated[Any, Interval(Real, 0, 1, closed="neither"), StrOptions({"auto"})],
    "candidates": Annotated[Any, list, tuple, StrOptions({"auto"})],
    "n_components": CountOrNone,
    "scale": Annotated[str, StrOptions({"auto", *SCALES})],
    "energy": Annotated[Any, str, HasMethods("bind"), callable],
    "sampler": Annotated[Any, HasMethods("iterate"), None],
    "recipe": Annotated[Any, Recipe, None],
    "shortlist": Annotated[Any, Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
    "class_weight": Annotated[Any, dict, StrOptions({"balanced"}), None],
    "scoring": Annotated[Any, StrOptions(set(get_scorer_names())), callable, None],
    "max_seconds": Annotated[Any, Interval(Real, 0, None, closed="neither"), None],
    "checkpoint": Annotated[Any, str, PathLike, None],
}
"""Allowed values of the parameters, by name."""

SHARED = {
    "n_replicas": """n_replicas : int or "auto"
        Number of sampled metrics. "auto" is 90, up to twice as many for small bags, and more where larger bags are
        better.""",
    "n_neighbors": """n_neighbors : int or "auto"
        Number of neighbours that vote. "auto" mixes 1, 2, 3, 5, 8, 13, 20 and 32 by their out-of-bag scores.""",
    "subsample": """subsample : float or "auto"
        Share of the samples, or of every class, that a replica learns on; "auto" is a half.""",
    "n_components": """n_components : int or None
        Dimension of the learned spaces; None keeps the number of features. A number leaves the diagonal maps out.""",
    "shortlist": """shortlist : int, "auto" or None
        Number of training samples, the nearest in the averaged metric, whose distances a prediction computes in every
        replica's space; at least as many as neighbours vote. "auto" is the smallest of 128, 256, 512 and 1,024 that
        hardly changes the votes of training samples. None takes all, which is exact and slower.""",
    "max_seconds": """max_seconds : float or None
        Time after which sampling stops, at the next replica, with a warning; the model is made of what there is.""",
    "checkpoint": """checkpoint : path-like or None
        Folder for intermediate results. After a crash the same fit resumes from there and ends with the same model. A
        fit that ends removes its files.""",
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
        Number of training samples that a prediction looks at where ``shortlist`` is "auto".
    shortlist_recall_ : float
        Share of the neighbours that vote that are among them, measured on training samples.
    temperature_, confinement_ : float
        Those of the learned candidate with the largest weight. With a given ``sampler``, ``temperature_`` is the last
        temperature of its first replica.
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
