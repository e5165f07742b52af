"""One method on one split: fitted on its training rows, asked about its test rows, within limits."""

import time
import warnings
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from sklearn.dummy import DummyClassifier

from ..exceptions import InterruptedFitWarning
from .answers import Answers, asked
from .labelled_rows import Rows
from .limits import Outcome, described, limited
from .pipelines import pipeline
from .preprocessing import plan
from .scores import scores_named
from .settings import Settings

CONSTANT = "constant"
"""What is said without a look at the features: the most frequent class, and the shares of the classes."""


@dataclass(frozen=True)
class Split:
    """One method on one split of one file: the error in % on the test rows, or why there is none.

    Attributes
    ----------
    file, method : str
        What was learned from, and how.
    number : int
        Of the split; those of a repeat follow each other.
    error : float or None
        Error in %.
    seconds : float
        Of preprocessing, fit and predictions.
    failure : str or None
        Why there is no error.
    over_limit : bool
        Whether that was a limit.
    scores : dict of float
        By name, NaN where one is not defined.
    answers : Answers or None
        What was said of the test rows.
    n_train : int
        Rows learned from.
    share : float
        Of the training rows, where the method learned from some of them for the curve.
    """

    file: str
    method: str
    number: int
    error: float | None
    seconds: float
    failure: str | None = None
    over_limit: bool = False
    scores: dict[str, float] = field(default_factory=dict)
    answers: Answers | None = None
    n_train: int = 0
    share: float = 1.0


class Job(NamedTuple):
    """One method on one split of one file, to be done."""

    rows: Rows
    method: str
    number: int
    train: np.ndarray
    test: np.ndarray
    settings: Settings
    share: float = 1.0


def judged(job: Job, over: Split | None = None) -> Split:
    """The job's split; as ``over`` where another split of the same method and file was over the limit."""
    if over is not None:
        return replace(over, number=job.number, n_train=len(job.train), share=job.share)
    start = time.perf_counter()
    limits = job.settings.limits
    outcome = limited(_work, job, limits=limits) if limits and job.method != CONSTANT else _tried(job)
    answers, scores, seconds = outcome.value or (None, {}, time.perf_counter() - start)
    error = None if answers is None else 100 * float(np.mean(answers.judged != answers.truth))
    return Split(
        job.rows.file,
        job.method,
        job.number,
        error,
        seconds,
        outcome.failure,
        outcome.over_limit,
        scores,
        answers,
        len(job.train),
        job.share,
    )


def _tried(job):
    try:
        return Outcome(_work(job))
    except InterruptedFitWarning:  # a learner would keep what it has, which is not to be judged
        raise KeyboardInterrupt from None
    except Exception as problem:
        return Outcome(failure=described(problem))


def _work(job: Job) -> tuple[Answers, dict[str, float], float]:
    """Answers about the test rows, their scores, and seconds."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is said of one split is not said of the file
        warnings.filterwarnings("error", ".*was interrupted", InterruptedFitWarning)
        answers = _constant(job) if job.method == CONSTANT else _answers(job)
        scores = {name: score.of(answers) for name, score in scores_named(job.settings.scoring).items()}
    return answers.compact(), scores, time.perf_counter() - start


def _answers(job):
    schema, frame, y, classes = job.rows.schema, job.rows.frame, job.rows.y, job.rows.classes
    part = frame.iloc[job.train]
    last = job.settings.classifier(job.method, job.number)
    model = pipeline(plan(part, schema), last).fit(part, y[job.train])
    return asked(model, frame.iloc[job.test], job.test, y[job.test], classes)


def _constant(job):
    y, classes = job.rows.y, job.rows.classes
    model = DummyClassifier(strategy="prior").fit(np.zeros((len(job.train), 1)), y[job.train])
    return asked(model, np.zeros((len(job.test), 1)), job.test, y[job.test], classes)
