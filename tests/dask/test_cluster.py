"""A cluster of processes gives what one process gives, to the last bit, and a killed worker costs its tasks only."""

import os
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, Recipe
from freemetric.metrics import TrainingSet

pytest.importorskip("dask.dataframe", reason="needs the extra dask")
distributed = pytest.importorskip("distributed", reason="needs the extra dask")

import dask  # noqa: E402
import dask.array as da  # noqa: E402

from freemetric.dask import DaskFreeEnergyClassifier, DaskFreeEnergyRegressor  # noqa: E402

RECIPE = replace(Recipe(), n_replicas=14, cheap_bag=1, n_steps=2, most_searched=100)
SETTINGS = {"recipe": replace(RECIPE, shortlist=None), "random_state": 0}
N_ROUNDS = 4  # of the search: all kinds, larger bags or none, other temperatures, the best
PATIENCE = 60  # seconds
pytestmark = pytest.mark.filterwarnings("default")  # sockets and loops of a cluster close when they like


@contextmanager
def cluster_of(n_workers):
    """Processes of this machine, on ports that are free."""
    options = {"threads_per_worker": 1, "processes": True, "host": "127.0.0.1", "dashboard_address": ":0"}
    options["scheduler_kwargs"] = {"dashboard": False}
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):  # all import but once
        distributed.utils.get_mp_context().set_forkserver_preload(["distributed", "freemetric.dask", "dask.array"])
        cluster = distributed.LocalCluster(n_workers=n_workers, **options)
        client = distributed.Client(cluster)
        try:
            client.wait_for_workers(n_workers, timeout=PATIENCE)
            yield cluster, client
        finally:
            client.close(timeout=PATIENCE)
            cluster.close(timeout=PATIENCE)


def chunked(X, y, size):
    return da.from_array(X, chunks=(size, -1)), da.from_array(y, chunks=size)


def assert_same_model(model, one):
    np.testing.assert_array_equal(model.trace_["energy"], one.trace_["energy"])
    np.testing.assert_array_equal(model.selection_["weight"], one.selection_["weight"])
    for ours, theirs in zip(model.members_, one.members_, strict=True):
        np.testing.assert_array_equal(ours.maps, theirs.maps)


def assert_same_predictions(model, one, X):
    probabilities = model.predict_proba(da.from_array(X, chunks=(50, -1))).compute()
    np.testing.assert_allclose(probabilities, one.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], one.predict(X))


def assert_same_numbers(X, y):
    """Of regressors, here and apart."""
    recipe = replace(SETTINGS["recipe"], candidates=("scaled/diagonal",))
    one, apart = (kind(recipe=recipe, random_state=0) for kind in (FreeEnergyRegressor, DaskFreeEnergyRegressor))
    one.fit(X, y)
    apart.fit(*chunked(X, y, 60))
    np.testing.assert_array_equal(apart.trace_["energy"], one.trace_["energy"])
    far = da.from_array(X, chunks=(50, -1))
    np.testing.assert_allclose(apart.predict(far).compute(), one.predict(X), atol=1e-6)
    np.testing.assert_allclose(apart.predict_interval(far).compute(), one.predict_interval(X), rtol=1e-5, atol=1e-6)
    assert apart.score(far, da.from_array(y, chunks=50)) == pytest.approx(one.score(X, y), rel=1e-5)


def test_a_restarted_cluster_is_said_in_one_line(wine):
    X, y = wine
    lost = r"^The cluster no longer has the training samples of this model: it was restarted .*; fit the model again"
    threads = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(**threads) as cluster, distributed.Client(cluster) as client:
        model = DaskFreeEnergyClassifier(2, recipe=Recipe(candidates=["scaled/identity"]), random_state=0).fit(
            *chunked(X, y, 60)
        )
        local = model.to_local()
        client.restart(wait_for_workers=False, timeout=PATIENCE)
        for ask in (model.predict, model.predict_proba, lambda X: model.score(*chunked(X, y, 60))):
            with pytest.raises(RuntimeError, match=lost):
                ask(X)
        with pytest.raises(RuntimeError, match=lost):
            model.to_local()
    assert local.score(X, y) > 0.9  # needs no cluster


def kill_a_worker_that_works(cluster, pids, killed):
    """Wait until a worker has something to do, and end it the hard way."""
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
    killed, pids = [], client.run(os.getpid, on_error="ignore")  # of a worker that is dead already
    victim = threading.Thread(target=kill_a_worker_that_works, args=(cluster, pids, killed))
    victim.start()
    try:
        yield
    finally:
        victim.join(PATIENCE)
    assert len(killed) == 1


@pytest.mark.slow
def test_workers_give_what_one_process_gives(wine):
    X, y = wine
    with cluster_of(2):
        apart = DaskFreeEnergyClassifier(**SETTINGS).fit(*chunked(X, y, 60))
        one = FreeEnergyClassifier(**SETTINGS).fit(X, y)
        assert_same_model(apart, one)
        assert_same_predictions(apart, one, X)
        assert_same_numbers(X[:, 1:], X[:, 0])


@pytest.mark.slow
def test_two_and_four_workers_give_what_one_process_gives_and_so_do_those_that_are_left(wine, monkeypatch):
    """One test: to start processes is what takes time."""
    X, y = wine
    one = FreeEnergyClassifier(**SETTINGS).fit(X, y)
    folds, sent = cross_val_score(clone(one), X, y, cv=2), []
    monkeypatch.setattr(TrainingSet, "__getstate__", lambda self: sent.append(len(self)) or vars(self), raising=False)
    with cluster_of(2) as (cluster, client):
        for n_workers, size in ((2, 60), (4, 23)):
            cluster.scale(n_workers)
            client.wait_for_workers(n_workers, timeout=PATIENCE)
            sent.clear()
            with parallel_config("dask"):
                assert_same_model(FreeEnergyClassifier(**SETTINGS).fit(X, y), one)
            assert 0 < len(sent) <= N_ROUNDS  # not once a task
            apart = DaskFreeEnergyClassifier(**SETTINGS).fit(*chunked(X, y, size))
            assert_same_model(apart, one)
            assert_same_predictions(apart, one, X)
            assert max(sent) == RECIPE.most_searched  # all others have stayed

        with parallel_config("dask"):  # folds, and in each of them replicas
            np.testing.assert_array_equal(cross_val_score(clone(one), X, y, cv=2), folds)
        with a_worker_killed_meanwhile(cluster, client), parallel_config("dask"):
            assert_same_model(FreeEnergyClassifier(**SETTINGS).fit(X, y), one)
        with a_worker_killed_meanwhile(cluster, client):
            apart = DaskFreeEnergyClassifier(**SETTINGS).fit(*chunked(X, y, 23))
        assert_same_model(apart, one)
        with a_worker_killed_meanwhile(cluster, client):  # and with it the training samples that live there
            assert_same_predictions(apart, one, X)
