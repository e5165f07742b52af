"""A recipe is a value, and a parameter of scikit-learn with parameters of its own."""

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, Recipe
from freemetric.energies import NCAEnergy
from freemetric.ensemble.candidates import candidate_of
from freemetric.ensemble.running import given_recipe
from freemetric.ensemble.settings import EFFORTS, TEMPERATURES, TRAPS, recipe_of
from freemetric.mc import Annealing, Constant

OTHERS = [
    Recipe(n_steps=9, temperature={"nca": 1e-4}),
    Recipe(candidates=["scaled/full"], n_neighbors=5, shortlist=None),
    Recipe(sampler=Annealing(Constant(1e-3), n_steps=3), energy=NCAEnergy()),
]


@pytest.mark.parametrize("recipe", [Recipe(), *OTHERS], ids=repr)
def test_copies_are_equal(recipe):
    for copy in (
        clone(recipe),
        replace(recipe),
        pickle.loads(pickle.dumps(recipe)),
        Recipe(**recipe.get_params(False)),
    ):
        assert copy == recipe
        assert repr(copy) == repr(recipe)
    assert replace(recipe, n_steps=13) != recipe
    assert recipe != "Recipe()"


def test_what_differs_from_the_default_is_printed():
    assert repr(Recipe()) == "Recipe()"
    assert repr(Recipe(n_steps=9, temperature=1e-3)) == "Recipe(temperature=0.001, n_steps=9)"
    model = FreeEnergyClassifier(recipe=Recipe(n_steps=9))
    assert repr(model) == "FreeEnergyClassifier(recipe=Recipe(n_steps=9))"


def test_a_recipe_stays_as_it_is():
    shared = Recipe(sampler=Annealing(n_steps=3))
    first, second = FreeEnergyClassifier(recipe=shared), FreeEnergyRegressor(recipe=shared)
    first.set_params(recipe__sampler__n_steps=5, recipe__n_neighbors=7)
    assert (first.recipe.sampler.n_steps, first.recipe.n_neighbors) == (5, 7)
    assert second.recipe is shared
    assert shared == Recipe(sampler=Annealing(n_steps=3))
    with pytest.raises(FrozenInstanceError):
        shared.n_steps = 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(shared)


def test_parameters_of_a_recipe_are_those_of_the_model():
    model = FreeEnergyClassifier(recipe=Recipe(sampler=Annealing(n_steps=3)))
    assert model.get_params()["recipe__temperature"] == "auto"
    assert model.get_params()["recipe__sampler__n_steps"] == 3
    assert "recipe__temperature" not in FreeEnergyClassifier().get_params()
    pipeline = make_pipeline(StandardScaler(), FreeEnergyRegressor())
    pipeline.set_params(freeenergyregressor__recipe__temperature=1e-4)
    assert pipeline[-1].recipe == Recipe(temperature=1e-4)
    assert FreeEnergyRegressor().recipe is None


def test_unknown_parameters_are_named():
    with pytest.raises(
        ValueError, match=r"Invalid parameter 'temperatures' of Recipe\. Valid parameters are: candidates,"
    ):
        FreeEnergyClassifier().set_params(recipe__temperatures=1)
    with pytest.raises(ValueError, match="Invalid parameter 'temperature' for estimator FreeEnergyClassifier"):
        FreeEnergyClassifier().set_params(temperature=1)


@pytest.mark.parametrize("recipe", [None, Recipe(n_steps=4)], ids=["none", "given"])
def test_grid_search_over_a_recipe(recipe, iris):
    grid = {"recipe__temperature": [1e-4, 1.0], "recipe__n_neighbors": np.array([1, 3])}
    model = FreeEnergyClassifier(4, recipe=recipe, random_state=0)
    search = GridSearchCV(model, grid, cv=2).fit(iris[0][::2], iris[1][::2])
    assert search.best_estimator_.recipe.temperature == search.best_params_["recipe__temperature"]
    assert search.best_estimator_.n_neighbors_ == search.best_params_["recipe__n_neighbors"]
    assert model.recipe is recipe


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"temperature": -1}, "'temperature' parameter of Recipe"),
        ({"confinement": "low"}, "'confinement' parameter of Recipe"),
        ({"confinement": {"nca": -1.0}}, "confinement of Recipe"),
        ({"n_neighbors": 0}, "'n_neighbors' parameter of Recipe"),
        ({"n_neighbors": ()}, "n_neighbors of Recipe"),
        ({"shortlist": []}, "shortlist of Recipe"),
        ({"shortlist": "auto"}, "'shortlist' parameter of Recipe"),
        ({"candidates": "scaled/full"}, "'candidates' parameter of Recipe"),
        ({"n_components": 0}, "'n_components' parameter of Recipe"),
        ({"energy": 3}, "'energy' parameter of Recipe"),
        ({"sampler": "annealing"}, "'sampler' parameter of Recipe"),
        ({"scoring": "beauty"}, "'scoring' parameter of Recipe"),
        ({"checkpoint": 3}, "'checkpoint' parameter of Recipe"),
        ({"other_temperatures": 1}, "other_temperatures of Recipe is neither True nor False: 1"),
        ({"n_steps": True}, "n_steps of Recipe is no positive whole number: True"),
    ],
)
def test_values_that_cannot_be(change, said):
    with pytest.raises(ValueError, match=said):
        Recipe(**change)
    with pytest.raises(ValueError, match=said):
        FreeEnergyClassifier().set_params(**{f"recipe__{name}": value for name, value in change.items()})


@pytest.mark.parametrize(
    ("change", "temperature", "confinement"),
    [
        ({}, TEMPERATURES["nca"], TRAPS["nca"] * TEMPERATURES["nca"]),
        ({"temperature": 1e-2}, 1e-2, TRAPS["nca"] * 1e-2),
        ({"temperature": 0}, 0.0, TRAPS["nca"] * TEMPERATURES["nca"]),
        ({"temperature": {"nca": 1e-2}}, 1e-2, TRAPS["nca"] * 1e-2),
        ({"temperature": {"log-nca": 1e-2}}, TEMPERATURES["nca"], TRAPS["nca"] * TEMPERATURES["nca"]),
        ({"confinement": 0}, TEMPERATURES["nca"], 0.0),
        ({"confinement": {"nca": 5e-5}}, TEMPERATURES["nca"], 5e-5),
    ],
)
def test_the_first_temperature_and_confinement(change, temperature, confinement):
    candidate = candidate_of("scaled/full/nca", Recipe(**change))
    assert (candidate.temperature, candidate.confinement) == (temperature, confinement)


def test_a_number_stays_and_others_are_tuned():
    assert Recipe().tunes_temperature
    assert Recipe(temperature={"nca": 1e-3}).tunes_temperature
    assert not Recipe(temperature=1e-3).tunes_temperature
    assert not Recipe(sampler=Annealing()).tunes_temperature
    assert not Recipe(other_temperatures=False).tunes_temperature
    assert Recipe(confinement={"nca": 1e-3}).moves_trap
    assert not Recipe(confinement=1e-3).moves_trap


def test_an_effort_is_a_recipe(iris):
    assert EFFORTS["default"] == Recipe()
    low = FreeEnergyClassifier(effort="low", random_state=0)
    assert recipe_of(low) is EFFORTS["low"]
    given = FreeEnergyClassifier(recipe=EFFORTS["low"], random_state=0).fit(*iris)
    np.testing.assert_array_equal(low.fit(*iris).predict_proba(iris[0]), given.predict_proba(iris[0]))
    assert len(low.trace_["energy"]) == EFFORTS["low"].n_steps
    assert given_recipe(FreeEnergyClassifier(7, effort="high"), 100).n_replicas == 7


def test_an_effort_and_a_recipe_are_one_too_many(iris):
    model = FreeEnergyClassifier(effort="low").set_params(recipe__n_steps=4)
    with pytest.raises(
        ValueError, match=r"effort='low' stands for a recipe, and recipe=Recipe\(n_steps=4\) is another"
    ):
        model.fit(*iris)
    with pytest.raises(ValueError, match="'effort' parameter of FreeEnergyClassifier"):
        FreeEnergyClassifier(effort="most").fit(*iris)
