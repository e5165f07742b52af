"""Views of the features: the arrays of order one that metrics are learned on."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import QuantileTransformer

from ..files import register
from ..files.checks import check_array, check_numbers, require
from ..kernels import cpu_kernels
from .gaps import Gaps
from .training_set import TrainingSet

MOST_QUANTILES = 1000
MOST_STEPS = 8  # thresholds a feature
MOST_STEP_FEATURES = 120
MOST_MIXED = 500  # features; of more, matrices of features by features take more memory than all else


class View(ABC):
    """What a metric sees of samples X (n, d): an array V (n, d_view).

    ``owner`` (d_view,) is the feature of X that every column belongs to.
    """

    words: ClassVar[str]  # what it shows, for titles
    keeps_features: ClassVar[bool] = False  # whether V is X in other units, feature by feature
    mixes_features: ClassVar[bool] = False  # whether its columns belong to no single feature
    most_features: ClassVar[int | None] = None  # of X, for which it is affordable
    most_mixed: ClassVar[int | None] = None  # of X, for which maps are that mix its columns
    for_more: ClassVar[str | None] = None  # the view that stands in for it where there are more
    owner: NDArray[np.integer]

    @classmethod
    @abstractmethod
    def of(cls, X: NDArray) -> "View":
        """The view that training samples X (N, d) define."""

    @classmethod
    def is_of_use(cls, X: NDArray) -> bool:
        """Whether samples X (N, d) look otherwise in it than in plainer views."""
        return True

    @abstractmethod
    def __call__(self, X: NDArray) -> NDArray:
        """V (n, d_view) of samples X (n, d)."""

    def made_of(self, X: NDArray) -> "View":
        """The view with the same columns that holds values of samples X (N, d) alone; ValueError if there is none."""
        made = type(self).of(X)
        if not np.array_equal(made.owner, self.owner):
            raise ValueError(f"{type(self).__name__} has other columns for the samples that are left: fit again.")
        return made

    def with_gaps(self, gaps: Gaps) -> "View":
        """The view of samples whose last columns are companions of gaps, in units of their features."""
        return self

    def slopes(self) -> NDArray | None:
        """J (d, d_view) of a linear view, whose differences are those of X times J; None where it is not linear.

        Of a view that only stretches features J may be its diagonal (d,).
        """
        return None

    def units(self) -> NDArray | None:
        """What its columns (d_view,) are measured in, where that depends on the samples; None elsewhere."""
        return None

    def to_state(self) -> dict[str, Any]:
        """What a file holds of it."""
        return dict(vars(self))

    @classmethod
    @abstractmethod
    def from_state(cls, state: Mapping[str, Any]) -> "View":
        """The view that a file holds; ValueError where its parts do not fit together."""


class ScaledRanges(View):
    """A view that needs the ranges of the features alone: lowest values and widths (d,)."""

    def __init__(self, low: NDArray, span: NDArray):
        self.low, self.span, self.owner = low, span, np.arange(len(low))

    def units(self):
        return self.span

    def to_state(self):
        return {"low": self.low, "span": self.span}

    @classmethod
    def from_state(cls, state):
        low, span = state["low"], state["span"]
        check_array(low, f"low of {cls.__name__}", 1)
        check_array(span, f"span of {cls.__name__}", 1, low.shape)
        require((span > 0).all() and len(low), f"span of {cls.__name__}", "is not positive")
        return cls(low, span)


class Scaled(ScaledRanges):
    """The features scaled to [0, 1]: their units do not matter."""

    words = "features scaled to [0, 1]"
    keeps_features = True
    most_mixed = MOST_MIXED
    for_more = "axes"

    @classmethod
    def of(cls, X):
        span = np.ptp(X, axis=0)
        return cls(X.min(axis=0), np.where(span > 0, span, 1.0))

    def __call__(self, X):
        return (X - self.low) / self.span

    def with_gaps(self, gaps):
        d = len(gaps.means)
        none = np.zeros(len(gaps.features))
        return type(self)(np.append(self.low[:d], none), np.append(self.span[:d], self.span[gaps.features]))

    def slopes(self):
        return 1 / self.span


class Logarithms(ScaledRanges):
    """Positive features by their logarithms, scaled to [0, 1]: differences are ratios, and sums of columns products.

    Features that are not positive everywhere, or hardly vary by a factor, are scaled as they are. A new value that is
    far below the lowest one, or not positive, lies at -1.
    """

    words = "logarithms of features"
    most_mixed = MOST_MIXED

    def __init__(self, low: NDArray, span: NDArray, logged: NDArray[np.bool_]):
        super().__init__(low, span)
        self.logged = logged

    @classmethod
    def of(cls, X):
        return cls.with_logarithms(X, _varies_by_a_factor(X))

    @classmethod
    def with_logarithms(cls, X: NDArray, logged: NDArray[np.bool_]) -> "Logarithms":
        """The view of samples X (N, d) that takes the logarithms of these features (d,)."""
        low, high = (_logarithms(ends, logged) for ends in (X.min(axis=0), X.max(axis=0)))
        return cls(low, np.where(high > low, high - low, 1.0), logged)

    @classmethod
    def is_of_use(cls, X):
        return bool(_varies_by_a_factor(X).any())

    def __call__(self, X):
        V = (_logarithms(X, self.logged) - self.low) / self.span
        return np.where(self.logged, np.maximum(V, -1.0), V)

    def made_of(self, X):
        return self.with_logarithms(X, self.logged)

    def with_gaps(self, gaps):
        d, of_gaps = len(gaps.means), gaps.features
        # a logarithm spreads as its feature does, by the mean of this
        spread = self.span[of_gaps] * np.where(self.logged[of_gaps], gaps.means[of_gaps], 1.0)
        none = np.zeros(len(of_gaps))
        return type(self)(
            np.append(self.low[:d], none), np.append(self.span[:d], spread), np.append(self.logged[:d], none > 0)
        )

    def to_state(self):
        return {**super().to_state(), "logged": self.logged}

    @classmethod
    def from_state(cls, state):
        ranges, logged = Scaled.from_state(state), state["logged"]
        check_array(logged, "logged of Logarithms", 1, ranges.low.shape, "b")
        return cls(ranges.low, ranges.span, logged)


FACTOR = 2.0  # between the lowest and the highest value; logarithms of less are nearly linear


def _varies_by_a_factor(X):
    low = X.min(axis=0)
    return (low > 0) & (X.max(axis=0) >= FACTOR * low)


def _logarithms(X, logged):
    """Samples X with the logarithms of some features; minus infinity where there is none."""
    with np.errstate(divide="ignore"):
        return np.where(logged, np.log(np.maximum(np.where(logged, X, 1.0), 0.0)), X)


class Quantiles(View):
    """Every feature on its quantiles: invariant under monotone rescaling, robust against outliers."""

    words = "features on quantiles"
    most_mixed = MOST_MIXED

    def __init__(self, transformer: QuantileTransformer):
        self.transformer = transformer
        self.owner = np.arange(transformer.n_features_in_)

    @classmethod
    def of(cls, X):
        transformer = QuantileTransformer(n_quantiles=min(MOST_QUANTILES, len(X)), subsample=None)
        # what ``fit`` finds by partitions, which are slow where quantiles are many
        transformer.n_features_in_, transformer.n_quantiles_ = X.shape[1], transformer.n_quantiles
        transformer.references_ = np.linspace(0, 1, transformer.n_quantiles, endpoint=True)
        transformer.quantiles_ = _quantiles(X, transformer.references_ * 100 / 100)  # rounded as percentiles
        return cls(transformer.set_output(transform="default"))

    def with_gaps(self, gaps):
        fitted = self.transformer  # quantiles are uniform: their variance is 1 / 12
        fitted.quantiles_[:, len(gaps.means) :] = fitted.references_[:, None] * np.sqrt(12) * gaps.spreads
        return self

    def __call__(self, X):
        """As ``transform``, which takes as long for one sample as for a thousand."""
        out, fitted = np.empty(X.shape), self.transformer
        numbers = (np.require(V, np.float64, ["C", "W"]) for V in (X, fitted.quantiles_, fitted.references_))
        cpu_kernels().write_levels(*numbers, out)
        return out

    def to_state(self):
        return {"transformer": self.transformer}

    @classmethod
    def from_state(cls, state):
        transformer = state["transformer"]
        require(type(transformer) is QuantileTransformer, "transformer of Quantiles", "is something else")
        fitted = vars(transformer)
        # one that writes into its input would change the training samples; views are arrays without names
        output = fitted.get("_sklearn_output_config", {"transform": "default"})
        usual = transformer.copy is True and transformer.output_distribution == "uniform"
        usual = usual and output == {"transform": "default"} and "feature_names_in_" not in fitted
        require(usual and "quantiles_" in fitted, "transformer of Quantiles", "does something else")
        for name, n_dims in (("quantiles_", 2), ("references_", 1)):
            table = fitted[name]
            check_array(table, f"{name} of Quantiles", n_dims)
            # percentiles of equal numbers differ in the last digits, up or down
            rises = table.size and (np.diff(table, axis=0) >= -1e-9 * np.abs(table).max(axis=0)).all()
            require(rises, f"{name} of Quantiles", "are not sorted")
        return cls(transformer)


def _quantiles(X, levels):
    """Quantiles (n_levels, d) of rows X (N, d), interpolated as ``np.quantile`` does."""
    ordered, at = np.sort(np.ascontiguousarray(X.T), axis=1), levels * (len(X) - 1)
    below = np.floor(at).astype(int)
    low, high, part = ordered[:, below], ordered[:, np.minimum(below + 1, len(X) - 1)], at - below
    apart = high - low
    between = np.where(part < 0.5, low + apart * part, high - apart * (1 - part))
    return np.ascontiguousarray(between.T)


class Steps(View):
    """Whether a feature is above a threshold, for up to eight thresholds at its quantiles.

    A diagonal metric of it is a step function of every feature, as that of a tree.
    """

    words = "features as steps"
    most_mixed = MOST_MIXED

    def __init__(self, owner: NDArray[np.integer], threshold: NDArray):
        self.owner, self.threshold = owner, threshold

    @classmethod
    def of(cls, X):
        ordered = np.sort(np.ascontiguousarray(X.T), axis=1)  # faster than np.quantile of several levels
        at = np.ceil(step_levels(X.shape[1]) * len(X) - 1).clip(min=0).astype(int)  # as "inverted_cdf" has it
        return cls.at(ordered[:, at].T, ordered[:, 0], ordered[:, -1])

    @classmethod
    def at(cls, borders: NDArray, lowest: NDArray, highest: NDArray) -> "Steps":
        """The view of samples whose features have these quantiles (n_steps, d), lowest and highest values (d,)."""
        parting = [np.unique(some[some < most]) for some, most in zip(borders.T, highest, strict=True)]
        # the lowest value of a constant parts no samples
        thresholds = [some if len(some) else np.array([least]) for some, least in zip(parting, lowest, strict=True)]
        owner = np.repeat(np.arange(len(lowest)), [len(t) for t in thresholds])
        return cls(owner, np.concatenate(thresholds))

    def __call__(self, X):
        return (X[:, self.owner] > self.threshold).astype(np.float64)

    def made_of(self, X):
        """The same steps at values of X (N, d): each threshold at the next value below, so that no row of X changes."""
        ordered = np.sort(np.ascontiguousarray(X.T), axis=1)
        below = [np.searchsorted(ordered[j], t, "right") - 1 for j, t in zip(self.owner, self.threshold, strict=True)]
        lowest = np.nextafter(ordered[self.owner, 0], -np.inf)  # below all rows
        return type(self)(self.owner, np.where(np.array(below) < 0, lowest, ordered[self.owner, below]))

    @classmethod
    def from_state(cls, state):
        owner, threshold = state["owner"], state["threshold"]
        check_array(threshold, "threshold of Steps", 1)
        check_array(owner, "owner of Steps", 1, threshold.shape, "iu")
        require(owner.size, "owner of Steps", "is empty")
        check_numbers(owner, len(owner), "owner of Steps")
        in_order = owner[0] == 0 and np.isin(np.diff(owner.astype(np.intp)), (0, 1)).all()
        require(in_order, "owner of Steps", "mixes features up")
        return cls(owner, threshold)


def step_levels(n_features: int) -> NDArray[np.float64]:
    """Which quantiles (n_steps,) of every feature are thresholds, where there are so many features."""
    n_steps = int(np.clip(MOST_STEP_FEATURES // n_features, 2, MOST_STEPS))
    return np.linspace(0, 1, n_steps + 2)[1:-1]


VIEWS: dict[str, type[View]] = {}
"""Views by name, the plainest first."""


def register_view(name: str, view: type[View]) -> None:
    """Make a view known: to candidates by its name, and to model files.

    Parameters
    ----------
    name : str
        What candidates call it; no slash.
    view : subclass of View
        The view.
    """
    if not name or "/" in name:
        raise ValueError(f"A view needs a name without a slash; got {name!r}.")
    register(f"view:{name}", view)
    VIEWS[name] = view


def view_of(name: str, training_set: TrainingSet) -> View:
    """The view of that name that a training set defines."""
    X, gaps = training_set.X, training_set.gaps
    return VIEWS[name].of(X) if gaps is None else VIEWS[name].of(gaps.drawn(X)).with_gaps(gaps)


register_view("scaled", Scaled)
register_view("logs", Logarithms)
register_view("quantiles", Quantiles)
register_view("steps", Steps)
