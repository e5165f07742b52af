"""Patience: the colder a walk is, the longer it takes to arrive; and which candidates are worth that."""

from ...metrics import Candidate
from .recipe import Recipe

PATIENT = ("likeness",)  # energies that are worth it: those of numbers
LONGEST = 4  # times the usual length of a walk


def is_worth_patience(recipe: Recipe, candidate: Candidate) -> bool:
    """Whether it may be tried colder again and again, in longer walks.

    Few patterns do not tell a cold metric from a warm one; of many, the metrics of a cold ensemble are the better ones.
    """
    return recipe.colder > 0 and candidate.energy in PATIENT and candidate.bag_size >= recipe.patient_bag


def walk_length(recipe: Recipe, candidate: Candidate) -> int:
    """Monte Carlo steps of a replica."""
    if not is_worth_patience(recipe, candidate):
        return recipe.n_steps
    usual, T = recipe.temperatures[candidate.energy], candidate.temperature
    longer = usual / T if usual < LONGEST * T else LONGEST
    return round(recipe.n_steps * max(1.0, longer))
