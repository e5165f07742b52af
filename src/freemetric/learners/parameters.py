"""Parameters of estimators: an annotated field is constructor argument, constraint and default at once.

``@estimator`` turns such fields into a constructor, ``_parameter_constraints`` and the section "Parameters" of the
docstring: a field has the description that ``parameter`` gives to it, or that of ``DESCRIPTIONS`` by its name. Lines
of docstrings that hold only names in braces become shared descriptions, with a heading where a paragraph of attributes
or an example has none; ``@documented`` does so for functions.
"""

import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, MISSING, dataclass, field, fields
from inspect import cleandoc, get_annotations
from numbers import Integral, Real
from typing import Annotated, Any, TypeVar, dataclass_transform

import numpy as np

from ..sklearn_compat import HasMethods, Interval, StrOptions

INITS = ("auto", "identity", "pca", "lda", "random", "uniform")  # where a search may begin
INITS_OF_REGRESSION = ("auto", "identity", "pca", "pls", "random", "uniform")

Count = Annotated[int, Interval(Integral, 1, None, closed="left")]
CountOrNone = Annotated[int | None, Interval(Integral, 1, None, closed="left"), None]
CountOrAuto = Annotated[Any, Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})]
TwoOrMore = Annotated[int, Interval(Integral, 2, None, closed="left")]
TwoOrMoreOrNone = Annotated[int | None, Interval(Integral, 2, None, closed="left"), None]
Positive = Annotated[float, Interval(Real, 0, None, closed="neither")]
NotNegative = Annotated[float, Interval(Real, 0, None, closed="left")]
NotNegativeOrAuto = Annotated[Any, Interval(Real, 0, None, closed="left"), StrOptions({"auto"})]
PositiveOrAuto = Annotated[Any, Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})]
Share = Annotated[float, Interval(Real, 0, 1, closed="left")]
Flag = Annotated[bool, "boolean"]

USUAL: dict[str, Any] = {
    "n_components": CountOrNone,
    "n_neighbors": Count,
    "n_constraints": TwoOrMoreOrNone,
    "regularization": NotNegativeOrAuto,
    "prior": Annotated[Any, StrOptions({"identity", "covariance"}), np.ndarray, list],
    "init": Annotated[Any, StrOptions(set(INITS)), np.ndarray, list],
    "max_iter": Count,
    "tol": NotNegative,
    "batch_size": TwoOrMoreOrNone,
    "warm_start": Flag,
    "device": Annotated[str, str],
    "verbose": Annotated[bool, "verbose"],
    "random_state": Annotated[Any, "random_state"],
    "n_jobs": Annotated[int | None, Integral, None],
    "learner": Annotated[Any, HasMethods(["fit", "transform"])],
    "preprocessor": Annotated[Any, "array-like", "sparse matrix", callable, None],
}
"""Default constraints of parameters by name."""

SHORT = {  # name and kind, and a line of text
    "directions": ("n_components : int or None", "Directions to keep; None keeps all."),
    "leading": ("n_components : int or None", "Directions of largest eigenvalue of M to keep; None keeps all."),
    "max_iter": ("max_iter : int", "Maximum number of iterations."),
    "tol": ("tol : float", "Stop when an iteration lowers the objective by less."),
    "tol_of_gap": ("tol : float", "Stop when the objective is at most this share of itself away from the optimum."),
    "warm_start": ("warm_start : bool", "Start from the last fit where its shape fits the data."),
    "verbose": ("verbose : bool", "Log every iteration."),
    "seed_of_folds": ("random_state : int, RandomState or None", "Seed of the inner folds. The learner has its own."),
    "learner": ("learner : estimator with fit and transform", "The metric learner, or a pipeline that ends with one."),
    "most_neighbors": ("most_neighbors : int", 'Largest number of neighbours that "auto" tries.'),
    "n_folds": ("n_folds : int", "Inner folds."),
    "n_jobs": ("n_jobs : int or None", "Threads of the neighbour search."),
    "map": ("components_ : ndarray of shape (n_components, n_features)", "The map A."),
    "eigenvalues": ("eigenvalues_ : ndarray of shape (n_components,)", "lambda of every row."),
    "objective": ("objective_ : float", "The objective at the solution."),
    "gap": ("gap_ : float", "Upper bound on the distance of the objective from its optimum."),
    "n_iter": ("n_iter_ : int", "Number of iterations; with batches, of evaluations on the subset."),
    "fitted_learner": ("learner_ : estimator", "The fitted learner."),
    "signs": ("classes_ : ndarray of shape (2,)", "-1 and 1."),
    "classes": ("classes_ : ndarray of shape (n_classes,)", "Labels seen in fit, if any."),
}
DESCRIPTIONS = {
    **{key: "\n        ".join(entry) for key, entry in SHORT.items()},
    "n_components": """n_components : int or None
        Dimension of the learned space; None keeps the number of features, or the rank of very wide data.""",
    "rank": """n_components : int or None
        Rank of M, the dimension of the learned space; None keeps the number of features.""",
    "contrasts": """n_components : int or None
        Directions to keep, those in which dissimilar pairs differ most against similar ones; None keeps all.""",
    "init": """init : {"auto", "identity", "pca", "lda", "random", "uniform"} or array of shape (p, n_features)
        Start of the search. "auto": the identity; for fewer dimensions "lda" with enough classes, else "pca".""",
    "init_at_prior": """init : {"auto", "identity", "pca", "lda", "random", "uniform"} or array of shape (p, n_features)
        Start of the search. "auto": the prior; for fewer dimensions "lda" with enough classes, else "pca".""",
    "prior": """prior : {"identity", "covariance"} or array of shape (n_features, n_features)
        M_0: the identity, the inverse covariance of all rows of X, unlabelled ones included, or a positive definite
        matrix in the units of X.""",
    "ridge": """regularization : float or "auto"
        Ridge on the inverted covariance, relative to its mean eigenvalue. "auto" shrinks a singular covariance by
        Ledoit and Wolf's amount and leaves a regular one as it is.""",
    "n_constraints": """n_constraints : int or None
        Pairs drawn from the labels, half of them similar. None: 20 n_classes^2, between 1000 and 10,000.""",
    "max_looks": """max_iter : int
        Maximum number of L-BFGS iterations; with batches, of evaluations on the subset, 25 steps each.""",
    "batch_size": """batch_size : int or None
        Samples of a batch. None: no batches up to 10,000 samples, batches of 2,048 beyond.""",
    "device": """device : str
        "cpu", a torch device such as "cuda" (extra ``gpu``), or "reference" for plain numpy, which is slow.""",
    "random_state": """random_state : int, RandomState or None
        Seed of all random numbers: drawn tuples, starts, batches, moves.""",
    "ladder": """temperatures : tuple of two floats or None, default=None
        Lowest and highest temperature of the ladder; None: around that of the search.
    settings : freemetric.thermodynamics.TemperingSettings or None, default=None
        How long and on how many rungs; None: the defaults.
    random_state : int, Generator or None, default=None
        Seed.

    Returns
    -------
    found : freemetric.thermodynamics.ModelThermodynamics
        Curves, freezing temperature, error bars.""",
    "preprocessor": """preprocessor : array-like of shape (n_samples, n_features), callable or None
        Samples that indices refer to, all of which the learner sees; or a function that returns samples
        (n, n_features) for keys (n,), such as file names.""",
    "map_of_M": """components_ : ndarray of shape (n_components, n_features)
        The map A; M = A^T A if n_components is None.""",
    "whitening_map": """components_ : ndarray of shape (n_components, n_features)
        The map A; A C_w A^T is the identity.""",
    "pairs": """pairs_ : ndarray of shape (n_pairs, 2)
        Rows of X that were compared.
    pair_labels_ : ndarray of shape (n_pairs,)
        +1 for similar, -1 for dissimilar pairs.""",
    "selection": """n_neighbors_ : int
        Number of neighbours.
    selection_ : dict of ndarray
        "n_neighbors" and "error" over the inner folds; absent where the number is given.""",
    "features": """n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.""",
    "iris": """>>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)""",
    "wine": """>>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)""",
    "two_of_iris": """>>> from sklearn.datasets import load_iris
    >>> from freemetric import {cls}
    >>> {cls}(n_components=2).fit(*load_iris(return_X_y=True)).components_.shape
    (2, 4)""",
    "knn_on_wine": """>>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import {cls}
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), {cls}(), KNeighborsClassifier()).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True""",
    "gap_on_wine": """>>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from freemetric import {cls}
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = {cls}(random_state=0).fit(X, y)
    >>> bool(model.gap_ <= 1e-3 * abs(model.objective_))
    True""",
    "pairs_on_wine": """>>> model = {cls}().fit(X, pairs=[[0, 1], [0, 100]], pair_labels=[1, -1])  # instead of labels
    >>> near, far = model.pair_distance(X[[[0, 1], [0, 100]]])
    >>> bool(near < far)
    True""",
}
"""Descriptions of parameters and attributes, and data of examples, that several docstrings share."""

WORDS = {
    None: "None",
    Integral: "int",
    np.ndarray: "array of shape (p, n_features)",
    "boolean": "bool",
    "random_state": "int, RandomState or None",
}

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])


def parameter(default: Any, text: str, kind: str | None = None) -> Any:
    """A field with a default, or ``...`` for none, and a description, which may be the name of a shared one in braces.

    ``kind`` says what the parameter takes where its constraints do not say it.
    """
    return field(default=MISSING if default is ... else default, metadata={"text": text, "kind": kind})


@dataclass_transform(eq_default=False)
def estimator(cls: Class) -> Class:
    """Give a class the constructor, the constraints and the documentation of its annotated parameters.

    All but the first are keyword-only, or those after ``_: KW_ONLY``.
    """
    annotated = get_annotations(cls)
    if "_" not in annotated:
        cls.__annotations__ = {name: annotated[name] for name in list(annotated)[:1]} | {"_": KW_ONLY} | annotated
    return make_estimator(cls, DESCRIPTIONS, USUAL)


def make_estimator(cls: Class, descriptions: Mapping[str, str], usual: Mapping[str, Any]) -> Class:
    """The same, with other shared descriptions and constraints of parameters by their names."""
    text = cls.__doc__  # None under python -OO, where a dataclass would write one
    made: Any = dataclass(eq=False, repr=False)(cls)
    types: dict[str, Any] = {one.name: one.type for one in fields(made)}
    kinds = {name: kind if hasattr(kind, "__metadata__") else usual.get(name) for name, kind in types.items()}
    made._parameter_constraints = {name: list(kind.__metadata__) for name, kind in kinds.items() if kind}
    made.__init__.__annotations__ = {}
    defaults = {one.name: one.default for one in fields(made)}
    if text is not None and not re.search(r"^ *Parameters\n", text, flags=re.MULTILINE):
        entries = {f"_{one.name}": _entry(one, descriptions, made._parameter_constraints) for one in fields(made)}
        text, descriptions = _with_parameters(cleandoc(text), entries), {**descriptions, **entries}
    made.__doc__ = described(text, {"cls": cls.__name__, **descriptions}, defaults)
    # Libraries rebuild dataclasses from their fields, and would lose what was fitted: from here on it is none.
    for name in (*defaults, "_", "__dataclass_fields__", "__dataclass_params__", "__match_args__", "__replace__"):
        if name in vars(made):
            delattr(made, name)
    return made


def _entry(parameter, descriptions, constraints):
    """Name, kind and description of a field."""
    text = parameter.metadata.get("text", f"{{{parameter.name}}}")
    if text.startswith("{"):
        return descriptions[text.strip("{}")]
    kind = parameter.metadata["kind"] or _in_words(constraints[parameter.name], parameter.default)
    return f"{parameter.name} : {kind}\n" + textwrap.indent(textwrap.fill(text, 116), " " * 8)


def _in_words(constraints, default):
    """What a parameter takes; of texts the default is the first."""
    words = []
    for one in constraints:
        if isinstance(one, Interval):
            words.append("int" if one.type is Integral else "float")
        elif isinstance(one, StrOptions):
            options = [f'"{name}"' for name in sorted(one.options, key=lambda name: (name != default, name))]
            words.append(options[0] if len(options) == 1 else f"{{{', '.join(options)}}}")
        elif isinstance(one, HasMethods):
            words.append(f"estimator with {' and '.join(one.methods)}")
        elif one is not list:  # an array by another name
            words.append(WORDS[one])
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _with_parameters(text, names):
    """A docstring with these names in braces as its section "Parameters", after the prose."""
    first = re.search(r"^(?:\w[\w ]*\n---|\{\w+\})", text, flags=re.MULTILINE)
    at = len(text) if first is None else first.start()
    section = "Parameters\n----------\n" + " ".join(f"{{{name}}}" for name in names)
    return f"{text[:at].rstrip()}\n\n{section}\n\n{text[at:]}".rstrip() if names else text


def documented(descriptions: Mapping[str, str] = DESCRIPTIONS) -> Callable[[Function], Function]:
    """Put shared descriptions into the docstring of a function."""

    def with_text(function: Function) -> Function:
        function.__doc__ = described(function.__doc__, descriptions, {})
        return function

    return with_text


def described(text: str | None, descriptions: Mapping[str, str], defaults: Mapping[str, Any]) -> str | None:
    """A docstring whose lines of names in braces are replaced by descriptions, parameters with their defaults.

    Nothing is indented, as Python itself has docstrings since 3.13.
    """
    if text is None:
        return None
    text = cleandoc(text)

    def entries(match):
        found = (_with_default(descriptions[key], defaults) for key in re.findall(r"\w+", match[0]))
        lines = "\n".join(found).replace("\n    ", "\n").replace("{cls}", descriptions.get("cls", ""))
        heading = "Examples" if lines.startswith(">>>") else "Attributes"
        has_heading = re.match(r".+\n---", lines) or f"{heading}\n---" in text
        begins_section = text.endswith("\n\n", 0, match.start()) and not has_heading
        return f"{heading}\n{'-' * len(heading)}\n{lines}" if begins_section else lines

    return re.sub(r"^(?:\{\w+\} ?)+$", entries, text, flags=re.MULTILINE)


def _with_default(entry, defaults):
    head, body = entry.split("\n", 1)
    name = head.split()[0]
    if defaults.get(name, MISSING) is MISSING:
        return entry
    default = f'"{defaults[name]}"' if isinstance(defaults[name], str) else defaults[name]
    return f"{head}, default={default}\n{body}"
