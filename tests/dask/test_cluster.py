"""A cluster gives what one process gives, and a killed worker costs its tasks only."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.testing import assert_allclose

from freemetric import FreeEnergyClassifier

da = pytest.importorskip("dask.array", reason="needs the extra dask")
distributed = pytest.importorskip("distributed", reason="needs the extra dask")

import dask  # noqa: E402

from freemetric.dask import DaskFreeEnergyClassifier  # noqa: E402

SETTINGS, PATIENCE = {"n_replicas": 4, "random_state": 0}, 60  # seconds
# Sockets and loops of a cluster close when they like.
pytestmark = pytest.mark.filterwarnings("default")


@contextmanager
def cluster_of(n_workers):
    """Processes of this machine, on ports that are free."""
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": ":0"}
    start = {"distributed.worker.multiprocessing-method": "forkserver"}
    with dask.config.set(start):  # all import but once
        context = distributed.utils.get_mp_context()
        context.set_forkserver_preload(["distributed", "freemetric.dask"])
        cluster = distributed.LocalCluster(n_workers, processes=True, **options)
        client = distributed.Client(cluster)
        try:
            client.wait_for_workers(n_workers, timeout=PATIENCE)
            yield cluster, client
        finally:
            client.close(timeout=PATIENCE)
            cluster.close(timeout=PATIENCE)


def chunked(X, size):
    return da.from_array(X, chunks=(size, *X.shape[1:]))


def test_a_restarted_cluster_is_said_in_one_line(wine):
    X, y = wine
    options = {"threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(1, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        model = DaskFreeEnergyClassifier(**SETTINGS).fit(chunked(X, 60), y)
        local = model.to_local()
        client.restart(wait_for_workers=False, timeout=PATIENCE)
        for ask in (lambda: model.predict(X), model.to_local):
            with pytest.raises(RuntimeError, match="no longer has the training sam"):
                ask()
    assert local.score(X, y) > 0.9  # needs no cluster


def kill_one(cluster, pids, killed):
    """Wait until a worker has something to do, and end it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for worker in list(cluster.scheduler.workers.values()):
            if worker.processing and worker.address in pids:
                os.kill(pids[worker.address], signal.SIGKILL)
                killed.append(pids[worker.address])
                return
        time.sleep(0.005)


@contextmanager
def a_worker_killed_meanwhile(cluster, client):
    killed, pids = [], client.run(os.getpid, on_error="ignore")
    killer = threading.Thread(target=kill_one, args=(cluster, pids, killed))
    killer.start()
    try:
        yield
    finally:
        killer.join(PATIENCE)
    assert len(killed) == 1


@pytest.mark.slow
def test_workers_give_what_one_process_gives_and_so_do_those_that_are_left(wine):
    """One test: to start processes is what takes time."""
    X, y = wine
    expected = FreeEnergyClassifier(**SETTINGS).fit(X, y).predict_proba(X)

    def check(model):
        found = model.predict_proba(chunked(X, 50)).compute()
        assert_allclose(found, expected, atol=1e-6)

    with cluster_of(2) as (cluster, client):
        check(DaskFreeEnergyClassifier(**SETTINGS).fit(chunked(X, 60), y))
        with a_worker_killed_meanwhile(cluster, client):
            model = DaskFreeEnergyClassifier(**SETTINGS).fit(chunked(X, 23), y)
        check(model)
        # Training samples that live there are lost with it.
        client.wait_for_workers(2, timeout=PATIENCE)
        with a_worker_killed_meanwhile(cluster, client):
            check(model)
        assert np.array_equal(model.to_local().ensemble_.X, X)
