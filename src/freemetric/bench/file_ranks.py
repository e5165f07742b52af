"""People's own files ranked as data sets are: a comparison of tables, given the statistics over several of them."""

from collections.abc import Iterator
from typing import Any

from ..tabular import Comparison
from ..tabular.text_table import TextTable
from . import stats
from .tables import error_table, posthoc_table


def has_ranks(comparison: Comparison) -> bool:
    """Whether there are files and methods enough for ranks."""
    return comparison.errors().notna().all(axis=1).sum() > 1 and len(comparison.methods) > 1


def rank_tables(comparison: Comparison) -> Iterator[TextTable]:
    """Errors with average ranks, then every method against the first, which needs the extra ``bench``."""
    yield error_table(comparison.errors())
    yield posthoc_table(comparison.errors(), comparison.methods[0])


def ranks_as_json(comparison: Comparison) -> dict[str, Any]:
    """Average ranks, critical differences and Friedman's p-value, as JSON values; nothing where there are none."""
    if not has_ranks(comparison):
        return {}
    errors = comparison.errors()
    summary = stats.summarise(errors)
    k, n = len(comparison.methods), summary.n_sets
    tests = ("nemenyi", "bonferroni-dunn")
    return {
        "ranks": {name: float(rank) for name, rank in summary.table["rank"].items()},
        "critical_difference": {test: stats.critical_difference(k, n, test=test) for test in tests},
        "friedman_p": stats.friedman(errors).p_value if k > 2 else None,
    }
