"""Partitions in this process, one after another; a cluster of its own has others."""

import pytest


@pytest.fixture(autouse=True)
def no_threads(request):
    dask = pytest.importorskip("dask", reason="needs the extra dask")
    scheduler = None if "test_cluster" in request.module.__name__ else "synchronous"
    with dask.config.set(scheduler=scheduler):
        yield
