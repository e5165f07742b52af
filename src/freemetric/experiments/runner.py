"""The runner: every method on every split that has no record yet."""

import time
import warnings
from contextlib import contextmanager
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numba
from joblib import Parallel, delayed, parallel_config
from sklearn.base import clone, is_classifier
from threadpoolctl import threadpool_limits

from .methods import make_estimator
from .protocol import load_source, score, seed_of, split
from .records import Job, Record, append_record, provenance, read_records, write_records

LONGEST = 500  # letters about a failure


def plan(datasets, methods, repeats=5):
    """Return the jobs of a comparison, data set by data set.

    Parameters
    ----------
    datasets, methods : iterable of str
        Names.
    repeats : int, default=5
        Pairs of halves of every data set.

    Returns
    -------
    jobs : list of Job
        Both halves of every repeat.

    Examples
    --------
    >>> from freemetric.experiments.runner import plan
    >>> len(plan(["iris", "wine"], ["nca", "rf"], repeats=5))
    40
    """
    splits = product(datasets, range(repeats), methods, range(2))
    return [Job(name, method, repeat, fold) for name, repeat, method, fold in splits]


def run(
    jobs,
    path,
    *,
    folder=None,
    n_jobs=None,
    device="cpu",
    retry_failed=False,
    on_fit=None,
):
    """Make the records of all jobs that have none in a file yet.

    A run can be stopped at any time and goes on when it is called again. Every fit has
    one thread.

    Parameters
    ----------
    jobs : iterable of Job
        Fits, from :func:`plan`.
    path : path-like
        File of records, `.jsonl`; new records are added to it.
    folder : path-like or None, default=None
        Folder of data sets to look in first.
    n_jobs : int or None, default=None
        Fits at a time.
    device : str, default="cpu"
        Device of the methods that have one.
    retry_failed : bool, default=False
        Fit again what failed before.
    on_fit : callable or None, default=None
        Called with (record, number done, number of all) after every fit.

    Returns
    -------
    records : list of Record
        Those of the jobs, in their order, found or made.

    Examples
    --------
    >>> import tempfile
    >>> from freemetric.experiments.runner import plan, run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     jobs = plan(["iris"], ["euclidean"], repeats=1)
    ...     records = run(jobs, f"{folder}/records.jsonl")
    >>> [round(record.honest_error, 1) for record in records]
    [2.7, 4.0]
    """
    if Path(path).suffix == ".gz":
        raise ValueError("A run adds lines to a file; this one is compressed.")
    jobs = list(jobs)
    found = {r.job: r for r in read_records(path)} if Path(path).exists() else {}
    left = [
        job for job in jobs if job not in found or (retry_failed and found[job].failure)
    ]
    # A data set or a method that is missing ends the run before it begins.
    for name, method in sorted({(job.dataset, job.method) for job in left}):
        make_estimator(method, _source(name, folder).task)
    write_records(path, found.values())  # without what a killed process has left
    work = (delayed(make_record)(job, folder, device=device) for job in left)
    with parallel_config("loky", inner_max_num_threads=1):
        made = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(work)
        for number, record in enumerate(made, 1):
            append_record(path, record)
            found[record.job] = record
            if on_fit:
                on_fit(record, number, len(left))
    return [found[job] for job in jobs]


@cache
def _source(name, folder):
    return load_source(name, folder)


def make_record(job, folder=None, *, device="cpu"):
    """Fit the method of a job on one half of its data set and score it on the other.

    Parameters
    ----------
    job : Job
        What to fit.
    folder, device
        As in :func:`run`.

    Returns
    -------
    record : Record
        The scores, or the failure.
    """
    source = _source(job.dataset, folder)
    halves = split(source, job.repeat, job.fold)
    seed = seed_of(job.repeat, job.fold)
    estimator = make_estimator(job.method, source.task, seed, device)
    return fitted_record(job, estimator, halves, device)


def fitted_record(job, estimator, split, device="cpu"):
    """Fit an estimator and return the record of its scores.

    Parameters
    ----------
    job : Job
        Key of the record.
    estimator : estimator
        An unfitted classifier of class numbers from 0, or a regressor.
    split : Split
        Training and test samples.
    device : str, default="cpu"
        Device to record.

    Returns
    -------
    record : Record
        The scores, or the failure.
    """
    n_classes = int(split.y.max()) + 1 if is_classifier(estimator) else 0
    versions = {**provenance(), "device": device}
    about: dict[str, Any] = {"shape": [*split.X.shape, n_classes], "versions": versions}
    start = time.process_time()
    try:
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of convergence, and of constant features
            model = clone(estimator).fit(split.X, split.y)
            scores = score(model, split)
    except Exception as problem:  # a failure is a result
        text = f"{type(problem).__name__}: {' '.join(str(problem).split())}"
        return Record(job, failure=text[:LONGEST], **about)
    return Record(
        job,
        **scores,
        seconds=time.process_time() - start,
        parameters=_chosen(model),
        **about,
    )


def _chosen(model):
    """Parameters that a fit has chosen, by their short names."""
    while hasattr(model, "estimator_"):
        model = model.estimator_
    best = getattr(model, "best_params_", {})
    chosen = {name.rpartition("__")[2]: value for name, value in best.items()}
    if hasattr(model, "n_neighbors_"):
        chosen["n_neighbors"] = model.n_neighbors_
    return chosen


@contextmanager
def one_thread():
    """Let BLAS, OpenMP and numba use one thread."""
    n_threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        numba.set_num_threads(n_threads)
