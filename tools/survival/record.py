"""The record of a run, written after every part: a run that was killed goes on with what it lacks."""

import json
import os
import platform
from dataclasses import asdict
from pathlib import Path

from .apart import Row


class Record:
    """Rows by part in a file of JSON."""

    def __init__(self, path: Path, parts: tuple[str, ...]):
        self.path, self.parts = path, parts
        self.rows: dict[str, list[Row]] = {}
        self.seconds: dict[str, float] = {}
        if path.exists():
            self._read(json.loads(path.read_text()).get("parts", {}))

    def _read(self, kept: dict):
        for part in (part for part in self.parts if part in kept):
            self.rows[part] = [Row(**row) for row in kept[part]["rows"]]
            self.seconds[part] = kept[part]["seconds"]

    def to_try(self) -> tuple[str, ...]:
        """What has no rows yet, or broke; where there is nothing like that a new record is begun."""
        lacking = [part for part in self.parts if part not in self.rows or any(row.broken for row in self.rows[part])]
        if not lacking:
            self.rows.clear()
        return tuple(lacking or self.parts)

    def add(self, part: str, rows: list[Row], seconds: float) -> None:
        """Keep a part, on the disk as well; a killed writer leaves the file as it was."""
        self.rows[part], self.seconds[part] = rows, round(seconds, 1)
        kept = {p: {"seconds": self.seconds[p], "rows": [asdict(row) for row in self.rows[p]]} for p in self.rows}
        content = {"python": platform.python_version(), "system": platform.platform(), "parts": kept}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".draft")
        draft.write_text(json.dumps(content, indent=1))
        os.replace(draft, self.path)

    def table(self) -> list[Row]:
        """The rows of all parts that were tried, in the order of the page."""
        return [row for part in self.parts for row in self.rows.get(part, [])]
