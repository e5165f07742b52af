"""Bags, the choice of candidates, and their weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from freemetric.ensemble.sampling import Bags
from freemetric.ensemble.search import (
    Candidate,
    listed_in,
    sample_replicas,
    scored_samples,
    selection_weights,
    stratified_part,
)
from freemetric.ensemble.tasks import ClassTask, TargetTask


def test_numbers_are_learned_from_the_target_and_not_from_its_square(rng):
    y = rng.normal(size=20)
    task = TargetTask(np.column_stack([y, y**2]), None)
    bags = np.array([[0, 3, 5], [7, 8, 1]])
    assert_array_equal(task.targets(bags)[..., 0], y[bags])
    assert_allclose(task.losses(np.zeros((1, 3, 2)), bags[0]), [y[bags[0]] ** 2])


@pytest.mark.parametrize("size", [6, 30, 1000])
def test_bags_have_their_share_of_every_stratum(rng, size):
    strata = np.repeat([0, 1, 2], [100, 40, 10])
    for bag in Bags(rng, strata, size).draw(7):
        assert len(np.unique(bag)) == len(bag)
        found = np.bincount(strata[bag])
        share = min(0.5, size / 150)
        assert_array_equal(found, [max(2, round(share * n)) for n in (100, 40, 10)])


def test_the_second_of_two_halves_is_the_complement(rng):
    strata = np.repeat([0, 1], [60, 20])
    first, second = Bags(rng, strata, 80).draw(2)
    assert_array_equal(np.sort(np.append(first, second)), np.arange(80))


def test_all_samples_are_left_out_equally_often(rng):
    strata = np.repeat([0, 1], [61, 23])
    bags = Bags(rng, strata, 21).draw(40)
    n_inside = np.bincount(bags.ravel(), minlength=84)
    for stratum in (0, 1):
        own = n_inside[strata == stratum]
        share = own.mean() / 40
        assert own.std() < 0.6 * np.sqrt(40 * share * (1 - share))  # of a coin


@pytest.mark.parametrize("sizes", [[1, 5], [2, 3]])
def test_strata_of_one_or_two_samples_are_in_every_bag(rng, sizes):
    strata = np.repeat([0, 1], sizes)
    bags = Bags(rng, strata, 4).draw(6)
    assert all(np.isin(np.arange(sizes[0]), bag).all() for bag in bags)


def test_a_stratified_part_has_the_shares_of_the_whole(rng):
    strata = rng.permutation(np.repeat([0, 1, 2], [700, 299, 1]))
    part = stratified_part(strata, 100, rng)
    assert_array_equal(np.bincount(strata[part]), [70, 30, 1])
    assert (np.diff(part) > 0).all()


@pytest.mark.parametrize(
    ("n_numbers", "most"), [(10, 2000), (1 << 16, 512), (1e9, 100)]
)
def test_votes_of_many_numbers_score_fewer_samples(rng, n_numbers, most):
    strata = np.zeros(5000, dtype=int)
    assert len(scored_samples(strata, int(n_numbers), rng)) == most


def test_energies_of_larger_bags_look_at_more_neighbours():
    assert [listed_in(size) for size in (10, 250, 500, 4000)] == [16, 16, 32, 64]


class StandIn:
    """A search whose candidates vote as they are said to."""

    def __init__(self, task, weights, quality=None):
        self.task = task
        self.scored = np.arange(len(weights))
        self.sizes = [1, 4]
        self.training_set = self
        self.weights = weights
        self.quality = quality

    def __len__(self):
        return len(self.weights)

    def votes(self, candidate):
        share = self.quality[candidate.view, candidate.bag_size > 250]
        truth = np.eye(2)[self.task.y]
        return np.array([share * truth + (1 - share) / 2, np.full_like(truth, 0.5)])

    def sample(self, candidates, n_replicas):
        for candidate in candidates:
            candidate.maps = [*candidate.maps, *[np.ones((1, 2))] * n_replicas]
            candidate.sums = candidate.sums + n_replicas * self.votes(candidate)
            candidate.n_votes = candidate.n_votes + np.full(len(self), n_replicas)

    def score_without_learning(self, candidate):
        self.sample([candidate], 1)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_weights_are_boltzmann_factors_of_brier_scores(rng, is_weighted):
    y = rng.integers(0, 2, 400)
    weights = rng.uniform(0.1, 3, 400) if is_weighted else np.ones(400)
    search = StandIn(ClassTask(y, 2, None), weights)
    noises, shares = (0.3, 0.31, 0.6), []
    for noise in noises:
        P = np.clip(y + noise * rng.normal(size=(2, 400)), 0, 1)
        shares.append(np.stack([1 - P, P], axis=2))
    counts = np.full(400, 3)
    candidates = [Candidate("scaled", "full", 9, [], 3 * P, counts) for P in shares]
    found = selection_weights(search, candidates)
    truth = np.eye(2)[y]
    losses = ((np.array(shares) - truth) ** 2).sum(axis=3) / 2
    brier = np.average(losses, axis=2, weights=weights)
    n = weights.sum() ** 2 / (weights**2).sum()
    error = np.sqrt(brier.min() * (1 - brier.min()) / n) + 0.5 / n
    known = np.exp(-2 * (brier - brier.min()) / error)
    known[known < 0.005 * known.sum()] = 0
    assert_allclose(found, known / known.sum(), rtol=1e-9)
    assert (found[2] == 0).all()


def test_weights_are_equal_where_nothing_is_out_of_bag():
    search = StandIn(ClassTask(np.array([0, 1]), 2, None), np.ones(2))
    nothing = np.zeros((2, 2, 2)), np.zeros(2, int)
    candidate = Candidate("scaled", "full", 2, [], *nothing)
    assert_allclose(selection_weights(search, [candidate] * 3), np.full((3, 2), 1 / 6))


def test_the_loss_of_targets_is_the_squared_error(rng):
    values = rng.normal(size=(30, 3))
    votes = rng.normal(size=(4, 9, 3))
    rows = np.arange(9) * 3
    found = TargetTask(values, None).losses(votes, rows)
    assert_allclose(found, (votes[:, :, 0] - values[rows, 0]) ** 2)


@pytest.mark.parametrize(("is_better", "n_of_larger"), [(True, 28), (False, 4)])
def test_larger_bags_get_the_replicas_where_they_are_better(
    rng, is_better, n_of_larger
):
    y = rng.integers(0, 2, 2000)
    quality = {("a", False): 0.5, ("b", False): 0.8, ("b", True): 0.5}
    if is_better:
        quality["b", True] = 0.95
    search = StandIn(ClassTask(y, 2, None), np.ones(2000), quality)
    learners = [Candidate("a", "full", 250), Candidate("b", "diagonal", 250)]
    tried = sample_replicas(search, learners, 36)
    larger = tried[-1]
    assert (larger.view, larger.form, larger.bag_size) == ("b", "diagonal", 1000)
    assert len(larger.maps) == n_of_larger
    assert sum(len(candidate.maps) for candidate in tried) == 36


def test_few_samples_share_replicas_among_candidates(rng):
    y = rng.integers(0, 2, 400)
    quality = {("a", False): 0.5, ("b", False): 0.8}
    search = StandIn(ClassTask(y, 2, None), np.ones(400), quality)
    candidates = [Candidate("a", form, 200) for form in ("identity", "full")]
    candidates.append(Candidate("b", "full", 200))
    tried = sample_replicas(search, candidates, 12)
    assert [len(candidate.maps) for candidate in tried] == [1, 6, 6]
    assert sample_replicas(search, candidates[:1], 0) == candidates[:1]
