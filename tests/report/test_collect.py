"""What is read from models, and what is made of it."""

import base64
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from freemetric import NCA, SCML, Euclidean, FreeEnergyClassifier, MetricKNeighborsClassifier, Recipe
from freemetric.exceptions import DataWarning
from freemetric.metrics import FORMS
from freemetric.report import document, panels, predictions, summary
from freemetric.report.collect import collect, nearest_matrix
from freemetric.report.document import clipped
from freemetric.report.findings import Snapshots
from freemetric.report.page import contents
from freemetric.report.predictions import leave_one_out, nearest


def squared_distances(Z):
    return ((Z[:, None] - Z[None]) ** 2).sum(axis=2)


def test_out_of_bag_confusion(classifier):
    shown = panels.confused(collect(classifier))
    assert 1 - shown["wrong"] / shown["n"] == pytest.approx(classifier.oob_score_)
    assert collect(classifier).prediction_kind == "out-of-bag"


def test_out_of_bag_votes_of_rows_that_are_not_shown_count(classifier):
    shown = panels.confused(collect(classifier, most_rows=20))
    assert 1 - shown["wrong"] / shown["n"] == pytest.approx(classifier.oob_score_)
    assert shown["n"] == np.isfinite(classifier.oob_decision_function_).all(axis=1).sum() > 20


def test_rows_that_were_not_learned_from_are_predicted(classifier, iris):
    X, y = iris
    shown = panels.confused(collect(classifier, X[1::2], y[1::2]))
    assert 1 - shown["wrong"] / shown["n"] == pytest.approx(classifier.score(X[1::2], y[1::2]))


def test_given_rows_have_p_values_of_novelty(classifier, iris):
    X, y = iris
    new = np.vstack([np.asarray(X)[:30] + 0.01, np.asarray(X)[:10] + 100])
    findings = collect(classifier, new, np.asarray(y)[[*range(30), *range(10)]])
    np.testing.assert_array_equal(findings.p_values, classifier.score_samples(new))
    last = panels.rows(findings)["columns"][-1]
    shown = np.frombuffer(base64.b64decode(last["numbers"]["f4"]), "<f4")
    np.testing.assert_allclose(shown, findings.p_values, rtol=1e-6)
    contents = {"confusion": None, "explanations": None}
    share = (findings.p_values <= 0.05).mean()
    assert ("rows with p ≤ 0.05", f"{share:.1%}, 5% of rows like those of the fit") in summary.facts(findings, contents)
    assert share >= 0.25
    assert collect(classifier).p_values is None


def test_rows_that_were_learned_from_are_left_out(iris):
    X, y = iris
    model = MetricKNeighborsClassifier(Euclidean(), n_neighbors=1).fit(X, y)
    findings = collect(model, X, y)
    assert findings.prediction_kind == "leave-one-out"
    D = squared_distances(model.learner_.transform(X))
    np.fill_diagonal(D, np.inf)
    assert np.mean(findings.predicted != y[D.argmin(axis=1)]) < 0.02  # but for ties
    assert (findings.predicted != y).sum() > 0  # each would be its own nearest neighbour otherwise


def test_leave_one_out_of_two_rows():
    assert leave_one_out(np.zeros((1, 2)), np.zeros(1, int), 1, 5).tolist() == [-1]
    assert leave_one_out(np.array([[0.0], [1.0]]), np.array([0, 1]), 2, 5).tolist() == [1, 0]


def test_nearest_leaves_the_row_itself_out():
    Z = np.array([[0.0], [0.0], [1.0], [5.0]])
    index, distance = nearest(Z, np.arange(4), 2, np.arange(4))
    assert all(row not in near for row, near in enumerate(index))
    assert distance.tolist() == [[0, 1], [0, 1], [1, 1], [4, 5]]


def test_contributions_add_up_for_a_linear_map(rng):
    A, U, V = rng.standard_normal((3, 5)), rng.standard_normal((7, 5)), rng.standard_normal((7, 5))
    parts = predictions.contributions(lambda X: X @ A.T, U, V, np.arange(5))
    difference = U - V
    np.testing.assert_allclose(parts, difference * (difference @ A.T @ A), atol=1e-12)
    np.testing.assert_allclose(parts.sum(axis=1), ((difference @ A.T) ** 2).sum(axis=1))


def test_contributions_of_a_sum_of_curves(rng):
    """Each feature on its own ruler: its part is its own squared difference."""
    U, V = rng.random((6, 3)), rng.random((6, 3))
    parts = predictions.contributions(lambda X: X**3, U, V, np.array([2, 0]))
    np.testing.assert_allclose(parts, ((U**3 - V**3) ** 2)[:, [2, 0]])


def test_explanations_name_the_nearest(iris):
    X, y = iris
    model = NCA().fit(X, y)
    findings = collect(model, X, y)
    D = squared_distances(findings.Z)
    np.fill_diagonal(D, np.inf)
    for entry in predictions.explanations(findings)["rows"][::10]:
        i = entry["row"]
        np.testing.assert_allclose(entry["distances"], np.sqrt(np.sort(D[i])[:5]), rtol=1e-3)
        for name, same in (("own", True), ("other", False)):
            least = np.where((y == y[i]) == same, D[i], np.inf).min()
            assert entry[name]["distance"] == pytest.approx(np.sqrt(least), rel=1e-3)
            assert sum(share for _, share, *_ in entry[name]["features"]) == pytest.approx(
                1, abs=0.02
            )  # shares can be much larger than one, of three digits


@pytest.fixture
def doubled(iris):
    """A classifier that has every third row twice."""
    X, y = (np.concatenate([values, values[::3]]) for values in iris)
    return MetricKNeighborsClassifier(Euclidean(), n_neighbors=3).fit(X, y), X, y


@pytest.mark.parametrize("given", [False, True])
def test_copies_of_a_row_are_rows(doubled, given):
    model, X, y = doubled
    findings = collect(model, *((X, y) if given else ()))
    assert findings.learned_from
    assert findings.training_set is None
    shown = predictions.explanations(findings)
    assert shown["weights"] is None
    for row, copy in zip(range(0, 150, 3), range(150, 200), strict=True):
        for entry, other in ((shown["rows"][row], copy), (shown["rows"][copy], row)):
            assert other in entry["neighbors"]
            assert entry["distances"][0] == 0
    truth = model.votes(X, 4)[:, -1] - np.eye(3)[y]  # of one row more, without its own vote
    decided = np.sort(truth)[:, -1] > np.sort(truth)[:, -2]
    assert (findings.predicted == truth.argmax(axis=1))[decided].all()


def test_other_rows_are_not_those_learned_from(doubled):
    model, X, y = doubled
    assert not collect(model, X[:50], y[:50]).learned_from
    assert not collect(model, X + 0.01, y).learned_from


@pytest.fixture(scope="module")
def weighted(iris):
    """A classifier with weights, for which one row in ten weighs nothing and one in seven has no label."""
    X = iris[0] + 1e-3 * np.random.default_rng(0).random((150, 4))
    y = np.where(np.arange(150) % 7 == 3, -1, iris[1])
    weights = 1.0 + np.arange(150) % 3
    weights[::10] = 0
    model = FreeEnergyClassifier(n_replicas=12, random_state=0)
    with pytest.warns(DataWarning, match="21 unlabelled rows"):
        model.fit(X, y, sample_weight=weights)
    return model, X, y, weights, np.flatnonzero((weights > 0) & (y >= 0))


@pytest.mark.parametrize("most_rows", [1000, 30])
def test_kept_rows_have_their_numbers_order_and_weights(weighted, most_rows):
    model, X, y, weights, rows = weighted
    findings = collect(model, most_rows=most_rows)
    shown = findings.rows
    assert findings.n_rows == len(rows)
    assert len(shown) == min(most_rows, len(rows))
    assert set(shown) <= set(rows)
    assert (np.diff(shown) > 0).all()
    np.testing.assert_array_equal(findings.inputs, X[shown])
    np.testing.assert_array_equal(findings.y, y[shown])
    assert findings.training_set is None
    np.testing.assert_allclose(findings.vote_weights / weights[shown], findings.vote_weights[0] / weights[shown[0]])
    assert predictions.explanations(findings)["weights"] is not None


def test_out_of_bag_scores_are_those_of_their_rows(weighted):
    model, X, y, _, rows = weighted
    scores = model.oob_decision_function_
    scored = rows[np.isfinite(scores[rows]).all(axis=1)]
    wrong = (scores[scored].argmax(axis=1) != y[scored]).sum()
    for findings in (collect(model), collect(model, X, y)):
        place = {row: i for i, row in enumerate(findings.rows)}
        assert [findings.predicted[place[row]] for row in scored] == scores[scored].argmax(axis=1).tolist()
        assert panels.confused(findings)["wrong"] == wrong
        assert panels.confused(findings)["n"] == len(scored)


def test_rows_without_label_or_weight_do_not_vote(weighted):
    model, X, y, _, rows = weighted
    findings = collect(model, X, y)
    assert findings.learned_from
    assert findings.training_set.tolist() == rows.tolist()
    assert (np.flatnonzero(findings.vote_weights) == rows).all()
    for entry in predictions.explanations(findings)["rows"]:
        neighbors = {*entry["neighbors"], entry["other"]["row"]} - {None}
        assert neighbors <= set(rows.tolist()) - {entry["row"]}
    assert "do not vote" in summary.captions(findings, contents(findings))["rows"]
    assert "do not vote" not in summary.captions(collect(model), contents(collect(model)))["rows"]


def test_equal_weights_are_not_shown(iris):
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(*iris, sample_weight=np.full(150, 2.0))
    assert predictions.explanations(collect(model))["weights"] is None


def test_an_imputer_keeps_no_rows_of_the_learned_space(iris):
    findings = collect(make_pipeline(KNNImputer(), NCA()).fit(*iris))
    assert findings.Z is None


class Halves(TransformerMixin, BaseEstimator):
    """A transformer that learns nothing, and does not say so."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X / 2


def test_a_transformer_that_learns_nothing_in_front(iris):
    findings = collect(make_pipeline(Halves(), NCA()).fit(*iris), *iris)
    np.testing.assert_allclose(findings.inputs, iris[0] / 2)


def test_neighbours_without_classes(iris):
    findings = collect(make_pipeline(NCA(), NearestNeighbors()).fit(*iris))
    assert findings.y is None
    assert findings.Z.shape == (150, 4)


def test_wrong_rows_are_explained_first():
    wrong = np.zeros(5000, dtype=bool)
    wrong[[7, 1234, 4999]] = True
    chosen = predictions.choose(5000, wrong)
    assert len(chosen) == len(set(chosen)) == 300
    assert {7, 1234, 4999} <= set(chosen)


def test_a_class_of_one_row(iris):
    X, y = iris
    model = NCA().fit(X, y)
    entries = predictions.explanations(collect(model, X, np.where(np.arange(150) == 3, "alone", "many")))["rows"]
    assert entries[3]["own"] is None
    assert entries[3]["other"] is not None


def test_the_nearest_matrix_of_a_linear_map(rng):
    X, A = rng.standard_normal((50, 4)), rng.standard_normal((3, 4))
    M, share = nearest_matrix(X, X @ A.T + 2)
    np.testing.assert_allclose(M, A.T @ A, atol=1e-10)
    assert share == pytest.approx(1)


def test_weights_are_shares(walker, iris):
    findings = collect(walker, *iris)
    assert findings.weights.sum() == pytest.approx(1)
    low, high = findings.weight_range
    assert (low <= high).all()
    M = walker.get_mahalanobis_matrix()
    np.testing.assert_allclose(findings.scaled_matrix, M * np.outer(iris[0].std(axis=0), iris[0].std(axis=0)))


def test_frames_end_where_the_run_ended(walker, iris):
    X, _ = iris
    findings = collect(walker, *iris)
    shown = panels.motion(findings)
    maps = np.frombuffer(base64.b64decode(shown["maps"]["f4"]), "<f4").reshape(-1, 3, 4)
    last = (X - X.mean(axis=0)) @ maps[-1].T
    np.testing.assert_allclose(last.var(axis=0).sum(), space_variance(X @ walker.snapshots_["map"][-1].T), rtol=1e-4)
    covariance = np.cov(last.T)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-4 * covariance.max())
    assert shown["energy"][1:] == pytest.approx(walker.trace_["energy"][: len(shown["energy"]) - 1, 0], rel=1e-4)
    assert shown["energy"][0] is None


def space_variance(Z):
    return np.sort(np.linalg.eigvalsh(np.cov(Z.T, bias=True)))[-3:].sum()


def test_frames_of_a_candidate_in_its_own_view(classifier):
    findings = collect(classifier)
    assert panels.motion(findings)["temperature"][-1] == pytest.approx(classifier.temperature_, rel=1e-4)
    assert findings.snapshots.form is FORMS[classifier.snapshots_["form"]]
    assert findings.snapshots.maps.shape[2] == findings.snapshots.samples.shape[1]


def test_frames_of_a_diagonal_map(walker, iris):
    findings = collect(walker, *iris)
    weights = np.random.default_rng(0).random((5, 1, 4))
    frames = []
    for form, maps in (("diagonal", weights), ("full", weights * np.eye(4))):
        findings.snapshots = Snapshots(np.arange(5), maps, FORMS[form], iris[0], 0, "one")
        frames.append(np.abs(np.frombuffer(base64.b64decode(panels.motion(findings)["maps"]["f4"]), "<f4")))
    np.testing.assert_allclose(*frames, atol=1e-5)


def test_fewer_rows_where_each_costs_much(classifier):
    findings = collect(classifier)
    findings.linear_share = 0.5
    findings.inputs = np.broadcast_to(findings.inputs[:, :1], (75, 4000))
    assert len(predictions.choose(75, None, predictions._affordable(findings))) == 24


def test_the_trace_of_a_candidate_in_its_own_view(classifier):
    """The replica that is shown begins where the identity is, and ends with the energy of its last map."""
    findings = collect(classifier)
    column, shots = findings.snapshots.replica, classifier.snapshots_
    assert f"({shots['view']}, {shots['form']})" in findings.snapshots.whose
    assert classifier.trace_["temperature"][-1, column] == classifier.temperature_
    whose = [
        (member.candidate.view, member.candidate.form)
        for member in classifier.members_
        if member.maps.shape[1:] == shots["map"].shape[1:]
        and len(member.maps)
        and np.array_equal(member.maps[0], shots["map"][-1])
    ]
    assert whose == [(shots["view"], shots["form"])]


def test_traces_of_few_and_of_many(walker, classifier):
    assert len(panels.traces(collect(walker))["panels"]["energy"]["lines"]) == 3
    assert set(panels.traces(collect(classifier))["panels"]["energy"]) == {"median", "low", "high"}
    assert [name for name, *_ in panels.diagnostics(collect(classifier))][1:3] == [
        "split R-hat",
        "effective sample size",
    ]


def test_walks_of_unequal_length(walker):
    findings = collect(walker)
    findings.trace = {name: values.copy() for name, values in findings.trace.items()}
    for values in findings.trace.values():
        values[5:, 1] = np.nan
    assert None in panels.traces(findings)["panels"]["energy"]["lines"][1]
    assert all("nan" not in value for _, value, _ in panels.diagnostics(findings))


def test_curves_of_the_candidates(classifier):
    """A curve for each candidate by its kind, the lowest error first; the table has them all."""
    selection, findings = classifier.selection_, collect(classifier)
    shown, tried = panels.error_curves(findings), panels.tried(findings)
    assert shown["n_curves"] == (selection["n_neighbors"] == 1).sum()
    lowest = [min(curve["error"]) for curve in shown["curves"]]
    assert lowest == sorted(lowest)
    assert lowest[0] == pytest.approx(selection["oob_error"].min(), rel=1e-4)
    errors = selection["oob_error"]
    best, among = np.argmin(errors), np.flatnonzero(errors == errors.min())
    assert any(f"{selection['view'][i]}/{selection['form'][i]}" in shown["curves"][0]["name"] for i in among)
    assert tried["header"] == list(selection)
    assert tried["rows"][0][tried["header"].index("n_neighbors")] == str(selection["n_neighbors"][best])
    assert (tried["n"], tried["error"]) == (len(selection["view"]), "oob_error")


def test_no_candidates_no_curves(iris):
    findings = collect(NCA().fit(*iris))
    assert panels.tried(findings) is None
    assert panels.error_curves(findings) is None


def test_a_table_of_texts():
    pd = pytest.importorskip("pandas")
    colours = np.array(["red", "green", "blue"])[np.arange(60) % 3]
    X = pd.DataFrame({"colour": colours, "size": np.random.default_rng(0).choice(["s", "m"], 60)})
    model = make_pipeline(OneHotEncoder(sparse_output=False), NCA(), KNeighborsClassifier())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # most rows are copies of others
        model.fit(X, colours)
    findings = collect(model, X, colours)
    columns = panels.rows(findings)["columns"]
    assert [c["name"] for c in columns] == ["colour", "size"]
    assert columns[0]["levels"] == ["blue", "green", "red"]
    assert "colour_blue" in findings.feature_names
    assert findings.owner is None


def test_values_are_shown_in_the_users_units(iris):
    X, y = iris
    X = 100 * X + 7
    model = make_pipeline(StandardScaler(), NCA()).fit(X, y)
    entry = predictions.explanations(collect(model, X, y))["rows"][10]
    feature, _, mine, theirs = entry["own"]["features"][0]
    assert mine == f"{X[10, feature]:.7g}"
    assert theirs == f"{X[entry['own']['row'], feature]:.7g}"


@pytest.mark.parametrize("scalers", [[], [MinMaxScaler()], [SimpleImputer(), StandardScaler(), MinMaxScaler()]])
def test_kept_rows_are_shown_in_the_users_units(iris, scalers):
    """As in the user's array, digit by digit, though the model has kept scaled values."""
    X, y = iris[0] * 123.4 - 1000, iris[1]
    model = make_pipeline(
        *scalers, FreeEnergyClassifier(6, recipe=Recipe(candidates=["scaled/full"]), random_state=0)
    ).fit(X, y)
    findings = collect(model)
    for number, (_, cells) in enumerate(findings.columns):
        assert [document.cell(value) for value in cells] == [document.cell(value) for value in X[findings.rows, number]]
    entry = predictions.explanations(findings)["rows"][3]
    feature, _, mine, _ = entry["own"]["features"][0]
    assert float(mine) == pytest.approx(X[findings.rows[3], feature], rel=1e-6)
    assert "not as in the table" not in summary.captions(findings, contents(findings))["rows"]


def test_what_cannot_be_scaled_back_is_called_so(iris):
    X, y = iris
    model = make_pipeline(
        PCA(3), FreeEnergyClassifier(6, recipe=Recipe(candidates=["scaled/full"]), random_state=0)
    ).fit(X, y)
    findings = collect(model)
    assert findings.owner is None
    assert "not as in the table" in summary.captions(findings, contents(findings))["rows"]
    assert len(findings.importances) == 3


def test_features_of_one_column_are_explained_together(rng):
    """Sums over the features of a column, for a linear map and, by asking the map, for another."""
    U, V, M = rng.random((5, 4)), rng.random((5, 4)), rng.random((4, 4))
    M = M.T @ M

    def linear(X):
        return X @ np.linalg.cholesky(M)

    together = predictions.contributions(linear, U, V, [[0, 2], [1], [3]])
    alone = (U - V) * ((U - V) @ M)
    np.testing.assert_allclose(together, np.column_stack([alone[:, [0, 2]].sum(axis=1), alone[:, 1], alone[:, 3]]))


def test_importances_of_columns(rng):
    """Two features of one column are shuffled together, and what distances weigh adds up."""
    y = rng.integers(0, 2, 120)
    X = np.column_stack([y + 0.3 * rng.random(120), y + 0.3 * rng.random(120), rng.random(120)])
    model = FreeEnergyClassifier(6, recipe=Recipe(candidates=["scaled/diagonal"]), random_state=0).fit(X, y)

    class Columns:
        names, owner = ["both", "noise"], np.array([0, 0, 1])

        def of_features(self, values):
            return [["a"] * len(values), values[:, 2]]

    findings = collect(model, columns=Columns())
    np.testing.assert_array_equal(findings.importances, model.permutation_importances([0, 0, 1]).mean)
    np.testing.assert_allclose(findings.weights, [model.distance_weights_[:2].sum(), model.distance_weights_[2]])
    shown = contents(findings)
    assert shown["importances"]["names"] == ["both", "noise"]
    assert shown["explanations"]["features"] == ["both", "noise"]
    assert "accuracy loses when the values of a column are shuffled" in summary.captions(findings, shown)["importances"]


def test_cells_as_one_would_write_them():
    given = [1250.0, 0.1 + 0.2, np.nan, None, "red", 12345678.0, 1e20, -0.00001234, True, np.float32(0.5), 3]
    written = ["1250", "0.3", "missing", "missing", "red", "12345678", "1e+20", "-1.234e-05", "True", "0.5", "3"]
    assert [document.cell(value) for value in given] == written


def test_inside_a_search(iris):
    search = GridSearchCV(
        make_pipeline(NCA(), KNeighborsClassifier()), {"kneighborsclassifier__n_neighbors": [1, 3]}, cv=2
    )
    findings = collect(search.fit(*iris), *iris)
    assert findings.learner == "NCA"
    assert findings.n_neighbors in (1, 3)


def test_a_learner_of_one_dimension(iris, page):
    X, y = iris
    _, data = page(NCA(n_components=1).fit(X, y), X, y)
    assert [len(s["points"]) for s in data["spaces"]] == [3, 1]


def test_many_classes_have_styles(models):
    findings = collect(*models["NCA"])
    findings.class_names = [str(c) for c in range(208)]
    shown = panels.classes(findings.class_names)
    assert len({c["color"] for c in shown[:26]}) == 26
    assert len({(c["color"], c["marker"]) for c in shown}) == 208


def test_a_trace_that_is_no_walk(iris):
    findings = collect(SCML(random_state=0).fit(*iris), *iris)
    assert findings.trace is None
    assert panels.traces(findings) is None


def test_long_names_keep_their_ends():
    name = "a" * 300 + " = yes"
    assert clipped(name).endswith("a = yes")
    assert len(clipped(name)) == 120
    assert clipped(name, 12) == "aaaaaaa… yes"
    assert clipped("short") == "short"


def test_no_learner_at_all(iris):
    with pytest.raises(TypeError, match="a metric learner"):
        collect(KNeighborsClassifier().fit(*iris))


def test_the_page_says_what_counts_beside_neighbours(rng):
    y = rng.integers(0, 2, 80)
    X = rng.normal(size=(80, 4)) * (1 + 2 * y)[:, None]
    model = FreeEnergyClassifier(6, random_state=0).fit(X, y)
    findings = collect(model, X, y)
    strengths = model.ensemble_.head.strengths
    assert [strength for _, strength in findings.beside_votes] == strengths.tolist()
    said = summary.captions(findings, contents(findings))["rows"]
    assert f"Beside the neighbours, the distance to the centre (strength {strengths[0]:.2g})" in said
    alone = FreeEnergyClassifier(6, recipe=replace(Recipe(), densities=()), random_state=0).fit(X, y)
    assert "Beside" not in summary.captions(collect(alone, X, y), contents(collect(alone, X, y)))["rows"]


def test_words_about_runs_and_votes(rng):
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 4)) + 1.2 * np.eye(4)[y]
    model = FreeEnergyClassifier(8, random_state=0).fit(X, y)
    findings = collect(model, X, y)
    shown = contents(findings)
    weight = np.bincount(model.selection_["n_neighbors"], model.selection_["weight"])
    voting = ", ".join(str(k) for k in np.flatnonzero(weight >= 0.05))
    assert dict(summary.facts(findings, shown))["neighbours that vote"].removesuffix(" mixed") == voting
    said = summary.captions(findings, shown)
    counts = findings.confusion
    for c in range(3):
        assert f"{counts[c, c] / counts[c].sum():.0%} of {c}" in said["confusion"]
    assert "energy of its own" in said["traces"]
    rises = replace(findings, trace={**findings.trace, "energy": np.arange(12.0)[:, None] + np.zeros((12, 8))})
    falls = replace(findings, trace={**findings.trace, "energy": -np.arange(12.0)[:, None] + np.zeros((12, 8))})
    assert "That it rose is no fault" in summary.captions(rises, shown)["traces"]
    assert "That it rose" not in summary.captions(falls, shown)["traces"]
