"""How many samples a batch has."""

import pytest

from freemetric.learners.validation import BATCH, UNBATCHED, rows_per_batch


@pytest.mark.parametrize(
    ("batch_size", "n_samples", "expected"),
    [
        (None, UNBATCHED, None),
        (None, UNBATCHED + 1, BATCH),
        (500, 500, None),
        (500, 501, 500),
        (10**9, UNBATCHED + 1, None),
    ],
)
def test_batches_of_as_many_samples_as_asked(batch_size, n_samples, expected):
    assert rows_per_batch(batch_size, n_samples) == expected


def test_a_learner_may_need_batches_later():
    assert rows_per_batch(None, UNBATCHED + 1, most=2 * UNBATCHED) is None
    assert rows_per_batch(None, 2 * UNBATCHED + 1, most=2 * UNBATCHED, usual=9) == 9
