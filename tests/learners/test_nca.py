import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.preprocessing import minmax_scale

from freemetric import NCA
from freemetric.energies import NCAEnergy


def digits(n=400):
    X, y = load_digits(return_X_y=True)
    return X[:n] / 16, y[:n]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize(
    ("data", "n_components"),
    [
        (make_classification(300, 12, n_informative=5, random_state=0), None),
        (digits(), 2),
        (digits(), None),
    ],
)
def test_as_good_as_scikit_learn(data, n_components):
    X, y = data
    init = "identity" if n_components is None else "pca"
    ours = NCA(n_components, init=init).fit(X, y)
    theirs = NeighborhoodComponentsAnalysis(
        n_components, init=init, random_state=0
    ).fit(X, y)
    energy = NCAEnergy().bind(X, y, device="reference")
    maps = np.array([ours.components_, theirs.components_])
    our_energy, their_energy = energy(maps)
    assert our_energy <= their_energy + 2e-3
    assert ours.energy_ == pytest.approx(our_energy, rel=1e-5, abs=1e-7)


def test_the_gradient_vanishes_at_the_minimum(rng):
    X = rng.standard_normal((200, 3))
    y = (X[:, 0] + 0.8 * rng.standard_normal(200) > 0).astype(int)
    X = minmax_scale(X)
    model = NCA(tol=0, max_iter=500).fit(X, y)
    bound = NCAEnergy().bind(X, y)
    at_start = np.abs(bound.value_and_grad(np.eye(3)[None])[1]).max()
    assert (
        np.abs(bound.value_and_grad(model.components_[None])[1]).max() < 1e-3 * at_start
    )


@pytest.mark.parametrize(
    "init", ["identity", "pca", "lda", "random", "uniform", np.eye(2, 4)], ids=str
)
def test_every_start_lowers_the_energy(iris, init):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = NCA(2, init=init, random_state=0, max_iter=30).fit(*iris)
    assert model.components_.shape == (2, 4)
    assert model.energy_ < 0.1
