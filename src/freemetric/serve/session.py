"""The session of a page: one table, the choices about it, the running job and its results."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .folders import CELLS, MODEL, SPACE, Folder, PrivateFolder, RefusedError
from .jobs import Bounds, ServerJob
from .requests import Choices, shown_name, stored_path

DESCRIBING = 300.0  # seconds that reading a table may take, whatever a fit may
MOST_NEIGHBORS = 8
KNOWN = ("row", "wrong", "out_of_bag", "targets", "target")


class FittedRows:
    """The rows of a fitted model, read from the files of ``worker.write_rows``."""

    def __init__(self, folder: Folder):
        self.folder = folder
        self.Z = np.load(folder.path / SPACE, allow_pickle=False)
        self.about = json.loads((folder.path / CELLS).read_bytes())

    def index(self) -> dict[str, Any]:
        """Numbers of the rows, and which of them are wrongly predicted; of a regression the predictions, too."""
        known = {name: self.about[name] for name in KNOWN if name in self.about}
        return {"n": len(self.about["row"]), **known}

    def look(self, i: int) -> dict[str, Any]:
        """A row with its nearest neighbours, and the cells of all of them, column by column."""
        if not 0 <= i < len(self.Z):
            raise RefusedError(f"there is no row {i}")
        distance = np.sqrt(((self.Z.astype(np.float64) - self.Z[i]) ** 2).sum(axis=1))
        distance[i] = np.inf
        near = np.argsort(distance, kind="stable")[: min(MOST_NEIGHBORS, len(distance) - 1)]
        columns = self.about["columns"]
        return {
            "self": self._who(i),
            "neighbors": [{**self._who(j), "distance": float(f"{distance[j]:.4g}")} for j in near],
            "columns": [{key: column[key] for key in ("name", "used", "weight")} for column in columns],
            "cells": [[column["cells"][j] for j in (i, *near)] for column in columns],
        }

    def _who(self, i):
        line = self.about["line"]
        names = {"row": "row", "class": "class", "predicted": "predicted", "stories": "story"}
        who = {name: self.about[key][i] for key, name in names.items() if key in self.about}
        return {"place": int(i), "line": None if line is None else line[i], **who}


class Session:
    """Everything is in a private folder, which is gone when the session is closed."""

    def __init__(self, bounds: Bounds):
        self.bounds, self.home = bounds, PrivateFolder()
        self.folder = self.home.path
        self.lock, self.version = threading.RLock(), 0
        self.is_closed, self.describing = False, set[ServerJob]()
        self.forget()

    def forget(self) -> None:
        """Forget the table and its results, whose folders are removed when nobody else uses them."""
        self.place: Folder | None = None  # of the table
        self.path = Path()
        self.name, self.choices = "", Choices()
        self.table: dict[str, Any] | None = None
        self.job: ServerJob | None = None
        self.results: dict[str, ServerJob] = {}  # the last successful job of each kind
        self.rows: FittedRows | None = None

    @contextmanager
    def arrival(self) -> Iterator[Folder]:
        """A folder for a table that comes in; it is removed afterwards unless the table was taken."""
        folder = self.home.new()
        try:
            yield folder
        finally:
            if folder is not self.place:
                folder.remove()  # at once

    def take(self, folder: Folder, name: str) -> dict[str, Any]:
        """Put a new table in the place of the old one, if it can be read; return its description."""
        path, shown = stored_path(folder.path, name), shown_name(name)
        table = self._described(path, shown, Choices())
        with self.lock:
            self.cancel()
            self.forget()
            self.place, self.path, self.name = folder, path, shown
            return self._remember(table)

    def choose(self, choices: Choices, number: int | None = None) -> dict[str, Any]:
        """Describe the table with other choices; `number` is that of the table which the page shows."""
        with self.lock:
            place, path, name = self._needed_place(), self.path, self.name
            if number not in (None, place.number):
                raise RefusedError("another table was opened in another tab; reload the page")
        table = self._described(path, name, choices)
        with self.lock:
            if self.place is not place:
                raise RefusedError("another table has taken its place; reload the page")
            return self._remember(table)

    def predict(self, folder: Folder, name: str) -> dict[str, Any]:
        """Predict a new table by the last model; return what was understood of it. The predictions are kept."""
        model = self.made_by("fit")
        request = self._request(stored_path(folder.path, name), shown_name(name), Choices())
        job = self._waited_for("predict", {**request, "model": str(model.path / MODEL)}, self.bounds, self.home.new())
        with self.lock:
            if self.made_by("fit") is not model:
                raise RefusedError("another model has taken its place; reload the page")
            self.results["predict"] = job
        return json.loads(job.last)["result"]

    def _remember(self, table):
        self.version += 1
        assert self.place is not None
        self.table = {**table, "number": self.place.number, "version": self.version}
        self.choices = Choices.from_json(table["choices"])
        return self.table

    def _described(self, path, name, choices):
        bounds = Bounds(min(DESCRIBING, self.bounds.seconds or DESCRIBING), self.bounds.megabytes)
        return json.loads(self._waited_for("describe", self._request(path, name, choices), bounds).last)["result"]

    def _waited_for(self, kind, request, bounds, folder=None) -> ServerJob:
        """A job that has come to its end; RefusedError if it failed."""
        job = ServerJob(0, kind, request, bounds, folder)
        with self.lock:
            self.describing.add(job)
            if self.is_closed:
                job.cancel()
        job.ended.wait()
        with self.lock:
            self.describing.discard(job)
        if job.state != "done":
            raise RefusedError(json.loads(job.last).get("text", "stopped"))
        return job

    def start(self, kind: str, settings: dict[str, Any], version: int | None = None) -> ServerJob:
        """Begin a fit or a comparison; `version` is that of the description which the page shows."""
        with self.lock:
            self._needed_place()
            if version not in (None, self.version):
                raise RefusedError("the table was changed in another tab; reload the page")
            if self.table and self.table["problem"]:
                raise RefusedError(self.table["problem"])
            if self.job is not None and self.job.state == "running":
                raise RefusedError("something is running already; cancel it first")
            self.done()  # keeps the last one, whatever becomes of the next
            request, folder = self._request(self.path, self.name, self.choices), self.home.new()
            self.job = ServerJob(folder.number, kind, {**request, "settings": settings}, self.bounds, folder)
            return self.job

    def done(self) -> dict[str, ServerJob]:
        """The last successful job of each kind."""
        with self.lock:
            if self.job is not None and self.job.state == "done":
                self.results[self.job.kind] = self.job
            return dict(self.results)

    def _request(self, path, name, choices):
        return {"path": str(path), "name": name, "choices": choices.as_json()}

    def _needed_place(self) -> Folder:
        if self.place is None:
            raise RefusedError("there is no table yet")
        return self.place

    def cancel(self) -> None:
        """End the running job."""
        if self.job is not None:
            self.job.cancel()

    def made_by(self, kind: str) -> Folder:
        """The folder with the results of the last fit, comparison or prediction."""
        job = self.done().get(kind)
        if job is None or job.folder is None:
            raise RefusedError("there is no such file yet")
        return job.folder

    def known_rows(self) -> FittedRows:
        """The rows of the last fit."""
        folder, rows = self.made_by("fit"), self.rows
        if rows is None or rows.folder is not folder:
            rows = self.rows = FittedRows(folder)
        return rows

    def state(self) -> dict[str, Any]:
        """The state for a page that is opened anew."""
        with self.lock:
            done = {kind: json.loads(job.last)["result"] for kind, job in self.done().items() if kind != "predict"}
            job = None
            if self.job is not None and self.job.state == "running":
                job = {"number": self.job.number, "kind": self.job.kind}
            return {"table": self.table, "job": job, "results": done}

    def close(self) -> None:
        """End all jobs and remove the folder."""
        with self.lock:
            self.is_closed = True
            self.cancel()
            for job in self.describing:
                job.cancel()
        self.home.close()
