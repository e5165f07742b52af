"""Files of the free-energy classifier, whose parts are many and have to fit together."""

import random

import numpy as np
import pandas as pd
import pytest

import freemetric
from freemetric import DMLFE, FreeEnergyClassifier, Recipe
from freemetric.energies import Confinement, Diagonal, LogNCAEnergy, NCAEnergy
from freemetric.files import ModelFileError
from freemetric.mc import Annealing, Geometric

from .conftest import QUICK, everything
from .tampering import array_in, new_array, nodes, npy, objects, part_of, resealed
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
    assert {member.candidate.form for member in classifier.members_} == {"identity", "diagonal", "full"}


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize(
    "model",
    [
        everything(),
        FreeEnergyClassifier(n_replicas=4, recipe=Recipe(subsample=0.9), random_state=0),
        everything(recipe__candidates=["quantiles/identity"], recipe__n_neighbors=4),
        everything(recipe__candidates=["steps/full"], n_replicas=6, random_state=np.random.RandomState(1)),
        everything(recipe__n_components=2, n_replicas=6),
        everything(recipe__sampler=QUICK, n_replicas=6, recipe__energy=LogNCAEnergy() + 1e-4 * Confinement()),
        everything(
            recipe__sampler=Annealing(Geometric(0.1, 0.9), n_steps=3, tol=0.5), recipe__energy="nca", n_replicas=6
        ),
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


CLASSIFIER = "freemetric:free-energy-classifier"
PANDAS = {"dict": [["transform", "pandas"]]}
VALUES_OF_OURS = ("candidate", "member", "classification-head", "class-encoding", "training-set", "ensemble")
PARTS = {CLASSIFIER, "view:scaled", "view:quantiles", "view:steps", *(f"freemetric:{name}" for name in VALUES_OF_OURS)}


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


def minute(array):
    return np.full(array.shape, 5e-324)


def equal(array):
    return np.zeros_like(array)


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
        ("freemetric:member", -1, "maps", [*ANY, with_nan, whole, vast]),  # full
        ("freemetric:member", 2, "maps", [*ANY, with_nan, whole]),  # diagonal
        ("freemetric:member", 0, "maps", [narrower, wider, deeper, complex_, whole]),  # identity: no maps at all
        ("view:scaled", 0, "low", [*ANY, with_nan, whole, vast]),
        ("view:scaled", 0, "span", [*ANY, with_nan, whole, negative, minute]),
        ("sklearn:QuantileTransformer", 0, "quantiles_", [*ANY, shorter, with_nan, whole, backwards]),
        ("sklearn:QuantileTransformer", 0, "references_", [*ANY, with_nan, whole, backwards]),
        ("view:steps", 0, "owner", [*ANY, with_nan, negative, beyond, backwards, doubled]),
        ("view:steps", 0, "threshold", [*ANY, with_nan, whole]),
        ("freemetric:ensemble", 0, "weights", [*ANY, shorter, with_nan, whole, doubled, negative]),
        ("freemetric:classification-head", 0, "bias", [*ANY, with_nan, whole]),
        ("freemetric:classification-head", 0, "strengths", [*ANY, with_nan, whole, negative]),
        ("density:student-t", 0, "centres", [*ANY, shorter, with_nan, whole]),
        ("density:student-t", 0, "roots", [*ANY, shorter, with_nan, whole]),
        ("density:student-t", 0, "depths", [*ANY, with_nan, whole]),
        ("density:naive-bayes", 0, "slopes", [*ANY, shorter, with_nan, whole]),
        ("density:naive-bayes", 0, "base", [*ANY, with_nan, whole]),
        ("freemetric:training-set", 0, "X", [*ANY, shorter, with_nan, whole, vast]),
        ("freemetric:training-set", 0, "values", [*ANY, with_nan, negative, beyond]),
        ("freemetric:training-set", 0, "rows", [*ANY, with_nan, negative, beyond, equal]),
        (CLASSIFIER, 0, "distance_weights_", [*ANY, with_nan, whole, negative]),
        (CLASSIFIER, 0, "distance_weights_std_", [*ANY, with_nan, whole, negative]),
        ("freemetric:oob-indices", 0, "rows", [narrower, wider, empty, deeper, with_nan, beyond, equal]),
        ("freemetric:oob-indices", 0, "bits", [empty, deeper, with_nan, shorter]),
        (CLASSIFIER, 0, "oob_decision_function_", [*ANY, shorter, whole]),
        (CLASSIFIER, 0, "oob_conformity_", [deeper, with_nan, negative, doubled]),
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
        ("freemetric:candidate", "view", "squared", "unknown kind 'squared/"),
        ("freemetric:candidate", "view", "steps", "which its view does not have"),
        ("freemetric:candidate", "form", "square", "/square/"),
        ("freemetric:candidate", "form", "diagonal", "maps of Member"),
        ("freemetric:candidate", "energy", "other", "/other'"),
        ("freemetric:candidate", "energy", None, "unknown kind"),
        ("freemetric:candidate", "temperature", -1.0, "temperature of Candidate"),
        ("freemetric:candidate", "temperature", {"float": "nan"}, "temperature of Candidate"),
        ("freemetric:candidate", "confinement", "0.1", "confinement of Candidate"),
        ("freemetric:candidate", "learns", True, "'learns'"),
        ("freemetric:candidate", "more", 1, "'more'"),
        ("freemetric:member", "candidate", "scaled/full", "candidate of Member is something else"),
        ("freemetric:member", "form", 1, "other attributes"),
        ("view:scaled", "owner", {"array": [0, []]}, "other attributes"),
        ("view:quantiles", "transformer", {"object": ["freemetric:nca", {}]}, "is something else"),
        ("view:quantiles", "transformer", {"object": ["sklearn:QuantileTransformer", {}]}, "does something else"),
        ("view:quantiles", "owner", {"array": [0, []]}, "other attributes"),
        ("sklearn:QuantileTransformer", "copy", False, "does something else"),
        ("sklearn:QuantileTransformer", "output_distribution", "normal", "does something else"),
        ("sklearn:QuantileTransformer", "_sklearn_output_config", PANDAS, "does something else"),
        ("sklearn:QuantileTransformer", "n_features_in_", 3, "does not fit"),
        ("sklearn:QuantileTransformer", "more_", 3, "not known to set"),
        ("freemetric:classification-head", "slope", 0.0, "slope of ClassificationHead"),
        ("freemetric:classification-head", "slope", True, "slope of ClassificationHead"),
        ("freemetric:classification-head", "floor", 0.0, "floor of ClassificationHead"),
        ("freemetric:ensemble", "head", None, "head of Ensemble is something else"),
        ("freemetric:ensemble", "training_set", None, "training_set of Ensemble is something else"),
        ("freemetric:ensemble", "members", [], "with something in it"),
        ("freemetric:ensemble", "members", {"dict": []}, "are no list"),
        ("freemetric:ensemble", "views", {"dict": []}, "are no dict"),
        ("freemetric:ensemble", "trust", 1, "other attributes"),
        ("freemetric:classification-head", "densities", [], "strengths of ClassificationHead are of other densities"),
        ("freemetric:classification-head", "densities", None, "densities of ClassificationHead are something else"),
        (
            "freemetric:classification-head",
            "densities",
            ["student-t"],
            "densities of ClassificationHead are something else",
        ),
        ("density:naive-bayes", "steps", None, "steps of BinnedNaiveBayes are something else"),
        ("freemetric:training-set", "X", None, "X of TrainingSet"),
        ("freemetric:training-set", "values", None, "values of TrainingSet"),
        ("freemetric:training-set", "encoding", None, "encoding of TrainingSet is something else"),
        ("freemetric:training-set", "rows", None, "rows of TrainingSet"),
        ("freemetric:training-set", "weights", 1.0, "weights of TrainingSet"),
        ("freemetric:class-encoding", "n_classes", 2, "values of TrainingSet"),
        ("freemetric:class-encoding", "n_classes", 4, "other classes"),
        ("freemetric:class-encoding", "n_classes", 30_000, "fewer samples than classes"),
        ("freemetric:class-encoding", "n_classes", 3.0, "no positive integer"),
        ("freemetric:training-set", "places", None, "other attributes"),
        (CLASSIFIER, "ensemble_", None, "ensemble_ is something else"),
        (CLASSIFIER, "shortlist_", 0, "shortlist_ is no number of samples"),
        (CLASSIFIER, "shortlist_recall_", None, "shortlist_recall_ is no number"),
        ("freemetric:candidate", "bag_size", -1, "bag_size of Candidate"),
        (CLASSIFIER, "views_", {"dict": []}, "hides"),
        (CLASSIFIER, "more_", 1, "not known to set"),
        (CLASSIFIER, "_more", 1, "not known to set"),
        (CLASSIFIER, "selection_", {"dict": [["weight", 1]]}, "other columns"),
        (CLASSIFIER, "trace_", {"dict": [["energy", 1]]}, "other columns"),
        (CLASSIFIER, "snapshots_", {"dict": [["map", 1]]}, "other columns"),
        (CLASSIFIER, "n_neighbors_", 38, "n_neighbors_ is too large"),
        (CLASSIFIER, "oob_score_", "high", "oob_score_"),
    ],
)
def test_parts_that_do_not_fit(name, key, value, said, refused):
    def edit(header, tree, arrays):
        part_of(tree, name)[key] = value

    assert said in refused(edit)


def drop_a_member(state):
    ensemble_in(state)["members"].pop()


def drop_a_view(state):
    ensemble_in(state)["views"]["dict"].pop()


def swap_views(state):
    views = ensemble_in(state)["views"]["dict"]
    views[0][1], views[1][1] = views[1][1], views[0][1]


def ensemble_in(state):
    return part_of(state, "freemetric:ensemble")


def drop_a_column(state):
    state["selection_"]["dict"].pop()


def swap_columns(state):
    columns = state["selection_"]["dict"]
    columns[0][1], columns[-1][1] = columns[-1][1], columns[0][1]


def swap_walks(state):
    state["trace_"], state["snapshots_"] = state["snapshots_"], state["trace_"]


@pytest.mark.parametrize("spoil", [drop_a_member, drop_a_view, swap_views, drop_a_column, swap_columns, swap_walks])
def test_parts_lost_or_swapped(spoil, refused):
    refused(lambda header, tree, arrays: spoil(tree["object"][1]))


def test_nothing_may_be_missing(saved, classifier, tmp_path):
    transformer = classifier.views_["quantiles"].transformer
    spare = {
        CLASSIFIER: classifier.get_params(),
        "freemetric:recipe": Recipe().get_params(),
        "sklearn:QuantileTransformer": {*transformer.get_params(), "n_quantiles_", "_sklearn_output_config"},
    }
    firsts = {}
    resealed(saved, tmp_path / "same.model", lambda header, tree, arrays: firsts.update(reversed(objects(tree))))
    assert set(firsts) >= PARTS
    for tag, key in [(tag, key) for tag, state in firsts.items() for key in state if key not in spare.get(tag, ())]:

        def edit(header, tree, arrays, tag=tag, key=key):
            del part_of(tree, tag)[key]

        with pytest.raises(ModelFileError, match=f"without its (attribute|parameter) '{key}'"):
            freemetric.load(resealed(saved, tmp_path / "altered.model", edit))


def use(model, X):
    """Whatever a loaded model is asked."""
    n, C = len(X), len(model.classes_)
    P = model.predict_proba(X)
    assert P.shape == (n, C)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert model.decisions(X).shape == (n, model.ensemble_.n_neighbors)
    assert model.votes(X).shape == (n, model.n_neighbors_, C)
    assert np.isfinite(model.embed(X)).all()


@pytest.mark.filterwarnings("ignore")  # of models that make no sense
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
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
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
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
