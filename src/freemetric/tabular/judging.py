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
from .number_answers import NumberAnswers, always_the_mean, asked_for_numbers
from .pipelines import pipeline
from .preprocessing import plan
from .settings import Settings

CONSTANT = "constant"
"""What is said without a look at the features: the most frequent class, and the shares of the classes; or the mean."""


@dataclass(frozen=True)
class Split:
    """One method on one split of one file: the error in % on the test rows, or why there is none.

    Of numbers it is the root of the mean squared error in % of their standard deviation.

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
    answers : Answers, NumberAnswers or None
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
    answers: Answers | NumberAnswers | None = None
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
    error = None if answers is None else answers.error()
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


def _work(job: Job) -> tuple[Answers | NumberAnswers, dict[str, float], float]:
    """Answers about the test rows, their scores, and seconds."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is said of one split is not said of the file
        warnings.filterwarnings("error", ".*was interrupted", InterruptedFitWarning)
        answers = _constant(job) if job.method == CONSTANT else _answers(job)
        scores = {name: score.of(answers) for name, score in job.settings.kind.scores(job.settings.scoring).items()}
    return answers.compact(), scores, time.perf_counter() - start


def _answers(job):
    rows, test = job.rows, job.test
    part, y = rows.frame.iloc[job.train], rows.y
    last = job.settings.estimator(job.method, job.number)
    model = pipeline(plan(part, rows.schema), last).fit(part, y[job.train])
    if rows.are_numbers:
        return asked_for_numbers(model, rows.frame.iloc[test], test, y[test], rows.unit)
    return asked(model, rows.frame.iloc[test], test, y[test], rows.classes)


def _constant(job):
    y, classes = job.rows.y, job.rows.classes
    if job.rows.are_numbers:
        return always_the_mean(y[job.train], job.test, y[job.test], job.rows.unit)
    model = DummyClassifier(strategy="prior").fit(np.zeros((len(job.train), 1)), y[job.train])
    return asked(model, np.zeros((len(job.test), 1)), job.test, y[job.test], classes)
