"""Disagreement of replicas, recomputed from models of one replica each."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.ensemble.model import Ensemble
from freemetric.metrics import Member


@pytest.fixture(scope="module")
def halves():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=240)
    X = rng.standard_normal((240, 4)) + y[:, None] * [1.5, 0.5, 0, 0]
    return X[:120], y[:120], X[120:]


@pytest.fixture(scope="module")
def model(halves):
    return FreeEnergyClassifier(8, random_state=0).fit(*halves[:2])


def replicas(ensemble):
    """For every replica an ensemble of it alone, and its weight."""
    for member, of_k in zip(ensemble.members, ensemble.weights, strict=True):
        for r in range(len(member)):
            maps = member.maps[r : r + 1] if member.form.learns else member.maps
            alone = Member(member.candidate, maps)
            yield (
                Ensemble(
                    {member.candidate.view: ensemble.views[member.candidate.view]},
                    [alone],
                    of_k[None] / of_k.sum(),
                    ensemble.training_set,
                    ensemble.head,
                ),
                of_k.sum() / len(member),
            )


def entropy(P):
    return -(P * np.log(P)).sum(axis=-1)


def test_it_is_the_entropy_of_the_mean_minus_the_mean_entropy(model, halves):
    pairs = list(replicas(model.ensemble_))
    P, w = np.array([alone.predict(halves[2]) for alone, _ in pairs]), np.array([weight for _, weight in pairs])
    assert len(pairs) >= 3
    assert w.sum() == pytest.approx(1)
    expected = entropy(np.tensordot(w, P, 1)) - w @ entropy(P)
    np.testing.assert_allclose(model.disagreement(halves[2]), expected, atol=1e-5)


def test_it_is_between_zero_and_the_entropy_of_the_classes(model, halves):
    found = model.disagreement(halves[2])
    assert (found >= 0).all()
    assert (found < np.log(3)).all()
    assert found.max() > 3 * np.median(found)


def test_one_replica_agrees_with_itself(halves):
    recipe = Recipe(candidates=["scaled/identity"])
    found = FreeEnergyClassifier(1, recipe=recipe, random_state=0).fit(*halves[:2]).disagreement(halves[2])
    np.testing.assert_allclose(found, 0, atol=1e-12)


def test_it_is_large_between_classes_and_small_inside(model):
    inside, between = [[-2.0, 0, 0, 0], [5.0, 2, 0, 0]], [[0.75, 0.25, 0, 0], [2.2, 0.75, 0, 0]]
    assert model.disagreement(between).min() > model.disagreement(inside).max()


def test_parts_and_jobs_do_not_matter(model, halves, monkeypatch):
    whole = model.disagreement(halves[2])
    monkeypatch.setattr(Ensemble, "parts", lambda self, n: [slice(0, 7), slice(7, n)])
    np.testing.assert_allclose(model.disagreement(halves[2]), whole, atol=1e-9)
    again = FreeEnergyClassifier(8, random_state=0, n_jobs=2).fit(*halves[:2])
    np.testing.assert_allclose(again.disagreement(halves[2]), whole, atol=1e-9)


def test_bad_input_is_named(model):
    with pytest.raises(ValueError, match="3 features"):
        model.disagreement(np.zeros((2, 3)))
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        FreeEnergyClassifier().disagreement([[0.0]])
