"""A free-energy classifier says in the runtime what it says in Python, whatever its metrics look at."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import FreeEnergyClassifier
from freemetric.learners.free_energy.candidates import FORMS, VIEW_NAMES
from freemetric.onnx_export import to_onnx

from .runtime import about, answer, nearest

pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")


def expected(model, X):
    """Probabilities by the definition, with the first of equally far patterns."""
    patterns = model._patterns
    ballots = np.eye(len(model.classes_))[model._y[patterns]] * model._weights[:, None]
    mixed = 0
    for ensemble, weights in zip(model.ensembles_, model._mixture.weights, strict=True):
        view = model.views_[ensemble.candidate.view]
        spaces = [list(ensemble.spaces(view(rows))) for rows in (X, model._X[patterns])]
        for Q, Z in zip(*spaces, strict=True):
            votes = ballots[nearest(Q, Z)[:, : len(weights)]].cumsum(axis=1)
            shares = votes / votes.sum(axis=2, keepdims=True)
            mixed = mixed + np.einsum("k,nkc->nc", weights, shares) / len(spaces[0])
    return model._mixture.calibration(mixed)


@pytest.mark.parametrize("data", ["iris", "wine", "breast_cancer"])
def test_as_python_has_it(data, request):
    X, y = request.getfixturevalue(data)
    model, new = FreeEnergyClassifier(8, random_state=0).fit(X[::4], y[::4]), X[1::4]
    made = to_onnx(model)
    assert about(made) == {"classes": model.classes_.tolist()}
    label, probabilities = answer(made, new)
    for wanted in (expected(model, new), model.predict_proba(new)):
        close = np.isclose(probabilities, wanted, rtol=0, atol=1e-5).all(axis=1)
        assert close.mean() > 0.95  # rounding decides between equal distances
        assert (label == model.classes_[wanted.argmax(axis=1)])[close].all()
        assert np.abs(probabilities - wanted).max() < 0.1


@pytest.mark.parametrize("kind", [f"{view}/{form}" for view in VIEW_NAMES for form in FORMS])
def test_every_kind_with_equal_values_and_outliers(kind, rng):
    """New values within, between, beyond and exactly on those of training; many values are equal, one is constant."""
    n = 33  # quantiles at multiples of 1/32: equal distances are equal in floating point, too
    X = np.column_stack([rng.random(n), rng.integers(0, 4, n), rng.exponential(size=n).round(1), np.ones(n)])
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.2 * X[:, 1], [0.5, 1.0])]
    new = np.vstack([X[:20], rng.permuted(X, axis=0)[:20], rng.normal(size=(20, 4)), 9 * rng.normal(size=(20, 4))])
    model = FreeEnergyClassifier(3, candidates=[kind], temperature=1e-3, random_state=0).fit(X, y)
    label, probabilities = answer(to_onnx(model), new)
    wanted = expected(model, new)
    np.testing.assert_allclose(probabilities, wanted, atol=1e-9)
    assert label.tolist() == model.classes_[wanted.argmax(axis=1)].tolist()


def test_weights_of_patterns(rng):
    X = rng.random((40, 2))
    y = (X[:, 0] + 0.4 * rng.random(40) > 0.7).astype(int)
    kinds = {"candidates": ["scaled/identity", "scaled/full"], "random_state": 0}
    heavy = FreeEnergyClassifier(4, **kinds).fit(X, y, sample_weight=1 + 20 * y)
    new = rng.random((50, 2))
    probabilities = answer(to_onnx(heavy), new)[1]
    np.testing.assert_allclose(probabilities, heavy.predict_proba(new), atol=1e-5)
    np.testing.assert_allclose(probabilities, expected(heavy, new), atol=1e-9)


def test_in_a_pipeline_with_one_feature(rng):
    X = rng.normal(5, 3, (30, 1))
    y = np.where(np.abs(X[:, 0] - 5) > 2, "far", "near")
    model = make_pipeline(StandardScaler(), FreeEnergyClassifier(4, random_state=0)).fit(X, y)
    new = rng.normal(5, 3, (40, 1))
    label, probabilities = answer(to_onnx(model), new)
    assert label.tolist() == model.predict(new).tolist()
    np.testing.assert_allclose(probabilities, expected(model[1], model[0].transform(new)), atol=1e-9)
