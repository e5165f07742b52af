"""Everything that the report asks of models. Beside ``learned.py`` no module of it knows what models are made of."""

from functools import partial

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from ..display.learned import LearnedSpace, passed
from ..mc import Annealing
from .about import parameters, versions
from .encode import clipped
from .findings import Findings, Snapshots
from .judge import leave_one_out
from .learned import find, mapped

PATTERNS, MAPPED = ("_X",), ("_Z", "_fit_X")  # where fitted models keep their training patterns
USUAL_NEIGHBORS = 5


def collect(model, X=None, y=None, *, feature_names=None, class_names=None, most_rows=10_000):
    """Findings about a fitted model and, where given or kept by it, about patterns."""
    check_is_fitted(model)
    space = LearnedSpace(model)
    found = Findings(type(model).__name__, type(space.learner).__name__, [])
    found.parameters, found.versions = parameters(model), versions()
    _neighbors(found, model)
    if X is not None:
        _given(found, space, X, y, most_rows)
    else:
        _kept(found, model, most_rows)
    _name_features(found, space, feature_names)
    _metric(found, space)
    _walk(found, model, space)
    if found.y is not None and found.Z is not None:
        _judge(found, model, space, X)
    if class_names is not None:
        if len(class_names) != len(found.class_names):
            raise ValueError(f"class_names must name {len(found.class_names)} classes, got {len(class_names)}.")
        found.class_names = class_names
    found.class_names = [clipped(name) for name in found.class_names]
    return found


def _given(found, space, X, y, most_rows):
    """Rows that the caller has."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    _choose_rows(found, n, most_rows, "the rows given")
    X = _safe_indexing(X, found.rows)
    inputs = passed(space.front, X)
    found.inputs = np.asarray(inputs, dtype=np.float64)
    found.Z, found.before = mapped(space.learner, inputs), space.before(X)
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    values = np.asarray(X, dtype=object).T
    found.columns = list(zip(names or [f"x{i}" for i in range(len(values))], values, strict=True))
    same_shape = len(values) == found.inputs.shape[1]
    found.aligned = same_shape and all(isinstance(step, OneToOneFeatureMixin) for step in space.front)
    if y is not None:
        check_consistent_length(np.empty(n), y)
        _label(found, getattr(find(space.estimator, "classes_"), "classes_", []), column_or_1d(y)[found.rows])


def _kept(found, model, most_rows):
    """Rows that the model has kept."""
    keeper = find(model, *PATTERNS, *MAPPED)
    if keeper is None:
        return
    place = next(name for name in (*PATTERNS, *MAPPED) if hasattr(keeper, name))
    kept = getattr(keeper, place)
    _choose_rows(found, len(kept), most_rows, "the rows it has learned from")
    if place in MAPPED:
        found.Z = np.asarray(kept, dtype=np.float64)[found.rows]
    else:
        found.inputs = np.asarray(kept, dtype=np.float64)[found.rows]
        found.Z, found.before = mapped(keeper, found.inputs), LearnedSpace(keeper).before(found.inputs)
        found.aligned = True
        found.columns = [(f"x{i}", column) for i, column in enumerate(found.inputs.T)]
    if hasattr(keeper, "_y") and hasattr(keeper, "classes_"):
        _label(found, keeper.classes_, np.asarray(keeper.classes_)[np.ravel(keeper._y)[found.rows]])


def _choose_rows(found, n, most, words):
    rows = np.arange(n)
    if n > most:
        rows = np.sort(np.random.default_rng(0).choice(n, most, replace=False))
    found.rows, found.n_rows, found.origin = rows, n, words


def _label(found, classes, y):
    """Class numbers. Labels are told apart by how they read."""
    said = [str(label) for label in np.asarray(y).tolist()]
    known = list(dict.fromkeys(str(label) for label in np.asarray(classes).tolist()))
    if not set(known) & set(said):  # other words for the same classes, perhaps
        known = []
    found.class_names = known + sorted(set(said) - set(known))
    number = {name: c for c, name in enumerate(found.class_names)}
    found.y = np.array([number[label] for label in said], dtype=int)


def _name_features(found, space, given):
    names = space.feature_names() if given is None else given
    d = found.inputs.shape[1] if found.inputs is not None else getattr(space.learner, "n_features_in_", 0)
    if given is not None and len(given) != d:
        raise ValueError(f"feature_names must name {d} features, got {len(given)}.")
    found.feature_names = [clipped(name) for name in names] if names is not None else [f"x{i}" for i in range(d)]
    if found.aligned:
        values = [column for _, column in found.columns]
        found.columns = list(zip(found.feature_names, values, strict=True))


def _metric(found, space):
    """M, and the weights of the features."""
    found.embed = partial(mapped, space.learner)
    if found.inputs is not None:
        found.spread = found.inputs.std(axis=0)
    if hasattr(space.learner, "components_"):
        found.matrix = space.matrix()
    elif found.inputs is not None:
        found.matrix, found.linear_share = nearest_matrix(found.inputs, found.Z)
    if hasattr(space.learner, "feature_importances_"):
        _own_weights(found, space.learner)
    elif found.matrix is not None:
        _diagonal_weights(found, space.replica_weights())


def _own_weights(found, learner):
    found.weights = np.asarray(learner.feature_importances_, dtype=np.float64)
    error = getattr(learner, "feature_importances_std_", None)
    if error is not None:
        found.weight_range = np.maximum(found.weights - error, 0), found.weights + error
        found.weight_words = "one standard deviation over replicas"


def _diagonal_weights(found, replicas):
    """Shares of the trace of M; replicas (R, d) hold the diagonals of each."""
    found.weights = shares_of(np.diag(found.scaled_matrix))
    if replicas is not None:
        units = 1 if found.spread is None else found.spread**2
        found.weight_range = tuple(np.quantile(shares_of(replicas * units), [0.05, 0.95], axis=0))
        found.weight_words = "the middle 90 % of the replicas"


def shares_of(weights):
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total > 0, total, 1)


def nearest_matrix(X, Z):
    """M of the linear map that tells Z best from X, and the share of Z's variance that it tells."""
    X, Z = X - X.mean(axis=0), Z - Z.mean(axis=0)
    A = np.linalg.lstsq(X, Z, rcond=None)[0]
    total = (Z**2).sum()
    return A @ A.T, float(1 - ((Z - X @ A) ** 2).sum() / total) if total > 0 else 1.0


def _walk(found, model, space):
    walker = find(model, "trace_")
    if walker is not None and len(walker.trace_):
        found.trace = {name: np.asarray(values, dtype=np.float64) for name, values in walker.trace_.items()}
        sampler = getattr(walker, "sampler", None)
        found.burn_in = float(getattr(Annealing() if sampler is None else sampler, "burn_in", 0.5))
        T = found.trace["temperature"]
        # replicas that learn on bags of their own, or at temperatures of their own, need not agree
        found.one_target = not hasattr(walker, "oob_score_") and bool((T[:, :1] == T).all())
    snapshots = getattr(space.learner, "snapshots_", None)
    if snapshots and found.inputs is not None:
        maps, patterns, column = np.asarray(snapshots["map"]), found.before, 0
        if hasattr(space.learner, "views_"):
            maps, patterns, column = _in_view(space.learner, maps, found.inputs)
        if patterns is not None and patterns.shape[1] == maps.shape[2]:
            found.snapshots = Snapshots(np.asarray(snapshots["step"]), maps, patterns, column)


def _in_view(learner, maps, X):
    """The heaviest candidate's walk: its maps, the patterns as it sees them, its first replica's place in the trace."""
    tried = learner.selection_
    first = np.flatnonzero(tried["n_neighbors"] == 1)  # a row for every k, candidate by candidate
    weight = np.add.reduceat(tried["weight"], first) * (tried["form"][first] != "identity")
    heaviest = int(weight.argmax())
    view, form = (tried[name][first[heaviest]] for name in ("view", "form"))
    if view not in learner.views_ or not weight.any():
        return maps, None, 0
    if form == "diagonal":
        maps = maps * np.eye(maps.shape[2])
    return maps, np.asarray(learner.views_[view](X), dtype=np.float64), int(tried["n_replicas"][first[:heaviest]].sum())


def _neighbors(found, model):
    chooser = find(model, "n_neighbors_", "n_neighbors")
    if chooser is not None:
        k = getattr(chooser, "n_neighbors_", getattr(chooser, "n_neighbors", None))
        found.n_neighbors = int(k) if np.ndim(k) == 0 and isinstance(k, int | np.integer) else None
    chooser = find(model, "selection_")
    if chooser is not None:
        found.selection = {str(name): np.asarray(values) for name, values in chooser.selection_.items()}


def _judge(found, model, space, X):
    """What the model says of the rows; how fair that is depends on whether it has learned from them."""
    keeper = find(model, *PATTERNS, *MAPPED)
    learned_from = X is None or _same_rows(found, keeper)
    if learned_from and hasattr(keeper, "oob_decision_function_"):
        scores = np.asarray(keeper.oob_decision_function_)[found.rows]
        judged = np.isfinite(scores).all(axis=1)
        found.predicted = np.where(judged, np.where(judged[:, None], scores, 0).argmax(axis=1), -1)
        found.judged_by = "out-of-bag votes: every row is judged by replicas that have not seen it"
    elif learned_from or not hasattr(model, "predict"):
        k = found.n_neighbors or USUAL_NEIGHBORS
        found.predicted = leave_one_out(found.Z, found.y, len(found.class_names), k)
        seen = "has" if learned_from else "may have"
        found.judged_by = f"the {k} nearest other rows; the metric {seen} learned from them all, so this flatters it"
    else:
        said = [str(label) for label in np.asarray(model.predict(_safe_indexing(X, found.rows))).tolist()]
        if not set(said) <= set(found.class_names):
            raise ValueError("y has other labels than the model has learned.")
        found.predicted = np.array([found.class_names.index(label) for label in said])
        found.judged_by = "the model's own predictions; fair if it has not learned from these rows"


def _same_rows(found, keeper):
    """Whether the rows given are those that the model has learned from."""
    for name in (*PATTERNS, *MAPPED):
        kept, mine = getattr(keeper, name, None), found.inputs if name in PATTERNS else found.Z
        if kept is not None and len(kept) == found.n_rows and kept.shape[1] == mine.shape[1]:
            return bool(np.allclose(kept[found.rows], mine))
    return False
