"""Weights of candidates by their out-of-bag scores, and the calibration of what they say together."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import softmax

from freemetric import Recipe
from freemetric.ensemble.candidates import spread
from freemetric.ensemble.population import (
    Population,
    allowed_neighbors,
    best_pair,
    boltzmann_weights,
    mixed_shares,
    selection_weights,
)
from freemetric.ensemble.tasks.classification import ClassificationHead, ClassificationTask, calibrated, without_bias
from freemetric.ensemble.tasks.decisions import Decision
from freemetric.metrics import Candidate, ClassEncoding, TrainingSet

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
    weights = boltzmann_weights(np.array([1000.0, 1000.0005, 1001.0]), 1e-3, 0.5)
    np.testing.assert_allclose(weights, np.array([1.0, np.exp(-1), 0.0]) / (1 + np.exp(-1)), atol=1e-6)


def test_perfect_scores_share_equally():
    np.testing.assert_allclose(boltzmann_weights(np.zeros(4), TASK.error_of(0.0, 50), 0.5), 0.25)


def distorted(rng, N=4000, slope=2.0, bias=(0.5, -0.5, 0.0)):
    """Shares whose true probabilities have a known slope and bias."""
    shares = rng.dirichlet([1.0, 1.0, 1.0], N)
    P = softmax(slope * np.log(shares + RECIPE.share_floor) + bias, axis=1)
    return shares, (P.cumsum(axis=1) > rng.random((N, 1))).argmax(axis=1), P


def head_of(shares, y, recipe=RECIPE):
    """The calibrated head without class densities."""
    return calibrated(shares, y, None, np.empty((0, *shares.shape)), [], recipe)


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
    found = head_of(shares, y, without_bias(RECIPE))
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


def test_the_largest_numbers_of_neighbors_do_not_vote_where_they_hardly_count():
    scores = np.array([[1.0, 1.1, 2.0, 1.6], [1.2, 1.1, 2.2, 1.5]])  # errors of 0.1: the last ones weigh exp(-12)
    weights = selection_weights(scores, lambda best: 0.1, [1, 2, 3, 4], RECIPE)
    assert (weights[:, :2] > 0).all()
    assert not weights[:, 2:].any()
    assert weights.sum() == pytest.approx(1.0)
    kept = selection_weights(scores, lambda best: 0.1, [1, 2, 3, 4], replace(RECIPE, negligible=0.0))
    assert (kept > 0).all()
    np.testing.assert_allclose(weights[:, :2], kept[:, :2] / kept[:, :2].sum())


def scored_by_hand(forms, scored=40):
    """Candidates of these forms, and samples of two classes that have scored them."""
    X, y = np.random.default_rng(0).random((40, 2)), np.arange(40) % 2
    population = Population(TrainingSet(X + y[:, None], y, ClassEncoding(2)), TASK, np.arange(scored), 3)
    for form in forms:
        votes = population.enter(Candidate("scaled", form, "nca"), 2).oob_votes
        votes.shares[:], votes.counts[:] = 0.5, 1
    return population


@pytest.mark.parametrize(("right", "margin", "taken"), [(0.1, 1.0, True), (0.9, 1.0, False), (0.1, 9.0, False)])
def test_plain_neighbours_are_taken_alone_where_they_are_better(right, margin, taken):
    """Of the allowed numbers of neighbours, 1 and 3, that of the best score; by so many standard errors."""
    population = scored_by_hand(("full", "identity"))
    truth, early = np.eye(2)[population.truth], np.arange(40)[:, None] < 20
    shares = np.broadcast_to(0.8 * truth + 0.1, (2, 3, 40, 2))
    scores = np.array([[0.1, 0.0, 0.0], [0.3, 0.1, 0.2]])
    # off by 0.8 more in half of 40 samples: the excess is 0.4 with an error of 0.4 / sqrt(40)
    mixture = np.where(early, right * truth + (1 - right) * (1 - truth), shares[0, 0])
    found = TASK._plain_neighbors(mixture, population, shares, scores, [1, 3], margin)
    if taken:
        np.testing.assert_array_equal(found, [[0, 0, 0], [0, 0, 1]])
    else:
        assert found is None


@pytest.mark.parametrize(("forms", "scored"), [(("full", "diagonal"), 40), (("full", "identity"), 0)])
def test_plain_neighbours_are_not_taken_where_there_are_none_or_nothing_is_out_of_bag(forms, scored):
    population = scored_by_hand(forms, scored)
    truth = np.eye(2)[population.truth]
    shares = np.broadcast_to(truth, (2, 3, scored, 2))
    assert TASK._plain_neighbors(1 - truth, population, shares, np.zeros((2, 3)), [1, 3], 1.0) is None


@pytest.mark.parametrize(("calibration", "n_densities"), [("full", 1), ("slope", 1), ("none", 0)])
def test_densities_count_where_probabilities_are_calibrated(calibration, n_densities):
    """Votes that say nothing, of classes that lie apart."""
    population = scored_by_hand(("identity",))
    recipe = replace(RECIPE, calibration=calibration, densities=("naive-bayes",))
    decision = Decision(None, None, np.arange(2), population.training_set)
    found = ClassificationTask(2, decision).result(population, recipe, None)
    assert len(found.head.densities) == n_densities
    assert found.attributes["oob_score_"] == pytest.approx(1.0 if n_densities else 0.5)


def population_of(truth, learns, weights=None):
    """What is asked of a population: the samples scored, and which candidates learn."""
    return SimpleNamespace(truth=truth, oob_weights=weights, learns=np.array(learns), n_oob=max(1, len(truth)))


def shares_of_truth(truth, right):
    """Shares (2 candidates, 3 k, n, 2) with these chances of the right class, by candidate and k."""
    out = np.zeros((2, 3, len(truth), 2))
    for pair in np.ndindex(2, 3):
        out[pair][np.arange(len(truth)), truth] = right[pair]
        out[pair][np.arange(len(truth)), 1 - truth] = 1 - right[pair]
    return out


def test_plain_neighbours_that_are_better():
    """Of the numbers of neighbours allowed, 1 and 3, the third is best; the second is not allowed."""
    truth = np.arange(100) % 2
    right = np.array([[0.5, 1.0, 0.8], [0.6, 0.6, 0.6]])
    shares, population = shares_of_truth(truth, right), population_of(truth, [False, True])
    scores = TASK.scores(shares, truth)
    weights = TASK._plain_neighbors(shares[1, 0], population, shares, scores, [1, 3], 1.0)
    np.testing.assert_array_equal(weights, [[0, 0, 1], [0, 0, 0]])
    assert TASK._plain_neighbors(shares[0, 2], population, shares, scores, [1], 1.0) is None  # worse than these


@pytest.mark.parametrize(("share", "is_taken"), [(0.8, True), (0.72, False)])
def test_plain_neighbours_must_be_better_by_more_than_the_error(share, is_taken):
    """Right for a share of 100 samples and wrong for the others, against even chances for all."""
    truth = np.zeros(100, dtype=int)
    right = np.arange(100) < 100 * share
    shares = np.stack([right, ~right], axis=1).astype(float) * 0.8 + 0.1
    even = np.full((100, 2), 0.5)
    every = np.broadcast_to(shares, (2, 1, 100, 2))
    excess = 0.25 - ((shares[:, 0] - 1) ** 2)  # half of both squares
    assert (excess.mean() > excess.std() / 10) == is_taken
    population, scores = population_of(truth, [False, True]), TASK.scores(every, truth)
    assert (TASK._plain_neighbors(even, population, every, scores, [1], 1.0) is not None) == is_taken


def test_no_plain_neighbours_where_nothing_is_out_of_bag_or_all_learn():
    truth = np.arange(20) % 2
    shares = shares_of_truth(truth, np.ones((2, 3)))
    bad, scores = 1 - shares[0, 0], np.zeros((2, 3))
    nothing = population_of(truth[:0], [False, True])
    assert TASK._plain_neighbors(bad[:0], nothing, shares[:, :, :0], scores, [1], 1.0) is None
    assert TASK._plain_neighbors(bad, population_of(truth, [True, True]), shares, scores, [1], 1.0) is None


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
