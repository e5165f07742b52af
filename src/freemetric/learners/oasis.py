"""OASIS: a bilinear similarity, learned online from triplets."""

from itertools import pairwise

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from ..sklearn_compat import naming_texts, refuse_gaps, seed_sequence, validate_params
from .constraints import COUNT, POSITIVE, SEED
from .side_information import check_tuples
from .validation import check_labels, has_label

ROWS = {"accept_sparse": "csr", "dtype": np.float64}
BLOCK = 1000  # triplets whose rows are taken at a time


def no_distance(estimator):
    """Refuse what a similarity does not give."""
    what = "OASIS learns a similarity, which is no distance and has no map"
    raise AttributeError(f"{what}: use pair_score.")


class OASIS(BaseEstimator):
    r"""Online algorithm for scalable image similarity: S(u, v) = u^T W v.

    W begins as the identity. A triplet (a, p, n), in which a is more similar to p than
    to n, has the loss

    .. math:: l = [1 - S(x_a, x_p) + S(x_a, x_n)]_+

    and changes W as little as lowers it to zero, within C:

    .. math:: W \leftarrow W + \tau\, x_a (x_p - x_n)^T, \qquad
        \tau = \min\Bigl(C, \frac{l}{|x_a|^2 |x_p - x_n|^2}\Bigr).

    W need not be symmetric or positive: it has neither distance nor map. A triplet
    costs O(n_features^2), or as many operations as the product of the non-zeros of its
    sparse rows; W takes 8 n_features^2 bytes, at most scikit-learn's
    ``working_memory``. Features are used as they are: scale them
    so that rows have a length of order one.

    Parameters
    ----------
    aggressiveness : float, default=0.1
        C, the largest step.
    n_triplets : int, default=20000
        Triplets drawn from labels: a random sample, another of its class, and one of
        another class. Not used where triplets are listed.
    random_state : int, RandomState or None, default=None
        Seed of the drawn triplets.

    Attributes
    ----------
    similarity_matrix_ : ndarray of shape (n_features, n_features)
        W.
    mean_loss_ : float
        Mean loss of the triplets of the last call, each before its step.
    n_iter_ : int
        Number of triplets since the start.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] G. Chechik, V. Sharma, U. Shalit, S. Bengio, Large scale online learning of
           image similarity through ranking, JMLR 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.preprocessing import normalize
    >>> from freemetric.learners import OASIS
    >>> X, y = load_digits(return_X_y=True)
    >>> X = normalize(X)
    >>> model = OASIS(random_state=0).fit(X[:1000], y[:1000])
    >>> zero, other_zero, one = X[0], X[10], X[1]
    >>> similar, different = model.pair_score([[zero, other_zero], [zero, one]])
    >>> bool(similar > different)
    True
    >>> model = model.partial_fit(X[1000:], triplets=[[0, 3, 7], [2, 5, 9]])
    >>> model.n_iter_
    20002
    """

    _parameter_constraints = {
        "aggressiveness": POSITIVE,
        "n_triplets": COUNT,
        "random_state": SEED,
    }

    def __init__(
        self, *, aggressiveness=0.1, n_triplets=20_000, random_state=None
    ) -> None:
        self.aggressiveness = aggressiveness
        self.n_triplets = n_triplets
        self.random_state = random_state

    def fit(self, X, y=None, *, triplets=None):
        """Learn the similarity from labels or from triplets, beginning anew.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Class labels; not used with ``triplets``.
        triplets : array-like of shape (n_triplets, 3), default=None
            Indices into X: the first sample is more similar to the second than to the
            third. They are visited once, in this order.

        Returns
        -------
        self : OASIS
            The fitted estimator.
        """
        return self._go_on(X, y, triplets, begins=True)

    def partial_fit(self, X, y=None, *, triplets=None):
        """Go on from the W of earlier calls; arguments are those of ``fit``."""
        begins = not hasattr(self, "similarity_matrix_")
        return self._go_on(X, y, triplets, begins)

    def _go_on(self, X, y, triplets, begins):
        validate_params(self)
        is_listed = triplets is not None
        targets = "no_validation" if is_listed else y
        refuse_gaps(y)
        with naming_texts(X):
            X = validate_data(self, X, targets, reset=begins, **ROWS)
        size = 8 * self.n_features_in_**2 / 2**20
        if size > get_config()["working_memory"]:
            what = f"W of {self.n_features_in_} features takes {size:,.0f} MiB"
            raise ValueError(f"{what}, more than working_memory: reduce them first.")
        n_before = 0 if begins else self.n_iter_
        if not is_listed:
            X, y = X
            labelled = np.flatnonzero(has_label(y))
            X = X[labelled]
            _, y = check_labels(y[labelled])
            seed = [*seed_sequence(self.random_state).entropy, n_before]
            triplets = draw_triplets(np.random.default_rng(seed), y, self.n_triplets)
        triplets = check_tuples(triplets, 3, X.shape[0], "triplets")
        W = np.eye(X.shape[1]) if begins else self.similarity_matrix_.copy()
        loss = 0.0
        for block in gen_batches(len(triplets), BLOCK):
            a, p, n = triplets[block].T
            for x, v in zip(rows(X[a]), rows(X[p] - X[n]), strict=True):
                loss += step(W, x, v, self.aggressiveness)
        self.similarity_matrix_ = W
        self.mean_loss_ = loss / len(triplets)
        self.n_iter_ = n_before + len(triplets)
        return self

    def pair_score(self, pairs):
        """Compute the similarity u^T W v of pairs: larger for more similar ones.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or two sparse matrices
            Pairs of samples (u, v); sparse ones as a tuple of all u and all v, two
            matrices of shape (n_pairs, n_features).

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Their similarities, which change where u and v change places.
        """
        check_is_fitted(self)
        W = self.similarity_matrix_
        is_sparse = len(pairs) == 2 and all(map(issparse, pairs))
        if not is_sparse:
            pairs = np.swapaxes(check_array(pairs, allow_nd=True), 0, 1)
        if len(pairs) != 2 or any(part.shape[1:] != (len(W),) for part in pairs):
            raise ValueError(f"pairs must have shape (n_pairs, 2, {len(W)}).")
        u, v = pairs
        products = v.multiply(u @ W) if is_sparse else v * (u @ W)
        return np.asarray(products.sum(axis=1)).ravel()

    transform = pair_distance = property(no_distance)
    get_metric = get_mahalanobis_matrix = property(no_distance)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def draw_triplets(rng, y, n):
    """Triplets (n, 3) of samples: two of one class and one of another."""
    order = np.argsort(y, kind="stable")
    y = y[order]
    counts = np.bincount(y)
    if counts.max() == 1:
        raise ValueError("OASIS needs a class of two samples; each has one.")
    a = rng.choice(np.flatnonzero(counts[y] > 1), size=n)
    size = counts[y[a]]
    begin = np.cumsum(counts)[y[a]] - size
    p = begin + (a - begin + rng.integers(1, size)) % size
    outside = rng.integers(len(y) - size)  # of the samples without the class
    other = np.where(outside < begin, outside, outside + size)
    return order[np.column_stack([a, p, other])]


def rows(X):
    """Yield the features that are not zero of every row, and their values."""
    if not issparse(X):
        for row in X:
            yield slice(None), row
        return
    for begin, end in pairwise(X.indptr):
        yield X.indices[begin:end], X.data[begin:end]


def step(W, anchor, difference, most):
    """Change W by one triplet, and return the loss before."""
    (i, x), (j, v) = anchor, difference
    cells = (i, j) if isinstance(i, slice) else (i[:, None], j)
    part = W[cells]
    loss = max(0.0, 1.0 - float(x @ part @ v))
    size = float(x @ x) * float(v @ v)
    if loss > 0 and size > 0:
        W[cells] += min(most, loss / size) * x[:, None] * v
    return loss
