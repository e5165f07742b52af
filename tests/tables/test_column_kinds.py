"""The matrix of column kinds: each cell is sensible, warned of, or a clear error."""

import re
from pathlib import Path

import numpy as np
import pytest

from .column_kinds import BITS, DATES, KINDS, TRUTH, WORDS, fitted, outcome, page_table

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "tables.md"
ERROR = r"Column 'c', row \d+: it holds '.+', and the column held .+ in fit\."
PAIRS = [(fit, new) for fit in KINDS for new in KINDS]


def test_the_page_shows_what_happens():
    assert "\n".join(page_table()) in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("fit", "new"), PAIRS)
def test_an_outcome_is_right(fit, new):
    what, features, message = outcome(fit, new)
    if what == "error":
        assert new != fit
        assert re.fullmatch(ERROR, message)
        return
    assert ("Column 'c'" in message) == ("warning" in what)
    if what in ("number", "number, warning"):
        # Where a comma was the decimal mark, "$5,126" is read so, with a warning.
        scale = 1000 if (fit, new) == ("comma", "money") else 1
        np.testing.assert_allclose(features[:, 0] * scale, TRUTH[new])
    elif what == "date":
        days = (DATES - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
        np.testing.assert_allclose(features[:, 0], days)
    elif fit in ("text", "category") and new in ("text", "category"):
        expected = WORDS[:, None] == ["blue", "green", "red"]
        np.testing.assert_array_equal(features, expected)
    elif what == "left out":
        assert features.shape == (len(BITS), 0)


@pytest.mark.parametrize("fit", KINDS)
def test_gaps_of_a_column_are_its_median_or_a_category_of_none(fit):
    what, features, _ = outcome(fit, "gaps")
    encoder = fitted(fit)
    if encoder.kinds_.get("c") == "number":
        np.testing.assert_allclose(features[:, 0], np.median(TRUTH[fit]))
    elif fit in ("text", "category"):
        assert not features.any()
    else:
        assert what in ("gap", "left out")
