"""Signed-rank tests of one control method against each of the others."""

from typing import Any

import numpy as np
from scipy import stats

from ..extras import require
from .checks import DECIMALS, checked

pd = require("pandas")


def wilcoxon(errors: Any, control: str) -> Any:
    """Two-sided Wilcoxon signed-rank test of the control against each other method.

    Each pair uses the data sets where both have a result. Data sets with equal errors are dropped
    (``zero_method="wilcox"``). The distribution is scipy's choice (``method="auto"``): exact up to 50 data sets without
    tied differences, by permutation up to 13 with them, else normal without continuity correction. Methods that tie on
    every data set have p = 1.

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


def bayesian_signed_rank(
    errors: Any, control: str, *, rope: float = 1.0, n_samples: int = 20_000, random_state: int | None = 0
) -> Any:
    """Bayesian signed-rank test of the control against each other method, by the library baycomp.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result.
    control : str
        Column that the others are compared with.
    rope : float, default=1.0
        Region of practical equivalence, above 0: a difference of at most so many points does not matter.
    n_samples : int, default=20_000
        Samples of the posterior.
    random_state : int or None, default=0
        Seed of the samples.

    Returns
    -------
    DataFrame
        One row per other method: the probabilities that the control is ``better``, ``equivalent`` or ``worse``.

    References
    ----------
    A. Benavoli et al., A Bayesian Wilcoxon signed-rank test based on the Dirichlet process, ICML 2014.

    Examples
    --------
    >>> from freemetric.bench.tables import published_errors
    >>> from freemetric.bench.stats import bayesian_signed_rank
    >>> errors = published_errors()[["LFDA", "DMLFE"]]
    >>> bayesian_signed_rank(errors, "DMLFE", n_samples=100).loc["LFDA", "better"].item()
    1.0
    """
    sample = require("baycomp").SignedRankTest.sample
    errors = checked(errors, control)
    if not rope > 0:
        raise ValueError(f"rope must be above 0, got {rope}.")
    rows = {}
    for method in errors.columns.drop(control):
        pair = errors[[control, method]].dropna().to_numpy().T
        if pair.shape[1] == 0:
            raise ValueError(f"{control!r} and {method!r} have no data set in common.")
        drawn = sample(*pair, rope=rope, nsamples=n_samples, random_state=random_state)
        # baycomp speaks of scores: its left column, "the first is higher", is here "the control errs more"
        worse, equivalent, better = np.bincount(drawn.argmax(axis=1), minlength=3) / n_samples
        rows[method] = [better, equivalent, worse]
    columns = ["better", "equivalent", "worse"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("method")
