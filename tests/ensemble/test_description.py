"""What a fit says of itself, where votes are given by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from freemetric.learners.free_energy import description
from freemetric.metrics import Voters

VOTES = {10: 0.50, 20: 0.56, 40: 0.60, None: 0.64}
"""What each shortlist lets the first of two classes have; None: all voters."""


class Poll:
    """Voters that were asked already."""

    def shares(self, X, size, device):
        return np.full((len(X), 2), [VOTES[size], 1 - VOTES[size]])

    def recall(self, X, size):
        return size / 100


@pytest.mark.parametrize(
    ("all_asked", "most_changed", "size"),
    [
        (300, 0.01, 40),  # the longest, where none is as good as all voters
        (300, 0.05, 40),
        (300, 0.09, 20),
        (300, 0.20, 10),
        (299, 0.05, 20),  # of so many voters the longest stands for all
        (299, 0.20, 10),
    ],
)
def test_the_smallest_shortlist_that_hardly_changes_the_votes(all_asked, most_changed, size, monkeypatch):
    monkeypatch.setattr(description, "SHORTLISTS", (10, 20, 40, 200))
    monkeypatch.setattr(description, "ALL_ASKED", all_asked)
    voters = Voters(np.arange(300.0)[:, None], np.zeros(300, dtype=int), 2)
    committee = SimpleNamespace(voters=voters, most_changed=most_changed, poll=Poll)
    assert description._shortlist(committee) == {"shortlist_": size, "shortlist_recall_": size / 100}


@pytest.mark.parametrize(
    ("shortlist", "rows"), [(None, None), ("auto", 128), (200, 200), (3, 32)], ids=["all", "auto", "200", "too few"]
)
def test_as_many_rows_are_asked_as_vote(shortlist, rows):
    assert description.rows_asked(shortlist, 128, SimpleNamespace(n_neighbors=32)) == rows
