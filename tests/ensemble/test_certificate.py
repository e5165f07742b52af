"""Risk certificates hold on problems whose risk is known, and are of replicas that know their bags alone."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import rel_entr
from scipy.stats import beta, binom
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier

import freemetric
from freemetric import FreeEnergyClassifier, Recipe
from freemetric.ensemble.certificate import BagEnsemble, kl_inverse, risk_bound, tandem_bound
from freemetric.mc import Annealing, Constant, ElementMove
from freemetric.metrics import ClassEncoding, TrainingSet

DELTA = 0.05
GRID = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), axis=-1).reshape(-1, 2)  # all samples there are
CHANCE = 1 / (1 + np.exp(3.0 - GRID @ [1.0, 0.3]))  # of class 1
PLAIN = Recipe(candidates=["scaled/identity", "quantiles/identity"], n_neighbors=(1, 3, 7))


def drawn(rng, n):
    numbers = rng.integers(len(GRID), size=n)
    return GRID[numbers], (rng.random(n) < CHANCE[numbers]).astype(int)


def exact_risks(shares, posterior):
    """Risks of hypotheses with shares (H, 36, 2): of one of them, of their majority, and the Brier score of means."""
    truth = np.stack([1 - CHANCE, CHANCE], axis=1)  # (36, 2)
    hard = np.eye(2)[shares.argmax(axis=2)]
    votes, means = np.tensordot(posterior, hard, 1), np.tensordot(posterior, shares, 1)
    return {
        "error": 1 - (votes * truth).sum(axis=1).mean(),
        "majority": 1 - truth[np.arange(36), votes.argmax(axis=1)].mean(),
        "brier": sum((truth[:, c] * np.square(means - np.eye(2)[c]).sum(axis=1) / 2).mean() for c in (0, 1)),
    }


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("limit", [0.0, 1e-4, 0.1, 2.0])
def test_the_inverse_of_the_relative_entropy(share, limit):
    found, p = kl_inverse(share, limit), np.linspace(share, 1, 200_001)[:-1]
    within = p[rel_entr(share, p) + rel_entr(1 - share, 1 - p) <= limit] if share < 1 else np.ones(1)
    assert found == pytest.approx(max(within.max(initial=share), share), abs=1e-5)


def test_closed_form_without_errors():
    assert kl_inverse(0.0, 0.07) == pytest.approx(1 - np.exp(-0.07))
    bound = risk_bound(np.zeros(1), 50, DELTA)
    assert bound.value == pytest.approx(1 - (DELTA / (2 * np.sqrt(50))) ** (1 / 50))


@pytest.mark.parametrize("n_errors", [0, 3, 20])
def test_one_hypothesis_is_a_little_above_the_exact_binomial_bound(n_errors):
    n = 100
    found, exact = risk_bound(np.array([n_errors / n]), n, DELTA), beta.ppf(1 - DELTA, n_errors + 1, n - n_errors)
    assert found.kl == 0
    assert exact < found.value < exact + 0.09


def test_the_moment_behind_the_bound():
    """E exp(n kl(share || p)) is at most 2 sqrt(n) for every binomial share; what all of it rests on."""
    for n in (1, 2, 8, 50):
        k = np.arange(n + 1)
        for p in (0.01, 0.3, 0.5):
            divergence = rel_entr(k / n, p) + rel_entr(1 - k / n, 1 - p)
            assert (binom.pmf(k, n, p) * np.exp(n * divergence)).sum() <= 2 * np.sqrt(n) + 1e-9


def test_the_posterior_pays_for_what_it_prefers():
    losses = np.array([0.1, 0.4, 0.4, 0.4])
    found = risk_bound(losses, 1000, DELTA)
    assert found.kl == pytest.approx(rel_entr(found.posterior, 0.25).sum())
    assert 0 < found.kl < np.log(4) + 1e-9
    limit = (found.kl + np.log(2 * np.sqrt(1000) / DELTA)) / 1000
    assert found.value == pytest.approx(kl_inverse(found.posterior @ losses, limit))
    uniform = kl_inverse(losses.mean(), np.log(2 * np.sqrt(1000) / DELTA) / 1000)
    assert found.value < uniform
    few = risk_bound(losses, 5, DELTA)
    assert few.kl < found.kl  # few samples cannot say which is better


def stand_in(rng, n=160, n_hypotheses=6):
    """Nearest neighbours in random metrics, each in its own bag, by brute force: bounds and exact risks of a draw."""
    numbers = rng.integers(len(GRID), size=n)
    y = (rng.random(n) < CHANCE[numbers]).astype(int)
    outside, errors, briers, shares = np.ones((n_hypotheses, n), dtype=bool), [], [], []
    for number in range(n_hypotheses):
        bag, stretch = rng.permutation(n)[: n // 2], rng.random(2) + 0.1
        outside[number, bag] = False
        Z = GRID * stretch
        nearest = np.argsort(cdist(Z, Z[numbers[bag]]), axis=1, kind="stable")[:, : 3 if number % 2 else 9]
        ones = y[bag][nearest].mean(axis=1)
        shares.append(np.stack([1 - ones, ones], axis=1))
        votes = shares[-1][numbers]
        errors.append((votes.argmax(axis=1) != y) * outside[number])
        briers.append(np.square(votes - np.eye(2)[y]).sum(axis=1) / 2 * outside[number])
    (E, B, S), common = (np.array(some, dtype=float) for some in (errors, briers, shares)), outside.astype(int)
    common = common @ common.T
    found = {
        "error": (risk_bound(E.sum(axis=1) / (n // 2), n // 2, DELTA), 1),
        "brier": (risk_bound(B.sum(axis=1) / (n // 2), n // 2, DELTA), 1),
        "majority": (tandem_bound(E.sum(axis=1) / (n // 2), E @ E.T / common, int(common.min()), DELTA), 4),
    }
    return {
        loss: (factor * bound.empirical, exact_risks(S, bound.posterior)[loss], factor * bound.value)
        for loss, (bound, factor) in found.items()
    }


@pytest.mark.slow
def test_bounds_hold_in_95_of_100_draws():
    draws = [stand_in(np.random.default_rng(seed)) for seed in range(200)]
    for loss in ("error", "brier", "majority"):
        empirical, risk, bound = np.array([draw[loss] for draw in draws]).T
        assert (risk <= bound).mean() >= 1 - DELTA, loss
    empirical, risk, bound = np.array([draw["error"] for draw in draws]).T
    assert bound.mean() < 0.45  # and says something: a coin errs in half of all cases
    assert (risk > empirical).mean() > 0.2  # what is seen out of bag alone would not hold


def certified(rng, recipe, n_replicas, n, seed):
    X, y = drawn(rng, n)
    model = FreeEnergyClassifier(n_replicas, recipe=recipe, random_state=seed)
    model.classes_ = np.array([0, 1])
    ensemble = BagEnsemble(model, TrainingSet(X, y, ClassEncoding(2)))
    shares = np.concatenate(
        [np.swapaxes(replica.shares(GRID, ensemble.neighbors), 0, 1) for replica in ensemble.replicas]
    )
    for loss in ("error", "majority", "brier"):
        bound, _ = ensemble.bound(loss, DELTA)
        assert bound.empirical <= bound.value
        yield loss, exact_risks(shares, bound.posterior)[loss], bound.value


def test_certificates_hold(rng):
    held = [risk <= bound for seed in range(20) for _, risk, bound in certified(rng, PLAIN, 4, 120, seed)]
    assert np.mean(held) >= 1 - DELTA


@pytest.mark.slow
def test_certificates_of_learned_metrics_hold_in_95_of_100_draws(rng):
    learned = Recipe(candidates=["scaled/identity", "scaled/full", "quantiles/diagonal"], n_neighbors=(1, 3, 7))
    held = {"error": [], "majority": [], "brier": []}
    for seed in range(200):
        for loss, risk, bound in certified(rng, learned, 6, 100, seed):
            held[loss].append(risk <= bound)
    for loss, some in held.items():
        assert np.mean(some) >= 1 - DELTA, loss


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 3))
    return X, np.array(["a", "b", "c"])[(X[:, 0] + 0.5 * rng.normal(size=240) > 0).astype(int) + (X[:, 1] > 1)]


@pytest.fixture(scope="module")
def fitted(problem):
    return FreeEnergyClassifier(4, random_state=0).fit(*problem)


@pytest.mark.parametrize("kind", ["scaled/full", "quantiles/diagonal", "steps/diagonal", "scaled/identity"])
def test_a_replica_knows_its_bag_alone(problem, kind, rng):
    X, y = problem[0], np.unique(problem[1], return_inverse=True)[1]
    model = FreeEnergyClassifier(2, recipe=Recipe(candidates=[kind]), random_state=0)
    model.classes_ = np.arange(3)
    whole = BagEnsemble(model, TrainingSet(X, y, ClassEncoding(3)))
    for r in range(2):
        outside, others, labels = whole.left_out[r], X.copy(), y.copy()
        others[outside] = 100 * rng.normal(size=(outside.sum(), 3))
        labels[outside] = 0
        again = BagEnsemble(model, TrainingSet(others, labels, ClassEncoding(3)))
        np.testing.assert_array_equal(again.left_out[r], outside)
        expected, found = (some.replicas[r].shares(X, some.neighbors) for some in (whole, again))
        np.testing.assert_array_equal(found, expected)


def test_votes_are_those_of_scikit_learn_in_the_bag(problem):
    X, y = problem[0], np.unique(problem[1], return_inverse=True)[1]
    model = FreeEnergyClassifier(4, recipe=Recipe(candidates=["scaled/identity"], n_neighbors=(1, 5)), random_state=0)
    model.classes_ = np.arange(3)
    ensemble = BagEnsemble(model, TrainingSet(X, y, ClassEncoding(3)))
    for replica, outside, errors in zip(ensemble.replicas, ensemble.left_out, ensemble.errors, strict=True):
        low, high = X[~outside].min(axis=0), X[~outside].max(axis=0)
        scaled = (X - low) / (high - low)
        for number, k in enumerate((1, 5)):
            knn = KNeighborsClassifier(k).fit(scaled[~outside], y[~outside])
            found = replica.shares(X, ensemble.neighbors)[:, number]
            np.testing.assert_allclose(found, knn.predict_proba(scaled), atol=2e-3)  # the nearest decides ties
            assert errors[number][outside].mean() == pytest.approx((found.argmax(axis=1) != y)[outside].mean())
    assert not ensemble.errors[np.repeat(~ensemble.left_out[:, None], 2, axis=1)].any()


def test_bags_are_independent_and_not_stratified(problem):
    X, y = problem[0], np.unique(problem[1], return_inverse=True)[1]
    model = FreeEnergyClassifier(200, recipe=PLAIN, random_state=0)
    model.classes_ = np.arange(3)
    inside = ~BagEnsemble(model, TrainingSet(X, y, ClassEncoding(3))).left_out
    assert (inside.sum(axis=1) == 120).all()
    assert np.abs(inside.mean(axis=0) - 0.5).max() < 4.5 * 0.5 / np.sqrt(200)
    in_class = inside[:, y == 0].sum(axis=1)
    n = (y == 0).sum()
    expected = n * (240 - n) / (4 * 239)  # the variance of a hypergeometric count
    assert in_class.var() == pytest.approx(expected, rel=0.4)
    common = (inside[:, None] & inside).sum(axis=2)[np.triu_indices(200, 1)]
    assert common.mean() == pytest.approx(60, abs=0.5)  # of complements and of equal bags it would be 0 and 120


def test_what_a_certificate_says(problem, fitted):
    certificate = fitted.risk_certificate()
    assert certificate.n == 120
    assert certificate.empirical < certificate.bound < 0.5
    text = str(certificate)
    assert f"at most {certificate.bound:.1%}" in text
    assert "With probability 0.95" in text
    assert "not about predict_proba" in text
    assert "\n" not in text
    votes = certificate.votes(problem[0][:7])
    np.testing.assert_allclose(votes.sum(axis=1), 1)
    np.testing.assert_array_equal(certificate.predict(problem[0][:7]), fitted.classes_[votes.argmax(axis=1)])
    means = fitted.risk_certificate(loss="brier")
    assert "Brier score of at most" in str(means)
    assert not np.array_equal(means.votes(problem[0][:7]), votes)
    majority = fitted.risk_certificate(loss="majority")
    assert "the majority of the votes errs" in str(majority)
    assert majority.bound <= 2 * fitted.risk_certificate(DELTA / 2).bound + 1e-12


def test_a_smaller_delta_gives_a_larger_bound(fitted):
    bounds = [fitted.risk_certificate(delta).bound for delta in (0.5, 0.05, 1e-6)]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[2]


def test_the_same_whatever_the_threads_and_after_a_file(problem, fitted, tmp_path):
    expected = fitted.risk_certificate(loss="majority")
    two = FreeEnergyClassifier(4, random_state=0, n_jobs=2).fit(*problem).risk_certificate(loss="majority")
    fitted.save(tmp_path / "model.fm")
    loaded = freemetric.load(tmp_path / "model.fm").risk_certificate(loss="majority")
    for other in (two, loaded):
        assert other.bound == expected.bound
        np.testing.assert_array_equal(other.votes(problem[0]), expected.votes(problem[0]))
    with pytest.raises(freemetric.files.ModelFileError, match="RiskCertificate") as caught:
        freemetric.save(expected, tmp_path / "certificate.fm")
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_few_samples_give_a_bound_that_says_little(rng):
    X, y = rng.normal(size=(9, 2)), np.array([0, 1] * 4 + [2])
    model = FreeEnergyClassifier(5, random_state=0).fit(X, y)
    for loss in ("error", "majority", "brier"):
        assert 0.5 < model.risk_certificate(loss=loss).bound <= 1


@pytest.mark.parametrize("delta", [0, 1, 1.0, -0.1, "0.05", None, np.nan])
def test_delta_is_a_probability(fitted, delta):
    with pytest.raises(ValueError, match="delta is the probability that the bound does not hold, between 0 and 1"):
        fitted.risk_certificate(delta)


def test_what_is_not_certified(problem, fitted):
    X, y = problem
    with pytest.raises(ValueError, match="not the calibrated probabilities of the model; got 'calibrated'") as caught:
        fitted.risk_certificate(loss="calibrated")
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="X has 2 features, and the certificate is of 3 features"):
        fitted.risk_certificate().votes(X[:, :2])
    with pytest.raises(NotFittedError):
        FreeEnergyClassifier().risk_certificate()
    weighed = FreeEnergyClassifier(4, random_state=0).fit(X, y, sample_weight=1.0 + (X[:, 0] > 0))
    with pytest.raises(ValueError, match="A certificate is of samples of equal weight"):
        weighed.risk_certificate()
    sampler = Annealing(Constant(0.1), ElementMove(), n_steps=2)
    own = Recipe(energy=lambda A: np.square(A - np.eye(3)).sum(axis=(1, 2)), sampler=sampler)
    with pytest.raises(ValueError, match="needs replicas that know their bags alone; this energy knows all samples"):
        FreeEnergyClassifier(4, recipe=own, random_state=0).fit(X, y).risk_certificate()
