import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification
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
    theirs = NeighborhoodComponentsAnalysis(n_components, init=init, random_state=0)
    theirs.fit(X, y)
    energy = NCAEnergy().bind(X, y, device="reference")
    maps = np.array([ours.components_, theirs.components_])
    our_energy, their_energy = energy(maps)
    assert our_energy <= their_energy + 2e-3
    assert ours.energy_ == pytest.approx(our_energy, rel=1e-5, abs=1e-7)


# partial_fit


def energy_of(model, X, y):
    return NCAEnergy().bind(X, y)(model.components_[None])[0]


def test_steps_with_all_samples_end_where_a_fit_does():
    rng = np.random.default_rng(0)
    X = rng.random((500, 2))
    y = X[:, 0] + 0.3 * rng.standard_normal(500) > 0.5  # no map tells them all apart
    at_once = NCA(max_iter=500, tol=1e-9).fit(X, y)
    model = NCA()
    for _ in range(300):
        model.partial_fit(X, y)
    assert model.n_iter_ == 300
    assert energy_of(model, X, y) == pytest.approx(at_once.energy_, rel=5e-3)
    assert model.energy_ == pytest.approx(energy_of(model, X, y), abs=1e-3)


def test_batches_lower_the_energy_of_all_and_go_on_from_a_fit(wine):
    X, y = minmax_scale(wine[0]), wine[1]
    rng = np.random.default_rng(0)
    model = NCA(random_state=0)
    first = model.partial_fit(X[::5], y[::5]).components_
    before = energy_of(model, X, y)
    for _ in range(100):
        rows = rng.permutation(len(X))[:60]
        model.partial_fit(X[rows], y[rows])
    assert energy_of(model, X, y) < 0.3 * before
    assert np.abs(model.components_ - first).max() > 1
    half = NCA().fit(X[::2], y[::2])
    fitted = energy_of(half, X, y)
    for _ in range(50):
        half.partial_fit(X, y)
    assert energy_of(half, X, y) < fitted


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_steps_do_not_depend_on_the_unit(unit, wine):
    X, y = minmax_scale(wine[0]), wine[1]
    one, other = NCA(), NCA()
    for _ in range(5):
        one.partial_fit(X, y)
        other.partial_fit(unit * X, y)
    np.testing.assert_allclose(other.components_ * unit, one.components_, atol=1e-3)


def test_large_calls_are_split_into_batches(wine):
    X, y = wine
    model = NCA(batch_size=50).partial_fit(X, y)
    assert model.n_iter_ == 4
    with pytest.raises(ValueError, match="at least two classes"):
        model.partial_fit(X[:20], y[:20])
    with pytest.raises(ValueError, match="is expecting 13 features"):
        model.partial_fit(X[:, 1:], y)
