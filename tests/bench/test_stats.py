"""Statistics against hand calculation, scipy, statsmodels and scikit-posthocs."""

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from scipy import stats
from statsmodels.stats.multitest import multipletests

from freemetric.bench.stats import critical_difference, friedman, posthoc, summarise, wilcoxon


@pytest.fixture
def by_hand():
    # ranks: 1 2 3 | 1 3 2 | 1 2.5 2.5 | 2 1 3
    return pd.DataFrame(
        {"a": [1.0, 2.0, 3.0, 5.0], "b": [2.0, 9.0, 4.0, 4.0], "c": [3.0, 8.0, 4.0, 6.0]}, index=["w", "x", "y", "z"]
    )


@pytest.fixture
def random(rng):
    return pd.DataFrame(rng.normal(20, 5, (12, 5)) + np.arange(5), columns=list("abcde"))


def test_summary_by_hand(by_hand):
    table = summarise(by_hand).table
    assert table["mean"].tolist() == [2.75, 4.75, 5.25]
    assert table["median"].tolist() == [2.5, 4.0, 5.0]
    assert table["rank"].tolist() == [5 / 4, 8.5 / 4, 10.5 / 4]


def test_friedman_by_hand(by_hand):
    # 12/(n k (k + 1)) sum R_j^2 - 3 n (k + 1) = 207.5/4 - 48 = 3.875; one pair of ties: divided by 1 - 6/(4 * 24)
    result = friedman(by_hand)
    chi2 = 3.875 / (1 - 6 / 96)
    assert result.chi2 == pytest.approx(chi2)
    assert result.p_value == pytest.approx(np.exp(-chi2 / 2))  # chi-squared with two degrees of freedom
    assert result.f == pytest.approx(3 * chi2 / (8 - chi2))


def test_wilcoxon_by_hand(by_hand):
    # b - a = 1, 7, 1, -1: ranks 2, 4, 2, 2, 8 against 2; of 16 choices of signs 4 give 8 or more, 4 give 2 or less
    row = wilcoxon(by_hand, "a").loc["b"]
    assert row[["n_sets", "wins", "ties", "losses"]].tolist() == [4, 3, 0, 1]
    assert row["statistic"] == 2
    assert row["p_value"] == pytest.approx(8 / 16)
    assert row["effect"] == (8 - 2) / 10


def test_wilcoxon_drops_ties_and_is_exact_without_them():
    errors = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, 5.0], "b": [2.0, 4.0, 6.0, 8.0, 5.0]})
    row = wilcoxon(errors, "a").loc["b"]
    assert row["p_value"] == 2 / 2**4  # all four signs alike
    assert row["effect"] == 1
    assert row["ties"] == 1


def test_wilcoxon_agrees_with_scipy(random):
    result = wilcoxon(random, "c")
    for method in "abde":
        expected = stats.wilcoxon(random["c"], random[method])
        assert result.loc[method, ["statistic", "p_value"]].tolist() == pytest.approx(list(expected)[:2])


def test_effect_changes_sign_with_the_control(random):
    assert wilcoxon(random, "a").loc["b", "effect"] == -wilcoxon(random, "b").loc["a", "effect"]


def test_iman_davenport_is_the_analysis_of_variance_of_the_ranks(random):
    ranks = random.rank(axis=1).to_numpy()
    n, k = ranks.shape
    between = n * ((ranks.mean(axis=0) - ranks.mean()) ** 2).sum() / (k - 1)
    within = ((ranks - ranks.mean(axis=0)) ** 2).sum() / ((n - 1) * (k - 1))
    assert friedman(random).f == pytest.approx(between / within)


def test_tables_of_demsar():
    # q of Demsar's Table 5, for five methods at 0.05
    scale = np.sqrt(5 * 6 / (6 * 30))
    assert critical_difference(5, 30) == pytest.approx(2.728 * scale, rel=1e-3)
    assert critical_difference(5, 30, test="bonferroni-dunn") == pytest.approx(2.498 * scale, rel=1e-3)
    assert critical_difference(5, 30, 0.10) == pytest.approx(2.459 * scale, rel=1e-3)


@pytest.mark.parametrize("control", ["a", "e"])
def test_posthoc_agrees_with_scikit_posthocs(random, control):
    table = posthoc(random, control).table
    nemenyi = scikit_posthocs.posthoc_nemenyi_friedman(random)[control].drop(control)
    assert table["nemenyi"].tolist() == (nemenyi <= 0.05).tolist()
    z = table["difference"] / np.sqrt(5 * 6 / (6 * 12))
    p = 2 * stats.norm.sf(abs(z))
    assert table["holm_p"].tolist() == pytest.approx(multipletests(p, method="holm")[1].tolist())
    assert table["bonferroni_dunn"].tolist() == multipletests(p, 0.05, method="bonferroni")[0].tolist()
    assert table["wilcoxon_p"].tolist() == wilcoxon(random, control)["p_value"].tolist()
