"""Classification: strata, scores and the head that turns class votes into calibrated probabilities."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.utils.validation import column_or_1d

from ...files.checks import check_array, is_number, require
from ...learners.training_rows import TrainingRows
from ...metrics import CLASS_DENSITIES, ClassDensity, ClassEncoding, TrainingSet
from ...metrics.class_densities import ClassEnergies, densities_of
from ...metrics.kernel_ridge import ClassKernelRidge, class_kernel_ridge
from ..population import Population, allowed_neighbors, best_pair, mixed_shares, selection_weights
from ..settings import Recipe
from ..task import EnsembleTask, Head, OOBResult
from .decisions import Decision, ProbabilityScore

FEW = 8  # classes


@dataclass(frozen=True, eq=False)
class ClassificationHead(Head):
    """P_c = softmax_c(slope * log(share_c + floor) - sum_b strength_b F_bc + bias_c).

    The slope and the bias calibrate shares of votes; the strengths are the weights of the free energies F of the class
    densities.

    Parameters
    ----------
    slope : float
        Positive; 1 leaves shares as they are, but for the floor.
    bias : ndarray of shape (n_classes,)
        Added to the logarithms.
    floor : float, default=0.05
        Added to every share, so that a class without votes keeps a chance.
    strengths : ndarray of shape (n_densities,), default=()
        Not negative, of every density.
    densities : list of ClassEnergies, default=()
        The class densities and perhaps a kernel regression at the end, in the order of the strengths.
    """

    most_changed = 0.01

    slope: float
    bias: NDArray
    floor: float = 0.05
    strengths: NDArray = field(default_factory=lambda: np.empty(0))
    densities: list[ClassEnergies] = field(default_factory=list)

    def answers(self, shares: NDArray, wholes: NDArray | None = None) -> NDArray:
        """Class probabilities (..., C) of shares (..., C) and free energies (n_densities, ..., C)."""
        logits = self.slope * np.log(shares + self.floor) + self.bias
        if len(self.strengths):
            assert wholes is not None
            logits -= np.tensordot(self.strengths, wholes, 1)
        return softmax(logits, axis=-1)

    def separate(self, answers: NDArray) -> NDArray:
        """Class probabilities (n, C) as users get them; a list of arrays where outputs are several."""
        return answers

    def wholes(self, X: NDArray) -> NDArray[np.float64]:
        """Free energies (n_densities, n, C) of samples X (n, d) in the classes as wholes."""
        return np.array([density(X) for density in self.densities]).reshape(-1, len(X), len(self.bias))

    def left_out(self, training_set: TrainingSet) -> Callable[[NDArray, NDArray], NDArray]:
        kinds = [type(density) for density in self.densities if isinstance(density, ClassDensity)]
        kernels = [some.left_out(training_set) for some in self.densities if isinstance(some, ClassKernelRidge)]
        crossed = CrossFittedDensities(kinds, training_set)

        def without(X, numbers):
            return np.concatenate([crossed(X, numbers), *(kernel(X, numbers)[None] for kernel in kernels)])

        return without

    def favouring(self, weights: NDArray) -> "ClassificationHead":
        """The same with probabilities times these weights (C,) of the classes; densities without strength are left."""
        used = np.flatnonzero(self.strengths)
        densities = [self.densities[number] for number in used]
        return ClassificationHead(self.slope, self.bias + np.log(weights), self.floor, self.strengths[used], densities)

    def check(self, training_set: TrainingSet) -> None:
        require(type(training_set.encoding) is ClassEncoding, "head of Ensemble", "is of something else")
        shape = training_set.n_cells, training_set.X.shape[1]
        require(len(self.bias) == shape[0], "head of Ensemble", "is of other classes")
        for density in self.densities:
            require(density.shape == shape, "densities of Ensemble", "are of other classes or features")

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "ClassificationHead":
        values = [state[part.name] for part in fields(cls)]
        slope, bias, floor, strengths, densities = values
        for name, value in (("slope", slope), ("floor", floor)):
            require(is_number(value) and value > 0, f"{name} of ClassificationHead", "is no positive number")
        check_array(bias, "bias of ClassificationHead", 1)
        check_array(strengths, "strengths of ClassificationHead", 1)
        require((strengths >= 0).all(), "strengths of ClassificationHead", "are negative")
        kinds = {*CLASS_DENSITIES.values(), ClassKernelRidge}
        known = type(densities) is list and {type(some) for some in densities} <= kinds
        require(known, "densities of ClassificationHead", "are something else")
        require(len(densities) == len(strengths), "strengths of ClassificationHead", "are of other densities")
        return cls(*values)


class CrossFittedDensities:
    """Class densities of all training samples but a fold of them, so that no sample has a part in its own.

    Samples come in a shuffled order: every tenth is as good as any.
    """

    def __init__(self, kinds: Sequence[type[ClassDensity]], training_set: TrainingSet):
        self.shape, numbers = (len(kinds), training_set.n_cells), np.arange(len(training_set))
        self.parts = []  # folds of the samples, places among the kinds, and of every fold the densities without it
        for n_folds in sorted({kind.n_folds for kind in kinds}):
            places, fold = [place for place, kind in enumerate(kinds) if kind.n_folds == n_folds], numbers % n_folds
            some = [kinds[place] for place in places]
            without = [_densities(some, training_set.only(np.flatnonzero(fold != k))) for k in range(n_folds)]
            self.parts.append((fold, places, without))

    def __call__(self, X: NDArray, numbers: NDArray) -> NDArray[np.float64]:
        """Free energies (n_densities, n, C) of X (n, d), by densities without the training samples ``numbers`` (n,)."""
        energies = np.empty((self.shape[0], len(X), self.shape[1]))
        for fold, places, without in self.parts:
            for k, densities in enumerate(without):
                met = fold[numbers] == k
                for place, density in zip(places, densities if met.any() else [], strict=False):
                    energies[place, met] = density(X[met])
        return energies


def _densities(kinds, some):
    """The class densities of some training samples."""
    X = some.X.astype(np.float64)  # squares of differences need it
    return densities_of(kinds, X, some.y, some.n_cells, some.weights)


def cross_fitted_densities(
    names: Sequence[str], training_set: TrainingSet, scored: NDArray
) -> tuple[list[ClassDensity], NDArray]:
    """The densities of all training samples, and energies (n_densities, n, C) of those scored by cross-fitted ones."""
    shape = training_set.X.shape[1], training_set.n_cells
    known = [CLASS_DENSITIES[name] for name in names]
    kinds = [kind for kind in known if kind.affordable(*shape) and kind.fewest <= len(scored)]
    everyone = _densities(kinds, training_set)
    if not len(scored) or not kinds:
        return everyone, np.empty((len(kinds), len(scored), training_set.n_cells))
    X = training_set.X[scored].astype(np.float64)
    return everyone, CrossFittedDensities(kinds, training_set)(X, scored)


@dataclass(frozen=True, eq=False)
class ClassificationTask(EnsembleTask):
    """Class numbers 0..C-1; shares (..., C) are those of the classes among neighbours."""

    energy = "log-nca"
    classes_are: ClassVar[type] = np.ndarray
    score_words = "Brier score"
    columns = "oob_error", "oob_brier"
    saved = {"class-encoding": ClassEncoding, "classification-head": ClassificationHead}

    score_of: ClassVar[Any] = ProbabilityScore  # of (scoring, classes): a function of probabilities, y and weights
    decision_of: ClassVar[Any] = Decision

    n_classes: int
    decision: Any = None  # in a search with a result
    n_outputs: ClassVar[int] = 1  # among which a vote is divided

    @classmethod
    def training_set(cls, rows: TrainingRows) -> TrainingSet:
        """The training set of these rows."""
        return TrainingSet(rows.X, rows.y, ClassEncoding(len(rows.classes)), rows.weights, rows.rows)

    @classmethod
    def of_classes(cls, training_set: TrainingSet, classes: Any, class_weight: Any, scoring: Any) -> Self:
        """The task of a training set with these classes."""
        return cls(training_set.n_cells, cls.decision_of(class_weight, scoring, classes, training_set))

    @classmethod
    def known_targets(cls, y: ArrayLike, classes: Any) -> NDArray:
        """Labels as the training set has them; ValueError where they are none of the classes."""
        labels = column_or_1d(y, warn=True)
        unknown = ~np.isin(labels, classes)
        if unknown.any():
            raise ValueError(f"y holds {labels[unknown].tolist()[0]!r}, which is none of the classes seen in fit.")
        return np.searchsorted(classes, labels)

    def strata(self, y: NDArray) -> list[NDArray]:
        return [np.flatnonzero(y == c) for c in range(self.n_classes)]

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Half the squared distance (..., N) of shares (..., N, C) to the truth; the mean is the Brier score."""
        columns = np.moveaxis(shares, -1, 0)  # numpy is slow along an axis of few classes
        squares = np.einsum("...c,...c->...", shares, shares) if len(columns) > FEW else sum(s * s for s in columns)
        apart = np.maximum((squares + 1) / 2 - shares[..., np.arange(len(y)), y], 0.0)
        return np.ascontiguousarray(apart)  # whose means are sums of pairs

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Errors (...) of deciding for the largest of shares (..., N, C)."""
        return np.average(shares.argmax(axis=-1) != y, axis=-1, weights=weights)

    def error_of(self, score: float, n_scored: float) -> float:
        """The standard error of a Brier score of so many samples, as if each were right or wrong altogether."""
        return float(np.sqrt(score * (1 - min(score, 0.99)) / n_scored) + 0.5 / n_scored)

    def result(self, population: Population, recipe: Recipe, n_rows: int | None) -> OOBResult:
        y, w, scores = population.truth, population.oob_weights, population.scores()
        shares = population.shares()  # empty where no sample was out of bag; nothing is calibrated then
        neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
        weights = selection_weights(scores, population.error_of, neighbors, recipe)
        head, probabilities = self._fitted_head(population, recipe, mixed_shares(weights, shares), weights)
        as_shares = probabilities / self.n_outputs
        plain = self._plain_neighbors(as_shares, population, shares, scores, neighbors, recipe.plain_margin)
        if plain is not None:
            weights, alone = plain, replace(without_bias(recipe), densities=(), kernel_block=0)
            head, probabilities = self._fitted_head(population, alone, mixed_shares(plain, shares), plain)
        class_weights = self.decision.class_weights(probabilities, y, w)
        probabilities = self.decision.favouring(probabilities, class_weights)
        attributes = {
            "class_weight_": class_weights,
            "oob_conformity_": self.decision.conformity(probabilities, y),
            "oob_score_": self.decision.score(probabilities, y, w) if len(y) else np.nan,
        }
        if n_rows is not None:
            everyone = np.full((n_rows, self.n_classes), np.nan)
            everyone[population.training_set.rows[population.oob_samples]] = probabilities
            attributes["oob_decision_function_"] = everyone
        return OOBResult(weights, head.favouring(class_weights), attributes)

    def _fitted_head(self, population, recipe, mixed, weights):
        """The head for mixed votes (n, n_cells), and the out-of-bag probabilities (n, n_cells) that it gives."""
        calibrates = recipe.calibration != "none"
        names = recipe.densities if calibrates else ()
        densities, energies = cross_fitted_densities(names, population.training_set, population.oob_samples)
        head = calibrated(mixed, population.truth, population.oob_weights, energies, densities, recipe)
        found = head, energies, head.answers(mixed, energies)
        more_names = recipe.optional_densities if names else ()  # who wants no densities wants none of these
        others = cross_fitted_densities(more_names, population.training_set, population.oob_samples)
        for more in zip(*others, strict=True):
            found = self._joined(found, more, recipe.density_margin, population, recipe, mixed)
        n, most = min(len(population.oob_samples), len(population.kept)), recipe.kernel_block
        if calibrates and most and population.spaces is not None and n >= recipe.kernel_samples:
            metrics = population.metrics(weights)
            kernel = class_kernel_ridge(metrics, population.training_set, population.kept, most)
            if kernel is not None:
                found = self._joined(found, kernel, recipe.plain_margin, population, recipe, mixed)
        return found[0], found[2]

    def _joined(self, found, more, margin, population, recipe, mixed):
        """A head, its energies and its out-of-bag probabilities, with one more density if better by a margin."""
        if not len(mixed):
            return found
        (head, energies, probabilities), (density, of_one) = found, more
        beside = np.concatenate([energies, of_one[None]])
        both = [*head.densities, density]
        other = calibrated(mixed, population.truth, population.oob_weights, beside, both, recipe)
        better = other.answers(mixed, beside)
        numbers, y = np.arange(len(mixed)), population.truth
        gain = np.log(better[numbers, y] / probabilities[numbers, y])
        kept = exceeds(gain, population.oob_weights, population.n_oob, margin)
        return (other, beside, better) if kept else found

    def _plain_neighbors(self, probabilities, population, shares, scores, neighbors, margin):
        """Weights of plain k-NN alone, if that is better than the mixture by more than a margin of standard errors."""
        y, w, columns = population.truth, population.oob_weights, np.array(neighbors) - 1
        if not len(y) or population.learns.all():
            return None
        number, column = best_pair(np.where(population.learns[:, None], np.inf, scores[:, columns]))
        pair = number, columns[column]
        excess = self.deviations(probabilities, y) - self.deviations(shares[pair], y)
        if not exceeds(excess, w, population.n_oob, margin):
            return None
        plain = np.zeros(scores.shape)
        plain[pair] = 1.0
        return plain


def exceeds(gains: NDArray, weights: NDArray | None, n: float, margin: float) -> bool:
    """Whether the mean of gains (N,) of n samples is above zero by more than so many of its standard errors."""
    mean = np.average(gains, weights=weights)
    return bool(mean > margin * np.sqrt(np.average((gains - mean) ** 2, weights=weights) / n))


def without_bias(recipe: Recipe) -> Recipe:
    """The recipe, with no bias of classes."""
    return replace(recipe, calibration="slope") if recipe.calibration == "full" else recipe


def calibrated(
    shares: NDArray,
    y: NDArray,
    weights: NDArray | None,
    energies: NDArray,
    densities: Sequence[ClassEnergies],
    recipe: Recipe,
) -> ClassificationHead:
    """The head of lowest log loss on shares (N, C) and free energies (n_densities, N, C) of classes y (N,).

    Gaussian priors hold slope and bias near 1 and 0, and strengths near 0; the recipe has their weights, in samples.
    """
    (N, C), B = shares.shape, len(energies)
    if recipe.calibration == "none":
        return ClassificationHead(1.0, np.zeros(C), recipe.share_floor)
    if N == 0:
        return ClassificationHead(1.0, np.zeros(C), recipe.share_floor, np.zeros(B), list(densities))
    terms, rows = np.concatenate([np.log(shares + recipe.share_floor)[None], -energies]), np.arange(N)
    w = np.ones(N) if weights is None else weights
    priors = np.repeat([recipe.calibration_prior, recipe.density_prior, recipe.calibration_prior], [1, B, C])

    def loss(parameters):
        slope = np.exp(parameters[0])
        Z = np.tensordot(np.append(slope, parameters[1 : B + 1]), terms, 1) + parameters[B + 1 :]
        excess = softmax(Z, axis=1)
        value = -w @ log_softmax(Z, axis=1)[rows, y] + priors / 2 @ parameters**2
        excess[rows, y] -= 1
        excess *= w[:, None]
        of_terms = np.tensordot(terms, excess, 2)
        of_terms[0] *= slope
        return value, np.append(of_terms, excess.sum(axis=0)) + priors * parameters

    bounds = [(-4, 3)] + [(0, None)] * B + [(-5, 5) if recipe.calibration == "full" else (0, 0)] * C
    best = minimize(loss, np.zeros(1 + B + C), jac=True, method="L-BFGS-B", bounds=bounds).x
    slope, strengths, bias = float(np.exp(best[0])), best[1 : B + 1], best[B + 1 :]
    return ClassificationHead(slope, bias, recipe.share_floor, strengths, list(densities))
