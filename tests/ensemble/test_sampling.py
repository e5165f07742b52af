import numpy as np
import pytest

from freemetric.ensemble.sampling import Bags
from freemetric.ensemble.tasks.classification import ClassificationTask


def bags_of(rng, y, share, most=10**9, **options):
    return Bags(rng, ClassificationTask(y.max() + 1).strata(y), share, most, **options)


def test_bags_are_stratified(rng):
    y = np.repeat([0, 1, 2, 3], [40, 10, 3, 1])
    bags = bags_of(rng, y, 0.5).first(20)
    assert all(np.bincount(y[bag]).tolist() == [20, 5, 2, 1] for bag in bags)
    assert all(len(np.unique(bag)) == len(bag) for bag in bags)
    assert len({tuple(np.sort(bag)) for bag in bags}) == 20


def test_of_two_bags_with_half_of_the_patterns_one_is_the_others_complement(rng):
    y = np.repeat([0, 1, 2], [20, 10, 6])
    bags = bags_of(rng, y, 0.5).first(6)
    for first, second in bags.reshape(3, 2, -1):
        np.testing.assert_array_equal(np.sort(np.append(first, second)), np.arange(36))


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_patterns_are_left_out_more_evenly_than_by_chance(rng, share):
    y = np.repeat([0, 1], [23, 40])
    counts = np.bincount(bags_of(rng, y, share).first(12).ravel(), minlength=63)
    assert counts.std() < 0.75 * np.sqrt(12 * share * (1 - share))


def test_bags_are_the_same_whenever_they_are_asked_for(rng):
    bags = bags_of(rng, np.repeat([0, 1], 15), 0.5)
    late = bags.between(3, 5)
    np.testing.assert_array_equal(bags.first(5)[3:], late)


def test_bags_have_a_largest_size(rng):
    bags = bags_of(rng, np.repeat([0, 1], [900, 100]), 0.5, most=200)
    assert bags.size == bags.first(1).shape[1] == 200


def test_independent_bags_are_no_complements(rng):
    y = np.repeat([0, 1], [20, 20])
    first, second = bags_of(rng, y, 0.5, complementary=False).first(2)
    assert len(np.intersect1d(first, second)) > 0
