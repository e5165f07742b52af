"""The small functions behind model files, each against a value found by hand."""

import numpy as np
import pytest

from freemetric import LEARNERS
from freemetric.files import atomic, codec
from freemetric.files import atomic as locks
from freemetric.files.codec import DEEPEST, Decoder, Encoder
from freemetric.files.container import as_json
from freemetric.files.estimators import _check_array, check_attributes


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [1, -float("inf")]}])
def test_what_json_has_no_words_for_is_not_written(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json(value)


def test_a_larger_file_may_ask_for_more():
    """Every byte of a file adds as many bytes as the last one did."""
    limits = [codec.limit(size) for size in (0, 1000, 2000)]
    assert limits[0] == codec.FREE_BYTES
    assert limits[1] - limits[0] == limits[2] - limits[1] == 1000 * codec.BYTES_PER_BYTE


def test_axes_of_one_name_have_one_length():
    lengths = {"d": 3}
    _check_array(np.ones((2, 3)), "a", ("n", "d"), lengths)
    _check_array(np.ones((5, 7)), "b", (".", "."), lengths)  # a dot is any length
    with pytest.raises(ValueError, match="c has shape"):
        _check_array(np.ones((4, 3)), "c", ("n", "d"), lengths)


def test_the_first_attribute_that_is_missing_is_named():
    model = LEARNERS["pca"]()
    model.n_features_in_ = 2
    with pytest.raises(ValueError, match="without its attribute 'first_'"):
        check_attributes(model, ("first_", "n_features_in_", "last_"))


@pytest.mark.skipif(locks.fcntl is None, reason="this system has no locks of that kind")
def test_a_lock_is_held_by_one(tmp_path):
    held = locks.take_lock(tmp_path / "lock")
    assert locks.take_lock(tmp_path / "lock") is None
    locks.release_lock(held)
    again = locks.take_lock(tmp_path / "lock")
    assert again is not None
    locks.release_lock(again)


def test_abandoned_drafts_are_removed(tmp_path):
    drafts = [tmp_path / f".model.fm.{digit * 32}.tmp" for digit in "0a"]
    others = [tmp_path / "model.fm", tmp_path / f".other.fm.{'0' * 32}.tmp"]
    for path in (*drafts, *others):
        path.write_bytes(b"")
    atomic.remove_abandoned_drafts(tmp_path / "model.fm")
    assert sorted(tmp_path.iterdir()) == sorted(others)


@pytest.mark.parametrize("value", ["2", 2.5, 0, -1])
def test_numbers_of_features_are_positive_integers(value, tmp_path):
    """A number that is no integer is as wrong as an integer that is not positive."""
    model = LEARNERS["pca"]().fit(np.arange(6.0).reshape(3, 2))
    model.n_features_in_ = value
    with pytest.raises(ValueError, match="n_features_in_"):
        model.save(tmp_path / "model.fm")


def nested(depth):
    """An array of objects within arrays of objects, so many of them around a number."""
    value = 1.5
    for _ in range(depth):
        box = np.empty(1, dtype=object)
        box[0] = value
        value = box
    return value


def test_arrays_of_objects_may_be_as_deep_as_lists():
    for depth in (1, DEEPEST // 2 + 1, DEEPEST - 1):
        encoder = Encoder()
        tree = encoder.encode(nested(depth))
        found = Decoder(encoder.arrays, 1 << 20).decode(tree)
        for _ in range(depth):
            (found,) = found
        assert found == 1.5
