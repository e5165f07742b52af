"""Numbers of many samples: colder as long as it is better, in longer walks; everything else as ever."""

from dataclasses import replace

import numpy as np
import pytest

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, Recipe
from freemetric.datasets import SYNTHETIC
from freemetric.ensemble.candidates import is_worth_patience, listed_in, walk_length
from freemetric.ensemble.state_checks import _check_walks
from freemetric.metrics import Candidate

SHORT = replace(
    Recipe(), candidates=("scaled/full",), n_replicas=20, first_share=0.15, subsample=0.4, cheap_bag=1, patient_bag=150
)
LARGE = Candidate("scaled", "full", "neighbor-likelihood", 1e-3, 0.0, 1000)


@pytest.mark.parametrize(
    ("change", "times"),
    [
        ({}, 1),
        ({"temperature": 3e-3}, 1),
        ({"temperature": 5e-4}, 2),
        ({"temperature": 1e-5}, Recipe.longest_walk),
        ({"temperature": 0.0}, Recipe.longest_walk),
        ({"temperature": 1e-5, "bag_size": 999}, 1),
        ({"temperature": 1e-5, "energy": "log-nca"}, 1),
    ],
)
def test_the_colder_the_longer(change, times):
    recipe = Recipe(short_walk_bag=1000)
    assert walk_length(recipe, replace(LARGE, **change)) == times * recipe.n_steps


@pytest.mark.parametrize(("bag_size", "steps"), [(2, 4), (400, 4), (900, 6), (1600, 8), (6400, 16)])
def test_walks_on_larger_bags_are_longer_by_the_root(bag_size, steps):
    recipe = Recipe(n_steps=4, short_walk_bag=400)
    assert walk_length(recipe, replace(LARGE, energy="log-nca", bag_size=bag_size)) == steps
    cold = replace(LARGE, temperature=1e-3 / 3, bag_size=6400)  # patience asks for three times, the bag for four
    assert walk_length(recipe, cold) == 16


@pytest.mark.parametrize(("bag_size", "listed"), [(2, 20), (100, 20), (150, 30), (200, 40), (4000, 40)])
def test_lists_on_larger_bags_are_up_to_twice_as_long(bag_size, listed):
    assert listed_in(Recipe(listed_neighbors=20, short_list_bag=100), bag_size) == listed


def test_a_file_may_hold_walks_of_several_lengths():
    """Where a walk has ended its trace goes on as NaN."""
    trace = dict.fromkeys(("temperature", "energy", "acceptance"), np.array([[0.1, 0.1], [0.2, np.nan]]))
    _check_walks(trace, None)
    with pytest.raises(ValueError, match="acceptance of trace_"):
        _check_walks({**trace, "acceptance": np.zeros((2, 3))}, None)


def test_nobody_is_patient_who_does_not_want_to_be():
    assert is_worth_patience(Recipe(), LARGE)
    assert not is_worth_patience(replace(Recipe(), colder=0), LARGE)
    with pytest.raises(ValueError, match="colder of Recipe is no whole number"):
        replace(Recipe(), colder=-1)


@pytest.fixture(scope="module")
def ridge():
    return SYNTHETIC["ridge"].sample(400, 1)


def temperatures_of(model):
    selection = model.selection_
    return sorted(set(selection["temperature"][selection["n_replicas"] > 0]))


@pytest.mark.slow
def test_where_noise_is_little_it_goes_on_colder_and_is_better(ridge):
    test = SYNTHETIC["ridge"].sample(2000, 2)
    cold, warm = (
        FreeEnergyRegressor(recipe=replace(SHORT, colder=n, start_distance=0.0), random_state=0).fit(ridge.X, ridge.y)
        for n in (3, 0)
    )
    assert min(temperatures_of(warm)) == pytest.approx(1e-3 / 3)
    assert min(temperatures_of(cold)) < 1e-3 / 8
    assert cold.trace_["energy"].shape[0] > warm.trace_["energy"].shape[0]
    errors = [np.mean((model.predict(test.X) - test.mean) ** 2) for model in (cold, warm)]
    assert errors[0] < errors[1]


def test_of_noise_alone_nothing_is_tried_colder_again(rng):
    X, y = rng.random((400, 4)), rng.standard_normal(400)
    model = FreeEnergyRegressor(recipe=SHORT, random_state=0).fit(X, y)
    assert min(temperatures_of(model)) == pytest.approx(1e-3 / 3)


def test_a_given_temperature_stays(ridge):
    model = FreeEnergyRegressor(recipe=replace(SHORT, temperature=1e-3), random_state=0).fit(ridge.X, ridge.y)
    assert temperatures_of(model) == [1e-3]


def test_classes_are_searched_as_ever(rng):
    X = rng.random((400, 3))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    both = [
        FreeEnergyClassifier(recipe=replace(SHORT, colder=n, n_replicas=8), random_state=0).fit(X, y) for n in (3, 0)
    ]
    assert np.array_equal(both[0].trace_["energy"], both[1].trace_["energy"])
