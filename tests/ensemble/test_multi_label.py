"""Several labels at once: a task in a file of its own, which nothing else knows."""

import ast
import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import freemetric
from freemetric import FreeEnergyClassifier, Recipe
from freemetric.display import NeighborsCurveDisplay
from freemetric.ensemble.tasks.classification import ClassificationTask
from freemetric.ensemble.tasks.multi_label import LabelsScore, MultiLabelEncoding, MultiLabelTask
from freemetric.metrics import ClassEncoding

pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")


def labelled_samples(rng, n):
    """Two labels and a third output with three classes, of different features; the last two features are noise."""
    X = rng.random((n, 7))
    chances = np.column_stack([X[:, 0] * X[:, 1] > 0.25, (X[:, 2] - 0.5) * (X[:, 3] - 0.5) > 0]) * 0.9 + 0.05
    labels = rng.random((n, 2)) < chances
    return X, np.column_stack([labels, np.digitize(X[:, 4], [0.3, 0.7])]).astype(int)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X, Y = labelled_samples(rng, 240)
    return FreeEnergyClassifier(n_replicas=8, random_state=0).fit(X, Y), X, Y, *labelled_samples(rng, 600)


def test_shapes_are_those_of_a_forest(fitted):
    model, X, Y, new, _ = fitted
    forest = RandomForestClassifier(20, random_state=0).fit(X, Y)
    P, expected = model.predict_proba(new), forest.predict_proba(new)
    assert isinstance(P, list)
    assert [p.shape for p in P] == [p.shape for p in expected]
    for p in P:
        np.testing.assert_allclose(p.sum(axis=1), 1)
    assert model.predict(new).shape == forest.predict(new).shape
    assert model.n_outputs_ == forest.n_outputs_ == 3
    for classes, known in zip(model.classes_, forest.classes_, strict=True):
        np.testing.assert_array_equal(classes, known)


@pytest.mark.slow
def test_it_predicts_all_labels(fitted):
    model, X, Y, new, truth = fitted
    predicted = model.predict(new)
    assert model.score(new, truth) == pytest.approx((predicted == truth).all(axis=1).mean())
    right = (predicted == truth).mean(axis=0)
    forest = RandomForestClassifier(random_state=0).fit(X, Y).predict(new)
    assert np.mean(right) > (forest == truth).mean() - 0.01
    alone = [FreeEnergyClassifier(n_replicas=8, random_state=0).fit(X, y) for y in Y.T]
    single = [one.score(new, z) for one, z in zip(alone, truth.T, strict=True)]
    assert np.all(right > np.array(single) - 0.06)


@pytest.mark.slow
def test_probabilities_of_every_label_are_calibrated():
    """Labels are drawn with known chances: in every fifth of the predictions their mean is the true one."""
    rng = np.random.default_rng(0)
    X = rng.random((1200, 5))
    chances = expit(np.column_stack([6 * X[:, 0] - 3, 5 * (X[:, 1] - X[:, 2]), 4 * X[:, 3] - 4]))
    Y = (rng.random(chances.shape) < chances).astype(int)
    model = FreeEnergyClassifier(n_replicas=12, random_state=0).fit(X[:400], Y[:400])
    forest = RandomForestClassifier(random_state=0).fit(X[:400], Y[:400])
    for P, votes, p in zip(*(m.predict_proba(X[400:]) for m in (model, forest)), chances[400:].T, strict=True):
        assert np.abs(P[:, 1] - p).mean() < 0.8 * np.abs(votes[:, 1] - p).mean()
        for part in np.array_split(np.argsort(P[:, 1]), 5):
            assert abs(P[part, 1].mean() - p[part].mean()) < 0.08


def test_out_of_bag_probabilities_tell_the_error(fitted):
    model, _, Y, new, truth = fitted
    assert model.oob_decision_function_.shape == (len(Y), 7)
    known = model.ensemble_.head.separate(model.oob_decision_function_)
    scored = ~np.isnan(model.oob_decision_function_).any(axis=1)
    decided = np.column_stack([P[scored].argmax(axis=1) for P in known])
    assert model.oob_score_ == pytest.approx((decided == Y[scored]).all(axis=1).mean())
    assert abs(model.oob_score_ - model.score(new, truth)) < 0.1


def test_features_that_no_label_needs_are_unimportant(fitted):
    found = fitted[0].permutation_importances(n_repeats=1)
    assert found.mean[5:].max() < found.mean[:5].min() / 2


def test_the_order_of_labels_does_not_matter(rng):
    X, Y = labelled_samples(rng, 100)
    model = FreeEnergyClassifier(n_replicas=6, random_state=0)
    some, others = model.fit(X, Y).predict_proba(X), model.fit(X, Y[:, [2, 0, 1]]).predict_proba(X)
    for P, same in zip(some, [others[1], others[2], others[0]], strict=True):
        np.testing.assert_allclose(P, same, atol=0.02)


def test_a_label_twice_is_one_label(rng):
    X, Y = labelled_samples(rng, 120)
    model = FreeEnergyClassifier(n_replicas=6, random_state=0).fit(X, Y[:, [0, 0]])
    first, second = model.predict_proba(X)
    np.testing.assert_allclose(first, second, atol=1e-6)
    own = model.oob_decision_function_[range(120), Y[:, 0]]
    assert model.oob_score_ == pytest.approx((own[~np.isnan(own)] > 0.5).mean())


def test_texts_and_constant_labels_are_labels(rng):
    X, Y = labelled_samples(rng, 80)
    words = np.array([["no", "yes"][y] for y in Y[:, 0]], dtype=object)
    columns = np.column_stack([words, Y[:, 1], np.zeros(80, dtype=int)]).astype(object)
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, columns)
    assert [classes.tolist() for classes in model.classes_] == [["no", "yes"], [0, 1], [0]]
    assert [p.shape[1] for p in model.predict_proba(X)] == [2, 2, 1]
    predicted = model.predict(X)
    assert (predicted[:, 2].astype(int) == 0).all()
    assert (predicted[:, 0] == words).mean() > 0.8


def test_class_weights_are_of_every_output(rng):
    X, Y = make_multilabel_classification(120, 6, n_classes=2, random_state=0)
    plain = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, Y)
    heavy = FreeEnergyClassifier(n_replicas=4, random_state=0, class_weight=[{0: 1, 1: 3}, {0: 1, 1: 1}]).fit(X, Y)
    odds = [P[:, 1] / P[:, 0] for P in (*plain.predict_proba(X), *heavy.predict_proba(X))]
    np.testing.assert_allclose(odds[2], 3 * odds[0], rtol=1e-6)
    np.testing.assert_allclose(odds[3], odds[1], rtol=1e-6)
    with pytest.raises(ValueError, match="a list with a dict for each of 2 outputs"):
        FreeEnergyClassifier(n_replicas=4, class_weight={0: 1, 1: 3}).fit(X, Y)


def test_thresholds_are_found_for_the_score_of_every_label():
    X, Y = make_multilabel_classification(500, 8, n_classes=4, random_state=2)
    scores = []
    for scoring in (None, "f1"):
        recipe = Recipe(scoring=scoring)
        model = FreeEnergyClassifier(n_replicas=4, recipe=recipe, random_state=0).fit(X[:200], Y[:200])
        scores.append(f1_score(Y[200:], model.predict(X[200:]), average="macro"))
    assert scores[1] > scores[0]
    scored = ~np.isnan(model.oob_decision_function_).any(axis=1)
    oob = model.ensemble_.head.separate(model.oob_decision_function_[scored])
    each = [f1_score(y, P.argmax(axis=1)) for y, P in zip(Y[:200][scored].T, oob, strict=True)]
    assert model.oob_score_ == pytest.approx(np.mean(each))


@pytest.mark.slow
def test_searches_pipelines_and_folds_take_it(rng):
    X, Y = make_multilabel_classification(60, 5, n_classes=3, random_state=0)
    model = make_pipeline(MinMaxScaler(), FreeEnergyClassifier(n_replicas=3, random_state=0))
    grid = {"freeenergyclassifier__recipe__n_neighbors": [1, 5]}
    search = GridSearchCV(model, grid, cv=2).fit(X, Y)
    assert search.score(X, Y) == pytest.approx(accuracy_score(Y, search.predict(X)))
    assert cross_val_predict(model, X, Y, cv=2).shape == Y.shape


def test_files_and_pickles_hold_it(fitted, tmp_path):
    model, _, _, new, _ = fitted
    model.save(tmp_path / "model.fm")
    for again in (freemetric.load(tmp_path / "model.fm"), pickle.loads(pickle.dumps(model))):
        for P, same in zip(again.predict_proba(new), model.predict_proba(new), strict=True):
            np.testing.assert_array_equal(P, same)
        assert again.oob_score_ == model.oob_score_


def test_results_do_not_depend_on_the_number_of_jobs(rng):
    X, Y = labelled_samples(rng, 80)
    one, two = (FreeEnergyClassifier(n_replicas=6, n_jobs=n, random_state=0).fit(X, Y) for n in (1, 2))
    np.testing.assert_array_equal(one.oob_decision_function_, two.oob_decision_function_)


def test_rows_can_be_valued_forgotten_and_condensed(rng):
    X, Y = labelled_samples(rng, 120)
    Y[:, :2] = X[:, :1] > 0.5
    middle = int(np.argmin(np.abs(X[:, 0] - 0.8)))
    Y[middle, :2] = 0  # wrong
    model = FreeEnergyClassifier(n_replicas=6, random_state=0).fit(X, Y[:, :2])
    values = model.data_values()
    assert values[middle] < np.quantile(values, 0.05)
    np.testing.assert_allclose(model.data_values(X[:20], Y[:20, :2]).shape, values.shape)
    assert middle not in model.forget([middle]).kneighbors(X[middle : middle + 1], return_distance=False)
    assert len(model.condense(max_rows=40).ensemble_.training_set) == 40
    assert model.score(X, Y[:, :2]) > 0.85


def test_novel_samples_are_rejected_with_all_labels(fitted):
    model, _, _, new, _ = fitted
    found = model.predict(np.vstack([new[:1], new[:1] + 1e6]), reject=0.01)
    np.testing.assert_array_equal(found.mask, [[False] * 3, [True] * 3])


@pytest.mark.parametrize(
    "use",
    [
        lambda model, X: model.predict_set(X),
        lambda model, X: model.predict(X, costs=[[0, 1], [1, 0]]),
        lambda model, X: model.label_quality(),
        lambda model, X: model.decisions(X),
        lambda model, X: model.votes(X),
        lambda model, X: model.tune_threshold("f1"),
        lambda model, X: model.disagreement(X),
        lambda model, X: model.counterfactual(X),
        lambda model, X: model.risk_certificate(),
        lambda model, X: model.report("report.html"),
        lambda model, X: NeighborsCurveDisplay.from_estimator(model),
    ],
)
def test_what_has_one_label_says_so(fitted, use, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"of one target; this model has 3: fit a classifier to each of them\.$"):
        use(fitted[0], fitted[3][:3])


def test_graphs_and_more_samples_say_so(fitted):
    model, X, Y, _, _ = fitted
    with pytest.raises(ValueError, match="partial_fit learns one label of every sample"):
        model.partial_fit(X, Y)
    with pytest.raises(ValueError, match="partial_fit learns one label of every sample"):
        model.partial_fit(X, Y[:, 0])
    pytest.importorskip("skl2onnx", reason="graphs need the extra onnx")
    from freemetric.onnx_export import to_onnx

    with pytest.raises(ValueError, match="of one target; this model has 3"):
        to_onnx(model)


@pytest.mark.parametrize(
    ("Y", "recipe", "words"),
    [
        (np.zeros((20, 2), dtype=int), None, "every column of y has only 1 class"),
        (np.linspace(0, 1, 40).reshape(20, 2), None, "continuous"),
        (np.arange(40).reshape(20, 2) % 3, Recipe(energy="nca"), "NCAEnergy learns from classes, one of each sample"),
        (np.arange(40).reshape(20, 2) % 3, Recipe(candidates=["scaled/full/nca"]), "are for classes, one of each"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_one_line(Y, recipe, words):
    with pytest.raises(ValueError, match=words) as problem:
        FreeEnergyClassifier(n_replicas=2, recipe=recipe).fit(np.random.default_rng(0).random((20, 3)), Y)
    assert "\n" not in str(problem.value)


def test_other_labels_are_refused(fitted):
    model, X, Y, _, _ = fitted
    with pytest.raises(ValueError, match=r"y must have the shape \(240, 3\), got \(240, 2\)"):
        model.score(X, Y[:, :2])
    with pytest.raises(ValueError, match="y holds 3, which is none of the classes seen in fit"):
        model.data_values(X, Y + 3)


def test_votes_are_those_of_every_output_alone(rng):
    """By classes alone: shares of the votes of any samples are those that each output has by itself."""
    values = np.array([rng.integers(0, size, 30) for size in (2, 3, 1)])
    encoding = MultiLabelEncoding((2, 3, 1))
    shares = encoding.votes(values)[:7].sum(axis=0) / (3 * 7)
    for numbers, size, votes in zip(values, (2, 3, 1), encoding.shares_of_each(shares), strict=True):
        np.testing.assert_allclose(votes, ClassEncoding(size).votes(numbers)[:7].mean(axis=0), rtol=1e-6)
    learned = encoding.learned(values, np.arange(30)[None])[0]
    expected = np.column_stack([values[0] == 1, values[1] == 0, values[1] == 1, values[1] == 2])
    np.testing.assert_array_equal(learned, expected)


def test_deviations_are_the_mean_brier_score(rng):
    values = np.array([rng.integers(0, size, 30) for size in (2, 3)])
    encoding = MultiLabelEncoding((2, 3))
    task = MultiLabelTask(5, encoding=encoding)
    shares = np.concatenate([rng.dirichlet(np.ones(size), 30) for size in (2, 3)], axis=1) / 2
    each = [
        ClassificationTask(size).deviations(votes, numbers)
        for size, votes, numbers in zip((2, 3), encoding.shares_of_each(shares), values, strict=True)
    ]
    np.testing.assert_allclose(task.deviations(shares, encoding.target(values)), np.mean(each, axis=0))
    wrong = [votes.argmax(axis=1) != n for votes, n in zip(encoding.shares_of_each(shares), values, strict=True)]
    assert task.errors(shares, encoding.target(values)) == pytest.approx(np.mean(wrong))
    classes = [np.arange(2), np.arange(3)]
    whole = LabelsScore(None, classes)(2 * shares, encoding.target(values))
    assert whole == pytest.approx(1 - np.mean(np.any(wrong, axis=0)))


def test_strata_hold_every_sample_once(rng):
    Y = MultiLabelEncoding((2,) * 6).target((rng.random((6, 200)) < 0.3).astype(int))
    strata = MultiLabelTask(12, encoding=None).strata(Y)
    assert sorted(np.concatenate(strata)) == list(range(200))
    assert len(strata) <= 13
    for alike in strata[:-1]:
        assert len(alike) >= 8
        assert (Y[alike] == Y[alike[0]]).all()


def test_nothing_else_knows_the_task():
    """Only the list of tasks imports it or names its classes."""
    package = Path(freemetric.__file__).parent
    knowing = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if any(word in (text := path.read_text(encoding="utf-8")) for word in ("multi_label", "MultiLabel"))
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.ImportFrom) and "multi_label" in (node.module or "") and "tasks" in str(path))
        or (isinstance(node, ast.Name) and node.id.startswith(("MultiLabelTask", "MultiLabelHead")))
    }
    assert knowing == {"ensemble/tasks/__init__.py", "ensemble/tasks/multi_label.py"}
