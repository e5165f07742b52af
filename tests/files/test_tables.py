"""Tables in files that become indices of compiled code, which would read and write wherever they point."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import MissingIndicator
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, QuantileTransformer

import freemetric
from freemetric import mc
from freemetric.files import ModelFileError, save
from freemetric.metrics import VIEWS

from .tampering import new_array, resealed
from .test_damaged import assert_one_line

NUMBERS = np.arange(24)[:, None] % 6
RARE = OneHotEncoder(max_categories=4, sparse_output=False, handle_unknown="infrequent_if_exist")


@pytest.fixture
def refused(tmp_path):
    """What is said of the file of a model in which one attribute is another one; a function makes it with arrays."""

    def load(model, key, value):
        def edit(header, tree, arrays):
            tree["object"][1][key] = value(arrays) if callable(value) else value

        save(model, tmp_path / "a.model")
        path = resealed(tmp_path / "a.model", tmp_path / "altered.model", edit)
        with pytest.raises(ModelFileError) as caught:
            freemetric.load(path)
        assert_one_line(caught.value, path)
        return str(caught.value)

    return load


def one(array):
    """A list of one array."""
    return lambda arrays: [new_array(arrays, array)]


TABLES = {
    "complex numbers": (one(np.array([3 + 1j, 2, 1])), "no numbers or texts"),
    "falling complex numbers": (one(np.arange(6)[::-1] * (1 + 1j)), "no numbers or texts"),
    "falling numbers": (one(np.arange(6.0)[::-1]), "unsorted"),
    "falling integers": (one(np.arange(6)[::-1]), "unsorted"),
    "falling small integers": (one(np.array([3, 1, 2], dtype=np.uint8)), "unsorted"),
    "falling truth values": (one(np.array([True, False])), "unsorted"),
    "falling halves": (one(np.array([2, 1], dtype=np.float16)), "unsorted"),
    "falling numbers of the other byte order": (one(np.array([256, 1], dtype=">i4")), "unsorted"),
    "a gap before a number": (one(np.array([1.0, np.nan, 2.0])), "unsorted"),
    "a gap first": (one(np.array([np.nan, 1.0])), "unsorted"),
    "a matrix": (one(np.arange(6.0)[:, None]), "no numbers or texts"),
    "a number": (one(np.array(1.0)), "no numbers or texts"),
    "nothing": (one(np.empty(0)), "no numbers or texts"),
    "no texts": ([{"objects": ["<U1", [0], []]}], "no numbers or texts"),
    "objects in falling order": ([{"objects": ["O", [3], ["a", 3, 1]]}], "unsorted"),
    "objects that floats cannot tell apart": ([{"objects": ["O", [2], [2**53 + 1, 2**53]]}], "unsorted"),
    "objects with a gap between": ([{"objects": ["O", [3], [1, {"float": "nan"}, 2]]}], "unsorted"),
    "objects with a gap first": ([{"objects": ["O", [2], [{"float": "nan"}, 1]]}], "unsorted"),
    "lists": ([{"objects": ["O", [1], [[1]]]}], "other objects"),
    "models": ([{"objects": ["O", [1], [{"object": ["freemetric:nca", {}]}]]}], "other objects"),
    "numbers of a type of their own": ([{"objects": ["O", [1], [{"scalar": ["<f4", 1.0]}]]}], "other objects"),
    "a list": ([[1, 2]], "no numbers or texts"),
    "none": (None, "no list of those of every feature"),
    "those of no feature": ([], "no list of those of every feature"),
    "those of two features": ([{"objects": ["<U1", [1], ["a"]]}] * 2, "no list of those of every feature"),
    "a tuple": ({"tuple": [{"objects": ["<U1", [1], ["a"]]}]}, "no list of those of every feature"),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("encoder", [OneHotEncoder(), RARE, OrdinalEncoder()], ids=["one hot", "rare", "ordinal"])
def test_categories(encoder, name, refused):
    table, said = TABLES[name]
    assert said in refused(encoder.fit(NUMBERS), "categories_", table)


def numbers(*values, dtype=int):
    return lambda arrays: [new_array(arrays, np.array(values, dtype=dtype))]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("_infrequent_indices", numbers(6)),
        ("_infrequent_indices", numbers(-1)),
        ("_infrequent_indices", numbers(0.0, dtype=float)),
        ("_infrequent_indices", numbers()),
        ("_infrequent_indices", [None]),
        ("_infrequent_indices", []),
        ("_infrequent_indices", None),
        ("_default_to_infrequent_mappings", numbers(0, 1, 2, 3, 3, 4)),
        ("_default_to_infrequent_mappings", numbers(0, 1, 2, 3, 3, -1)),
        ("_default_to_infrequent_mappings", numbers(0, 1, 2, 3, 3)),
        ("_default_to_infrequent_mappings", numbers(0, 1, 2, 3, 3, 3, 3)),
        ("_default_to_infrequent_mappings", numbers(0, 1, 2, 3, 3, 3, dtype=float)),
        ("_default_to_infrequent_mappings", [None]),
        ("_infrequent_enabled", False),
        ("_n_features_outs", [5]),
        ("_n_features_outs", [3]),
        ("_n_features_outs", [-1]),
        ("_n_features_outs", [4, 4]),
        ("_n_features_outs", {"tuple": [4]}),
        ("_n_features_outs", lambda arrays: new_array(arrays, np.array([4]))),
        ("_drop_idx_after_grouping", {"objects": ["O", [1], [4]]}),
        ("_drop_idx_after_grouping", {"objects": ["O", [1], [-1]]}),
        ("_drop_idx_after_grouping", {"objects": ["O", [1], [True]]}),
        ("_drop_idx_after_grouping", {"objects": ["O", [1], ["a"]]}),
        ("_drop_idx_after_grouping", {"objects": ["O", [1, 1], [0]]}),
        ("_drop_idx_after_grouping", {"objects": ["O", [2], [0, 0]]}),
        ("_drop_idx_after_grouping", {"objects": ["O", [1], [0]]}),  # then there are three columns, not four
        ("dtype", "<U999999"),
        ("dtype", "O"),
        ("dtype", {"type": "str"}),
        ("dtype", {"dtype": "<U9"}),
        ("dtype", "V8"),
        ("dtype", 8),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_tables_of_one_hot_encoders(key, value, refused):
    refused(RARE.fit(NUMBERS), key, value)


@pytest.mark.parametrize("dtype", ["<U999999", "S9", {"type": "str"}])
def test_encoded_cells_are_numbers(dtype, refused):
    assert "dtype of OrdinalEncoder" in refused(OrdinalEncoder().fit(NUMBERS), "dtype", dtype)


@pytest.mark.parametrize("features", [[3], [-1], [2**40], [0.5], [True]])
def test_features_of_indicators(features, refused):
    indicator = MissingIndicator().fit(np.where(np.eye(3), np.nan, 0.0))
    assert "features_ of" in refused(indicator, "features_", lambda arrays: new_array(arrays, np.array(features)))


@pytest.mark.parametrize("columns", [[3], [-1], [0.5], ["a"], [2**70]])
def test_columns_of_transformers(columns, refused):
    transformer = make_column_transformer((MinMaxScaler(), [0, 2]), remainder="drop").fit(np.eye(3))
    table = {"dict": [["minmaxscaler", columns]]}
    assert "columns of ColumnTransformer" in refused(transformer, "_transformer_to_input_indices", table)


def test_a_slice_of_columns_is_written_out(refused):
    """Or a few letters would be as many columns as one likes, times as many in the next transformer."""
    transformer = make_column_transformer(("passthrough", slice(0, None)), remainder="drop").fit(np.eye(3))
    assert "other columns than it lists" in refused(transformer, "n_features_in_", 99)
    listed = {"dict": [["passthrough", [0]], ["remainder", []]]}
    assert "other columns than it lists" in refused(transformer, "_transformer_to_input_indices", listed)
    one = {"tuple": ["passthrough", "passthrough", {"slice": [0, None, None]}]}
    assert "two transformers of one name" in refused(transformer, "transformers_", [one] * 100)


@pytest.mark.parametrize("key", ["quantiles_", "references_"])
@pytest.mark.parametrize("shape", [(9, 3), (10, 2), (10,), (9,), (0, 3), (0,)])
def test_tables_of_quantiles(key, shape, refused):
    transformer = QuantileTransformer(n_quantiles=10).fit(np.random.default_rng(0).random((30, 3)))
    if getattr(transformer, key).shape != shape:
        refused(transformer, key, lambda arrays: new_array(arrays, np.zeros(shape)))
    refused(transformer, key, lambda arrays: new_array(arrays, getattr(transformer, key) * 1j))


@pytest.mark.parametrize(
    "owner", [[0, 0, 2], [1, 1, 2], [0, 1, 0], [-1, 0, 1], [0, 1, 2**62], [0.0, 1.0, 2.0], [[0, 1, 2]], [0, 1], []]
)
def test_features_of_steps(owner, refused):
    view = VIEWS["steps"].of(np.arange(12.0).reshape(2, 6)[:, :3])
    assert view.owner.tolist() == [0, 1, 2]
    assert "owner of Steps" in refused(view, "owner", lambda arrays: new_array(arrays, np.array(owner)))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (np.random.MT19937, lambda place: place["state"].update(pos=10**6)),
        (np.random.MT19937, lambda place: place["state"].update(pos=-1)),
        (np.random.Philox, lambda place: place.update(buffer_pos=-1000)),
    ],
)
def test_places_in_random_streams(kind, change, tmp_path):
    energy = freemetric.energies.Confinement().bind(None, None)
    streams = mc.streams.Streams([np.random.Generator(kind(0))])
    chain = mc.Annealing().begin(streams, energy, np.eye(2)[None])
    state = chain.to_state()
    change(state["streams"][0])
    with pytest.raises(ValueError, match="stream"):
        type(chain).from_state(state)
