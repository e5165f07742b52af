"""Class densities against those of scipy, counting by hand, and what must not matter."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, multivariate_t, norm

from freemetric.metrics import (
    CLASS_DENSITIES,
    BinnedNaiveBayes,
    BoostedTrees,
    ScreenedNaiveBayes,
    SharedStudentT,
    StudentTDiscriminant,
    register_class_density,
)
from freemetric.metrics.class_densities import significant_features
from freemetric.metrics.views import Steps


@pytest.fixture
def rows(rng):
    y = rng.integers(0, 3, 90)
    X = rng.normal(size=(90, 4)) @ rng.normal(size=(4, 4)) * (1 + y)[:, None] + rng.normal(size=(3, 4))[y]
    return X, y


def differences(F):
    """What classes do not share."""
    return F - F[:, :1]


@pytest.mark.parametrize("densities", [StudentTDiscriminant, SharedStudentT])
def test_wells_are_densities_of_student(rows, densities):
    X, y = rows
    spread = X.std(axis=0)
    within = sum((y == c).sum() * np.cov((X / spread)[y == c], rowvar=False, ddof=0) for c in range(3)) / 90
    logs = []
    for c in range(3):
        own, n, d = np.cov((X / spread)[y == c], rowvar=False, ddof=0), (y == c).sum(), 4
        shape = within if densities is SharedStudentT else (n * own + d * within) / (n + d)
        shape = (1 - 1e-4) * shape + 1e-4 * np.trace(shape) / d * np.eye(d)
        logs.append(multivariate_t((X / spread)[y == c].mean(axis=0), shape, df=d).logpdf(X / spread))
    expected = differences(-np.transpose(logs)) / 2  # sqrt(4)
    np.testing.assert_allclose(differences(densities.of(X, y, 3)(X)), expected, atol=1e-9)


def test_classes_that_differ_in_how_closely_features_go_together(rng):
    """One feature is another and noise of 0.02 or 0.06: the best border is where both noises are equally likely."""
    y, truth, spread = np.arange(400) % 2, np.arange(10_000) % 2, np.array([0.02, 0.06])
    X, Q = (np.add.outer(rng.normal(size=len(z)), [0, 0]) for z in (y, truth))
    X[:, 1] += spread[y] * rng.normal(size=400)
    Q[:, 1] += spread[truth] * rng.normal(size=10_000)
    border = np.sqrt(2 * np.log(3) / (0.02**-2 - 0.06**-2))
    best = (2 * norm.sf(border / 0.02) + 1 - 2 * norm.sf(border / 0.06)) / 2
    wrong = (StudentTDiscriminant.of(X, y, 2)(Q).argmin(axis=1) != truth).mean()
    assert best - 0.01 < wrong < best + 0.02


def test_classes_that_differ_where_hardly_anything_varies(rng):
    """One covariance for all classes finds the direction from fewer samples than one of each."""
    y = np.arange(60) % 3
    means = np.zeros((3, 15))
    means[:, 0] = [-0.3, 0.0, 0.3]
    spread = np.append(0.1, np.ones(14))
    X, Q = (means[z] + spread * rng.normal(size=(len(z), 15)) for z in (y, np.arange(3000) % 3))
    turn = np.linalg.qr(rng.normal(size=(15, 15)))[0]
    wrong = [
        (densities.of(X @ turn, y, 3)(Q @ turn).argmin(axis=1) != np.arange(3000) % 3).mean()
        for densities in (StudentTDiscriminant, SharedStudentT)
    ]
    assert wrong[1] < 0.8 * wrong[0]


def test_significant_features(rng):
    """Against the likelihood ratio of scipy; of 300 features of noise hardly any looks significant."""
    y = rng.integers(3, size=400)
    X = rng.integers(2, size=(400, 300)).astype(float)
    X[:, 7] = np.where(rng.random(400) < 0.7, y == 1, X[:, 7])
    table = [[((X[:, 7] == value) & (y == c)).sum() for c in range(3)] for value in (0, 1)]
    G = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    found = significant_features(X, y)
    assert found[7] == pytest.approx(1 - 2 / G)
    assert np.count_nonzero(found) <= 2
    assert not significant_features(np.ones((400, 5)), y).any()
    np.testing.assert_allclose(significant_features(X, y, np.full(400, 7.0)), found)


def test_mean_field_counts(rows):
    X, y = rows
    X[:, 1] = np.round(X[:, 1])  # few values
    thresholds = Steps.of(X)
    F = np.zeros((90, 3))
    for j in range(4):
        interval = (X[:, j, None] > thresholds.threshold[thresholds.owner == j]).sum(axis=1)
        for i in range(90):
            same = interval == interval[i]
            share = same.mean()
            for c in range(3):
                inside = ((same & (y == c)).sum() + 3 * share) / ((y == c).sum() + 3)
                F[i, c] -= np.log(inside / share) / 2
    np.testing.assert_allclose(BinnedNaiveBayes.of(X, y, 3)(X), F, atol=1e-9)


def test_binned_naive_bayes_by_hand():
    """Of three samples in each class, three and one lie below; of both classes together, four of six do."""
    X, y = np.array([[0.0], [0.0], [0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 0, 1, 1, 1])
    below = np.array([(3 + 3 * 4 / 6) / 6, (1 + 3 * 4 / 6) / 6]) / (4 / 6)
    above = np.array([(0 + 3 * 2 / 6) / 6, (2 + 3 * 2 / 6) / 6]) / (2 / 6)
    np.testing.assert_allclose(BinnedNaiveBayes.of(X, y, 2)(np.array([[0.0], [1.0]])), -np.log([below, above]))


def test_a_screened_field_counts_evidence_beyond_chance(rng):
    """Every feature's mean field, times 1 - dof / G by scipy's test of its table of intervals and classes."""
    X, y = rng.normal(size=(200, 5)), rng.integers(3, size=200)
    X[:, 0] += y
    X[:, 1] = np.round(X[:, 1] + 0.3 * y)
    F = 0
    for j in range(5):
        steps = Steps.of(X[:, [j]])
        interval = (X[:, [j]] > steps.threshold).sum(axis=1)
        table = np.array([np.bincount(interval[y == c], minlength=len(steps.threshold) + 1) for c in range(3)])
        G, _, dof, _ = chi2_contingency(table, lambda_="log-likelihood", correction=False)
        F = F + max(0, 1 - dof / G) * BinnedNaiveBayes.of(X[:, [j]], y, 3)(X[:, [j]])
    np.testing.assert_allclose(np.sqrt(5) * ScreenedNaiveBayes.of(X, y, 3)(X), F, atol=1e-9)


def test_screening_finds_one_feature_among_hundreds(rng):
    X, Q, y, z = (
        rng.normal(size=(200, 400)),
        rng.normal(size=(1000, 400)),
        *(rng.integers(2, size=n) for n in (200, 1000)),
    )
    X[:, 7] += 2.5 * y
    Q[:, 7] += 2.5 * z
    wrong = [
        (densities.of(X, y, 2)(Q).argmin(axis=1) != z).mean() for densities in (BinnedNaiveBayes, ScreenedNaiveBayes)
    ]
    assert wrong[1] < 0.75 * wrong[0]


def test_weights_that_round_do_not_make_intervals(rng):
    X, y = np.round(rng.normal(size=(300, 3))), rng.integers(2, size=300)
    weights = rng.uniform(0.1, 1, 300)
    assert np.isfinite(ScreenedNaiveBayes.of(X, y, 2, weights)(X)).all()


@pytest.mark.parametrize("densities", CLASS_DENSITIES.values(), ids=CLASS_DENSITIES)
class TestAll:
    def test_units_do_not_matter(self, densities, rows):
        X, y = rows
        other = X * [1e-3, 1.0, 20.0, 1e6] + [0.0, 3.0, -5.0, 1e6]
        F, G = (differences(densities.of(V, y, 3)(V)) for V in (X, other))
        np.testing.assert_allclose(F, G, atol=1e-6)

    def test_equal_weights_do_not_matter(self, densities, rows):
        X, y = rows
        np.testing.assert_allclose(densities.of(X, y, 3, np.full(90, 7.0))(X), densities.of(X, y, 3)(X), atol=1e-9)

    def test_a_class_without_rows(self, densities, rows):
        X, y = rows
        F = densities.of(X, y, 4)(X)
        assert np.isfinite(F).all()
        assert densities.of(X, y, 4).shape == (4, 4)

    def test_constants_say_nothing(self, densities, rows):
        y, expected, rounding = rows[1], np.zeros((5, 3)), 1e-9
        if densities is BoostedTrees:  # which hold how frequent classes are, too
            expected, rounding = np.tile(differences(-np.log(np.bincount(y) / 90)[None]), (5, 1)), 1e-3
        F = differences(densities.of(np.ones((90, 2)), y, 3)(np.ones((5, 2))))
        np.testing.assert_allclose(F, expected, atol=rounding)

    def test_far_patterns(self, densities, rows):
        X, y = rows
        far = np.array([[1e200, -1e308, 1e308, 0.0], [1e5, 0, 0, 0]])
        F = differences(densities.of(X, y, 3)(far))
        assert np.isfinite(F).all()
        assert np.abs(F).max() < 50  # no certainty from far away

    def test_through_state(self, densities, rows):
        X, y = rows
        made = densities.of(X, y, 3)
        assert densities.from_state(made.to_state())(X).tobytes() == made(X).tobytes()


def test_a_wide_class_around_a_narrow_one(rng):
    """Of two centred Gaussians the densities know Bayes' boundary, a sphere."""
    y = np.arange(600) % 2
    X, Q = (rng.normal(size=(600, 10)) * (1 + y)[:, None] for _ in range(2))
    F = np.sqrt(10) * StudentTDiscriminant.of(X, y, 2)(Q)
    lengths = (Q**2).sum(axis=1)
    bayes = (lengths / 2 > lengths / 8 + 10 * np.log(2)).astype(int)
    assert (F.argmin(axis=1) != bayes).mean() < 0.06


def test_a_row_without_weight_does_not_count(rows):
    X, y = rows
    light, without = (
        StudentTDiscriminant.of(X, y, 3, np.where(np.arange(90) < 80, 1.0, 1e-12)),
        StudentTDiscriminant.of(X[:80], y[:80], 3),
    )
    # their mean weight is one, so that 80 rows weigh as 90: only the prior of d samples differs
    np.testing.assert_allclose(differences(light(X)), differences(without(X)), atol=0.1)


def test_many_features_are_not_affordable():
    assert StudentTDiscriminant.affordable(100, 100)
    assert not StudentTDiscriminant.affordable(1001, 1)
    assert BinnedNaiveBayes.affordable(10**5, 100)


def test_a_name_is_needed():
    with pytest.raises(ValueError, match="need a name"):
        register_class_density("", StudentTDiscriminant)


def test_a_shared_covariance_in_a_file_is_one(rows):
    X, y = rows
    state = SharedStudentT.of(X, y, 3).to_state()
    assert state["roots"].shape == (1, 4, 4)
    for name, wrong in (("roots", np.repeat(state["roots"], 3, axis=0)), ("depths", np.zeros(3))):
        with pytest.raises(ValueError, match=f"{name} of SharedStudentT"):
            SharedStudentT.from_state(state | {name: wrong})
