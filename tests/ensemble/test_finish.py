"""What a fit says of itself, where votes are given by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from freemetric import Recipe
from freemetric.ensemble import finish
from freemetric.metrics import ClassEncoding, TrainingSet

VOTES = {10: 0.50, 20: 0.56, 40: 0.60, None: 0.64}
"""What each shortlist lets the first of two classes have; None: all training samples."""


class KnownIndex:
    """Votes that are known already."""

    def shares(self, X, size, device):
        return np.full((len(X), 2), [VOTES[size], 1 - VOTES[size]])

    def recall(self, X, size):
        return size / 100


@pytest.mark.parametrize(
    ("all_tried", "most_changed", "size"),
    [
        (300, 0.01, 40),  # the longest, where none is as good as all samples
        (300, 0.05, 40),
        (300, 0.09, 20),
        (300, 0.20, 10),
        (299, 0.05, 20),  # of so many samples the longest stands for all
        (299, 0.20, 10),
    ],
)
def test_the_smallest_shortlist_that_hardly_changes_the_votes(all_tried, most_changed, size, monkeypatch):
    monkeypatch.setattr(finish, "LONG", 1)
    recipe = Recipe(shortlist=(10, 20, 40, 200), shortlist_all=all_tried)
    training_set = TrainingSet(np.arange(300.0)[:, None], np.zeros(300, dtype=int), ClassEncoding(2))
    head = SimpleNamespace(most_changed=most_changed)
    ensemble = SimpleNamespace(training_set=training_set, head=head, index=KnownIndex)
    assert finish._shortlist(ensemble, recipe) == {"shortlist_": size, "shortlist_recall_": size / 100}


@pytest.mark.parametrize(("n", "most_changed", "size"), [(300, 0.20, 20), (300, 0.30, 10), (256, 0.30, 256)])
def test_short_shortlists_change_less_and_few_samples_need_none(n, most_changed, size, monkeypatch):
    monkeypatch.setattr(finish, "LONG", 20)  # of ten samples half as much may change
    training_set = TrainingSet(np.arange(float(n))[:, None], np.zeros(n, dtype=int), ClassEncoding(2))
    head = SimpleNamespace(most_changed=most_changed)
    ensemble = SimpleNamespace(training_set=training_set, head=head, index=KnownIndex)
    assert finish._shortlist(ensemble, Recipe(shortlist=(10, 20, 40)))["shortlist_"] == size


@pytest.mark.parametrize(
    ("shortlist", "size"),
    [(None, None), ((128, 256), 128), (200, 200), (3, 32)],
    ids=["all", "one of two", "200", "too few"],
)
def test_as_many_samples_are_looked_at_as_vote(shortlist, size):
    assert finish.samples_looked_at(Recipe(shortlist=shortlist), 128, SimpleNamespace(n_neighbors=32)) == size
