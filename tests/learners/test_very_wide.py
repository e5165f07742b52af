"""More features than rows by far: maps of what the rows span, which lose nothing."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from freemetric import DMLFE, LMNN, MLKR, NCA, NCMML
from freemetric.learners.descent import MOST_SQUARE, n_dimensions

pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning", "ignore:.*before it converged")


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    return rng.random((30, 600)) + np.eye(3, 600)[y], y


@pytest.mark.parametrize("cls", [NCA, DMLFE, MLKR, LMNN, NCMML])
def test_a_map_of_what_rows_span(cls, wide):
    X, y = wide
    assert cls(random_state=0).fit(X, y if cls is not MLKR else X[:, 0]).components_.shape == (29, 600)
    assert cls(4, random_state=0).fit(X, y if cls is not MLKR else X[:, 0]).components_.shape == (4, 600)


def test_nothing_is_lost(wide):
    """The same as in the coordinates of the span, where distances of rows are the same."""
    X, y = wide
    Z = PCA(29).fit_transform(X)
    model, turned = NCA(tol=1e-7).fit(X, y), NCA(tol=1e-7, init=np.eye(29) / np.ptp(X, axis=0).max()).fit(Z, y)
    assert model.energy_ == pytest.approx(turned.energy_, abs=2e-3)


def test_the_start_has_the_distances_of_the_identity(wide):
    X, y = wide
    start = NCA(max_iter=1, tol=1e9).fit(X, y).components_
    apart = np.linalg.norm((X[:10] - X[10:20]) @ start.T, axis=1) / np.linalg.norm(X[:10] - X[10:20], axis=1)
    assert np.ptp(apart) < 0.05 * apart.mean()


@pytest.mark.parametrize(
    ("shape", "wanted", "found"),
    [
        ((30, MOST_SQUARE + 1), None, 29),
        ((30, MOST_SQUARE), None, MOST_SQUARE),
        ((900, 600), None, 600),
        ((9, 900), 5, 5),
    ],
)
def test_only_of_many_features_that_outnumber_samples(shape, wanted, found):
    assert n_dimensions(wanted, np.zeros(shape)) == found
