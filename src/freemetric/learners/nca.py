"""Neighbourhood components analysis by L-BFGS, on the energy and kernel that DMLFE samples."""

from ..energies import LogNCAEnergy, NCAEnergy
from .descent import DescendingLearner, descent_constraints
from .init import INITS


class NCA(DescendingLearner):
    """Neighbourhood components analysis: the nearest minimum of the expected leave-one-out error.

    E(A) = 1 - 1/N sum_ij p_ij [y_i = y_j],  p_ij = exp(-|A x_i - A x_j|^2) / sum_{k != i} exp(-|A x_i - A x_k|^2).

    A copy of a row is a row: one row is left out at a time, and its copies are its neighbours.

    One evaluation costs O(N^2 p) time for N patterns and p components, in float32, and O(N p) memory plus at most
    32 MB of kept pairs. Scale the features first: the start takes them as they come, but in units in which the largest
    range is one, so that units common to all do not matter.

    Many patterns are learned from in batches drawn anew for every step, by momentum along the gradients of E in a batch
    with steps that shrink until they no longer help on a sample of 4,096 patterns. The cost then does not depend on N:
    some 1,000 steps of O(n^2 p) for batches of n, and memory for batches only; float32 data are not copied. In a batch
    the softmax is over n - 1 references, not N - 1. This is an unbiased estimate of the error that stochastic
    neighbours make in samples of n, and a biased one of E, whose neighbours are nearer: the best map for samples has
    another size, which matters little to what ranks neighbours. The start is scaled by a power of two so that the
    sample is likeliest, for where the nearest neighbour is all that counts gradients are noise.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features, or of more than 500 that outnumber the
        patterns what these span.
    init : {"auto", "identity", "pca", "lda", "random", "uniform"} or array of shape (n_components, n_features), \
default="auto"
        Where the search begins. "auto": the identity, or for fewer dimensions "lda" while there are more classes than
        dimensions and "pca" else: nothing depends on the order of features.
    max_iter : int, default=50
        Most L-BFGS iterations; with batches, most looks at the sample, 25 steps each.
    tol : float, default=1e-5
        Stop when an iteration lowers E by less; with batches, shorten the steps then.
    batch_size : int or None, default=None
        Patterns of a batch, where there are more. None: all together up to 10,000 patterns, batches of 2,048 beyond.
    warm_start : bool, default=False
        Go on from the last fit's map.
    device : str, default="cpu"
        "cpu", a torch device such as "cuda" (extra ``gpu``), or "reference" for plain numpy, which is slow.
    verbose : bool, default=False
        Log every iteration.
    random_state : int, RandomState or None, default=None
        Seed of a random start and of batches.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    energy_ : float
        E(A); with batches, E(A) of the sample.
    n_iter_ : int
        Iterations of L-BFGS, or looks at the sample.
    classes_ : ndarray of shape (n_classes,)
        Labels seen in fit.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    See Also
    --------
    DMLFE : Samples the same energy instead of descending it.
    MLKR : The same for numbers.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood components analysis, NIPS 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import NCA
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), NCA(n_components=2), KNeighborsClassifier()).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    _energy = NCAEnergy
    _size_energy = LogNCAEnergy
    _parameter_constraints: dict = descent_constraints(INITS)

    def __init__(
        self,
        n_components=None,
        *,
        init="auto",
        max_iter=50,
        tol=1e-5,
        batch_size=None,
        warm_start=False,
        device="cpu",
        verbose=False,
        random_state=None,
    ):
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.warm_start = warm_start
        self.device = device
        self.verbose = verbose
        self.random_state = random_state
