"""Metric learning for kernel regression: NCA for numbers."""

from ..energies import RegressionEnergy
from .descent import DescendingLearner, descent_constraints
from .init import INITS_FOR_NUMBERS


class MLKR(DescendingLearner):
    r"""Metric learning for kernel regression: the metric in which neighbours tell a number best.

    .. math:: E(A) = \frac{1}{N \operatorname{var} y} \sum_i \left(y_i - \sum_{j \ne i} p_{ij} y_j\right)^2, \qquad
       p_{ij} = \frac{\exp(-|A x_i - A x_j|^2)}{\sum_{k \ne i} \exp(-|A x_i - A x_k|^2)},

    the leave-one-out error of kernel regression as a share of the variance of y, by L-BFGS to the nearest minimum. Of
    several outputs it is the mean, so that all weigh the same, whatever their units. The size of A is learned, too: it
    says how many neighbours count.

    One evaluation costs O(N^2 (p + m)) time for N patterns, p components and m outputs, in float32, and O(N (p + m))
    memory plus at most 32 MB of kept pairs. Scale the features first: the start takes them as they come, but in units
    in which the largest range is one, or the standard deviation where all have the same, so that units common to all
    do not matter. Many patterns are learned from in batches, as by :class:`NCA`.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features, or of more than 500 that outnumber the
        patterns what these span.
    init : {"auto", "identity", "pca", "pls", "random", "uniform"} or array of shape (p, n_features), default="auto"
        Where the search begins. "auto": the identity, or for fewer dimensions "pls", the leading directions of partial
        least squares: nothing depends on the order of features.
    max_iter : int, default=1000
        Most L-BFGS iterations; with batches, most looks at the sample, 25 steps each.
    tol : float, default=1e-7
        Stop when an iteration lowers E by less; with batches, shorten the steps then. E has long, flat valleys: 1e-5
        ends several times sooner at a somewhat higher E, and as far as was seen predicts as well.
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
        E(A), so that 1 - E(A) is the leave-one-out R^2 of kernel regression; with batches, E(A) of the sample.
    n_iter_ : int
        Iterations of L-BFGS, or looks at the sample.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    See Also
    --------
    MetricKNeighborsRegressor : Predicts numbers in the learned space.
    FreeEnergyRegressor : Many sampled metrics that tell numbers; usually more accurate.
    DMLFE : Samples the same energy, ``DMLFE(energy="regression")``, or other losses of it.
    NCA : The same for classes.

    References
    ----------
    K. Q. Weinberger, G. Tesauro, Metric learning for kernel regression, AISTATS 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import MLKR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), MLKR(n_components=2), KNeighborsRegressor(15)).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.4
    True
    """

    _energy = RegressionEnergy
    _size_energy = RegressionEnergy
    _parameter_constraints: dict = descent_constraints(INITS_FOR_NUMBERS)

    def __init__(
        self,
        n_components=None,
        *,
        init="auto",
        max_iter=1000,
        tol=1e-7,
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

    def _wants_numbers(self):
        return True
