"""What the page is about: one table, what was chosen, the work that runs, and what came of it."""

import json
import shutil
import tempfile
import threading
import weakref
from pathlib import Path
from typing import Any

from .jobs import Bounds, Job
from .names import file_stem, shown_name, stored_path
from .rows import Rows
from .wishes import Wishes

DESCRIBING = 300.0  # seconds that reading a table may take, whatever a fit may
KEPT_FILES = {"fit": ("model.fm", "report.html", "space.npy", "rows.json"), "compare": ("comparison.html",)}


class RefusedError(Exception):
    """Something that cannot be done now, or with this; the text is a line for the user."""


class Session:
    """Everything is in a private folder, which is gone when the session is closed."""

    def __init__(self, bounds: Bounds):
        self.bounds, self.folder = bounds, Path(tempfile.mkdtemp(prefix="freemetric-"))
        # at the end of the program, too, should nobody close it
        self.removal = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.lock, self.numbers = threading.RLock(), 0
        self.forget()

    def forget(self) -> None:
        """No table any more, nor anything made of one."""
        self.path: Path | None = None
        self.name, self.wishes = "", Wishes()
        self.table: dict[str, Any] | None = None
        self.job: Job | None = None
        self.results: dict[str, Job] = {}
        self.rows: Rows | None = None

    def new_place(self, name: str) -> Path:
        """Where to put a file of that name; nothing is there yet."""
        return stored_path(self._new_folder(), name)

    def _new_folder(self) -> Path:
        with self.lock:
            self.numbers += 1
            made = self.folder / str(self.numbers)
        made.mkdir(mode=0o700)
        return made

    def take(self, path: Path, name: str) -> dict[str, Any]:
        """A new table in the place of the old one, if it can be read; what was understood of it."""
        shown = shown_name(name)
        try:
            table = self._described(path, shown, Wishes())
        except RefusedError:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        with self.lock:
            self.cancel()
            self.forget()
            self.path, self.name = path, shown
            self._remember(table)
            self._remove_all_but(path.parent)
        return table

    def _remove_all_but(self, kept):
        for folder in self.folder.iterdir():
            if int(folder.name) < int(kept.name):
                shutil.rmtree(folder, ignore_errors=True)

    def choose(self, wishes: Wishes) -> dict[str, Any]:
        """Understand the table in another way."""
        path = self._needed_path()
        table = self._described(path, self.name, wishes)
        with self.lock:
            self._remember(table)
        return table

    def _remember(self, table):
        self.table, self.wishes = table, Wishes.from_json(table["wishes"])

    def _described(self, path, name, wishes):
        bounds = Bounds(min(DESCRIBING, self.bounds.seconds or DESCRIBING), self.bounds.megabytes)
        job = Job(0, "describe", self._request(path, name, wishes), bounds)
        job.ended.wait()
        said = json.loads(job.last)
        if job.state != "done":
            raise RefusedError(said.get("text", "stopped"))
        return said["result"]

    def start(self, kind: str, settings: dict[str, Any]) -> Job:
        """Begin a fit or a comparison."""
        with self.lock:
            path = self._needed_path()
            if self.table and self.table["problem"]:
                raise RefusedError(self.table["problem"])
            if self.job is not None and self.job.state == "running":
                raise RefusedError("something is running already; cancel it first")
            self.done()  # keeps the last one, whatever becomes of the next
            folder = self._new_folder()
            request = {**self._request(path, self.name, self.wishes), "folder": str(folder), "settings": settings}
            self.job = Job(int(folder.name), kind, request, self.bounds)
            return self.job

    def done(self) -> dict[str, Job]:
        """By its kind, the work that has come to a good end; the last of each."""
        with self.lock:
            job = self.job
            if job is not None and job.state == "done" and self.results.get(job.kind) is not job:
                if job.kind in self.results:
                    shutil.rmtree(self.results[job.kind].folder, ignore_errors=True)
                self.results[job.kind] = job
            return dict(self.results)

    def _request(self, path, name, wishes):
        return {"path": str(path), "name": name, "wishes": wishes.as_json()}

    def _needed_path(self) -> Path:
        if self.path is None:
            raise RefusedError("there is no table yet")
        return self.path

    def cancel(self) -> None:
        """End what runs."""
        if self.job is not None:
            self.job.cancel()

    def file(self, kind: str, name: str) -> Path:
        """A file that a piece of work has made."""
        job = self.done().get(kind)
        if job is None or name not in KEPT_FILES[kind]:
            raise RefusedError("there is no such file yet")
        return job.folder / name

    def known_rows(self) -> Rows:
        """The rows of the last fit."""
        folder = self.file("fit", "rows.json").parent
        with self.lock:
            if self.rows is None or self.rows.folder != folder:
                self.rows = Rows(folder)
            return self.rows

    @property
    def stem(self) -> str:
        """What downloads are called."""
        return file_stem(self.name)

    def state(self) -> dict[str, Any]:
        """All that a page needs that is opened anew."""
        done = {kind: json.loads(job.last)["result"] for kind, job in self.done().items()}
        running = self.job is not None and self.job.state == "running"
        job = {"number": self.job.number, "kind": self.job.kind} if running and self.job is not None else None
        return {"table": self.table, "job": job, "results": done}

    def close(self) -> None:
        """End what runs, and leave nothing behind."""
        self.cancel()
        self.removal()
