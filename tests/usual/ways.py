"""Places where estimators are fitted: workers, children, threads, a cluster."""

import multiprocessing
import os
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

import freemetric as fm

X, y = load_iris(return_X_y=True)
X = minmax_scale(X)[::3]
y = y[::3]
MODELS = {
    "classifier": fm.FreeEnergyClassifier(4, random_state=0),
    "classifier, two workers": fm.FreeEnergyClassifier(4, n_jobs=2, random_state=0),
    "regressor": fm.FreeEnergyRegressor(4, random_state=0),
    "NCA": fm.MetricKNeighborsClassifier(fm.NCA(max_iter=5), random_state=0),
    "LMNN": fm.MetricKNeighborsClassifier(fm.LMNN(max_iter=5), random_state=0),
    "DMLMJ": fm.MetricKNeighborsClassifier(fm.DMLMJ(), random_state=0),
    "table": fm.TableClassifier(fm.FreeEnergyClassifier(4, random_state=0)),
}


def fitted(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(MODELS[name]).fit(X, X[:, 0] if name == "regressor" else y)


def answers(name):
    """Fit and predict, in whichever process this is called."""
    return fitted(name).predict(X)


@cache
def expected(name):
    return answers(name)


def compare(found):
    for name, values in zip(MODELS, found, strict=True):
        np.testing.assert_allclose(values, expected(name), rtol=1e-6, err_msg=name)


def workers_of_joblib():
    compare(Parallel(n_jobs=2)(delayed(answers)(name) for name in MODELS))


def threads_of_joblib():
    found = Parallel(n_jobs=2, prefer="threads")(delayed(answers)(n) for n in MODELS)
    compare(found)


def forked_children():
    """Children of a process that has fitted: they wait for no lost threads."""
    for name in MODELS:
        expected(name)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        compare(pool.map(answers, MODELS))


def spawned_children():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        compare(pool.map(answers, MODELS))


def children_of_a_server():
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        compare(pool.map(answers, MODELS))


def threads():
    with ThreadPoolExecutor(4) as pool:
        compare(pool.map(answers, MODELS))


def children_that_predict():
    """A server fits, forks, and its children answer while it does."""
    models = {name: fitted(name) for name in MODELS}
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                compare(model.predict(X) for model in models.values())
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    compare(model.predict(X) for model in models.values())
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]


def threads_that_predict():
    """One model answers eight threads at once."""
    model = fitted("classifier, two workers")
    whole = model.predict_proba(X)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(model.predict_proba, [X] * 24):
            np.testing.assert_allclose(found, whole, rtol=1e-6)


def workers_of_dask():
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        compare(client.gather(client.map(answers, list(MODELS), pure=False)))


WAYS = [
    workers_of_joblib,
    threads_of_joblib,
    forked_children,
    spawned_children,
    children_of_a_server,
    threads,
    children_that_predict,
    threads_that_predict,
    workers_of_dask,
]
