"""Kernelized: any linear learner, in the feature space of a kernel."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.validation import check_is_fitted

from ..files.checks import check_array, check_numbers, is_number, require
from ..files.estimators import check_attributes
from ..sklearn_compat import HasMethods, Interval, StrOptions, validate_params
from .base import PairDistances, generator
from .fitting import KeptModel
from .kernel_space import KINDS, PRECOMPUTED, Kernel, KernelSpace, exact_space, nystroem_space, width
from .nca import NCA
from .parameters import Positive, Share, TwoOrMore, estimator
from .tuples.base import fitted, takes
from .validation import check_magnitude, check_samples, warn_of_dwarfs

MOST_DIRECTIONS = 300  # by default; most learners cost the square of it


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

    Parameters
    ----------
    learner : estimator with fit and transform, or None, default=None
        Any learner, or a pipeline that ends with one. None: :class:`NCA`.
    kernel : str or callable, default="rbf"
        "rbf", exp(-gamma |u - v|^2); "laplacian", exp(-gamma |u - v|_1); "poly", (gamma u.v + coef0)^degree; "sigmoid",
        tanh(gamma u.v + coef0); "cosine", u.v / (|u| |v|); "linear", u.v; "precomputed": X holds the kernel of samples
        (rows) with those of fit (columns); or a function of two arrays (n, d) and (m, d) that returns the matrix (n,
        m), with which a model cannot be saved.
    gamma : float or {"median", "scale", "auto"}, default="median"
        Width of "rbf", "laplacian", "poly" and "sigmoid". "median" is one over the median distance of the samples
        (squared for "rbf"; for "poly" and "sigmoid" their median square); "scale" is 1 / (d var X), "auto" 1 / d.
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Constant of "poly" and "sigmoid".
    n_directions : int, "auto" or None, default="auto"
        Kernel principal directions to keep. "auto": half the number of samples, at most 300. None keeps all.
    tol : float, default=1e-8
        Drop directions of less variance than ``tol`` times the largest.
    max_exact : int, default=2000
        Maximum number of samples of the exact space.
    n_landmarks : int, default=500
        Samples that span the space beyond it.
    random_state : int, RandomState or None, default=None
        Seed of the landmarks, and of samples for "median". The learner has its own.

    Attributes
    ----------
    {learner}
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

    learner: Annotated[Any, HasMethods(["fit", "transform"]), None] = None
    kernel: Annotated[Any, StrOptions(set(KINDS)), callable] = "rbf"
    _: KW_ONLY
    gamma: Annotated[Any, Interval(Real, 0, None, closed="neither"), StrOptions({"median", "scale", "auto"})] = "median"
    degree: Positive = 3
    coef0: Annotated[Any, Interval(Real, None, None, closed="neither")] = 1
    n_directions: Annotated[Any, Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None] = "auto"
    tol: Share = 1e-8
    max_exact: Annotated[Any, Interval(Integral, 0, None, closed="left")] = 2000
    n_landmarks: TwoOrMore = 500
    random_state: Any = None

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

        Returns
        -------
        self : object
            The fitted learner.
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
        width = np.shape(self.learner_.transform(np.zeros((1, r))))[1]
        require(self._n_features_out == width, f"_n_features_out {who}", "is not what its learner maps to")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.learner is None or get_tags(self.learner).target_tags.required
        tags.input_tags.sparse = self.kernel != PRECOMPUTED
        tags.input_tags.pairwise = self.kernel == PRECOMPUTED
        return tags
