"""Files made with intent: the checksum is right, the content is not. Nothing runs, nothing crashes."""

import contextlib
import json
import random

import numpy as np
import pytest

import freemetric
from freemetric.files import ModelFileError, save

from .tampering import nodes, npy, part_of, resealed, state_of
from .test_damaged import assert_one_line

CODE = ["os.system", "subprocess.Popen", "builtins.eval", "builtins.exec", "posix.system", "freemetric.load"]
CODE += ["sklearn.preprocessing._function_transformer.FunctionTransformer", "numpy.load", "freemetric.LEARNERS", ""]
CODE += ["freemetric.files.model.save", "sklearn.neighbors.KNeighborsClassifier", "freemetric.energies.base.Energy"]
CODE += [
    "freemetric.NCA",
    "sklearn.pipeline.Pipeline",
    "freemetric:NCA",
    "freemetric:",
    "nca",
    "sklearn:KNeighborsClassifier",
]


NEIGHBORS = "freemetric:metric-k-neighbors-classifier"


class Touch:
    """Unpickled, it leaves a file behind."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.fixture(scope="module")
def saved(pipeline, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "pipeline.model"
    save(pipeline, path)
    return path


@pytest.fixture
def altered(saved, tmp_path):
    """Load the pipeline's file after an edit of its tree; the message must be one line."""

    def load(edit, source=saved):
        path = resealed(source, tmp_path / "altered.model", edit)
        with pytest.raises(ModelFileError) as caught:
            freemetric.load(path)
        assert_one_line(caught.value, path)
        return str(caught.value)

    return load


def at(place, value):
    """An edit that puts a value into the tree, which begins as {"object": [tag, state]}."""

    def edit(header, tree, arrays):
        node = tree
        for step in place[:-1]:
            node = node[step]
        node[place[-1]] = value

    return edit


def fitted(tag, key, value):
    """An edit of the first fitted object of a kind."""

    def edit(header, tree, arrays):
        state_of(tree, tag)[key] = value

    return edit


def anywhere(node):
    """An edit that puts a node where a dict may hold anything."""
    return fitted("sklearn:FunctionTransformer", "kw_args", {"dict": [["a", node]]})


@pytest.mark.parametrize("tag", CODE)
def test_other_classes_are_refused(tag, altered):
    assert "nobody has registered" in altered(anywhere({"object": [tag, {"args": ["touch x"]}]}))
    assert "nobody has registered" in altered(at(("object", 0), tag))


@pytest.mark.parametrize("name", ["__class__", "__reduce__", "__dict__", "predict", "fit", "classes_", "named_steps"])
def test_attributes_do_not_hide_what_a_class_does(name, altered):
    assert "hides" in altered(at(("object", 1, name), {"object": ["mc:constant", {}]}))


@pytest.mark.parametrize("name", ["extra", "extra_", "_extra", "n_samples_seen_", "memory_", ""])
@pytest.mark.parametrize("tag", ["sklearn:OneHotEncoder", "sklearn:Pipeline", "freemetric:dmlfe", "mc:annealing"])
def test_attributes_that_a_class_does_not_have(tag, name, altered):
    def edit(header, tree, arrays):
        part_of(tree, tag)[name] = 1

    assert f"an attribute {name!r}, which its fit is not known to set" in altered(edit)


@pytest.mark.parametrize("place", [0, 3, -1])
def test_pickles_among_the_arrays_stay_closed(place, altered, tmp_path):
    sentinel = tmp_path / "sentinel"

    def edit(header, tree, arrays):
        arrays[place] = npy(np.array([Touch(sentinel)], dtype=object), allow_pickle=True)

    assert "dtype object" in altered(edit)
    assert not sentinel.exists()


@pytest.mark.parametrize(
    "array",
    [
        npy(np.zeros(3, dtype="U4")),
        npy(np.zeros(3, dtype=[("a", "f8")])),
        npy(np.zeros(3, dtype="M8[s]")),
        npy(np.zeros(3)) + b"more",
        npy(np.zeros(3))[:-1],
        npy(np.zeros(3)).replace(b"(3,)", b"(9,)"),
        npy(np.zeros(300)).replace(b"(300,)", b"(-99,)"),
        npy(np.zeros(3)).replace(b"(3,), }     ", b"(3,2**62,)}"),
        npy(np.zeros(1)).replace(b"(1,), }                 ", b"(9999999999999999,), }  "),
        npy(np.zeros(3, dtype=bool))[:-3] + b"\x02\x00\xff",
        b"\x93NUMPY\x03\x00" + bytes(100),
        b"",
    ],
    ids=range(12),
)
def test_arrays_that_are_none(array, altered):
    def edit(header, tree, arrays):
        arrays[0] = array

    altered(edit)


@pytest.mark.parametrize(
    "node",
    [
        {"float": "1e999"},
        {"type": "os"},
        {"type": ["int"]},
        {"dtype": "O,O"},
        {"dtype": "V9999999999"},
        {"dtype": "<U5"},
        {"scalar": ["<f8", {"tuple": []}]},
        {"scalar": ["<i1", 1000]},
        {"slice": [1, {"object": ["os.system", {}]}, 2]},
        {"slice": [1]},
        {"array": [10**6, []]},
        {"array": [True, []]},
        {"array": [0, [7]]},
        {"array": ["0", []]},
        {"objects": ["O", [2, 2], [1]]},
        {"objects": ["O", [-1, -1], [1]]},
        {"objects": ["<U999999", [1000], ["a"] * 1000]},
        {"objects": ["<f8", [1], [1.0]]},
        {"objects": ["<U1", [1], [5]]},
        {"random_state": [[0] * 624, 10**6, 0, 0.0]},
        {"random_state": [[0] * 3, 0, 0, 0.0]},
        {"random_state": [[-1] * 624, 0, 0, 0.0]},
        {"dict": [[[], 1]]},
        {"dict": {"a": 1}},
        {"unknown": 1},
        {"float": "nan", "type": "int"},
        {},
        {"object": ["freemetric:nca", []]},
        {"object": [["freemetric:nca"], {}]},
        {"object": ["freemetric:metric-k-neighbors-classifier", {}]},
        {"object": ["freemetric:nca", {"max_iter": -1}]},
        {"object": ["freemetric:nca", {"components_": None}]},
        {"object": ["freemetric:candidate", {}]},
        {"object": ["freemetric:nca"]},
        {"object": "freemetric:nca"},
    ],
    ids=lambda node: str(node)[:40],
)
def test_nodes_that_are_none(node, altered):
    altered(anywhere(node))


@pytest.mark.parametrize(
    "node", [1, {"tuple": [1]}, {"dict": [[1, 2]]}, {"object": ["freemetric:nca", {}]}, {"dtype": "O"}], ids=str
)
def test_nodes_that_are_some(node, saved, tmp_path):
    """Or the test above would be about the place of its nodes."""
    freemetric.load(resealed(saved, tmp_path / "altered.model", anywhere(node)))


def test_depth(altered):
    deep = []
    for _ in range(200):
        deep = [deep]
    assert "deep" in altered(anywhere(deep))
    altered(lambda header, tree, arrays: (header, b"[" * 10**6 + b"]" * 10**6, arrays))
    altered(lambda header, tree, arrays: (header, b'{"object":' * 10**5, arrays))


@pytest.mark.parametrize("tree", [None, 1, [], {}, {"tuple": []}, {"object": ["freemetric:nca", {}]}])
@pytest.mark.parametrize("tag", ["sklearn:Pipeline", "freemetric:nca", "mc:constant"])
def test_roots_that_are_no_model(tree, tag, altered):
    altered(lambda header, _, arrays: (header | {"class": tag}, json.dumps(tree).encode(), arrays))


@pytest.mark.parametrize("tag", ["sklearn:Pipeline", "mc:linear", "", None, 1])
def test_roots_of_another_class_than_the_header_says(tag, altered):
    tree = {"object": ["mc:constant", {"temperature": 1.0}]}
    altered(lambda header, _, arrays: (header | {"class": tag}, json.dumps(tree).encode(), arrays))


@pytest.mark.parametrize(
    ("tag", "key", "value", "said"),
    [
        ("sklearn:Pipeline", "memory", "/somewhere/else", "cache"),
        ("sklearn:FunctionTransformer", "func", {"type": "str"}, "function"),
        ("sklearn:FunctionTransformer", "func", {"object": ["mc:constant", {}]}, "function"),
        ("sklearn:FunctionTransformer", "inverse_func", {"type": "str"}, "function"),
        ("sklearn:MinMaxScaler", "scale_", 1.0, "scale_ of MinMaxScaler is not an array"),
        ("sklearn:MinMaxScaler", "min_", {"objects": ["O", [2], ["a", "b"]]}, "min_ of MinMaxScaler holds no numbers"),
        ("sklearn:StandardScaler", "n_features_in_", 2, "does not fit"),
        ("sklearn:StandardScaler", "n_features_in_", "2", "n_features_in_"),
        ("sklearn:SimpleImputer", "indicator_", {"object": ["freemetric:nca", {}]}, "indicator_ of SimpleImputer"),
        ("freemetric:dmlfe", "n_features_in_", 3, "does not fit"),
        ("freemetric:dmlfe", "_n_features_out", 99, "does not fit"),
        ("freemetric:dmlfe", "components_", {"float": "nan"}, "not an array"),
        ("freemetric:dmlfe", "sampler", {"object": ["mc:constant", {"temperature": 1}]}, "sampler"),
        (NEIGHBORS, "n_neighbors_", 0, "n_neighbors_"),
        (NEIGHBORS, "n_neighbors_", 61, "n_neighbors_"),
        (NEIGHBORS, "classes_", {"objects": ["<U1", [1], ["a"]]}, "training_set_"),
        (NEIGHBORS, "training_set_", None, "training_set_"),
    ],
)
def test_parts_that_do_not_fit(tag, key, value, said, altered):
    if tag == "sklearn:Pipeline":
        assert said in altered(at(("object", 1, key), value))
    else:
        assert said in altered(fitted(tag, key, value))


@pytest.mark.parametrize("key", ["components_", "n_features_in_"])
def test_missing_attributes(key, altered):
    def edit(header, tree, arrays):
        del state_of(tree, "freemetric:dmlfe")[key]

    assert f"without its attribute '{key}'" in altered(edit)


def test_numbers_that_are_not_finite(learner, altered, tmp_path):
    def edit(header, tree, arrays):
        arrays[tree["object"][1]["components_"]["array"][0]] = npy(np.full((4, 4), np.nan))

    learner.save(tmp_path / "learner.model")
    assert "not finite" in altered(edit, tmp_path / "learner.model")


@pytest.mark.parametrize("notes", [None, [], "text"])
def test_notes_that_are_none(notes, altered):
    assert "notes" in altered(lambda header, tree, arrays: (header | {"about": notes}, tree, arrays))


def test_messages_carry_no_control_characters(altered):
    evil = "evil\n\x1b[2J\u2028\x07name" * 100
    later = {"version": 99, "freemetric": evil}
    assert "evil" in altered(lambda header, tree, arrays: (header | later, tree, arrays))
    assert "evil" in altered(at(("object", 0), evil))
    assert "evil" in altered(at(("object", 1, evil), 1))


VALUES = [None, True, -1, 2**70, 1e308, "", "auto", [], {}, {"tuple": []}, {"dict": []}, {"float": "nan"}]
VALUES += [{"array": [0, []]}, {"array": [1, [0]]}, {"object": ["freemetric:nca", {}]}, {"objects": ["O", [0], []]}]


@pytest.mark.filterwarnings("ignore")  # of models that can be loaded and make no sense
@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 20))])
def test_random_edits(seed, saved, table, tmp_path):
    """Whatever can be loaded fails in Python, not below it."""
    rng = random.Random(seed)
    for i in range(20):

        def edit(header, tree, arrays):
            for _ in range(rng.choice([1, 1, 3])):
                node = rng.choice([node for node in nodes(tree) if node] or [{"": None}])
                key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
                if rng.random() < 0.2:
                    del node[key]
                else:
                    node[key] = rng.choice(VALUES)

        path = resealed(saved, tmp_path / f"{i}.model", edit)
        try:
            model = freemetric.load(path)
        except ModelFileError as problem:
            assert_one_line(problem, path)
            continue
        with contextlib.suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            model.predict(table[0])
