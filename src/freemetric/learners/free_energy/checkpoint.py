"""Results of a search that survive its process: every task that is done is a file, which a later fit finds."""

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

from ...files import save
from ...files.atomic import remove_with_drafts
from ..kept_results import Claim, checkpoint_folder, fingerprint, whole_result
from .sample import Replicas, ReplicaTask
from .search import Run


class Checkpoint:
    """A folder of results, one file a task, each written whole or not at all; a context manager.

    The name of a file is a fingerprint of all that its result depends on: data, candidate, bags, seeds, sampler,
    energy. They lie in a subfolder that the fit claims, named by its first tasks. A fit of other data or parameters
    finds nothing there and disturbs nothing. A block that ends without an error removes the files.

    Parameters
    ----------
    folder : path-like
        Made where it is missing.
    """

    def __init__(self, folder: str | PathLike):
        self.folder = checkpoint_folder(folder)
        self.claim: Claim | None = None
        self.used: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.claim is not None:
            with self.claim:
                for path in self.used if kind is None else ():
                    remove_with_drafts(path)

    def resuming(self, run: Run) -> Run:
        """A run that does only the tasks whose results are not there yet, and keeps them."""

        def resumed(tasks: Sequence[ReplicaTask]) -> Iterator[Replicas]:
            names = [fingerprint(task._asdict()) for task in tasks]
            if self.claim is None:
                self.claim = Claim(self.folder, fingerprint({"tasks": names}))
            paths = [self.claim.path / f"{name}.task" for name in names]
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


def _result(path: Path, task: ReplicaTask) -> Replicas | None:
    """What a file holds of a task; None where there is nothing, or of something else than the task would give."""
    found = whole_result(path)
    return found if isinstance(found, Replicas) and found.may_be_of(task) else None
