"""Several targets at once: a task in a file of its own, which nothing else knows."""

import ast
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import r2_score

import freemetric
from freemetric import FreeEnergyRegressor
from freemetric.display import IntervalsDisplay, NeighborsCurveDisplay, PredictionDisplay
from freemetric.energies import NeighborLikelihoodEnergy
from freemetric.ensemble import tasks
from freemetric.ensemble.tasks.multi_output import MultiTargetEncoding
from freemetric.ensemble.tasks.regression import RegressionTask
from freemetric.metrics import TargetEncoding


def two_targets(rng, n):
    """Three targets, one of them positive and skewed, of six features."""
    X = rng.random((n, 6))
    Y = np.column_stack([np.sin(5 * X[:, 0]) + X[:, 1] ** 2, X[:, 2] * X[:, 3], np.exp(2 * X[:, 0] * X[:, 4])])
    return X, Y + 0.05 * rng.standard_normal(Y.shape)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X, Y = two_targets(rng, 200)
    return FreeEnergyRegressor(n_replicas=6, random_state=0).fit(X, Y), X, Y, *two_targets(rng, 300)


def test_it_predicts_all_targets(fitted):
    model, X, Y, new, truth = fitted
    predicted = model.predict(new)
    assert predicted.shape == truth.shape
    forest = RandomForestRegressor(50, random_state=0).fit(X, Y)
    assert model.score(new, truth) == pytest.approx(r2_score(truth, predicted))
    assert model.score(new, truth) > forest.score(new, truth) + 0.1
    single = [FreeEnergyRegressor(n_replicas=6, random_state=0).fit(X, y) for y in Y.T]
    alone = [one.score(new, z) for one, z in zip(single, truth.T, strict=True)]
    assert model.score(new, truth) > np.mean(alone) - 0.02


def test_out_of_bag_predictions_tell_the_error(fitted):
    model, _, Y, new, truth = fitted
    assert model.oob_prediction_.shape == Y.shape
    assert model.oob_score_ == pytest.approx(r2_score(Y, model.oob_prediction_))
    assert abs(model.oob_score_ - model.score(new, truth)) < 0.03


def test_intervals_hold_each_target(fitted):
    model, _, _, new, truth = fitted
    ends = model.predict_interval(new, alpha=0.2)
    assert ends.shape == (300, 3, 2)
    inside = ((ends[..., 0] < truth) & (truth < ends[..., 1])).mean(axis=0)
    assert np.all((inside > 0.7) & (inside < 0.9))
    quantiles = model.predict_quantiles(new, (0.1, 0.5, 0.9))
    assert quantiles.shape == (300, 3, 3)
    assert (np.diff(quantiles, axis=2) > 0).all()
    np.testing.assert_array_equal(model.predict_quantiles(new, 0.5), quantiles[..., 1])


def test_files_hold_it(fitted, tmp_path):
    model, _, _, new, _ = fitted
    model.save(tmp_path / "model.fm")
    again = freemetric.load(tmp_path / "model.fm")
    np.testing.assert_array_equal(again.predict(new), model.predict(new))
    np.testing.assert_array_equal(again.predict_interval(new), model.predict_interval(new))


def test_features_that_no_target_needs_are_unimportant(fitted):
    found = fitted[0].permutation_importances()
    assert found.mean[5] < 0.02 < found.mean[:5].min()


@pytest.mark.parametrize("show", [PredictionDisplay, IntervalsDisplay, NeighborsCurveDisplay], ids=lambda d: d.__name__)
def test_pictures_of_one_target_say_so(fitted, show):
    with pytest.raises(ValueError, match="of one target; this model has 3: fit a regressor to each of them"):
        show.from_estimator(fitted[0])


def test_reports_and_graphs_of_one_target_say_so(fitted, tmp_path):
    with pytest.raises(ValueError, match="of one target; this model has 3"):
        fitted[0].report(tmp_path / "report.html")
    pytest.importorskip("skl2onnx", reason="graphs need the extra onnx")
    from freemetric.onnx_export import to_onnx

    with pytest.raises(ValueError, match="of one target; this model has 3"):
        to_onnx(fitted[0])


def test_one_column_is_one_target(rng):
    X, Y = two_targets(rng, 60)
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = FreeEnergyRegressor(n_replicas=4, random_state=0).fit(X, Y[:, :1])
    expected = FreeEnergyRegressor(n_replicas=4, random_state=0).fit(X, Y[:, 0]).predict(X)
    np.testing.assert_array_equal(model.predict(X), expected)


def test_votes_give_the_means_of_every_target(rng):
    """By the values themselves: shares of the votes of any samples are their means."""
    values = rng.standard_normal((7, 20))
    plain = TargetEncoding.of(values)
    encoding = MultiTargetEncoding(plain.low, plain.high, (3, 4))
    shares = encoding.votes(values)[:5].mean(axis=0) / len(encoding)
    for part, alone, votes in zip(encoding.parts, encoding.encodings, encoding.shares_of_each(shares), strict=True):
        np.testing.assert_allclose(alone.means(votes), values[part, :5].mean(axis=1), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(encoding.target(values), values[[0, 3]].T)


def test_the_energy_is_the_mean_over_targets(rng):
    X, Y = two_targets(rng, 40)
    A = rng.standard_normal((2, 3, 6))
    both = NeighborLikelihoodEnergy().bind(X, Y[:, :2])
    alone = [NeighborLikelihoodEnergy().bind(X, y) for y in Y[:, :2].T]
    np.testing.assert_allclose(both(A), (alone[0](A) + alone[1](A)) / 2, rtol=1e-6)
    slopes = [energy.value_and_grad(A)[1] for energy in alone]
    np.testing.assert_allclose(both.value_and_grad(A)[1], (slopes[0] + slopes[1]) / 2, rtol=1e-5, atol=1e-8)


class Rounded(RegressionTask):
    """A task of this test: targets that are rounded before they are learned."""

    @classmethod
    def takes(cls, y):
        return y.ndim == 1 and bool((y == 1e3).any())

    @classmethod
    def of(cls, rows, recipe, scale):
        return super().of(rows._replace(y=np.minimum(rows.y, 1.0)), recipe, scale)


def test_a_task_is_added_by_one_line(monkeypatch, rng):
    """Without it the outlier bends all predictions; with it the same estimator learns something else."""
    monkeypatch.setattr(tasks, "TASKS", {"rounded": Rounded, **tasks.TASKS})
    X = rng.random((80, 2))
    y = np.append(1e3, X[1:, 0])
    model = FreeEnergyRegressor(n_replicas=4, scale="linear", random_state=0).fit(X, y)
    assert np.abs(model.predict(X)[1:] - X[1:, 0]).max() < 0.5


def test_no_other_file_of_the_house_knows_the_task():
    house = Path(freemetric.__file__).parent
    knowing = {
        str(path.relative_to(house))
        for path in house.rglob("*.py")
        for text in [path.read_text()]
        if "multi_output" in text or "MultiOutput" in text
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.ImportFrom) and "multi_output" in (node.module or ""))
        or (isinstance(node, ast.Name) and node.id.startswith("MultiOutput"))
    }
    assert knowing == {"ensemble/tasks/__init__.py", "ensemble/tasks/multi_output.py"}
