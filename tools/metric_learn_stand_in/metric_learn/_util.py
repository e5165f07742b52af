"""The private functions that the tests call: ours where we have one, else a refusal.

Most names are imported by a module of helpers and called only by tests of themselves,
which do not run.
"""

from scipy.linalg import pinvh

from freemetric.learners.linear_algebra import map_of
from freemetric.metric_learn.starts import is_definite, metric_matrix


def make_context(estimator):
    """The part of a message that names the estimator."""
    return f" by {type(estimator).__name__}"


def _initialize_metric_mahalanobis(X, init, random_state, return_inverse, strict_pd):
    assert return_inverse
    M = metric_matrix(init, X, "init", random_state, definite=strict_pd)
    return M, pinvh(M)


def components_from_metric(M):
    """The map behind a metric, as all of our learners find it."""
    is_definite(M)  # NonPSDError where it is no metric
    return map_of(M)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def refused(*args, **kwargs):
        raise NotImplementedError(
            f"{name} is a private function of metric-learn; freemetric has none like it"
        )

    return refused
