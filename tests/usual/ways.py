"""Where else estimators run: pools of processes and threads, clusters, servers, and our own commands.

Each way is a function that compares what it gets elsewhere with what this process gets.
"""

import asyncio
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import parallel_config
from sklearn.model_selection import cross_val_score

import freemetric as fm

from .estimators import EXPECTED_WARNINGS, IRIS, subject

HERE = fm.__file__
FITTED = (
    "FreeEnergyClassifier(n_jobs=2)",
    "FreeEnergyRegressor",
    "LMNN",
    "MetricKNeighborsClassifier",
    "TableClassifier",
)
PATIENCE = 100  # seconds


def strict() -> None:
    """Make errors of warnings, but for those that small data deserve."""
    warnings.simplefilter("error")
    for words in EXPECTED_WARNINGS:
        warnings.filterwarnings("ignore", message=words)


def answers(place: str, name: str) -> np.ndarray:
    """Fit an estimator and predict, in whichever process this is called."""
    assert place == fm.__file__, f"another freemetric: {fm.__file__}"
    with warnings.catch_warnings():
        strict()
        tried = subject(name)
        return tried.model.fit(tried.X, tried.y).predict(tried.X)


@cache
def expected(name: str) -> np.ndarray:
    return answers(HERE, name)


def same(found) -> None:
    """Compare answers of all estimators with those of this process."""
    for name, values in zip(FITTED, found, strict=True):
        np.testing.assert_allclose(values, expected(name), rtol=1e-6, err_msg=name)


def fork_pool():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        same(pool.map(partial(answers, HERE), FITTED))


def _limited_work():
    from freemetric.tabular.limits import Limits, limited

    return tuple(limited(divmod, 7, 2, limits=Limits(seconds=PATIENCE)))


def limits_in_a_daemonic_process():
    """A process that may have no children runs the work itself, or says in one line why it does not."""
    from freemetric.tabular import InputError

    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            value, failure, _ = pool.apply(_limited_work)
        except InputError as problem:
            value, failure = None, str(problem)
    assert value == (3, 1) or len(failure.splitlines()) == 1, failure


@contextmanager
def forked(n: int, work: Callable[[], None]):
    """Children that do some work and leave, while this process goes on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a process with threads forks, as servers do
        children = []
        for _ in range(n):
            child = os.fork()
            if child == 0:
                try:
                    work()
                except BaseException as problem:
                    print(repr(problem), file=sys.stderr, flush=True)
                    os._exit(3)
                os._exit(0)
            children.append(child)
    yield
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * n


def _fitted():
    with warnings.catch_warnings():
        strict()
        return {
            name: tried.model.fit(tried.X, tried.y)
            for name, tried in zip(FITTED, map(subject, FITTED), strict=True)
        }


def _answer_in_children(models):
    """Two children answer while their parent does."""

    def work():
        for name, model in models.items():
            np.testing.assert_allclose(
                model.predict(subject(name).X), expected(name), rtol=1e-6, err_msg=name
            )

    with forked(2, work):
        work()


def prefork_after_fit():
    _answer_in_children(_fitted())


def prefork_after_load():
    models = _fitted()
    del models[
        "LMNN"
    ]  # in a pipeline with scikit-learn's k-NN, of which there are no model files
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models.items():
            model.save(Path(folder) / f"{name}.fm")
        loaded = {name: fm.load(Path(folder) / f"{name}.fm") for name in models}
    _answer_in_children(loaded)


def spawn_pool():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        same(pool.map(partial(answers, HERE), FITTED))


def forkserver_pool():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.usual.ways"])
    with context.Pool(2) as pool:
        same(pool.map(partial(answers, HERE), FITTED))


def futures_of_processes():
    """By the same server that forks, which has imported everything."""
    with ProcessPoolExecutor(
        2, mp_context=multiprocessing.get_context("forkserver")
    ) as pool:
        same(pool.map(partial(answers, HERE), FITTED))


def futures_of_threads():
    """Threads share their filters of warnings, which are set around all of them."""
    with ThreadPoolExecutor(4) as pool:
        same(pool.map(partial(answers, HERE), FITTED))


def threads_of_a_server():
    """One model answers eight threads at once."""
    X, _ = IRIS
    model = fm.FreeEnergyClassifier(random_state=0, n_replicas=4, n_jobs=2)
    with warnings.catch_warnings():
        strict()
        model.fit(*IRIS)
    whole = model.predict_proba(X)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(model.predict_proba, [X] * 24):
            np.testing.assert_allclose(found, whole, rtol=1e-6)


def asyncio_threads():
    """As web frameworks call code that blocks."""

    async def ask():
        return await asyncio.gather(
            *(asyncio.to_thread(answers, HERE, name) for name in FITTED)
        )

    same(asyncio.run(ask()))


def tasks_by_loky():
    """The replicas of a fit in processes, and after that whole fits in the same processes."""
    tried = subject("FreeEnergyClassifier")
    with parallel_config(backend="loky", n_jobs=2):
        found = tried.model.fit(tried.X, tried.y).predict(tried.X)
    np.testing.assert_array_equal(found, expected("FreeEnergyClassifier"))
    scores = cross_val_score(
        tried.model, tried.X, tried.y, cv=2, n_jobs=2, error_score="raise"
    )
    np.testing.assert_array_equal(
        scores, cross_val_score(tried.model, tried.X, tried.y, cv=2)
    )


def _by_dask(**options):
    import dask
    from distributed import Client, LocalCluster

    quiet = {"dashboard_address": ":0", "scheduler_kwargs": {"dashboard": False}}
    tried = subject("FreeEnergyClassifier(n_jobs=2)")
    alone = cross_val_score(tried.model, tried.X, tried.y, cv=2)
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        LocalCluster(**quiet, **options) as cluster,
        Client(cluster) as client,
    ):
        same(client.gather(client.map(partial(answers, HERE), FITTED, pure=False)))
        with parallel_config(backend="dask"):
            np.testing.assert_array_equal(
                cross_val_score(tried.model, tried.X, tried.y, cv=2, n_jobs=2), alone
            )


def dask_processes():
    _by_dask(n_workers=2, threads_per_worker=1, host="127.0.0.1")


def dask_threads():
    _by_dask(n_workers=1, threads_per_worker=2, processes=False)


def _table(folder: str) -> str:
    path = Path(folder) / "iris.csv"
    X, y = IRIS
    pd.DataFrame(X, columns=list("abcd")).assign(
        kind=np.array(["x", "y", "z"])[y]
    ).to_csv(path, index=False)
    return str(path)


METHODS = ["free-energy", "euclidean"]


def _check(rows: list[dict]) -> None:
    accuracy = {row["method"]: row["scores"]["accuracy"] for row in rows}
    assert all(_mean(accuracy[method]) > 0.8 for method in METHODS), rows


def _mean(score):
    return score["mean"] if isinstance(score, dict) else score


def evaluate_command():
    """A comparison by the command line, whose folds two workers share."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "freemetric",
            "evaluate",
            _table(folder),
            "--target",
            "kind",
            "--json",
        ]
        command += [
            "--methods",
            ",".join(METHODS),
            "--folds",
            "2",
            "--repeats",
            "1",
            "--jobs",
            "2",
        ]
        command += ["--set", "free-energy.n_replicas=4"]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, cwd=folder
        )
    assert done.returncode == 0, done.stderr[-2000:]
    _check(json.loads(done.stdout)["results"])


def compare_of_serve():
    """What the server starts when Compare is pressed, with two workers."""
    from freemetric.serve.jobs import Bounds, ServerJob
    from freemetric.serve.requests import Choices, comparison_settings

    asked = {"methods": METHODS, "folds": 2, "jobs": 2, "quick": True}
    with tempfile.TemporaryDirectory() as folder:
        choices = Choices(target="kind").as_json()
        request = {
            "path": _table(folder),
            "name": "iris.csv",
            "choices": choices,
            "folder": folder,
        }
        job = ServerJob(
            1,
            "compare",
            {**request, "settings": comparison_settings(asked)},
            Bounds(PATIENCE),
        )
        job.ended.wait()
        said = json.loads(job.last)
    assert job.state == "done", said
    _check(said["result"]["rows"])
