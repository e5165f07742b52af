"""Records that the commands of ``freemetric bench`` start from."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import fail, listed, tell

if TYPE_CHECKING:
    from ..bench.records import Record

PACKED = "records.jsonl.gz"

Folder = Annotated[Path, typer.Argument(help="Folder of records.")]
Methods = Annotated[str, typer.Option(help="Names separated by commas, or all.")]
Protocol = Annotated[
    str, typer.Option(help="honest: k chosen without the test half. paper: best k on it. one-k: best k of all halves.")
]
Without = Annotated[str, typer.Option(help="Data sets to leave out, separated by commas.")]


def read_records(folder: Path, methods: str = "all", without: str = "") -> "list[Record]":
    """Records of a folder or of one compact file, of some methods and data sets, with a word about broken ones.

    A compact file in the folder counts as well, except for fits that have a record of their own beside it.
    """
    from ..bench.records import read_all
    from ..bench.results import load_compact
    from ..datasets import list_datasets
    from ..tabular.methods import METHODS

    if not folder.exists():
        fail(f"There is no folder {folder}.")
    records, broken = (load_compact(folder), []) if folder.is_file() else read_all(folder)
    packed = folder / PACKED
    if packed.is_file():
        by_job = {record.job: record for record in [*load_compact(packed), *records]}
        records = [by_job[job] for job in sorted(by_job)]
    for line in broken:
        tell(line)
    wanted = listed(methods, METHODS, "method")
    dropped = listed(without, list_datasets(), "data set")
    chosen = [record for record in records if record.job.method in wanted and record.job.dataset not in dropped]
    if not chosen:
        fail(f"There are no such records in {folder}.")
    return chosen
