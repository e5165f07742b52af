"""The end of a fit: the fitted attributes of a finished search, the same for one process and for Dask."""

from typing import Any, NamedTuple, Protocol

from ...metrics import NumberVoters, Scale, Trend, Voters
from ..base import one_blas_thread
from .asked_again import read_as_asked
from .decision import Decision
from .description import describe, describe_judges, rows_asked
from .number_description import describe_numbers, describe_predictions
from .number_scoring import NumberScore
from .number_verdict import number_verdict_on
from .search import Search
from .verdict import verdict_on


class Task(Protocol):
    """What a target asks of the end of a fit."""

    def attributes(self, search: Search, voters: Any) -> dict[str, Any]:
        """Fitted attributes of a model that predicts with these training samples."""


def finish_fit(search: Search, task: Task, voters: Voters) -> dict[str, Any]:
    """Fitted attributes of a model, by name.

    The search chooses the metrics; it may have seen a part of the training samples only. A pure function: the same
    search can be finished with the samples that it has seen, and with all of them.

    Parameters
    ----------
    search : Search
        A search that has ended.
    task : Task
        Classification or regression.
    voters : Voters
        The training samples among which predictions look for neighbours.
    """
    with one_blas_thread():  # many small problems, for which threads only wait
        return task.attributes(search, voters)


class ClassificationTask(NamedTuple):
    """Calibrated votes of classes."""

    decision: Decision
    n_rows: int | None  # given to fit; None leaves out the attribute with out-of-bag probabilities of each

    def attributes(self, search: Search, voters: Voters) -> dict[str, Any]:
        """Fitted attributes of a classifier that predicts with these training samples."""
        verdict = verdict_on(search.population, search.recipe, self.decision)
        attributes = describe(search, verdict, voters)
        if self.n_rows is None:
            return attributes
        return attributes | describe_judges(search.population, verdict, self.n_rows)


class RegressionTask(NamedTuple):
    """Means of the target among neighbours beside trends, with a spread."""

    trends: list[Trend]
    scale: Scale
    score: NumberScore
    shortlist: int | str | None  # the parameter
    n_rows: int  # given to fit
    n_shortlists: int = 1  # that a prediction asks: one of every partition

    def attributes(self, search: Search, voters: NumberVoters) -> dict[str, Any]:
        """Fitted attributes of a regressor that predicts with these training samples."""
        verdict = number_verdict_on(search.population, search.recipe)
        attributes = describe_numbers(search, verdict, voters, self.trends, self.scale)
        committee = attributes["committee_"]
        attributes |= describe_predictions(search, verdict, committee, self.score, self.n_rows)
        size = rows_asked(self.shortlist, attributes["shortlist_"], committee)
        n_asked = None if size is None else size * self.n_shortlists
        attributes["committee_"] = read_as_asked(committee, attributes["jury_"], n_asked, search.recipe)
        return attributes
