"""Wide tables and very many classes: bounded memory, measured in a process of its own, and nothing lost."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from freemetric import FreeEnergyClassifier, load
from freemetric.learners.averaged_metric import AveragedMetric
from freemetric.learners.free_energy.budget import MANY_CLASSES_BYTES, Panel, affordable_panel
from freemetric.metrics import Axes
from freemetric.metrics.mixture import mixed_shares
from freemetric.metrics.views import Scaled

pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")

MEASURED = """
import resource, warnings
import numpy as np
from freemetric import FreeEnergyClassifier
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
{data}
model = FreeEnergyClassifier({n_replicas}, random_state=0).fit(X, y)
assert model.predict_proba(X[:50]).shape == (50, len(model.classes_))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, model.oob_score_)
"""
WIDE = "y = np.arange(100) % 2; X = rng.standard_normal((100, 5000)); X[:, :100] += y[:, None]"
MANY = "y = np.arange(4000) % 500; X = 3 * rng.standard_normal((500, 10))[y] + rng.standard_normal((4000, 10))"


def peak_and_score(data, n_replicas):
    pytest.importorskip("resource")
    code = MEASURED.format(data=data, n_replicas=n_replicas)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=600)
    return map(float, done.stdout.split())


@pytest.mark.slow
@pytest.mark.parametrize("data", [WIDE, MANY], ids=["wide", "many classes"])
def test_less_than_a_gigabyte(data):
    gigabytes, score = peak_and_score(data, '"auto"')
    assert gigabytes < 1
    assert score > 0.5


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = 10 ** rng.uniform(-3, 3, 600) * (rng.standard_normal((40, 600)) + (np.arange(600) < 60) * y[:, None])
    return X, y


@pytest.fixture(scope="module")
def model(wide):
    return FreeEnergyClassifier(8, random_state=0).fit(*wide)


def test_axes_keep_all_distances(wide):
    X, _ = wide
    axes, scaled = Axes.of(X), Scaled.of(X)
    assert len(axes.owner) == 39
    np.testing.assert_allclose(pdist(axes(X)), pdist(scaled(X)))
    np.testing.assert_allclose(axes(X) - axes(X[:1]), (X - X[0]) @ axes.slopes(), atol=1e-9)
    assert Axes.of(np.ones((5, 3)))(np.ones((2, 3))).shape == (2, 1)


def test_features_of_a_wide_table_have_shares(wide, model):
    X, _ = wide
    assert set(model.views_) == {"axes"}
    shares = model.distance_weights_
    assert shares.shape == (600,)
    assert shares.sum() == pytest.approx(1)
    M = model.get_mahalanobis_matrix()
    expected = np.diag(M) * X.var(axis=0)
    np.testing.assert_allclose(shares, expected / expected.sum(), rtol=0.2)
    shown = AveragedMetric(model.committee_).matrix(X)
    np.testing.assert_allclose(np.diag(shown) / np.trace(shown), expected / expected.sum(), rtol=1e-6)


def test_a_model_of_a_wide_table_is_saved(wide, model, tmp_path):
    model.save(tmp_path / "wide.fm")
    np.testing.assert_array_equal(load(tmp_path / "wide.fm").predict_proba(wide[0]), model.predict_proba(wide[0]))


def test_what_would_take_too_much_is_refused_before_it_begins(rng):
    X, y = rng.random((20, 3000)), np.arange(20) % 2
    message = r"^candidates: quantiles/full of 3000 features would take some 17 GiB, more than the 8 GiB .*\.$"
    with pytest.raises(ValueError, match=message):
        FreeEnergyClassifier(4, candidates=["quantiles/full"], random_state=0).fit(X, y)


def test_ballots_fit_the_memory():
    wanted = Panel(4000, 40)
    assert affordable_panel(wanted, [150] * 26, 8) == wanted  # ordinary tables are as they were
    panel = affordable_panel(wanted, [8] * 500, 8)
    assert panel.n_neighbors == 8
    assert panel.n_judged > 100
    assert 16 * panel.n_judged * panel.n_neighbors * 500 * 4 <= MANY_CLASSES_BYTES


def test_shares_of_many_classes_are_mixed_alike(rng):
    weights, shares = rng.random((3, 4)) * (rng.random((3, 4)) > 0.5), rng.random((3, 4, 7, 80))
    np.testing.assert_allclose(mixed_shares(weights, shares), np.einsum("ek,eknc->nc", weights, shares))
