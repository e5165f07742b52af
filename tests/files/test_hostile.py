"""Files made with intent: the checksum is right, the content is not."""

import re
import time
import tracemalloc

import numpy as np
import pytest

from freemetric.files import ModelFileError

from .examples import fitted
from .tampering import altered, content_of, loaded, part_of, sealed, with_attribute
from .test_damaged import assert_one_line


def refused(content):
    """What is said of a file, in one line."""
    with pytest.raises(ModelFileError) as caught:
        loaded(content)
    assert_one_line(caught.value)
    return str(caught.value)


def with_node(node):
    """The file of a learner where a node is among what may be anything."""

    def edit(tree):
        part_of(tree, "freemetric.NCA")["energy_"] = node

    return altered("nca", edit)


CODE = ["os.system", "builtins.eval", "freemetric.load", "numpy.load", "", "NCA"]
CODE += ["freemetric.files.save", "sklearn.RandomForestClassifier", "freemetric.Energy"]


@pytest.mark.parametrize("tag", CODE)
def test_other_classes(tag):
    node = {"object": [tag, {"args": ["touch x"]}]}
    assert "an unknown class" in refused(with_node(node))
    assert "an unknown class" in refused(sealed(node))


NAMES = ["__class__", "__reduce__", "__dict__", "predict", "transform", "n_jobs"]


@pytest.mark.parametrize("name", [*NAMES, "extra_", "_extra", "memory", ""])
@pytest.mark.parametrize(
    ("example", "tag"),
    [
        ("nca", "freemetric.NCA"),
        ("classifier", "freemetric.TrainingSet"),
        ("votes-alone", "freemetric.Annealing"),
        ("columns", "sklearn.Pipeline"),
    ],
)
def test_attributes_that_a_class_does_not_have(example, tag, name):
    def edit(tree):
        part_of(tree, tag)[name] = 1

    assert f"an unknown part {name!r}" in refused(altered(example, edit))


NODES = [
    {"float": "1e999"},
    {"type": "os"},
    {"type": ["int"]},
    {"dtype": "O,O"},
    {"scalar": ["<f8", [2], [0]]},
    {"array": ["O", [1], [0]]},
    {"array": ["|V8", [0], [0]]},
    {"array": [">f8", [0], [0]]},
    {"array": ["<M8[s]", [0], [0]]},
    {"array": ["<f8", [2**70], [0]]},
    {"array": ["<f8", [-1, -1], [0, 1]]},
    {"array": ["<f8", [1.0], [0]]},
    {"array": ["<f8", [True], [0]]},
    {"array": ["<f8", [1], [0]]},  # there are no numbers left for it
    {"dtype": "V9999999999"},
    {"array": ["<f8", [0], []]},
    {"array": ["<f8", [0, 10**12], [0, 1]]},
    {"array": ["<U0", [10**12], [0]]},
    {"objects": [[2, 2], [1]]},
    {"objects": [[10**6 + 1, 0], []]},
    {"objects": [[-1, -1], [1]]},
    {"dict": [[[], 1]]},
    {"dict": [[1]]},
    {"unknown": 1},
    {"float": "nan", "type": "int"},
    {},
    2**60 + 1,
    {"object": ["freemetric.NCA", []]},
    {"object": [["freemetric.NCA"], {}]},
    {"object": ["freemetric.NCA"]},
    {"object": ["freemetric.NCA", {"max_iter": -1}]},
    {"object": ["freemetric.NCA", {"components_": None}]},
    {"object": ["freemetric.Member", {}]},
    {"object": ["freemetric.TrainingSet", {"X": None}]},
    {"object": ["sklearn.OneHotEncoder", {"categories_": []}]},
]


@pytest.mark.parametrize("node", NODES, ids=lambda node: str(node)[:40])
def test_nodes_that_are_none(node):
    refused(with_node(node))


SOUND = [1, {"tuple": [1]}, {"dict": [[1, 2]]}, {"object": ["freemetric.NCA", {}]}]
SOUND += [
    -(2**60),
    {"type": "int"},
    {"objects": [[0], []]},
    {"objects": [[10**6, 0], []]},
]


@pytest.mark.parametrize("node", SOUND)
def test_nodes_that_are_sound(node):
    """Or the test above would be about the place of its nodes."""
    loaded(with_node(node))


@pytest.mark.parametrize("depth", [600, 10**6])
def test_depth(depth):
    for start, end in (("[", "]"), ('{"tuple":[', "]}")):
        assert "recursion" in refused(sealed(start * depth + end * depth))


@pytest.mark.parametrize("tree", [None, 1, [], {"tuple": []}])
def test_roots_that_are_no_model(tree):
    assert "it holds no estimator" in refused(sealed(tree))


def test_roots_that_are_not_fitted():
    assert "not fitted" in refused(sealed({"object": ["freemetric.NCA", {}]}))


def test_messages_carry_no_control_characters():
    evil = "evil\n\x1b[2J\u2028\x07name" * 100

    def edit(tree):
        part_of(tree, "freemetric.NCA")[evil] = 1

    assert "evil" in refused(altered("nca", edit))
    assert "evil" in refused(with_node({"object": [evil, {}]}))


def far(array):
    array = array.copy()
    array.flat[-1] = 10**6
    return array


def negative(array):
    array = array.copy()
    array.flat[0] = -1
    return array


def narrow(array):
    return array[..., :-1].copy()


def wide(array):
    return np.concatenate([array, array[..., -1:]], axis=-1)


def short(array):
    return array[:, :-1].copy()


def as_objects(array):
    return array.astype(object)[::-1]


TREES = "BoostedTreesClassifier"
ENCODER = "OneHotEncoder"
READ_BY_COMPILED_CODE = [
    ("classifier", TREES, "features_", far, "features_ has numbers outside of 0 to 3"),
    ("classifier", TREES, "features_", negative, "features_ has numbers outside"),
    ("classifier", TREES, "features_", np.float64, "of Boosted.* is no array"),
    ("classifier", TREES, "features_", narrow, "thresholds_ of Boosted.* has shape"),
    ("classifier", TREES, "leaves_", short, "leaves_ are too many or too few"),
    ("classifier", TREES, "leaves_", narrow, "classes_ of Boosted.* has shape"),
    ("classifier", "Member", "maps", narrow, "has maps of another width"),
    ("classifier", "Member", "maps", wide, "has maps of another width"),
    ("classifier", "Member", "maps", lambda maps: maps.astype(int), "no array of 3"),
    ("classifier", "Member", "maps", lambda maps: maps[0], "no array of 3 axes"),
    ("classifier", "Scaled", "low", lambda low: low[:1], "has shape"),
    ("classifier", "Scaled", "span", narrow, "has shape"),
    ("classifier", "TrainingSet", "X", narrow, "cannot be read"),
    ("classifier", "TrainingSet", "X", lambda X: X.astype(object), "no array of 2"),
    ("classifier", "TrainingSet", "X", lambda X: X * np.nan, "not finite"),
    ("classifier", "TrainingSet", "weights", narrow, "has shape"),
    ("classifier", "Ensemble", "sizes", np.float64, "sizes of Ensemble is no array"),
    ("classifier", "Ensemble", "sizes", far, "sizes has numbers outside of 0 to 50"),
    ("classifier", "Ensemble", "sizes", negative, "sizes has numbers outside"),
    ("classifier", "Ensemble", "sizes", lambda sizes: sizes[::-1], "do not ascend"),
    ("classifier", "Ensemble", "sizes", lambda sizes: sizes - 1, "do not ascend"),
    ("regressor", "FreeEnergyRegressor", "n_features_in_", lambda d: d - 1, "features"),
    ("classifier", TREES, "n_features_in_", lambda d: d + 1, "of other features"),
    ("many-features", "Axes", "matrix", narrow, "has maps of another width"),
    ("metric-knn", "KNeighborsClassifier", "_y", far, "out of bounds|outside"),
    ("metric-knn", "KNeighborsClassifier", "_fit_X", narrow, "has shape"),
    ("metric-means", "KNeighborsRegressor", "_y", lambda y: y[:-1], "inconsistent"),
    ("columns", ENCODER, "_n_features_outs", lambda n: [n[0] - 1], "number of columns"),
    ("columns", ENCODER, "_n_features_outs", lambda n: [10**9], "number of columns"),
    ("columns", ENCODER, "categories_", lambda c: [c[0][::-1]], "do not ascend"),
    ("columns", ENCODER, "categories_", lambda c: [c[0] * (1 + 0j)], "complex128|none"),
    ("columns", ENCODER, "categories_", lambda c: [as_objects(c[0])], "ascend"),
    ("columns", ENCODER, "categories_", lambda c: c * 2, "too many"),
]


@pytest.mark.parametrize(
    ("example", "tag", "attribute", "change", "said"), READ_BY_COMPILED_CODE
)
def test_what_compiled_code_would_read(example, tag, attribute, change, said):
    try:
        content = with_attribute(example, tag, attribute, change)
    except ModelFileError as problem:  # not even this can be written
        message = str(problem)
    else:
        message = refused(content)
    assert re.search(said, message), message


def test_groups_of_categories():
    model = loaded(content_of(fitted("columns")[0]))
    rare = model[0].named_transformers_["onehotencoder-2"]
    groups = rare._default_to_infrequent_mappings
    rare._default_to_infrequent_mappings = [far(groups[0])]
    with pytest.raises(ModelFileError, match="groups of categories has numbers out"):
        content_of(model)


def test_places_are_counted_anew():
    """Numbers of places in a file would be read by compiled code."""

    def edit(tree):
        part_of(tree, "freemetric.TrainingSet")["point_of_row"] = [10**6]

    assert "an unknown part 'point_of_row'" in refused(altered("equal-rows", edit))


@pytest.mark.parametrize(
    ("array", "code"),
    [(np.zeros(3, dtype=bool), b"\x02"), (np.array(["abc"]), b"\x00\x00\x11\x00")],
)
def test_bits_that_are_no_values(array, code):
    """numpy counts on them, and reads behind the end of an array otherwise."""
    node = {"array": [array.dtype.str, list(array.shape), [0]]}
    for content in (array.tobytes(), code + array.tobytes()[len(code) :]):
        tree = {"object": ["freemetric.NCA", {"energy_": node}]}
        said = "with other bits" if content != array.tobytes() else "its attribute"
        assert said in refused(sealed(tree, content))


@pytest.mark.parametrize("number", [2**59, 2_000_000, 0, -1, 1.5, "4", None])
def test_numbers_of_features(number):
    """Their names alone would take gigabytes."""

    def edit(tree):
        part_of(tree, "sklearn.Normalizer")["n_features_in_"] = number

    assert "n_features_in_ of Normalizer is no" in refused(altered("normalizer", edit))


def test_too_many_categories_of_a_column():
    """Their square is memory."""

    def edit(tree):
        column = part_of(tree, "freemetric.CategoryColumn")
        column["categories"] = {"tuple": [str(i) for i in range(30_000)]}

    assert "too many categories" in refused(altered("table-classifier", edit))


def test_too_many_products():
    def edit(tree):
        part_of(tree, "sklearn.PolynomialFeatures")["_n_out_full"] = 10**9

    assert "_n_out_full of Polynomial" in refused(altered("polynomial", edit))


@pytest.mark.parametrize(
    "node",
    [
        {"array": ["<f8", [10**8], [0]]},
        {"array": ["<U999999", [60], [0]]},
        {"array": ["<f8", [0, 10**9], [0, 1]]},
        {"objects": [[10**10], []]},
        [{"array": ["<f8", [16], [0]]}] * 5000,
    ],
    ids=range(5),
)
def test_sizes_are_bounded_before_memory_is_taken(node):
    content = with_node(node)
    tracemalloc.start()
    try:
        refused(content)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < 2**20 + 30 * len(content)


def test_keys_of_one_hash():
    """A dict of them would take a time that grows with their square."""
    colliding = [1 + i * (2**61 - 1) for i in range(20_000)]
    keys = {"dict": [[key, 0] for key in colliding]}
    began = time.process_time()
    for node in (keys, {"objects": [[20_000], colliding]}):
        assert "too large" in refused(with_node(node))
    assert time.process_time() - began < 5
