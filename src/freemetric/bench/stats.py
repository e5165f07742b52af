"""Statistics over many data sets: average ranks, Friedman's test and what follows it, signed-rank tests.

They start from a table of errors, or of another measure: rows are data sets, columns are methods.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ..extras import require

pd = require("pandas")

# records are rounded to six decimals: means over folds that differ by less are ties
DECIMALS = 5


def checked(errors: Any, control: str | None = None) -> Any:
    """Return the table as floats with ties restored; ValueError, in one line, where it is none or lacks the control."""
    errors = pd.DataFrame(errors)
    for what, names in {"Methods": errors.columns, "Data sets": errors.index}.items():
        if not names.is_unique:
            raise ValueError(f"{what} appear twice: {listed(names[names.duplicated()])}.")
    if control is not None and control not in errors.columns:
        raise ValueError(f"The control {control!r} is not a method of the table; it has {listed(errors.columns)}.")
    textual = [name for name in errors if not pd.api.types.is_numeric_dtype(errors[name])]
    if textual:
        raise ValueError(f"Errors must be numbers; these columns are not: {listed(textual)}.")
    errors = errors.astype(float).round(DECIMALS)
    if np.isinf(errors.to_numpy()).any():
        raise ValueError("Errors must be finite, or NaN where a method has no result.")
    return errors


def complete_rows(errors: Any, control: str | None = None) -> tuple[Any, tuple[str, ...]]:
    """Split the checked table into the rows where every method has a result and the names of the others."""
    errors = checked(errors, control)
    has_all = errors.notna().all(axis=1)
    if errors.shape[1] == 0 or not has_all.any():
        empty = errors.columns[errors.isna().all()]
        hint = f" Without any result: {listed(empty)}." if len(empty) and len(errors) else ""
        raise ValueError(f"No data set has a result of every method.{hint}")
    return errors[has_all], tuple(errors.index[~has_all])


def measure_of(errors: Any) -> str:
    """Name of the measure in the table, set by :func:`freemetric.bench.results.mean_measure`; by default the error."""
    return getattr(errors, "attrs", {}).get("measure", "error in %")


def listed(names: Iterable) -> str:
    """Join names for a message."""
    return ", ".join(map(str, names))


@dataclass(frozen=True, eq=False)
class Summary:
    """Mean, median and average rank of every method, and the data sets they are over."""

    table: Any
    n_sets: int
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Friedman:
    """Friedman's chi-squared with its p-value, and the F of Iman and Davenport with its own."""

    chi2: float
    p_value: float
    f: float
    f_p_value: float
    n_sets: int
    left_out: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PostHoc:
    """Every other method against the control: average ranks, critical differences, p-values and decisions."""

    control: str
    alpha: float
    ranks: Any
    nemenyi: float
    bonferroni_dunn: float
    table: Any
    n_sets: int
    left_out: tuple[str, ...]


def summarise(errors: Any) -> Summary:
    """Mean, median and average rank of every method over the data sets where all have a result.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result.

    Returns
    -------
    Summary
        ``table`` has the methods as rows and the columns mean, median and rank (1 is the lowest error; ties share the
        average of their ranks).

    Examples
    --------
    >>> from freemetric.bench.tables import published_errors
    >>> from freemetric.bench.stats import summarise
    >>> summarise(published_errors()).table.loc["DMLFE"].round(2).to_dict()
    {'mean': 14.81, 'median': 12.66, 'rank': 3.38}
    """
    complete, left_out = complete_rows(errors)
    columns = {"mean": complete.mean(), "median": complete.median(), "rank": complete.rank(axis=1).mean()}
    return Summary(pd.DataFrame(columns).rename_axis("method"), len(complete), left_out)


def friedman(errors: Any) -> Friedman:
    """Test whether all methods rank alike: Friedman's test, corrected for ties, and that of Iman and Davenport.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result. At least three methods and two data sets.

    Returns
    -------
    Friedman
        Both statistics and p-values. Where everything ties, the statistics are 0 and p = 1.

    References
    ----------
    J. Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.

    Examples
    --------
    >>> from freemetric.bench.tables import published_errors
    >>> from freemetric.bench.stats import friedman
    >>> result = friedman(published_errors())
    >>> f"{result.chi2:.1f} {result.p_value:.0e}"
    '135.0 6e-23'
    """
    complete, left_out = complete_rows(errors)
    n, k = complete.shape
    if k < 3:
        raise ValueError(f"Friedman's test needs at least three methods, got {k}; use wilcoxon for two.")
    if n < 2:
        raise ValueError(f"Friedman's test needs at least two data sets with a result of every method, got {n}.")
    if (complete.nunique(axis=1) == 1).all():
        return Friedman(0.0, 1.0, 0.0, 1.0, n, left_out)
    chi2, p_value = map(float, stats.friedmanchisquare(*complete.to_numpy().T))
    room = n * (k - 1) - chi2
    # no room is left where all data sets agree on one order; rounding can even make it negative
    f = (n - 1) * chi2 / room if room > 1e-9 * n * k else np.inf
    return Friedman(chi2, p_value, f, float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))), n, left_out)


def critical_difference(n_methods: int, n_sets: int, alpha: float = 0.05, test: str = "nemenyi") -> float:
    """Difference of average ranks from which two methods are significantly different: q sqrt(k (k + 1) / (6 n)).

    Parameters
    ----------
    n_methods, n_sets : int
        Numbers k of methods, at least two, and n of data sets.
    alpha : float, default=0.05
        Level of significance.
    test : {"nemenyi", "bonferroni-dunn"}, default="nemenyi"
        Every method against every other (q from the studentised range), or all against one control (q from the normal
        distribution at alpha / (k - 1)).

    Examples
    --------
    >>> from freemetric.bench.stats import critical_difference
    >>> round(critical_difference(13, 36), 4)
    3.0409
    >>> round(critical_difference(13, 36, test="bonferroni-dunn"), 2)
    2.63
    """
    if n_methods < 2 or n_sets < 1:
        raise ValueError(f"A comparison needs two methods and one data set at least, got {n_methods} and {n_sets}.")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}.")
    if test == "nemenyi":
        q = stats.studentized_range.isf(alpha, n_methods, np.inf) / np.sqrt(2)
    elif test == "bonferroni-dunn":
        q = stats.norm.isf(alpha / 2 / (n_methods - 1))
    else:
        raise ValueError(f"test must be 'nemenyi' or 'bonferroni-dunn', got {test!r}.")
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def posthoc(errors: Any, control: str, alpha: float = 0.05) -> PostHoc:
    """Compare every other method with the control by four tests, over the data sets where all have a result.

    Nemenyi and Bonferroni-Dunn compare the difference of average ranks with their critical difference; Holm steps down
    through the p-values of those differences; Wilcoxon tests each pair on its own, uncorrected.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result.
    control : str
        Column that the others are compared with.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    PostHoc
        ``table`` has one row per other method: ``rank``, ``difference`` (positive where the control ranks better),
        ``holm_p``, ``wilcoxon_p``, and ``nemenyi``, ``bonferroni_dunn``, ``holm``, ``wilcoxon``, which are True where
        the hypothesis of equal methods is rejected.

    Examples
    --------
    >>> from freemetric.bench.tables import published_errors
    >>> from freemetric.bench.stats import posthoc
    >>> posthoc(published_errors(), "DMLFE").table.query("~nemenyi").index.tolist()
    ['RF', 'DMLMJ', 'LMNN', 'NCA']
    """
    complete, left_out = complete_rows(errors, control)
    n, k = complete.shape
    nemenyi = critical_difference(k, n, alpha)
    dunn = critical_difference(k, n, alpha, "bonferroni-dunn")
    ranks = complete.rank(axis=1).mean().rename_axis("method")
    table = pd.DataFrame({"rank": ranks, "difference": ranks - ranks[control]}).drop(index=control)
    holm = require("scikit_posthocs").posthoc_demsar(complete, control=control, p_adjust="holm", to_matrix=False)
    table["holm_p"] = holm.loc[control]
    table["wilcoxon_p"] = wilcoxon(complete, control)["p_value"]
    table["nemenyi"] = table["difference"].abs() >= nemenyi
    table["bonferroni_dunn"] = table["difference"].abs() >= dunn
    table["holm"] = table["holm_p"] <= alpha
    table["wilcoxon"] = table["wilcoxon_p"] <= alpha
    return PostHoc(control, alpha, ranks, nemenyi, dunn, table, n, left_out)


def wilcoxon(errors: Any, control: str) -> Any:
    """Two-sided Wilcoxon signed-rank test of the control against each other method.

    Each pair uses the data sets where both have a result; equal errors are dropped. The distribution is scipy's choice
    (``method="auto"``). Methods that tie on every data set have p = 1.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result.
    control : str
        Column that the others are compared with.

    Returns
    -------
    DataFrame
        One row per other method: ``n_sets`` used and ``left_out`` for lack of a result; ``wins``, ``ties`` and
        ``losses`` of the control; ``statistic``; ``p_value``; ``effect``, the matched-pairs rank-biserial correlation
        from -1 (the control always loses) to 1 (it always wins).

    References
    ----------
    F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1945.
    D. S. Kerby, The simple difference formula, Comprehensive Psychology 2014.

    Examples
    --------
    >>> from freemetric.bench.tables import published_errors
    >>> from freemetric.bench.stats import wilcoxon
    >>> wilcoxon(published_errors(), "DMLFE").loc["RF", ["wins", "losses", "p_value"]].round(2).tolist()
    [15.0, 21.0, 0.38]
    """
    errors = checked(errors, control)
    rows = {method: _pair(errors[control], errors[method]) for method in errors.columns.drop(control)}
    columns = ["n_sets", "left_out", "wins", "ties", "losses", "statistic", "p_value", "effect"]
    counts = dict.fromkeys(columns[:5], int)
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).astype(counts).rename_axis("method")


def _pair(control, other):
    gain = (other - control).dropna().round(DECIMALS).to_numpy()
    nonzero = gain[gain != 0]
    ranks = stats.rankdata(abs(nonzero))
    won, lost = ranks[nonzero > 0].sum(), ranks[nonzero < 0].sum()
    p_value = stats.wilcoxon(nonzero, zero_method="wilcox", method="auto").pvalue if len(nonzero) else 1.0
    counts = [(gain > 0).sum(), (gain == 0).sum(), (gain < 0).sum()]
    effect = (won - lost) / (won + lost) if len(nonzero) else 0.0
    return [len(gain), len(control) - len(gain), *counts, min(won, lost), p_value, effect]
