"""Kernelized: any linear learner, in the feature space of a kernel, by kernel principal components."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_consistent_length, gen_batches, get_tags
from sklearn.utils.validation import check_is_fitted

from ..exceptions import DataWarning, callers_stacklevel
from ..files.checks import check_array, check_numbers, is_number, require
from ..files.estimators import check_attributes
from ..sklearn_compat import HasMethods, Interval, StrOptions, validate_params
from .base import PairDistances, generator
from .fitting import KeptModel
from .nca import NCA
from .parameters import Positive, Share, TwoOrMore, estimator, parameter
from .tuples.base import fitted, takes
from .validation import check_magnitude, check_samples, warn_of_dwarfs

MOST_DIRECTIONS = 300  # by default; most learners cost the square of it
PRECOMPUTED = "precomputed"
WITH_GAMMA = ("rbf", "laplacian", "poly", "sigmoid")
KINDS = (*WITH_GAMMA, "cosine", "linear", PRECOMPUTED)
SPREADING = {"rbf": "sqeuclidean", "laplacian": "cityblock"}  # kernels of a distance, and which
MOST_COMPARED = 1000  # rows whose distances have a median
BLOCK = 2**22  # values of a kernel held at once, 32 MB
ROUNDING = 1e-12  # of the largest eigenvalue; smaller ones are none
WEIGHTY = 1e-6  # share of the eigenvalues that is more than rounding


@estimator
class Kernelized(KeptModel, PairDistances, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Any linear learner in the feature space of a kernel: KLMNN, kernel LDA, kernel DMLMJ and all others.

    With the centred kernel matrix :math:`\bar K = V \Lambda V^T` of N samples the coordinates in the span of their
    images are

    .. math:: z(x) = \Lambda^{-1/2} V^T \left(k(x) - \tfrac1N K 1\right), \qquad
       |z(u) - z(v)|^2 = k(u, u) - 2 k(u, v) + k(v, v),

    exactly so between samples of fit. A learner of the first ``n_directions`` of them is the kernel form of the
    learner. Beyond ``max_exact`` samples the images of ``n_landmarks`` random samples span the space (Nystroem's
    method). The exact space costs O(N^2 d + N^3) time and O(N^2) memory, the other one O(N m d + N m^2 + m^3) and
    O(m^2) with m landmarks. Scale the features first.

    Attributes
    ----------
    {fitted_learner}
    gamma_ : float
        Width of the kernel.
    landmarks_ : ndarray of shape (n_landmarks, n_features)
        Samples that span the space; column indices if the kernel is precomputed.
    projection_ : ndarray of shape (n_directions, n_landmarks)
        Lambda^-1/2 V^T.
    offset_ : ndarray of shape (n_landmarks,)
        Mean kernel of the samples with the landmarks.
    eigenvalues_ : ndarray of shape (n_directions,)
        Variances of the samples along the directions, falling.
    is_exact_ : bool
        Whether all samples are landmarks.
    {features}

    References
    ----------
    R. Chatpatanasiri, T. Korsrilabutr, P. Tangchanachaianan, B. Kijsirikul, A new kernelization framework for
    Mahalanobis distance learning algorithms, Neurocomputing 73, 2010.
    C. Williams, M. Seeger, Using the Nystroem method to speed up kernel machines, NIPS 2000.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from freemetric import RCA, Kernelized
    >>> X, y = make_circles(400, noise=0.1, factor=0.5, random_state=0)
    >>> for learner in (RCA(1), Kernelized(RCA(1))):
    ...     model = make_pipeline(learner, KNeighborsClassifier(5)).fit(X[::2], y[::2])
    ...     print(f"{model.score(X[1::2], y[1::2]):.1f}")
    0.7
    1.0
    """

    learner: Annotated[Any, HasMethods(["fit", "transform"]), None] = parameter(
        None, "Any learner, or a pipeline that ends with one. None: :class:`NCA`."
    )
    kernel: Annotated[Any, StrOptions(set(KINDS)), callable] = parameter(
        "rbf",
        '"rbf", exp(-gamma |u - v|^2); "laplacian", exp(-gamma |u - v|_1); "poly", (gamma u.v + coef0)^degree; '
        '"sigmoid", tanh(gamma u.v + coef0); "cosine", u.v / (|u| |v|); "linear", u.v; "precomputed": X holds the '
        "kernel of samples (rows) with those of fit (columns); or a function of two arrays (n, d) and (m, d) that "
        "returns the matrix (n, m), with which a model cannot be saved.",
        "str or callable",
    )
    _: KW_ONLY
    gamma: Annotated[
        float | str, Interval(Real, 0, None, closed="neither"), StrOptions({"median", "scale", "auto"})
    ] = parameter(
        "median",
        'Width of "rbf", "laplacian", "poly" and "sigmoid". "median" is one over the median distance of the samples '
        '(squared for "rbf"; for "poly" and "sigmoid" their median square); "scale" is 1 / (d var X), "auto" 1 / d.',
    )
    degree: Positive = parameter(3, 'Degree of "poly".')
    coef0: Annotated[Any, Interval(Real, None, None, closed="neither")] = parameter(
        1, 'Constant of "poly" and "sigmoid".'
    )
    n_directions: Annotated[Any, Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None] = parameter(
        "auto", 'Kernel principal directions to keep. "auto": half the number of samples, at most 300. None keeps all.'
    )
    tol: Share = parameter(1e-8, "Drop directions of less variance than ``tol`` times the largest.")
    max_exact: Annotated[Any, Interval(Integral, 0, None, closed="left")] = parameter(
        2000, "Maximum number of samples of the exact space."
    )
    n_landmarks: TwoOrMore = parameter(500, "Samples that span the space beyond it.")
    random_state: Any = parameter(None, 'Seed of the landmarks, and of samples for "median". The learner has its own.')

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, **knowledge: Any) -> Self:
        """Span the feature space, then learn in it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"`` the kernel matrix, (n_samples, n_samples).
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Labels or targets. Unlabelled rows (-1) help to span the space.
        **knowledge : dict
            Further arguments of the learner's ``fit``, such as ``pairs`` and ``pair_labels``, which refer to rows of X.
        """
        validate_params(self)
        learner = NCA() if self.learner is None else self.learner
        known = {name: value for name, value in knowledge.items() if value is not None}
        others = [name for name in known if not takes(learner, name)]
        if others:
            raise TypeError(f"{type(learner).__name__} learns nothing from {', '.join(others)}.")
        samples = self._checked(X)
        if y is not None:
            check_consistent_length(samples, y)
        rng = generator(self.random_state)
        self.gamma_ = width(self.gamma, self.kernel, samples, rng)
        space = self._spanned(samples, rng)
        self.landmarks_, self.projection_, self.offset_, self.eigenvalues_ = space
        self.is_exact_ = len(self.landmarks_) == len(samples)
        wanted, most = getattr(learner, "n_components", None), len(self.projection_)
        if isinstance(wanted, Integral) and int(wanted) > most:
            what = f"n_components={wanted} of {type(learner).__name__} is more than the directions of the kernel"
            raise ValueError(f"{what}, {most}: take fewer, or a larger n_directions.")
        self.learner_ = fitted(learner, space.coordinates(self._kernel(), samples), known, y)
        self._n_features_out = self._mapped(samples[:1]).shape[1]
        return self

    def _checked(self, X):
        """Samples in double precision; ValueError where they cannot be learned from."""
        samples = check_samples(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        check_magnitude(samples)
        if self.kernel != PRECOMPUTED:
            warn_of_dwarfs(samples)
        elif samples.shape[0] != samples.shape[1]:
            raise ValueError(f"kernel='precomputed' needs a square X, the kernel of all with all; got {samples.shape}.")
        elif not np.allclose(samples, samples.T, rtol=1e-6, atol=1e-9 * np.abs(samples).max()):
            raise ValueError("kernel='precomputed' needs a symmetric X: the kernel of u and v is that of v and u.")
        return samples

    def _spanned(self, X, rng):
        kernel, given = self._kernel(), self.kernel == PRECOMPUTED
        most = max(1, min(len(X) // 2, MOST_DIRECTIONS)) if self.n_directions == "auto" else self.n_directions
        if len(X) <= max(self.max_exact, self.n_landmarks):
            landmarks = np.arange(len(X)) if given else X
            return exact_space(kernel, X, landmarks, self.tol, most)
        rows = np.sort(rng.choice(len(X), self.n_landmarks, replace=False))
        landmarks = rows if given else X[rows]
        return nystroem_space(kernel, X, landmarks, kernel(X[rows], landmarks), self.tol, most)

    def _kernel(self):
        return Kernel(self.kernel, self.gamma_, self.degree, self.coef0)

    def _mapped(self, X):
        space = KernelSpace(self.landmarks_, self.projection_, self.offset_, self.eigenvalues_)
        return np.asarray(self.learner_.transform(space.coordinates(self._kernel(), X)), dtype=np.float64)

    def transform(self, X: ArrayLike) -> NDArray:
        """Map samples, or their precomputed kernel with those of fit, to the learned space (n_samples, p)."""
        check_is_fitted(self)
        return self._mapped(check_samples(self, X, dtype=np.float64, reset=False))

    def get_metric(self) -> Callable[..., float]:
        """A function ``metric(u, v, squared=False)`` of two samples, independent of this learner from now on."""
        check_is_fitted(self)
        kept = clone(self)
        vars(kept).update(vars(self))

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            apart = kept.pair_distance([[u, v]])[0]
            return float(apart**2 if squared else apart)

        return metric

    def _apart(self, U, V):
        return self._mapped(U) - self._mapped(V)

    def check_state(self) -> None:
        """Check that the fitted attributes are consistent; called when a model is saved or loaded."""
        needed = ("learner_", "gamma_", "landmarks_", "projection_", "offset_", "eigenvalues_", "is_exact_")
        check_attributes(self, ("n_features_in_", *needed, "_n_features_out"))
        if not hasattr(self, "projection_"):
            return
        who = "of Kernelized"
        check_array(self.projection_, f"projection_ {who}", 2)
        r, m = self.projection_.shape
        if self.kernel == PRECOMPUTED:
            check_array(self.landmarks_, f"landmarks_ {who}", 1, (m,), kinds="iu")
            check_numbers(self.landmarks_, self.n_features_in_, f"landmarks_ {who}")
        else:
            check_array(self.landmarks_, f"landmarks_ {who}", 2, (m, self.n_features_in_))
        check_array(self.offset_, f"offset_ {who}", 1, (m,))
        check_array(self.eigenvalues_, f"eigenvalues_ {who}", 1, (r,))
        require(r > 0 and m > 0, f"projection_ {who}", "is empty")
        require(is_number(self.gamma_) and self.gamma_ > 0, f"gamma_ {who}", "is no positive number")
        require(type(self.is_exact_) is bool, f"is_exact_ {who}", "is no truth value")
        fits = hasattr(self.learner_, "transform") and getattr(self.learner_, "n_features_in_", r) == r
        require(fits, f"learner_ {who}", "does not map the directions of the kernel")
        made = np.shape(self.learner_.transform(np.zeros((1, r))))[1]
        require(self._n_features_out == made, f"_n_features_out {who}", "is not what its learner maps to")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.learner is None or get_tags(self.learner).target_tags.required
        tags.input_tags.sparse = self.kernel != PRECOMPUTED
        tags.input_tags.pairwise = self.kernel == PRECOMPUTED
        return tags


class Kernel(NamedTuple):
    """A kernel with its parameters; called with samples (n, d) and landmarks (m, d) it gives (n, m)."""

    kind: str | Callable[[NDArray, NDArray], Any]
    gamma: float = 1.0
    degree: float = 3.0
    coef0: float = 1.0

    def __call__(self, X: NDArray, landmarks: NDArray) -> NDArray[np.float64]:
        if callable(self.kind):
            K, shape = np.asarray(self.kind(X, landmarks)), (len(X), len(landmarks))
            if K.shape != shape or K.dtype.kind not in "fiub":
                what = f"kernel must be a function of two arrays of samples that gives a matrix {shape}"
                raise ValueError(f"{what}; it gave {K.dtype} of shape {K.shape}.")
            return K.astype(np.float64, copy=False)
        if self.kind == PRECOMPUTED:  # X holds the values; landmarks are column indices
            return X[:, landmarks]
        if self.kind in SPREADING:  # kernels of differences are more exact around zero
            centre = landmarks.mean(axis=0)
            X, landmarks = X - centre, landmarks - centre
        parameters = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        return pairwise_kernels(X, landmarks, metric=self.kind, filter_params=True, **parameters)

    def blocks(self, X: NDArray, landmarks: NDArray) -> Iterator[NDArray[np.float64]]:
        """The same in blocks of rows."""
        return (self(X[rows], landmarks) for rows in gen_batches(len(X), max(1, BLOCK // len(landmarks))))


def width(gamma: float | str, kind: Any, X: NDArray, rng: np.random.Generator) -> float:
    """gamma as a number: as given, 1 / d ("auto"), 1 / (d var X) ("scale"), or one over the "median" distance."""
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto" or kind not in WITH_GAMMA:  # a kernel without gamma ignores it
        return 1 / X.shape[1]
    if gamma == "scale":
        size = X.shape[1] * X.var()
    else:
        rows = X if len(X) <= MOST_COMPARED else X[rng.choice(len(X), MOST_COMPARED, replace=False)]
        sizes = pdist(rows, SPREADING[kind]) if kind in SPREADING else np.einsum("ni,ni->n", rows, rows)
        sizes = sizes[sizes > 0]  # copies are at no distance
        size = float(np.median(sizes)) if len(sizes) else 0.0
    return 1 / size if size > 0 else 1.0


class KernelSpace(NamedTuple):
    """z(x) = P (k(x) - c): r coordinates of the image of x, from its kernel with m landmarks."""

    landmarks: NDArray  # (m, d) samples, or (m,) column indices
    projection: NDArray[np.float64]  # (r, m) P
    offset: NDArray[np.float64]  # (m,) c, mean kernel of the samples learned from
    eigenvalues: NDArray[np.float64]  # (r,) their variances along the directions, falling

    def coordinates(self, kernel: Kernel, X: NDArray) -> NDArray[np.float64]:
        """Samples (N, d) as (N, r), in blocks of rows."""
        with np.errstate(over="ignore", invalid="ignore"):  # _finite raises
            blocks = [(_finite(K) - self.offset) @ self.projection.T for K in kernel.blocks(X, self.landmarks)]
        return _finite(np.concatenate(blocks))


def exact_space(kernel: Kernel, X: NDArray, landmarks: NDArray, tol: float, n_directions: int | None) -> KernelSpace:
    """The span of the images of all samples."""
    K = _finite(kernel(X, landmarks))
    K = (K + K.T) / 2
    offset = K.mean(axis=0)
    values, vectors = leading(K - offset - offset[:, None] + offset.mean(), tol, n_directions)
    projection = _scaled(values, vectors)
    projection -= projection.mean(axis=1, keepdims=True)  # orthogonal to the mean up to rounding, and now exactly
    return KernelSpace(landmarks, projection, offset, values / len(X))


def nystroem_space(
    kernel: Kernel, X: NDArray, landmarks: NDArray, own: NDArray, tol: float, n_directions: int | None
) -> KernelSpace:
    """The span of the images of m landmarks, whose own kernel is (m, m), turned to the main axes of all samples."""
    values, vectors = leading((own + own.T) / 2, 0)  # around the origin the mean may be larger than all else
    basis = _scaled(values, vectors)
    total, squares = np.zeros(len(landmarks)), np.zeros((len(basis), len(basis)))
    for K in kernel.blocks(X, landmarks):
        image = _finite(K) @ basis.T
        total += K.sum(axis=0)
        squares += image.T @ image
    offset = total / len(X)
    mean = basis @ offset
    values, vectors = leading(squares / len(X) - np.outer(mean, mean), tol, n_directions)
    return KernelSpace(landmarks, vectors.T @ basis, offset, values)


def leading(S: NDArray, tol: float, most: int | None = None) -> tuple[NDArray, NDArray]:
    """Eigenvalues of S above ``tol`` times the largest, falling, and their vectors as columns; at least one."""
    values, vectors = eigh(S, driver="evd", overwrite_a=True, check_finite=False)
    values, vectors = values[::-1], vectors[:, ::-1]
    negative = -values[values < 0].sum() / max(np.abs(values).sum(), np.finfo(np.float64).tiny)
    if negative > WEIGHTY:
        what = f"This kernel is not positive: {negative:.2g} of its eigenvalues are negative and left out"
        warnings.warn(f"{what}; distances are those of the rest.", DataWarning, stacklevel=callers_stacklevel())
    kept = max(1, int((values > max(tol, ROUNDING) * max(values[0], 0)).sum()))
    kept = kept if most is None else min(kept, most)
    return np.maximum(values[:kept], 0), np.ascontiguousarray(vectors[:, :kept])


def _scaled(values, vectors):
    """Rows v / sqrt(lambda); nothing where no sample differs from another."""
    return np.divide(vectors, np.sqrt(values), out=np.zeros_like(vectors), where=values > 0).T


def _finite(K):
    if not np.isfinite(K).all():
        raise ValueError("The kernel gives values that are not finite: scale the features, or take a smaller gamma.")
    return K
