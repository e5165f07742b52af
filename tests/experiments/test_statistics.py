"""Statistics against hand calculation, scipy and statsmodels; the published rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from freemetric.experiments.paper import published_errors
from freemetric.experiments.statistics import (
    critical_difference,
    friedman,
    posthoc,
    summarise,
    wilcoxon,
)

MEANS = {"DMLeig": 21.18, "DMLMJ": 16.24, "SCML": 17.09, "LMNN": 16.11, "ITML": 16.36}
RANKS = {"RF": 4.58, "Euclidean": 6.99, "PCA": 7.12, "RCA": 7.33, "DCA": 8.12}
RANKS |= {"LFDA": 11.22, "DMLeig": 10.43, "DMLMJ": 5.17, "SCML": 7.67, "LMNN": 5.71}
RANKS |= {"ITML": 7.29, "NCA": 5.99, "DMLFE": 3.38}


@pytest.fixture(scope="module")
def published():
    return published_errors()


@pytest.fixture
def random(rng):
    values = rng.normal(20, 5, (12, 5)) + np.arange(5)
    return pd.DataFrame(values, columns=list("abcde"))


@pytest.fixture
def by_hand():
    # Ranks: 1 2 3 | 1 3 2 | 1 2.5 2.5 | 2 1 3.
    rows = [[1.0, 2, 3], [2.0, 9, 8], [3.0, 4, 4], [5.0, 4, 6]]
    return pd.DataFrame(rows, index=list("wxyz"), columns=list("abc"))


def test_the_published_rows(published):
    assert published.shape == (36, 13)
    assert published.loc["cod-rna", "DMLFE"] == 4.36
    table = summarise(published).table
    assert table["mean"][list(MEANS)].round(2).to_dict() == MEANS
    assert table["rank"].to_dict() == pytest.approx(RANKS, abs=0.00501)
    p = wilcoxon(published, "DMLFE")["p_value"]
    assert p["RF"] == pytest.approx(0.38, abs=0.005)
    assert (p.drop("RF") < 0.006).all()
    result = friedman(published)
    assert result.f_p_value < result.p_value  # Friedman's is the conservative one
    assert (result.n_sets, result.left_out) == (36, ())


def test_post_hoc_tests_of_the_published_rows(published):
    table = posthoc(published, "DMLFE").table
    assert table.loc["NCA", "difference"] == pytest.approx(2.61, abs=0.005)
    assert table.loc["SCML", "difference"] == pytest.approx(4.29, abs=0.005)
    assert not table.loc["NCA", "nemenyi"]
    assert table.loc["SCML", "nemenyi"]
    assert table.index[~table["wilcoxon"]].tolist() == ["RF"]


def test_by_hand(by_hand):
    table = summarise(by_hand).table
    assert table["mean"].tolist() == [2.75, 4.75, 5.25]
    assert table["median"].tolist() == [2.5, 4.0, 5.0]
    assert table["rank"].tolist() == [5 / 4, 8.5 / 4, 10.5 / 4]
    # 12/(n k (k + 1)) sum R^2 - 3 n (k + 1) = 3.875; ties: divided by 1 - 6/(4 * 24).
    chi2 = 3.875 / (1 - 6 / 96)
    result = friedman(by_hand)
    assert result.chi2 == pytest.approx(chi2)
    assert result.p_value == pytest.approx(stats.chi2.sf(chi2, 2))
    f = 3 * chi2 / (8 - chi2)
    assert result.f == pytest.approx(f)
    assert result.f_p_value == pytest.approx(stats.f.sf(f, 2, 6))


def test_ends_of_friedmans_test(by_hand):
    tied = friedman(by_hand * 0)
    assert (tied.chi2, tied.p_value, tied.f_p_value) == (0, 1, 1)
    order = pd.DataFrame(np.tile([1.0, 2.0, 3.0], (5, 1)))
    assert friedman(order).f == np.inf


def test_wilcoxon_is_scipys(random):
    table = wilcoxon(random, "a")
    for name in "bcde":
        test = stats.wilcoxon(random[name] - random["a"])
        assert table.loc[name, "p_value"] == pytest.approx(test.pvalue)
        gain = random[name] - random["a"]
        assert table.loc[name, "wins"] == (gain > 0).sum()
        ranks = stats.rankdata(abs(gain))
        effect = (ranks[gain > 0].sum() - ranks[gain < 0].sum()) / ranks.sum()
        assert table.loc[name, "effect"] == pytest.approx(effect)


def test_ties_and_holes_of_a_pair():
    errors = pd.DataFrame({"a": [1.0, 2.0, 3.0, np.nan], "b": [1.0, 2.0, 3.0, 4.0]})
    row = wilcoxon(errors, "a").loc["b"]
    assert row.tolist() == [3, 0, 3, 0, 1.0, 0.0]
    errors["b"] += 1e-7  # rounding of means
    assert wilcoxon(errors, "a").loc["b", "ties"] == 3


def test_holm_is_that_of_statsmodels(random):
    result = posthoc(random, "a")
    n, k = random.shape
    z = result.table["difference"].abs() / np.sqrt(k * (k + 1) / (6 * n))
    expected = multipletests(2 * stats.norm.sf(z), method="holm")[1]
    np.testing.assert_allclose(result.table["holm_p"], expected)


@pytest.mark.parametrize(
    ("test", "alpha", "expected"),
    [("nemenyi", 0.05, 3.04), ("bonferroni-dunn", 0.05, 2.63)],
)
def test_critical_differences(test, alpha, expected):
    found = critical_difference(13, 36, alpha, test)
    assert found == pytest.approx(expected, abs=5e-3)
    with pytest.raises(ValueError, match="'nemenyi' or 'bonferroni-dunn'"):
        critical_difference(13, 36, test="tukey")


def test_holes_are_left_out_and_reported(published):
    holed = published.copy()
    holed.loc["iris", "NCA"] = np.nan
    for result in (summarise(holed), friedman(holed), posthoc(holed, "DMLFE")):
        assert (result.n_sets, result.left_out) == (35, ("iris",))
    with pytest.raises(ValueError, match="No data set has a result of every method"):
        summarise(holed.assign(NCA=np.nan))
    with pytest.raises(ValueError, match="The control 'kNN' is no method"):
        posthoc(published, "kNN")
