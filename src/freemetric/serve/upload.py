"""An uploaded file: its name and its table."""

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ..printable import printable
from ..tabular.reading import read
from ..tabular.table import MISSING, InputError, Table

LONGEST_NAME = 120
SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")


def shown_name(name: str) -> str:
    """A name from the browser as the page shows it: the last part of a path, printable, not too long."""
    last = printable(name.replace("\\", "/").rstrip("/").rpartition("/")[2]).strip()
    return last[-LONGEST_NAME:] if last.strip(". ") else "table"


def stored_path(folder: Path, name: str) -> Path:
    """The path of an uploaded file, which keeps only the suffixes of its name."""
    suffixes = PurePosixPath(shown_name(name)).suffixes[-2:]
    return folder / f"table{''.join(suffix for suffix in suffixes if SUFFIX.fullmatch(suffix)).lower()}"


def file_stem(name: str) -> str:
    """The name of downloads, in characters that every system and header can take."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", shown_name(name).partition(".")[0]).strip("-")[:40] or "table"


OPTION = re.compile(r"--([a-z][a-z-]*)( COLUMN| NAME)?")
LABELS = {
    "target": "Predict",
    "missing": "Words for gaps",
    "keep": "keep it",
    "numeric": "as numbers",
    "nominal": "as names",
    "decimal": "Decimal mark",
    "date-order": "Order of dates",
    "no-header": "First row: data",
}
"""Names on the page of options of the command line; others begin with a capital there."""
TASK_WORDS = {"--task regress": "“a number”", "--task classify": "“classes”"}


@dataclass(frozen=True)
class Upload:
    """The path of an uploaded file, and its name."""

    path: str
    name: str

    def table(self, reading: Mapping[str, str]) -> Table:
        """Its table, which bears the user's name for it."""
        gaps = MISSING | {word.strip() for word in reading.get("missing", "").split(",")}  # the usual and the user's
        options: dict[str, Any] = {**reading, "missing": gaps}
        if "header" in reading:
            options["header"] = reading["header"] != "no"
        return replace(read(self.path, **options), source=self.name)

    def in_words(self, text: str) -> str:
        """A message of the library, which knows of files and options, for the user of the page."""
        text = printable(text.replace(self.path, self.name))
        for option, words in TASK_WORDS.items():
            text = text.replace(option, words)
        return OPTION.sub(lambda found: f"“{LABELS.get(found[1], found[1].capitalize())}”", text)

    @contextmanager
    def noted(self) -> Iterator[list[str]]:
        """A list that gets the warnings of what is done inside, each once; errors, too, have the words of the page."""
        notes: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                yield notes
            except (InputError, ImportError) as problem:
                raise InputError(self.in_words(str(problem))) from None
            finally:
                notes += dict.fromkeys(self.in_words(str(warning.message)) for warning in caught)
