"""Statistics over many data sets: average ranks, Friedman's test and what follows it.

All start from a table of errors, or of another measure of which less is better: rows
are data sets, columns are methods. This module needs the extra ``bench``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ..exceptions import require

pd = require("pandas", "bench")

# Records have six decimals: means over folds that differ by less are ties.
DECIMALS = 5


def checked(errors, control=None):
    """Return the table as floats with ties restored; ValueError where it is none."""
    if control is not None and control not in errors:
        raise ValueError(f"The control {control!r} is no method of the table.")
    return errors.astype(float).round(DECIMALS)


def complete_rows(errors, control=None):
    """Return the rows where every method has a result, and the names of the others."""
    errors = checked(errors, control)
    is_complete = errors.notna().all(axis=1)
    if errors.shape[1] == 0 or not is_complete.any():
        raise ValueError("No data set has a result of every method.")
    return errors[is_complete], tuple(errors.index[~is_complete])


def listed(names):
    """Join names for a message."""
    return ", ".join(map(str, names))


@dataclass(frozen=True, eq=False)
class Summary:
    """Mean, median and average rank of every method.

    Attributes
    ----------
    table : DataFrame
        Methods as rows; columns "mean", "median", "rank" (1 is the lowest error; ties
        share the average of their ranks).
    n_sets, left_out : int, tuple of str
        Data sets with a result of every method, and names of the others.
    """

    table: Any
    n_sets: int
    left_out: tuple


@dataclass(frozen=True)
class Friedman:
    """Friedman's test, and the test of Iman and Davenport.

    Attributes
    ----------
    chi2, p_value : float
        Friedman's statistic, corrected for ties.
    f, f_p_value : float
        The statistic of Iman and Davenport.
    n_sets, left_out : int, tuple of str
        Data sets with a result of every method, and names of the others.
    """

    chi2: float
    p_value: float
    f: float
    f_p_value: float
    n_sets: int
    left_out: tuple


@dataclass(frozen=True, eq=False)
class PostHoc:
    """Every other method against the control.

    Attributes
    ----------
    control, alpha : str, float
        The control and the level of significance.
    ranks : Series
        Average rank of every method.
    nemenyi, bonferroni_dunn : float
        Critical differences of ranks.
    table : DataFrame
        A row for every other method: "rank", "difference" (positive where the control
        ranks better), "holm_p", "wilcoxon_p", and "nemenyi", "bonferroni_dunn", "holm",
        "wilcoxon", True where equality is rejected.
    n_sets, left_out : int, tuple of str
        Data sets with a result of every method, and names of the others.
    """

    control: str
    alpha: float
    ranks: Any
    nemenyi: float
    bonferroni_dunn: float
    table: Any
    n_sets: int
    left_out: tuple


def summarise(errors):
    """Return mean, median and average rank over data sets with a result of all methods.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors, NaN where a method has no result.

    Returns
    -------
    summary : Summary
        The table.

    Examples
    --------
    >>> from freemetric.experiments.paper import published_errors
    >>> from freemetric.experiments.statistics import summarise
    >>> summarise(published_errors()).table.loc["DMLFE"].round(2).to_dict()
    {'mean': 14.81, 'median': 12.66, 'rank': 3.38}
    """
    complete, left_out = complete_rows(errors)
    table = pd.DataFrame(
        {
            "mean": complete.mean(),
            "median": complete.median(),
            "rank": complete.rank(axis=1).mean(),
        }
    )
    return Summary(table.rename_axis("method"), len(complete), left_out)


def friedman(errors):
    """Test whether all methods rank alike.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors, NaN where a method has no result; three methods and two sets at least.

    Returns
    -------
    result : Friedman
        Both statistics; 0 and p = 1 where everything ties.

    References
    ----------
    J. Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7,
    2006.

    Examples
    --------
    >>> from freemetric.experiments.paper import published_errors
    >>> from freemetric.experiments.statistics import friedman
    >>> result = friedman(published_errors())
    >>> f"{result.chi2:.1f} {result.p_value:.0e}"
    '135.0 6e-23'
    """
    complete, left_out = complete_rows(errors)
    n, k = complete.shape
    if (complete.nunique(axis=1) == 1).all():
        return Friedman(0.0, 1.0, 0.0, 1.0, n, left_out)
    chi2, p_value = map(float, stats.friedmanchisquare(*complete.to_numpy().T))
    # Nothing is left, but for rounding, where all data sets agree on one order.
    left = n * (k - 1) - chi2
    f = (n - 1) * chi2 / left if left > 1e-9 * n * k else np.inf
    f_p_value = float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return Friedman(chi2, p_value, f, f_p_value, n, left_out)


def critical_difference(n_methods, n_sets, alpha=0.05, test="nemenyi"):
    """Return the difference of average ranks from which two methods differ.

    Parameters
    ----------
    n_methods, n_sets : int
        Numbers of methods and of data sets.
    alpha : float, default=0.05
        Level of significance.
    test : {"nemenyi", "bonferroni-dunn"}, default="nemenyi"
        Every method against every other, or all against one control.

    Returns
    -------
    difference : float
        q sqrt(k (k + 1) / (6 n)).

    Examples
    --------
    >>> from freemetric.experiments.statistics import critical_difference
    >>> round(critical_difference(13, 36), 4)
    3.0409
    >>> round(critical_difference(13, 36, test="bonferroni-dunn"), 2)
    2.63
    """
    if test == "nemenyi":
        q = stats.studentized_range.isf(alpha, n_methods, np.inf) / np.sqrt(2)
    elif test == "bonferroni-dunn":
        q = stats.norm.isf(alpha / 2 / (n_methods - 1))
    else:
        raise ValueError(f"test must be 'nemenyi' or 'bonferroni-dunn', got {test!r}.")
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def posthoc(errors, control, alpha=0.05):
    """Compare every other method with the control by four tests.

    Nemenyi and Bonferroni-Dunn compare the difference of average ranks with their
    critical difference; Holm steps down through the p-values of those differences;
    Wilcoxon tests each pair on its own, uncorrected.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors, NaN where a method has no result.
    control : str
        Method that the others are compared with.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    result : PostHoc
        Ranks, critical differences and decisions.

    Examples
    --------
    >>> from freemetric.experiments.paper import published_errors
    >>> from freemetric.experiments.statistics import posthoc
    >>> posthoc(published_errors(), "DMLFE").table.query("~nemenyi").index.tolist()
    ['RF', 'DMLMJ', 'LMNN', 'NCA']
    """
    complete, left_out = complete_rows(errors, control)
    n, k = complete.shape
    nemenyi = critical_difference(k, n, alpha)
    dunn = critical_difference(k, n, alpha, "bonferroni-dunn")
    ranks = complete.rank(axis=1).mean().rename_axis("method")
    table = pd.DataFrame({"rank": ranks, "difference": ranks - ranks[control]})
    table = table.drop(index=control)
    library = require("scikit_posthocs", "bench")
    holm = library.posthoc_demsar(
        complete, control=control, p_adjust="holm", to_matrix=False
    )
    table["holm_p"] = holm.loc[control]
    table["wilcoxon_p"] = wilcoxon(complete, control)["p_value"]
    table["nemenyi"] = table["difference"].abs() >= nemenyi
    table["bonferroni_dunn"] = table["difference"].abs() >= dunn
    table["holm"] = table["holm_p"] <= alpha
    table["wilcoxon"] = table["wilcoxon_p"] <= alpha
    return PostHoc(control, alpha, ranks, nemenyi, dunn, table, n, left_out)


def wilcoxon(errors, control):
    """Test the control against each other method by Wilcoxon's signed ranks, two-sided.

    Each pair uses the data sets where both have a result; equal errors are dropped.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors, NaN where a method has no result.
    control : str
        Method that the others are compared with.

    Returns
    -------
    table : DataFrame
        A row for every other method: "n_sets"; "wins", "ties" and "losses" of the
        control; "p_value", 1 where all sets tie; "effect", the matched-pairs
        rank-biserial correlation from -1 (the control always loses) to 1.

    References
    ----------
    D. S. Kerby, The simple difference formula, Comprehensive Psychology, 2014.

    Examples
    --------
    >>> from freemetric.experiments.paper import published_errors
    >>> from freemetric.experiments.statistics import wilcoxon
    >>> test = wilcoxon(published_errors(), "DMLFE").loc["RF"]
    >>> test[["wins", "losses", "p_value"]].round(2).tolist()
    [15.0, 21.0, 0.38]
    """
    errors = checked(errors, control)
    others = errors.columns.drop(control)
    rows = [_signed_ranks(errors[control], errors[method]) for method in others]
    columns = ["n_sets", "wins", "ties", "losses", "p_value", "effect"]
    table = pd.DataFrame(rows, index=others.rename("method"), columns=columns)
    return table.astype(dict.fromkeys(columns[:4], int))


def _signed_ranks(control, other):
    gain = (other - control).dropna().round(DECIMALS).to_numpy()
    signs = np.sign(gain)
    counts = [len(gain), *((signs == sign).sum() for sign in (1, 0, -1))]
    nonzero = gain[gain != 0]
    if len(nonzero) == 0:
        return [*counts, 1.0, 0.0]
    ranks = stats.rankdata(abs(nonzero))
    effect = (ranks * np.sign(nonzero)).sum() / ranks.sum()
    p_value = stats.wilcoxon(nonzero, zero_method="wilcox", method="auto").pvalue
    return [*counts, p_value, effect]
