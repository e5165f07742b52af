import numpy as np
import pytest

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, Recipe
from freemetric.ensemble.sampling import Bags
from freemetric.ensemble.tasks.classification import ClassificationTask
from freemetric.mc import Annealing, Constant, ElementMove

STILL = Annealing(Constant(0.0), ElementMove(1e-9), n_steps=1)  # replicas stay where they start


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


def test_diagonal_maps_of_many_columns_start_with_those_that_tell_classes_apart(rng):
    """One of 120 features matters, by an interval that no mean shows, and a tenth of the labels is wrong."""
    X = rng.random((200, 120))
    y = ((np.abs(X[:, 7] - 0.5) < 0.25) ^ (rng.random(200) < 0.1)).astype(int)

    def share(**options):
        recipe = Recipe(candidates=["scaled/diagonal"], other_temperatures=False, n_steps=3, **options)
        weights = FreeEnergyClassifier(4, recipe=recipe, random_state=0).fit(X, y).distance_weights_
        return weights[7] / weights.sum()

    at_the_identity = share(screened_features=0)
    assert share() > 0.25
    assert share() > 2 * at_the_identity
    assert share(screened_features=121) == at_the_identity


def test_where_no_column_matters_diagonal_maps_start_at_the_identity(rng):
    X, y = rng.random((100, 50)), np.arange(100) % 2
    recipe = Recipe(candidates=["scaled/diagonal"], sampler=STILL)
    model = FreeEnergyClassifier(2, recipe=recipe, random_state=0).fit(X, y)
    np.testing.assert_allclose(np.abs(model.ensemble_.members[0].maps), 1, atol=1e-6)


@pytest.mark.parametrize("model", [FreeEnergyClassifier, FreeEnergyRegressor])
@pytest.mark.parametrize("form", ["diagonal", "full"])
@pytest.mark.parametrize("least", [0.0, 0.3, 4.0])
def test_walks_start_with_a_mean_squared_distance(rng, form, least, model):
    """Two coordinates of the unit square differ by 2 / 6 in the mean square; the identity has no less than 0.3."""
    X = rng.random((600, 2))
    recipe = Recipe(candidates=[f"scaled/{form}"], sampler=STILL, start_distance=least)
    model = model(2, recipe=recipe, random_state=0).fit(X, (X[:, 0] > 0.5).astype(int))
    scale = 12.0 if least == 4.0 else 1.0
    for M in model.ensemble_.members[0].form.matrices(model.ensemble_.members[0].maps):
        np.testing.assert_allclose(M, scale * np.eye(2), rtol=0.1 if least == 4.0 else 1e-6, atol=1e-6)
