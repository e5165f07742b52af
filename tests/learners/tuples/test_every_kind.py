"""Tests of every classifier of tuples, and scikit-learn's contract as far as it applies to such input.

scikit-learn's checks fit tables of shape (n, d). A tuple is (t, d), so that those which fit cannot apply; they are made
here with tuples. Those that fit nothing are scikit-learn's own.
"""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import estimator_checks

import freemetric
from freemetric import LSML, NCA, RCA, SDML, Kernelized
from freemetric.report.card import drawn_card

WITHOUT_A_FIT = (
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_get_params_invariance",
    "check_set_params",
)
QUERIES = ("decision_function", "predict", "score")


def samples(known):
    return known.X[known.rows]


@pytest.fixture
def fitted(make, known):
    return make().fit(samples(known), known.signs)


# scikit-learn's contract


@pytest.mark.parametrize("name", WITHOUT_A_FIT)
def test_checks_of_scikit_learn(make, name):
    getattr(estimator_checks, name)("Classifier", make())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_knows_that_its_tables_do_not_apply(make):
    tags = make().__sklearn_tags__()
    assert tags.input_tags.three_d_array
    assert not tags.input_tags.two_d_array
    names = [check["check_name"] for check in estimator_checks.check_estimator(make(), on_skip=None)]
    assert names == ["check_estimator_cloneable"]


def test_fit_gives_itself_and_changes_no_parameter(make, known):
    model = make(preprocessor=known.X)
    before = {name: value for name, value in model.get_params().items() if not hasattr(value, "fit")}
    assert model.fit(known.rows, known.signs) is model
    for name, value in before.items():
        np.testing.assert_array_equal(model.get_params()[name], value)
    assert not hasattr(model.learner, "components_")


def test_before_a_fit_nothing_is_known(make, known):
    for query in ("decision_function", "predict", "pair_distance", "transform"):
        with pytest.raises(NotFittedError):
            getattr(make(), query)(samples(known))
    with pytest.raises(NotFittedError):
        make().get_mahalanobis_matrix()


def test_the_same_fit_twice_is_the_same(make, known, fitted):
    expected = fitted.decision_function(samples(known))
    np.testing.assert_array_equal(fitted.fit(samples(known), known.signs).decision_function(samples(known)), expected)
    np.testing.assert_array_equal(
        clone(fitted).fit(samples(known), known.signs).decision_function(samples(known)), expected
    )


def test_predictions_of_tuples_are_independent(fitted, known, rng):
    """Neither the order nor other tuples matter, and predictions change nothing."""
    before = pickle.dumps(fitted)
    expected = fitted.decision_function(samples(known))
    order = rng.permutation(len(known.rows))
    np.testing.assert_allclose(fitted.decision_function(samples(known)[order]), expected[order], rtol=1e-10, atol=1e-12)
    alone = [fitted.decision_function(one[None])[0] for one in samples(known)[:7]]
    np.testing.assert_allclose(alone, expected[:7], rtol=1e-10, atol=1e-12)
    assert pickle.dumps(fitted) == before


def test_any_kind_of_array_will_do(make, known, fitted, tmp_path):
    expected = fitted.decision_function(samples(known))
    np.save(tmp_path / "tuples.npy", samples(known))
    read_only = np.load(tmp_path / "tuples.npy", mmap_mode="r")
    for same in (
        samples(known).tolist(),
        np.asfortranarray(samples(known)),
        samples(known).astype(object),
        read_only,
    ):
        model = make().fit(same, known.signs.tolist())
        np.testing.assert_allclose(model.decision_function(same), expected, rtol=1e-9, atol=1e-12)
    rough = make().fit(samples(known).astype(np.float32), known.signs.astype(float))
    np.testing.assert_allclose(rough.decision_function(samples(known)), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_errors(make, known, fitted, kind, bad):
    tuples = samples(known).copy()
    tuples[3, 1, 2] = bad
    words = f"Input {kind} contains " + ("NaN" if np.isnan(bad) else "infinity")
    for call in (lambda: make().fit(tuples, known.signs), lambda: fitted.predict(tuples)):
        with pytest.raises(ValueError, match=words):
            call()


def test_other_features_are_an_error(fitted, known, kind):
    name = type(fitted).__name__
    with pytest.raises(ValueError, match=f"^{kind} have 12 features, but {name} is expecting 13 features.$"):
        fitted.predict(samples(known)[:, :, 1:])


def test_pickles(fitted, known):
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.decision_function(samples(known)), fitted.decision_function(samples(known)))


# indices and samples


def test_indices_say_what_samples_say(make, known):
    """Where all rows of the preprocessor are in some tuple."""
    used, rows = np.unique(known.rows, return_inverse=True)
    X, rows = known.X[used], rows.reshape(known.rows.shape)
    by_index = make(preprocessor=X).fit(rows, known.signs)
    by_sample = make().fit(X[rows], known.signs)
    expected = by_sample.decision_function(X[rows])
    for model, tuples in ((by_index, rows), (by_index, X[rows]), (by_sample, X[rows])):
        np.testing.assert_allclose(model.decision_function(tuples), expected, rtol=1e-6, atol=1e-9)
        np.testing.assert_array_equal(model.predict(tuples), by_sample.predict(X[rows]))
        assert model.score(tuples, known.signs) == pytest.approx(by_sample.score(X[rows], known.signs))


@pytest.mark.parametrize(
    "convert", [pd.DataFrame, sparse.csr_array, np.ndarray.tolist], ids=["frame", "sparse", "list"]
)
def test_preprocessors_of_other_kinds(make, known, convert):
    expected = make(preprocessor=known.X).fit(known.rows, known.signs).decision_function(known.rows)
    model = make(preprocessor=convert(known.X)).fit(known.rows, known.signs)
    np.testing.assert_array_equal(model.decision_function(known.rows), expected)


def test_names_of_features(make, known):
    names = [f"feature {i}" for i in range(13)]
    model = make(preprocessor=pd.DataFrame(known.X, columns=names)).fit(known.rows, known.signs)
    assert model.feature_names_in_.tolist() == names
    assert "feature" in drawn_card(model)
    model.predict(samples(known))  # which have no names, without a warning
    assert not hasattr(model.set_params(preprocessor=None).fit(samples(known), known.signs), "feature_names_in_")


def test_a_preprocessor_may_be_a_function_of_anything(make, known):
    names = np.array([f"wine{i}.jpg" for i in range(len(known.X))])
    calls = []

    def read(files):
        calls.append(len(files))
        return known.X[[int(name[4:-4]) for name in files]]

    model = make(preprocessor=read).fit(names[known.rows], known.signs)
    expected = make().fit(samples(known), known.signs)
    np.testing.assert_allclose(
        model.decision_function(names[known.rows]), expected.decision_function(samples(known)), rtol=1e-6, atol=1e-9
    )
    assert calls == [len(np.unique(known.rows))] * 2  # every file once
    with pytest.raises(ValueError, match=r"preprocessor must give for \d+ keys samples of shape \(\d+, n_features\)"):
        model.set_params(preprocessor=lambda files: known.X[:2]).predict(names[known.rows])


def test_tuples_that_are_none_are_named(make, known, kind):
    t = known.rows.shape[1]
    wrong_width = np.zeros((5, t + 1, 13))
    for tuples, preprocessor, words in (
        (
            wrong_width,
            None,
            rf"^{kind} must be samples of shape \(n, {t}, n_features\), or indices .*; got shape \(5, ",
        ),
        (np.zeros((0, t, 13)), None, "must be samples"),
        (known.rows, None, rf"^{kind} of shape \(\d+, {t}\) are indices, .*: give preprocessor=X, or samples"),
        (
            known.rows + 0.5,
            known.X,
            rf"^{kind} must be integers of shape \(n, \d\), indices into the preprocessor; got float64",
        ),
        (known.rows + 178, known.X, rf"^{kind}\[0\] = \[.*\] points outside the preprocessor, which has 178 rows"),
        (known.rows - 178, known.X, "points outside the preprocessor"),
    ):
        with pytest.raises(ValueError, match=words):
            make(preprocessor=preprocessor).fit(tuples, known.signs[: len(tuples)])


@pytest.mark.parametrize(
    "signs", [np.zeros(200), np.full(200, "a"), np.ones(3), np.ones(200, dtype=bool)], ids=["0", "a", "3", "bool"]
)
def test_signs_that_are_none_are_named(make, known, kind, signs):
    rows = known.rows[:200]
    with pytest.raises(ValueError, match=rf"^y must be 200 values of \+1 or -1, one for each of the {kind}"):
        make(preprocessor=known.X).fit(rows, signs)
    model = make(preprocessor=known.X).fit(rows, known.signs[:200])
    with pytest.raises(ValueError, match=r"^y must be 200 values of \+1 or -1"):
        model.score(rows, signs)


@pytest.mark.slow
def test_many_tuples_are_looked_up_in_blocks(make, known, rng):
    """A million of them would be gigabytes of samples; in blocks they are what working_memory allows."""
    model = make(preprocessor=known.X).fit(known.rows, known.signs)
    rows = rng.integers(len(known.X), size=(200_000, known.rows.shape[1]))
    expected = model.decision_function(rows[:50])
    with config_context(working_memory=16):
        tracemalloc.start()
        found = model.decision_function(rows)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    np.testing.assert_allclose(found[:50], expected, rtol=1e-10, atol=1e-12)
    assert most < 30 * 2**20 < rows.size * 13 * 8


# learners


def test_a_learner_that_takes_something_else_is_named(make, known, kind):
    for learner, why in (
        (NCA(), "it learns from labels alone"),
        (RCA(), "it learns from labels alone"),
        (LSML() if kind == "pairs" else SDML(), f"it learns from {'quadruplets' if kind == 'pairs' else 'pairs'}"),
    ):
        for inside in (learner, make_pipeline(MinMaxScaler(), learner)):
            with pytest.raises(ValueError, match=rf"^{type(learner).__name__} takes no {kind}: {why}\.$"):
                make().set_params(learner=inside).fit(samples(known), known.signs)


def test_a_scaler_in_front(make, known):
    raw = 100 * samples(known) - 7
    model = make()
    model.set_params(learner=make_pipeline(MinMaxScaler(), model.learner)).fit(raw, known.signs)
    scaled = model.learner_[0].transform(raw.reshape(-1, 13)).reshape(raw.shape)
    expected = make().fit(scaled, known.signs)
    np.testing.assert_allclose(model.decision_function(raw), expected.decision_function(scaled), rtol=1e-6, atol=1e-9)


def test_a_kernel_around_it(make, known):
    model = make()
    model.set_params(learner=Kernelized(model.learner, random_state=0)).fit(samples(known), known.signs)
    assert model.score(samples(known), known.signs) > 0.8


# scikit-learn's tools


@pytest.mark.parametrize("by_index", [True, False])
def test_cross_validation_and_searches(make, known, by_index):
    tuples = known.rows if by_index else samples(known)
    model = make(preprocessor=known.X if by_index else None)
    scores = cross_val_score(model, tuples, known.signs, cv=3)
    assert scores.min() > 0.75
    accuracies = cross_val_score(model, tuples, known.signs, cv=3, scoring="accuracy")
    assert accuracies.min() > 0.7
    parameter = "learner__gamma" if "gamma" in model.learner.get_params() else "learner__sparsity"
    search = GridSearchCV(model, {parameter: [0.001, 1.0]}, cv=3).fit(tuples, known.signs)
    found = [
        cross_val_score(clone(model).set_params(**{parameter: v}), tuples, known.signs, cv=3) for v in (0.001, 1.0)
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], np.mean(found, axis=1))
    assert search.best_estimator_.learner_.get_params()[parameter[9:]] == search.best_params_[parameter]


def test_it_is_a_classifier_of_two_classes(fitted):
    assert is_classifier(fitted)
    assert fitted.classes_.tolist() == [-1, 1]
    assert not fitted.__sklearn_tags__().classifier_tags.multi_class


def test_everything_else_is_the_learners(fitted, known):
    X, learner = known.X, fitted.learner_
    np.testing.assert_array_equal(fitted.transform(X), learner.transform(X))
    np.testing.assert_array_equal(fitted.get_mahalanobis_matrix(), learner.get_mahalanobis_matrix())
    assert fitted.get_metric()(X[0], X[90]) == learner.get_metric()(X[0], X[90])
    np.testing.assert_array_equal(fitted.pair_distance(X[[[0, 90]]]), learner.pair_distance(X[[[0, 90]]]))
    np.testing.assert_array_equal(fitted.pair_score(X[[[0, 90]]]), learner.pair_score(X[[[0, 90]]]))
    piped = clone(fitted).set_params(learner=make_pipeline(MinMaxScaler(), clone(fitted.learner)))
    assert not hasattr(piped, "get_mahalanobis_matrix")  # of a scaler and a map there is none


# files, cards


def test_files(make, known, fitted, tmp_path):
    for model, tuples in (
        (fitted, samples(known)),
        (make(preprocessor=known.X).fit(known.rows, known.signs), known.rows),
    ):
        model.save(tmp_path / "a.fm")
        again = freemetric.load(tmp_path / "a.fm")
        np.testing.assert_array_equal(again.decision_function(tuples), model.decision_function(tuples))
        np.testing.assert_array_equal(again.predict(tuples), model.predict(tuples))


def test_a_preprocessor_that_no_file_can_hold_is_named(make, known, tmp_path):
    model = make(preprocessor=lambda rows: known.X[rows]).fit(known.rows, known.signs)
    with pytest.raises(freemetric.files.ModelFileError, match="preprocessor"):
        model.save(tmp_path / "a.fm")
    model.set_params(preprocessor=None).save(tmp_path / "a.fm")
    assert freemetric.load(tmp_path / "a.fm").score(samples(known), known.signs) > 0.8


def test_graphs_take_every_point_of_a_tuple(fitted):
    pytest.importorskip("skl2onnx")
    made = freemetric.onnx_export.to_onnx(fitted)  # what it says is in tests/onnx_export
    width = {"PairClassifier": 2, "TripletClassifier": 3, "QuadrupletClassifier": 4}[type(fitted).__name__]
    assert [put.name for put in made.graph.input] == [f"X{i + 1}" for i in range(width)]
    assert [put.name for put in made.graph.output] == ["decision", "label"]
    assert freemetric.onnx_export.to_onnx(fitted.learner_).graph.node


def test_the_report_is_about_samples(fitted, known, wines, tmp_path):
    path = fitted.report(tmp_path / "a.html", known.X, wines[1])
    assert type(fitted.learner_).__name__ in path.read_text()
    assert fitted.report(tmp_path / "b.html").exists()


def test_the_card(fitted):
    said = drawn_card(fitted)
    assert "13 features to 13 dimensions" in said
    assert said in fitted._repr_html_()
    assert type(fitted).__name__ in repr(fitted)
