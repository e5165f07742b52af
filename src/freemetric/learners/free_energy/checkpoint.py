"""Results of a search that survive its process: every task that is done is a file, which a later fit finds."""

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from ...files import save
from ...files.atomic import remove_with_drafts
from ..kept_results import checkpoint_folder, fingerprint, remove_if_empty, whole_result
from .sample import Replicas, ReplicaTask
from .search import Run


class Checkpoint:
    """A folder of results, one file a task, each written whole or not at all.

    The name of a file is a fingerprint of all that its result depends on: data, candidate, bags, seeds, sampler,
    energy. A fit of other data or parameters finds nothing in the folder and disturbs nothing.

    Parameters
    ----------
    folder : path-like
        Made where it is missing.
    """

    def __init__(self, folder: str | PathLike):
        self.folder = checkpoint_folder(folder)
        self.used: list[Path] = []

    def resuming(self, run: Run) -> Run:
        """A run that does only the tasks whose results are not there yet, and keeps them."""

        def resumed(tasks: Sequence[ReplicaTask]) -> Iterator[Replicas]:
            paths = [self.folder / f"{fingerprint(task._asdict())}.task" for task in tasks]
            results = [_result(path, task) for path, task in zip(paths, tasks, strict=True)]
            todo = iter(run([task for task, known in zip(tasks, results, strict=True) if known is None]))
            for path, known in zip(paths, results, strict=True):
                replicas = next(todo) if known is None else known
                if known is None:
                    save(replicas, path)
                self.used.append(path)
                yield replicas
            for _ in todo:  # the run counts a task when it is asked for the next
                pass

        return resumed

    def clear(self) -> None:
        """Remove what was used; the folder too where nothing else is left in it."""
        for path in self.used:
            remove_with_drafts(path)
        remove_if_empty(self.folder)


def _result(path: Path, task: ReplicaTask) -> Replicas | None:
    """What a file holds of a task; None where there is nothing, or of something else than the task would give."""
    found = whole_result(path)
    return found if isinstance(found, Replicas) and found.may_be_of(task) else None
