"""Names of files that come from a browser: shown as they are, as far as they are harmless; never used as paths."""

import re
from pathlib import Path, PurePosixPath

from ..printable import printable

LONGEST_NAME = 120
SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")


def shown_name(name: str) -> str:
    """A name from the browser as the page shows it: the last part of a path, printable, not too long."""
    last = printable(name.replace("\\", "/").rstrip("/").rpartition("/")[2]).strip()
    return last[-LONGEST_NAME:] if last.strip(". ") else "table"


def stored_path(folder: Path, name: str) -> Path:
    """Where a file of that name is kept; only suffixes that tell a format are left of it."""
    suffixes = PurePosixPath(shown_name(name)).suffixes[-2:]
    return folder / f"table{''.join(suffix for suffix in suffixes if SUFFIX.fullmatch(suffix)).lower()}"


def file_stem(name: str) -> str:
    """What files made from a table are called: letters that every system and header can take."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", shown_name(name).partition(".")[0]).strip("-")[:40] or "table"
