"""Statistics over many data sets: average ranks, Friedman's test and what follows it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ..extras import require
from .checks import complete_rows
from .signed_rank import bayesian_signed_rank, wilcoxon

pd = require("pandas")

__all__ = [
    "Friedman",
    "PostHoc",
    "Summary",
    "bayesian_signed_rank",
    "critical_difference",
    "friedman",
    "posthoc",
    "summarise",
    "wilcoxon",
]


@dataclass(frozen=True, eq=False)
class Summary:
    """Mean, median and average rank of every method, and which data sets they are over."""

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
        average of their ranks); ``n_sets`` and ``left_out`` say which data sets counted.

    Examples
    --------
    >>> from freemetric.bench.tables import published_errors
    >>> from freemetric.bench.stats import summarise
    >>> summarise(published_errors()).table.loc["DMLFE"].round(2).to_dict()
    {'mean': 14.81, 'median': 12.66, 'rank': 3.38}
    """
    complete, left_out = complete_rows(errors)
    table = pd.DataFrame(
        {"mean": complete.mean(), "median": complete.median(), "rank": complete.rank(axis=1).mean()}
    ).rename_axis("method")
    return Summary(table, len(complete), left_out)


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
    n_methods : int
        Methods compared, k, at least two.
    n_sets : int
        Data sets, n.
    alpha : float, default=0.05
        Level of significance.
    test : {"nemenyi", "bonferroni-dunn"}, default="nemenyi"
        Every method against every other (q from the studentised range), or all against one control (q from the normal
        distribution at alpha / (k - 1)).

    Returns
    -------
    float
        The critical difference.

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
