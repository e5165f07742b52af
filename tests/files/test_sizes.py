"""A file takes memory and threads in proportion to its size, whatever it says of itself."""

import time
import tracemalloc

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import freemetric
from freemetric import ITML, RCA, Kernelized, MetricKNeighborsClassifier, PairClassifier, metric_learn
from freemetric.files import ModelFileError, container, save
from freemetric.files.checks import check_hashes
from freemetric.files.codec import BYTES_PER_BYTE, FREE_BYTES
from freemetric.learners import LEARNERS
from freemetric.metrics import ClassEncoding, TrainingSet

from .tampering import new_array, nodes, npy, part_of, resealed, seal
from .test_damaged import assert_one_line
from .test_round_trip import through_file

MEGABYTE = 1 << 20


@pytest.fixture
def refused(tmp_path):
    """What is said of a file with this tree and these arrays, and how much memory it took to say so."""

    def load(tree, arrays=(), tag="mc:constant"):
        header = {"format": container.FORMAT, "version": container.VERSION, "about": {}, "class": tag}
        header |= {"freemetric": freemetric.__version__, "scikit-learn": sklearn.__version__}
        path = seal(tmp_path / "a.model", header, tree, list(arrays))
        tracemalloc.start()
        try:
            with pytest.raises(ModelFileError) as caught:
                freemetric.load(path)
            taken = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert_one_line(caught.value, path)
        assert taken < 2 * (FREE_BYTES + BYTES_PER_BYTE * path.stat().st_size)
        return str(caught.value), taken

    return load


def constant(node):
    return {"object": ["mc:constant", {"temperature": node}]}


def test_wide_texts(refused):
    """Each of them is allowed to be as wide; 2.7 kB of them would be 2.3 GB."""
    wide = {"objects": ["<U999999", [60], ["a"] * 60]}
    said, taken = refused(constant([wide] * 9))
    assert "more memory than a file of this size" in said
    assert taken < 4 * MEGABYTE


def test_texts_that_are_just_too_wide(refused):
    assert "more memory" in refused(constant([{"objects": ["<U9999", [1], ["a"]]}] * 50))[0]


def test_one_array_many_times(refused):
    said, taken = refused(constant([{"array": [0, []]}] * 5000), [npy(np.zeros(MEGABYTE // 8))])
    assert "more memory" in said
    assert taken < 10 * MEGABYTE


def test_one_array_in_many_objects(refused):
    """Every one of them would make another array of that size."""
    view = {"object": ["view:scaled", {"low": {"array": [0, []]}, "span": {"array": [0, []]}}]}
    assert "more memory" in refused(constant([view] * 1000), [npy(np.ones(MEGABYTE // 8))])[0]


@pytest.mark.slow
def test_many_small_objects(refused):
    assert "more memory" in refused(constant([{"object": ["mc:constant", {}]}] * 20_000))[0]


def test_axes_of_nothing(refused):
    """No bytes, but axes that whoever multiplies by them would believe."""
    candidate = {"view": "scaled", "form": "identity", "energy": "nca", "temperature": 0.0, "confinement": 0.0}
    candidate["bag_size"] = 0
    maps = npy(np.empty((0, 1, 10**6))).replace(b"1000000)", b"9999999)")
    state = {"candidate": {"object": ["freemetric:candidate", candidate]}, "maps": {"array": [0, []]}}
    assert "more memory" in refused({"object": ["freemetric:member", state]}, [maps], "freemetric:member")[0]


def test_axes_of_no_texts(refused):
    assert "more memory" in refused(constant({"objects": ["<U1", [0, 10**9], []]}))[0]


def test_texts_of_different_lengths_are_refused_when_they_are_saved(tmp_path):
    words = [f"word {i}" for i in range(400)] + ["long " * 2000]
    encoder = OneHotEncoder().fit(np.array(words)[:, None])
    with pytest.raises(ModelFileError, match=r"OneHotEncoder cannot be saved: it takes far more memory .* as objects"):
        save(encoder, tmp_path / "a.model")
    encoder = OneHotEncoder().fit(np.array(words, dtype=object)[:, None])
    assert through_file(encoder, tmp_path).categories_[0].tolist() == sorted(words)


def test_usual_texts_of_different_lengths(tmp_path):
    words = np.array([f"word {i}" for i in range(400)] + ["long " * 20])
    assert through_file(OneHotEncoder().fit(words[:, None]), tmp_path).categories_[0].dtype == words.dtype


@pytest.mark.parametrize("n_jobs", [10**6, -1, "many", {"object": ["freemetric:nca", {}]}], ids=str)
def test_threads_are_for_the_machine_to_decide(n_jobs, pipeline, tmp_path):
    def edit(header, tree, arrays):
        for node in nodes(tree):
            if isinstance(node, dict) and "n_jobs" in node:
                node["n_jobs"] = n_jobs

    save(pipeline, tmp_path / "a.model")
    loaded = freemetric.load(resealed(tmp_path / "a.model", tmp_path / "a.model", edit))
    found = [part.n_jobs for part in estimators_in(loaded) if hasattr(part, "n_jobs")]
    assert len(found) > 3
    assert set(found) == {None}


def estimators_in(value):
    if isinstance(value, BaseEstimator):
        yield value
        yield from estimators_in(list(vars(value).values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from estimators_in(part)


def classifier_of(training_set):
    """Nearest neighbours, without the time that it takes to fit so many classes."""
    model = MetricKNeighborsClassifier(LEARNERS["euclidean"](), 1)
    model.n_features_in_, model.classes_, model.n_neighbors_ = (
        training_set.X.shape[1],
        np.arange(training_set.n_cells),
        1,
    )
    model.learner_, model.training_set_ = LEARNERS["euclidean"]().fit(training_set.X), training_set
    return model


def test_few_samples_of_many_classes(tmp_path):
    """Votes have a cell for every class."""

    def edit(header, tree, arrays):
        part_of(tree, "freemetric:class-encoding")["n_classes"] = 30_000
        tree["object"][1]["classes_"] = new_array(arrays, np.arange(30_000))

    save(classifier_of(TrainingSet(np.eye(3), np.arange(3), ClassEncoding(3))), tmp_path / "a.model")
    with pytest.raises(ModelFileError, match="TrainingSet has fewer samples than classes"):
        freemetric.load(resealed(tmp_path / "a.model", tmp_path / "a.model", edit))


@pytest.mark.slow
def test_as_many_samples_as_classes(tmp_path):
    X = np.random.default_rng(0).random((30_000, 2))
    with pytest.raises(ModelFileError, match="30000 classes, which is too many"):
        save(classifier_of(TrainingSet(X, np.arange(30_000), ClassEncoding(30_000))), tmp_path / "a.model")
    few = classifier_of(TrainingSet(X[:3000], np.arange(3000), ClassEncoding(3000)))
    assert through_file(few, tmp_path).predict(X[:3]).tolist() == [0, 1, 2]


def with_attribute(model, tag, name, value, tmp_path):
    """The file of a model after an attribute of one of its parts was changed."""

    def edit(header, tree, arrays):
        part_of(tree, tag)[name] = value

    save(model, tmp_path / "a.model")
    return resealed(tmp_path / "a.model", tmp_path / "a.model", edit)


NUMBERS = np.random.default_rng(0).random((12, 3))
LABELS = np.arange(12) % 2


PAIRS = np.arange(12).reshape(6, 2)
WIDE = {
    "kernelized": lambda: Kernelized(RCA(), random_state=0).fit(NUMBERS, LABELS),
    "kernelized, precomputed": lambda: Kernelized(RCA(), "precomputed").fit(NUMBERS @ NUMBERS.T, LABELS),
    "rca": lambda: RCA().fit(NUMBERS, LABELS),
    "metric-learn:nca": lambda: metric_learn.NCA(max_iter=2).fit(NUMBERS, LABELS),
    "pair-classifier": lambda: PairClassifier(ITML(random_state=0)).fit(NUMBERS[PAIRS], [1, -1] * 3),
    "sklearn:FunctionTransformer": lambda: FunctionTransformer(feature_names_out="one-to-one").fit(NUMBERS),
    "sklearn:ColumnTransformer": lambda: ColumnTransformer([("kept", "passthrough", [0, 2])]).fit(NUMBERS),
    "sklearn:StandardScaler": lambda: StandardScaler().fit(NUMBERS),
}
"""Estimators with numbers of features in their files, by their tags."""


@pytest.mark.parametrize("made", WIDE)
@pytest.mark.parametrize("name", ["n_features_in_", "_n_features_out"])
@pytest.mark.parametrize("number", [2**62, 10**7])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_many_features_without_numbers_for_them(made, name, number, tmp_path):
    """Their names alone would take gigabytes."""
    tag = made if ":" in made else f"freemetric:{made.partition(',')[0]}"
    path = with_attribute(WIDE[made](), tag, name, number, tmp_path)
    with pytest.raises(ModelFileError) as caught:
        freemetric.load(path)
    assert_one_line(caught.value, path)


@pytest.mark.parametrize("number", [1, 4])
def test_a_kernelized_learner_has_as_many_columns_as_it_maps_to(number, tmp_path):
    model = Kernelized(RCA(2), random_state=0).fit(NUMBERS, LABELS)
    path = with_attribute(model, "freemetric:kernelized", "_n_features_out", number, tmp_path)
    with pytest.raises(ModelFileError, match="_n_features_out of Kernelized is not what its learner maps to"):
        freemetric.load(path)
    assert through_file(model, tmp_path).get_feature_names_out().tolist() == ["kernelized0", "kernelized1"]


def colliding(n):
    """Different integers, all of one hash in Python."""
    found = [1 + i * (2**61 - 1) for i in range(n)]
    assert len(set(map(hash, found[:100]))) == 1
    return found


def test_a_dict_of_keys_with_one_hash(refused):
    """To build it would take many seconds, and four times as long for every twice as many keys."""
    began = time.process_time()
    assert "same hash" in refused(constant({"dict": [[key, 0] for key in colliding(20_000)]}))[0]
    assert time.process_time() - began < 5


def test_categories_with_one_hash(refused):
    """An encoder would look values up in a dict of them."""
    assert "same hash" in refused(constant({"objects": ["|O", [20_000], colliding(20_000)]}))[0]


def test_usual_keys_share_no_hash(rng):
    check_hashes([*range(-50_000, 50_000), *rng.standard_normal(50_000), *2.0 ** np.arange(-1000, 1000), "word", None])
    check_hashes([])
