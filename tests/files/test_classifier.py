"""Files of the free-energy classifier, whose parts are many and have to fit together."""

import random

import numpy as np
import pandas as pd
import pytest

import freemetric
from freemetric import DMLFE, FreeEnergyClassifier
from freemetric.energies import Confinement, Diagonal, LogNCAEnergy, NCAEnergy
from freemetric.files import ModelFileError
from freemetric.mc import Annealing, Geometric

from .conftest import QUICK, everything
from .tampering import array_in, new_array, nodes, npy, part_of, resealed
from .test_damaged import assert_one_line
from .test_hostile import VALUES
from .test_round_trip import assert_same, through_file


@pytest.fixture(scope="module")
def saved(classifier, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "classifier.model"
    classifier.save(path)
    return path


@pytest.fixture
def refused(saved, tmp_path):
    """What is said of the file after an edit."""

    def load(edit):
        path = resealed(saved, tmp_path / "altered.model", edit)
        with pytest.raises(ModelFileError) as caught:
            freemetric.load(path)
        assert_one_line(caught.value, path)
        return str(caught.value)

    return load


def test_the_classifier_here_has_parts_of_all_kinds(classifier):
    assert set(classifier.views_) == {"scaled", "quantiles", "steps"}
    assert {ensemble.candidate.form for ensemble in classifier.ensembles_} == {"identity", "diagonal", "full"}


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize(
    "model",
    [
        everything(),
        FreeEnergyClassifier(n_replicas=4, subsample=0.9, random_state=0),
        everything(candidates=["quantiles/identity"], n_neighbors=4),
        everything(candidates=["steps/full"], n_replicas=6, random_state=np.random.RandomState(1)),
        everything(n_components=2, n_replicas=6),
        everything(sampler=QUICK, n_replicas=6, energy=LogNCAEnergy() + 1e-4 * Confinement()),
        everything(sampler=Annealing(Geometric(0.1, 0.9), n_steps=3, tol=0.5), energy="nca", n_replicas=6),
    ],
)
def test_says_the_same(model, few, tmp_path):
    X, y = few
    model.fit(X, y)
    loaded = through_file(model, tmp_path)
    assert_same(loaded, model)
    for method in (model.predict_proba, model.embed, model.decisions, model.votes):
        again = getattr(loaded, method.__name__)(X)
        assert (again.dtype, again.tobytes()) == (method(X).dtype, method(X).tobytes())
    assert_same(loaded.predict(X), model.predict(X))


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")  # one of them does not vary
def test_large_and_small_numbers(few, tmp_path):
    X, y = few
    X = X * [1e-9, 1, 1e9, 0] + [0, 1e6, 0, 5]
    model = everything(n_replicas=6).fit(pd.DataFrame(X, columns=list("abcd")), y)
    loaded = through_file(model, tmp_path)
    assert loaded.feature_names_in_.tolist() == list("abcd")
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert loaded.predict_proba(frame).tobytes() == model.predict_proba(frame).tobytes()


@pytest.mark.parametrize("energy", [LogNCAEnergy(), Diagonal(NCAEnergy()), 2.0 * Diagonal(LogNCAEnergy())])
def test_energies(energy, few, tmp_path):
    model = DMLFE(sampler=QUICK, random_state=0).fit(*few).set_params(energy=energy)
    assert repr(through_file(model, tmp_path).energy) == repr(energy)


def shorter(array):
    return array[:-1]


def narrower(array):
    return array[..., :-1]


def wider(array):
    return np.concatenate([array, array[..., -1:]], axis=-1)


def empty(array):
    return array[:0]


def doubled(array):
    return 2 * array


def negative(array):
    return -array - 1


def with_nan(array):
    return np.where(np.arange(array.size).reshape(array.shape) == array.size // 2, np.nan, array)


def deeper(array):
    return array[None]


def vast(array):
    return 1e300 * array


def whole(array):
    return np.zeros(array.shape, dtype=int)


def complex_(array):
    return array.astype(complex)


def backwards(array):
    return array[::-1]


def beyond(array):
    return array + 10**6


ANY = (narrower, wider, empty, deeper, complex_)


@pytest.mark.parametrize(
    ("name", "number", "key", "changes"),
    [
        ("Ensemble", -1, "maps", [*ANY, with_nan, whole, vast]),  # full
        ("Ensemble", 2, "maps", [*ANY, with_nan, whole]),  # diagonal
        ("Ensemble", 0, "maps", [narrower, wider, deeper, complex_, whole]),  # identity: no maps at all
        ("Scaled", 0, "low", [*ANY, with_nan, whole]),
        ("Scaled", 0, "span", [*ANY, with_nan, whole, negative]),
        ("Scaled", 0, "owner", [*ANY, with_nan, negative, beyond, backwards]),
        ("Quantiles", 0, "owner", [*ANY, with_nan, negative, beyond, backwards]),
        ("QuantileTransformer", 0, "quantiles_", [*ANY, shorter, with_nan, whole, backwards]),
        ("QuantileTransformer", 0, "references_", [*ANY, with_nan, whole, backwards]),
        ("Steps", 0, "owner", [*ANY, with_nan, negative, beyond]),
        ("Steps", 0, "threshold", [*ANY, with_nan, whole]),
        ("Mixture", 0, "weights", [*ANY, shorter, with_nan, whole, doubled, negative]),
        ("Mixture", 7, "weights", [*ANY, shorter, with_nan, whole, doubled, negative]),
        ("Calibration", 0, "bias", [*ANY, with_nan, whole]),
        ("Calibration", 7, "bias", [*ANY, with_nan, whole]),
        ("FreeEnergyClassifier", 0, "_X", [*ANY, shorter, with_nan, whole]),
        ("FreeEnergyClassifier", 0, "_y", [*ANY, with_nan, negative, beyond]),
        ("FreeEnergyClassifier", 0, "feature_importances_", [*ANY, with_nan, whole, negative]),
        ("FreeEnergyClassifier", 0, "feature_importances_std_", [*ANY, with_nan, whole, negative]),
        ("FreeEnergyClassifier", 0, "oob_decision_function_", [*ANY, shorter, whole]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_arrays_that_do_not_fit(name, number, key, changes, refused):
    for change in changes:

        def edit(header, tree, arrays, change=change):
            state = part_of(tree, name, number)
            state[key] = new_array(arrays, change(array_in(arrays, state[key])))

        refused(edit)


@pytest.mark.parametrize(
    ("name", "key", "value", "said"),
    [
        ("Candidate", "view", "squared", "kind 'squared'"),
        ("Candidate", "view", "steps", "which its view does not have"),
        ("Candidate", "form", "square", "'square'"),
        ("Candidate", "form", "diagonal", "maps of Ensemble"),
        ("Candidate", "temperature", -1.0, "temperature of Candidate"),
        ("Candidate", "temperature", {"float": "nan"}, "temperature of Candidate"),
        ("Candidate", "confinement", "0.1", "confinement of Candidate"),
        ("Candidate", "learns", True, "hides"),
        ("Candidate", "more", 1, "other attributes"),
        ("Ensemble", "candidate", "scaled/full", "where a Candidate belongs"),
        ("Ensemble", "metrics", 1, "hides"),
        ("Quantiles", "transformer", {"object": ["freemetric.NCA", {}]}, "where a QuantileTransformer belongs"),
        (
            "Quantiles",
            "transformer",
            {"object": ["sklearn.preprocessing.QuantileTransformer", {}]},
            "does something else",
        ),
        ("QuantileTransformer", "copy", False, "does something else"),
        ("QuantileTransformer", "output_distribution", "normal", "does something else"),
        ("QuantileTransformer", "_sklearn_output_config", {"dict": [["transform", "pandas"]]}, "does something else"),
        ("QuantileTransformer", "n_features_in_", 3, "does not fit"),
        ("Mixture", "calibration", None, "where a Calibration belongs"),
        ("Calibration", "slope", 0.0, "slope of Calibration"),
        ("Calibration", "slope", True, "slope of Calibration"),
        ("FreeEnergyClassifier", "_mixture", None, "where a Mixture belongs"),
        ("FreeEnergyClassifier", "_mixtures_of_one_k", [], "with something in it"),
        ("FreeEnergyClassifier", "ensembles_", [], "with something in it"),
        ("FreeEnergyClassifier", "ensembles_", {"dict": []}, "is no list"),
        ("FreeEnergyClassifier", "views_", {"dict": []}, "is no dict"),
        ("FreeEnergyClassifier", "selection_", {"dict": [["weight", 1]]}, "other columns"),
        ("FreeEnergyClassifier", "trace_", {"dict": [["energy", 1]]}, "other columns"),
        ("FreeEnergyClassifier", "snapshots_", {"dict": [["map", 1]]}, "other columns"),
        ("FreeEnergyClassifier", "n_neighbors_", 38, "n_neighbors_ of FreeEnergyClassifier is too large"),
        ("FreeEnergyClassifier", "oob_score_", "high", "oob_score_"),
        ("FreeEnergyClassifier", "_X", None, "_X of FreeEnergyClassifier"),
        ("FreeEnergyClassifier", "_y", None, "class numbers"),
    ],
)
def test_parts_that_do_not_fit(name, key, value, said, refused):
    def edit(header, tree, arrays):
        part_of(tree, name)[key] = value

    assert said in refused(edit)


def drop_a_mixture(state):
    state["_mixtures_of_one_k"].pop()


def drop_an_ensemble(state):
    state["ensembles_"].pop()


def drop_a_view(state):
    state["views_"]["dict"].pop()


def swap_views(state):
    (_, a), (_, b), *_ = state["views_"]["dict"]
    state["views_"]["dict"][0][1], state["views_"]["dict"][1][1] = b, a


def drop_a_column(state):
    state["selection_"]["dict"].pop()


def swap_columns(state):
    columns = state["selection_"]["dict"]
    columns[0][1], columns[-1][1] = columns[-1][1], columns[0][1]


def swap_walks(state):
    state["trace_"], state["snapshots_"] = state["snapshots_"], state["trace_"]


@pytest.mark.parametrize(
    "spoil", [drop_a_mixture, drop_an_ensemble, drop_a_view, swap_views, drop_a_column, swap_columns, swap_walks]
)
def test_parts_lost_or_swapped(spoil, refused):
    refused(lambda header, tree, arrays: spoil(tree["object"][1]))


def test_nothing_may_be_missing(saved, classifier, tmp_path):
    defaults = {"FreeEnergyClassifier": classifier, "QuantileTransformer": classifier.views_["quantiles"].transformer}
    spare = {
        name: [*estimator.get_params(), "n_quantiles_", "_sklearn_output_config"]
        for name, estimator in defaults.items()
    }

    def attributes(tree):
        """Of the first object of every class."""
        firsts = {}
        for node in nodes(tree):
            if isinstance(node, dict) and "object" in node:
                firsts.setdefault(node["object"][0].rpartition(".")[2], node["object"][1])
        return [(name, key) for name, state in firsts.items() for key in state if key not in spare.get(name, ())]

    found = []
    resealed(saved, tmp_path / "same.model", lambda header, tree, arrays: found.extend(attributes(tree)))
    assert {"Candidate", "Ensemble", "Scaled", "Quantiles", "Steps", "Mixture", "Calibration"} <= {n for n, _ in found}
    for name, key in found:

        def edit(header, tree, arrays, name=name, key=key):
            del part_of(tree, name)[key]

        with pytest.raises(ModelFileError, match=f"without its (attribute|parameter) '{key}'"):
            freemetric.load(resealed(saved, tmp_path / "altered.model", edit))


def use(model, X):
    """Whatever a loaded model is asked."""
    n, C = len(X), len(model.classes_)
    P = model.predict_proba(X)
    assert P.shape == (n, C)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert model.decisions(X).shape == (n, len(model._mixtures_of_one_k))
    assert model.votes(X).shape == (n, model.n_neighbors_, C)
    assert np.isfinite(model.embed(X)).all()


@pytest.mark.filterwarnings("ignore")  # of models that make no sense
@pytest.mark.parametrize("seed", range(4))
def test_random_arrays(seed, saved, few, tmp_path):
    """Every array changed in every way: refused, or of use."""
    rng = random.Random(seed)
    changes = [*ANY, shorter, doubled, negative, with_nan, whole, backwards, beyond, np.asfortranarray, np.float32]
    refusals = 0
    for i in range(20):

        def edit(header, tree, arrays):
            number = rng.randrange(len(arrays))
            array = array_in(arrays, {"array": [number, []]})
            arrays[number] = npy(rng.choice(changes)(array))

        try:
            model = freemetric.load(resealed(saved, tmp_path / f"{i}.model", edit))
        except ModelFileError as problem:
            refusals += 1
            assert_one_line(problem, tmp_path / f"{i}.model")
        else:
            use(model, few[0][:5])
    assert refusals > 5


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_random_edits(seed, saved, few, tmp_path):
    rng = random.Random(seed)
    for i in range(20):

        def edit(header, tree, arrays):
            for _ in range(rng.choice([1, 1, 3])):
                node = rng.choice([node for node in nodes(tree["object"][1]) if node] or [{"": None}])
                key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
                if rng.random() < 0.2:
                    del node[key]
                else:
                    node[key] = rng.choice(VALUES)

        try:
            model = freemetric.load(resealed(saved, tmp_path / f"{i}.model", edit))
        except ModelFileError as problem:
            assert_one_line(problem, tmp_path / f"{i}.model")
        else:
            use(model, few[0][:5])
