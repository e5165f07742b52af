"""What files are made of, part by part: depths, budgets, attributes, locks."""

import numpy as np
import pytest

from freemetric import RCA
from freemetric.files.budget import BYTES_PER_BYTE, FREE_BYTES, Budget
from freemetric.files.container import as_json
from freemetric.files.decoder import Decoder
from freemetric.files.encoder import DEEPEST
from freemetric.files.estimators import _check_array, _check_fitted, check_attributes
from freemetric.files.locks import release_lock, take_lock


@pytest.mark.parametrize(
    "around",
    [
        lambda node: [node],
        lambda node: {"tuple": [node]},
        lambda node: {"dict": [[0, node]]},
        lambda node: {"objects": ["|O", [1], [node]]},
    ],
    ids=["list", "tuple", "dict", "objects"],
)
def test_every_level_counts_once(around):
    node = 1
    for _ in range(DEEPEST):
        node = around(node)
    Decoder([], 0).decode(node)
    with pytest.raises(ValueError, match="nested too deeply"):
        Decoder([], 0).decode(around(node))


@pytest.mark.parametrize("file_bytes", [0, 1, 10**6])
def test_a_file_may_ask_for_so_many_times_its_size(file_bytes):
    most = FREE_BYTES + BYTES_PER_BYTE * file_bytes
    read, written = Budget(file_bytes), Budget()
    for budget in (read, written):
        budget.spend(most)
    written.settle(file_bytes)
    with pytest.raises(ValueError, match="more memory than a file of this size"):
        read.spend(1)
    written.spend(1)
    with pytest.raises(ValueError, match="more memory than its file"):
        written.settle(file_bytes)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_json_has_no_such_numbers(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"a": [number]})


@pytest.mark.parametrize("number", [0, -2, np.int64(0), 2.0, "2", None])
def test_numbers_of_features_that_cannot_be(number):
    _check_fitted(RCA(), {"n_features_in_": 2}, {})
    with pytest.raises(ValueError, match="n_features_in_ of RCA is"):
        _check_fitted(RCA(), {"n_features_in_": number}, {})


def test_lengths_of_one_name_are_equal():
    """A dot stands for any length."""
    lengths = {"d": 3}
    _check_array(np.zeros((2, 3)), "A", "pd", lengths)
    for length in (4, 5):
        _check_array(np.zeros((length, 2)), "B", ".p", lengths)
    for array, axes in ((np.zeros((2, 4)), "pd"), (np.zeros((1, 3)), "pd"), (np.zeros((5, 3)), ".p")):
        with pytest.raises(ValueError, match=r"C has shape .* which does not fit"):
            _check_array(array, "C", axes, lengths)


def test_the_first_attribute_that_is_missing_is_named():
    model = RCA()
    check_attributes(model, ("b_", "a_", "c_"))  # not fitted
    model.b_ = 1
    with pytest.raises(ValueError, match="RCA without its attribute 'a_'"):
        check_attributes(model, ("b_", "a_", "c_"))


def test_a_lock_has_one_holder(tmp_path):
    pytest.importorskip("fcntl")
    first = take_lock(tmp_path / "lock")
    assert take_lock(tmp_path / "lock") is None
    release_lock(first)
    release_lock(take_lock(tmp_path / "lock"))
