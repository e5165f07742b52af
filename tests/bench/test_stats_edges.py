"""Tables with holes, ties, too few methods or the wrong names."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from freemetric import extras
from freemetric.bench.stats import critical_difference, friedman, posthoc, summarise, wilcoxon


@pytest.fixture
def errors(rng):
    return pd.DataFrame(rng.uniform(5, 30, (8, 4)), index=[f"set{i}" for i in range(8)], columns=list("abcd"))


def test_incomplete_rows_are_left_out_and_named(errors):
    holed = errors.copy()
    holed.loc["set3", "b"] = holed.loc["set5", "d"] = np.nan
    rest = errors.drop(index=["set3", "set5"])
    for function in (summarise, friedman):
        assert function(holed).left_out == ("set3", "set5")
        assert function(holed).n_sets == 6
    assert summarise(holed).table.equals(summarise(rest).table)
    assert friedman(holed).chi2 == friedman(rest).chi2
    assert posthoc(holed, "a").left_out == ("set3", "set5")
    assert posthoc(holed, "a").table.equals(posthoc(rest, "a").table)


def test_wilcoxon_leaves_out_only_what_the_pair_lacks(errors):
    holed = errors.copy()
    holed.loc["set3", "b"] = np.nan
    result = wilcoxon(holed, "a")
    assert result["left_out"].to_dict() == {"b": 1, "c": 0, "d": 0}
    assert result["n_sets"].to_dict() == {"b": 7, "c": 8, "d": 8}
    assert result.loc["b", "p_value"] == wilcoxon(errors.drop(index="set3"), "a").loc["b", "p_value"]


def test_all_ties():
    errors = pd.DataFrame(7.0, index=range(5), columns=list("abc"))
    assert summarise(errors).table["rank"].tolist() == [2, 2, 2]
    assert (friedman(errors).chi2, friedman(errors).p_value, friedman(errors).f_p_value) == (0, 1, 1)
    result = wilcoxon(errors, "a")
    assert result["p_value"].tolist() == [1, 1]
    assert result["effect"].tolist() == [0, 0]
    assert result["ties"].tolist() == [5, 5]
    table = posthoc(errors, "a").table
    assert not table[["nemenyi", "bonferroni_dunn", "holm", "wilcoxon"]].any(axis=None)


def test_ties_survive_rounding_noise():
    errors = pd.DataFrame({"a": [0.1 + 0.2, 1.0], "b": [0.3, 2.0]})
    assert summarise(errors).table["rank"].tolist() == [1.25, 1.75]
    assert wilcoxon(errors, "a").loc["b", "ties"] == 1


def test_the_same_order_everywhere():
    result = friedman(pd.DataFrame([[1.0, 2.0, 3.0]] * 6))
    assert (result.chi2, result.f, result.f_p_value) == (12, np.inf, 0)


def test_one_method(errors):
    alone = errors[["a"]]
    assert summarise(alone).table["rank"].tolist() == [1]
    assert wilcoxon(alone, "a").empty
    with pytest.raises(ValueError, match="three methods, got 1"):
        friedman(alone)
    with pytest.raises(ValueError, match="two methods"):
        posthoc(alone, "a")


def test_two_methods(errors):
    pair = errors[["a", "b"]]
    with pytest.raises(ValueError, match="at least three methods, got 2; use wilcoxon"):
        friedman(pair)
    # with one comparison there is nothing to correct: all three rank tests are the same test
    result = posthoc(pair, "a")
    assert result.nemenyi == pytest.approx(result.bonferroni_dunn)


def test_one_data_set(errors):
    with pytest.raises(ValueError, match="at least two data sets"):
        friedman(errors.iloc[:1])


@pytest.mark.parametrize("function", [wilcoxon, posthoc])
def test_unknown_control(errors, function):
    with pytest.raises(ValueError, match=r"^The control 'z' is not a method of the table; it has a, b, c, d\.$"):
        function(errors, "z")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda e: e.assign(b=np.nan), r"No data set has a result of every method. Without any result: b\."),
        (lambda e: e.iloc[:0], "No data set has a result"),
        (lambda e: e.assign(b="x"), "must be numbers; these columns are not: b"),
        (lambda e: e.assign(b=np.inf), "must be finite"),
        (lambda e: e.rename(columns={"b": "a"}), "Methods appear twice: a"),
        (lambda e: e.rename(index={"set1": "set0"}), "Data sets appear twice: set0"),
    ],
)
def test_malformed_tables(errors, spoil, message):
    with pytest.raises(ValueError, match=message):
        summarise(spoil(errors))


def test_malformed_critical_differences():
    with pytest.raises(ValueError, match="got 1 and 36"):
        critical_difference(1, 36)
    with pytest.raises(ValueError, match=r"alpha must lie between 0 and 1, got 5"):
        critical_difference(13, 36, 5)
    with pytest.raises(ValueError, match="'nemenyi' or 'bonferroni-dunn', got 'tukey'"):
        critical_difference(13, 36, test="tukey")


def test_a_missing_library_names_the_extra():
    with pytest.raises(ImportError, match=r"^This needs no_such_library: pip install 'freemetric\[bench\]'\.$"):
        extras.require("no_such_library")


@pytest.mark.slow
def test_the_package_imports_without_the_extra():
    script = """
import sys
sys.modules["pandas"] = None
import freemetric.bench
try:
    freemetric.bench.stats
except ImportError as error:
    sys.exit(str(error))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr == "This needs pandas: pip install 'freemetric[bench]'.\n"
