"""Sums over partitions give the quantiles and trends of all rows together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("dask.array", reason="needs the extra dask")

import dask

from freemetric.dask import partitioned_samples
from freemetric.dask.partitioned_samples import PartitionedTargets, TrendFinder, quantiles_of
from freemetric.ensemble.tasks.scales import Scale
from freemetric.metrics import TRENDS, boosted_trees
from freemetric.metrics.trends import crossed_trend


@pytest.fixture(autouse=True)
def no_threads():
    with dask.config.set(scheduler="synchronous"):
        yield


def partitioned(X, y, cuts):
    blocks = [[dask.delayed(part) for part in np.split(values, cuts)] for values in (X, y)]
    return PartitionedTargets(*blocks, X.shape[1])


@pytest.mark.parametrize("rungs", [2, 7, 512])
@pytest.mark.parametrize("cuts", [[], [1, 200, 200, 731]])
def test_quantiles_are_exact(rng, monkeypatch, cuts, rungs):
    monkeypatch.setattr(partitioned_samples, "RUNGS", rungs)
    many, few = rng.standard_normal((1000, 2)), rng.integers(-2, 3, (1000, 2))
    X, levels = np.hstack([many, few, np.sort(many), np.ones((1000, 1))]), np.array([0.0, 0.1, 1 / 3, 0.5, 0.999, 1.0])
    found = quantiles_of(partitioned(X, np.arange(1000.0), cuts), levels)
    assert_array_equal(found, np.quantile(X, levels, axis=0, method="inverted_cdf"))
    assert_array_equal(found[[0, -1]], [X.min(axis=0), X.max(axis=0)])


def test_few_values_travel(rng, monkeypatch):
    rows, sent = partitioned(rng.standard_normal((20_000, 1)), np.arange(20_000.0), np.arange(2000, 20_000, 2000)), []
    monkeypatch.setattr(partitioned_samples, "picked", lambda found, *which: sent.extend(found) or 0.0)
    quantiles_of(rows, np.array([0.5]))
    assert 0 < sum(len(part[0][0][1][0]) for part in sent) < 200


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("kind", TRENDS)
@pytest.mark.parametrize(("n", "d"), [(300, 4), (12, 7)])  # more rows than columns, and fewer
def test_trends_of_all_rows(rng, kind, n, d, scale):
    X = np.hstack([rng.exponential(size=(n, d - 1)), np.full((n, 1), 3.0)])
    y = np.exp(np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(n))
    rows = partitioned(X, y, [n // 3, n // 2])
    units = Scale.of(scale, rows.y)
    known, both = crossed_trend(TRENDS[kind], X[rows.rows], units(rows.y)), TrendFinder(rows)(TRENDS[kind], None, units)
    assert (known is None) == (both is None) == (kind == "boosted-trees" and n < 200)
    if known is None:
        return
    (trend, values), (found, left_out) = known, both
    assert_allclose(left_out, values, atol=1e-8)
    assert_allclose(found.trend(X), trend(X), atol=1e-8)
    assert_allclose(found.left_out(X[rows.rows[5:9]], np.arange(5, 9)), values[5:9], atol=1e-8)


@pytest.mark.parametrize("cuts", [[], [1, 300, 300, 650]])
def test_trees_of_some_of_very_many_rows(rng, cuts, monkeypatch):
    """As in one process, to the last bit: those that few rows give, for all rows."""
    monkeypatch.setattr(boosted_trees, "MOST_ROWS", 250)
    X, y = rng.standard_normal((700, 3)), rng.standard_normal(700)
    y += np.where(X[:, 1] > 0, X[:, 0] > 0, 0)
    rows, units = partitioned(X, y, cuts), Scale("linear", 0.0, 2.0)
    trend, values = crossed_trend(TRENDS["boosted-trees"], X[rows.rows], units(rows.y))
    found, left_out = TrendFinder(rows)(TRENDS["boosted-trees"], None, units)
    assert_array_equal(left_out, values)
    assert_array_equal(found.trend(X), trend(X))


@pytest.mark.parametrize(("n", "d", "there_are_some"), [(199, 2, False), (200, 2, True), (200, 1001, False)])
def test_trees_are_for_so_many_rows_and_features(rng, n, d, there_are_some):
    rows = partitioned(rng.random((n, d)), rng.random(n), [10])
    found = TrendFinder(rows)(TRENDS["boosted-trees"], None, Scale("linear", 0.0, 1.0))
    assert (found is not None) == there_are_some


def test_too_many_columns_have_no_trend(rng, monkeypatch):
    monkeypatch.setattr("freemetric.dask.partitioned_samples.MOST_COLUMNS", 5)
    rows = partitioned(rng.random((30, 6)), rng.random(30), [10])
    assert TrendFinder(rows)(TRENDS["linear"], None, Scale("linear", 0.0, 1.0)) is None
