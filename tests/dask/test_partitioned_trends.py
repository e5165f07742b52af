"""Sums over partitions give the quantiles and trends of all rows together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("dask.array", reason="needs the extra dask")

import dask

from freemetric.dask import partitioned_samples
from freemetric.dask.partitioned_samples import PartitionedTargets, TrendFinder, quantiles_of
from freemetric.ensemble.tasks.scales import Scale
from freemetric.metrics import TRENDS
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
    trend, values = crossed_trend(TRENDS[kind], X[rows.rows], units(rows.y))
    found, left_out = TrendFinder(rows)(TRENDS[kind], None, units)
    assert_allclose(left_out, values, atol=1e-8)
    assert_allclose(found.trend(X), trend(X), atol=1e-8)
    assert_allclose(found.left_out(X[rows.rows[5:9]], np.arange(5, 9)), values[5:9], atol=1e-8)


def test_too_many_columns_have_no_trend(rng, monkeypatch):
    monkeypatch.setattr("freemetric.dask.partitioned_samples.MOST_COLUMNS", 5)
    rows = partitioned(rng.random((30, 6)), rng.random(30), [10])
    assert TrendFinder(rows)(TRENDS["linear"], None, Scale("linear", 0.0, 1.0)) is None
