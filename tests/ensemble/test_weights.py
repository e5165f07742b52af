from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import softmax

from freemetric import Recipe
from freemetric.ensemble.candidates import spread
from freemetric.ensemble.population import (
    allowed_neighbors,
    best_pair,
    boltzmann_weights,
    mixed_shares,
    selection_weights,
)
from freemetric.ensemble.tasks.classification import ClassificationHead, ClassificationTask, calibrated
from freemetric.learners.free_energy.candidates import spread
from freemetric.ensemble.tasks.decisions import Decision, favouring
from freemetric.ensemble.population import Population
from freemetric.ensemble.population import allowed_neighbors, best_pair, boltzmann_weights
from freemetric.learners.free_energy.trust import trusted
from freemetric.learners.free_energy.verdict import _better_plain_neighbors, verdict_on
from freemetric.learners.target import Classes
from freemetric.metrics import Calibration, Candidate, Mixture, Voters

RECIPE = Recipe()
TASK = ClassificationTask(2)


def test_brier_by_hand():
    shares = np.array([[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]])
    y = np.array([0, 1, 1])
    assert TASK.scores(shares, y) == pytest.approx((0.25 + 1.0 + 0.04) / 3)


def test_boltzmann_weights_follow_boltzmann():
    scores = np.array([[0.10, 0.12], [0.15, 0.30]])
    weights = boltzmann_weights(scores, TASK.error_of(0.1, 100), 0.5)
    T = 0.5 * (np.sqrt(0.1 * 0.9 / 100) + 0.005)
    assert weights.sum() == pytest.approx(1)
    assert weights[0, 0] / weights[1, 0] == pytest.approx(np.exp(0.05 / T))


def test_more_samples_decide_more_sharply():
    scores = np.array([0.10, 0.12])
    many, few = (boltzmann_weights(scores, TASK.error_of(0.1, n), 0.5)[1] for n in (10_000, 50))
    assert many < 0.01 < 0.2 < few


def test_only_differences_of_scores_matter():
    weights = boltzmann_weights(np.array([1000.0, 1000.5]), 0.5, 2.0)
    np.testing.assert_allclose(weights, np.array([1, np.exp(-0.5)]) / (1 + np.exp(-0.5)))


def test_perfect_scores_share_equally():
    np.testing.assert_allclose(boltzmann_weights(np.zeros(4), TASK.error_of(0.0, 50), 0.5), 0.25)


def distorted(rng, N=4000, slope=2.0, bias=(0.5, -0.5, 0.0)):
    """Shares whose true probabilities have a known slope and bias."""
    shares = rng.dirichlet([1.0, 1.0, 1.0], N)
    P = softmax(slope * np.log(shares + RECIPE.share_floor) + bias, axis=1)
    return shares, (P.cumsum(axis=1) > rng.random((N, 1))).argmax(axis=1), P


def head_of(shares, y, **options):
    """The calibrated head without class densities."""
    return calibrated(shares, y, None, np.empty((0, *shares.shape)), [], RECIPE, **options)


def test_calibration_finds_the_distortion(rng):
    shares, y, P = distorted(rng)
    found = head_of(shares, y)
    assert found.slope == pytest.approx(2.0, rel=0.08)
    np.testing.assert_allclose(found.bias - found.bias.mean(), [0.5, -0.5, 0.0], atol=0.12)
    assert np.abs(found.answers(shares) - P).mean() < 0.02


def test_calibration_minimises_the_penalised_log_loss(rng):
    shares, y, _ = distorted(rng, N=150)
    F = np.log(shares + RECIPE.share_floor)

    def loss(v):
        P = softmax(np.exp(v[0]) * F + v[1:], axis=1)
        return -np.log(P[np.arange(150), y]).sum() + RECIPE.calibration_prior / 2 * v @ v

    best = minimize(loss, np.zeros(4), method="Nelder-Mead", options={"maxiter": 5000, "fatol": 1e-10, "xatol": 1e-8}).x
    found = head_of(shares, y)
    np.testing.assert_allclose(np.append(np.log(found.slope), found.bias), best, atol=1e-3)
    assert check_grad(loss, lambda v: minimize(loss, v, method="BFGS", options={"maxiter": 0}).jac, best) < 1e-3


def test_without_bias_decisions_stay(rng):
    shares, y, _ = distorted(rng, N=300)
    found = head_of(shares, y, with_bias=False)
    np.testing.assert_array_equal(found.answers(shares).argmax(axis=1), shares.argmax(axis=1))


def test_without_out_of_bag_samples_nothing_is_changed_much():
    found = head_of(np.empty((0, 2)), np.empty(0, dtype=int))
    assert found.answers(np.array([[0.2, 0.8]])).argmax() == 1


def test_a_prediction_is_the_calibrated_weighted_mean(rng):
    shares = rng.dirichlet([1, 1], (2, 3, 50))
    weights = rng.dirichlet(np.ones(6)).reshape(2, 3)
    by_hand = sum(weights[c, k] * shares[c, k] for c in range(2) for k in range(3))
    np.testing.assert_allclose(mixed_shares(weights, shares), by_hand)
    head = ClassificationHead(1.5, np.array([0.2, -0.2]))
    np.testing.assert_allclose(head.answers(by_hand), softmax(1.5 * np.log(by_hand + 0.05) + [0.2, -0.2], axis=1))


def test_weight_goes_to_allowed_neighbors_and_not_to_hopeless_candidates():
    scores = np.array([[0.1, 0.1, 0.1], [0.1, 0.11, 0.1], [0.9, 0.9, 0.9]])
    weights = selection_weights(scores, lambda best: TASK.error_of(best, 200), [1, 3], RECIPE)
    assert weights.sum() == pytest.approx(1)
    assert not weights[:, 1].any()
    assert not weights[2].any()
    assert weights[0, 0] == weights[1, 2]


def judged_by_hand(forms, judges=40):
    """Candidates of these forms, and rows of two classes that have judged them."""
    X, y = np.random.default_rng(0).random((40, 2)), np.arange(40) % 2
    population = Population(Voters(X + y[:, None], y, 2), Classes(2), np.arange(judges), 3)
    for form in forms:
        ballots = population.enter(Candidate("scaled", form, "nca"), 2).ballots
        ballots.shares[:], ballots.counts[:] = 0.5, 1
    return population


@pytest.mark.parametrize(("right", "margin", "taken"), [(0.1, 1.0, True), (0.9, 1.0, False), (0.1, 9.0, False)])
def test_plain_neighbours_are_taken_alone_where_they_are_better(right, margin, taken):
    """Of the allowed numbers of neighbours, 1 and 3, that of the best score; by so many standard errors."""
    population = judged_by_hand(("full", "identity"))
    truth, early = np.eye(2)[population.truth], np.arange(40)[:, None] < 20
    shares = np.broadcast_to(0.8 * truth + 0.1, (2, 3, 40, 2))
    scores = np.array([[0.1, 0.0, 0.0], [0.3, 0.1, 0.2]])
    # off by 0.8 more in half of 40 rows: the excess is 0.4 with an error of 0.4 / sqrt(40)
    mixture = np.where(early, right * truth + (1 - right) * (1 - truth), shares[0, 0])
    found = _better_plain_neighbors(mixture, population, shares, scores, [1, 3], margin)
    if taken:
        np.testing.assert_array_equal(found, [[0, 0, 0], [0, 0, 1]])
    else:
        assert found is None


@pytest.mark.parametrize(("forms", "judges"), [(("full", "diagonal"), 40), (("full", "identity"), 0)])
def test_plain_neighbours_are_not_taken_where_there_are_none_or_nobody_judges(forms, judges):
    population = judged_by_hand(forms, judges)
    truth = np.eye(2)[population.truth]
    shares = np.broadcast_to(truth, (2, 3, judges, 2))
    assert _better_plain_neighbors(1 - truth, population, shares, np.zeros((2, 3)), [1, 3], 1.0) is None


@pytest.mark.parametrize(("calibration", "n_basins"), [("full", 1), ("slope", 1), ("none", 0)])
def test_basins_are_asked_where_probabilities_are_calibrated(calibration, n_basins):
    """Votes that say nothing, of classes that lie apart."""
    population = judged_by_hand(("identity",))
    recipe = replace(RECIPE, calibration=calibration, basins=("mean-field",))
    found = verdict_on(population, recipe, Decision(None, None, np.arange(2), population.voters))
    assert len(found.basins) == n_basins
    assert found.score == pytest.approx(1.0 if n_basins else 0.5)


def test_favoured_classes_by_hand():
    found = favouring(np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([1.0, 3.0]))
    np.testing.assert_allclose(found, [[1 / 4, 3 / 4], [3 / 4, 1 / 4]])


def test_equal_scores_go_to_the_simpler():
    assert best_pair(np.array([[0.3, 0.2], [0.2, 0.1], [0.1, 0.5]])) == (1, 1)


@pytest.mark.parametrize("n", [0, 1, 7, 30])
def test_spread_is_proportional_and_complete(n, rng):
    weights = rng.dirichlet(np.ones(5)) * [1, 1, 0, 1, 1]
    counts = spread(n, weights)
    assert counts.sum() == n
    assert counts[2] == 0
    assert np.abs(counts - n * weights / weights.sum()).max() < 1


def test_numbers_of_neighbours_that_there_can_be():
    assert allowed_neighbors((1, 5, 30), 9) == [1, 5]
    assert allowed_neighbors((30,), 9) == [9]
