"""Routes of the server, files of the page, and example tables."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ..extras import require
from .folders import Folder, RefusedError
from .requests import Choices, checked_dict, checked_number, comparison_settings, file_stem, fit_settings, stored_path
from .session import Session

REPORT_SCRIPTS = ("base", "figure", "targets", "target_rows")
SCRIPTS = ("requests", "methods", "columns", "live", "model", "predict", "rows", "compare", "main")
BEGINNING = 20_000  # characters that hold the policy of a report
POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


@cache
def script() -> str:
    """The scripts as one: what draws figures is the report's."""
    parts = [("report", name) for name in REPORT_SCRIPTS] + [("serve", name) for name in SCRIPTS]
    return "\n".join(_text(package, f"{name}.js") for package, name in parts)


def framed_policy(path: Path) -> str:
    """The content security policy of a report as a header, for a report in a frame."""
    with path.open(encoding="utf-8") as file:
        own = POLICY.search(file.read(BEGINNING))
    strict = "default-src 'none'" if own is None else own[1].replace("&#39;", "'")
    return f"{strict}; frame-ancestors 'self'"


def _text(package: str, name: str) -> str:
    return (files(__package__.partition(".")[0]) / package / "static" / name).read_text(encoding="utf-8")


EXAMPLES = {"iris": "class", "wine": "class", "breast_cancer": "class", "diabetes": "progression"}  # targets by name


def write_example(name: str, path: Path) -> None:
    """Write a table as CSV, its target last."""
    from sklearn import datasets  # slow to import

    of_regression = name == "diabetes"
    bunch = getattr(datasets, f"load_{name}")(as_frame=True, **({"scaled": False} if of_regression else {}))
    target = bunch.target if of_regression else bunch.target_names[bunch.target]
    bunch.data.assign(**{EXAMPLES[name]: target}).to_csv(path, index=False)


MOST_JSON = 4 << 20  # bytes that the page sends about a table
TICK = 0.1  # seconds between two looks at the events of a job
ALIVE = 50  # ticks until a silent stream sends a comment
READERS = 4  # tables that are read at once
DOWNLOADS = {
    "model.fm": ("fit", "model.fm", "{}.fm"),
    "report.html": ("fit", "report.html", "{}-report.html"),
    "comparison.html": ("compare", "comparison.html", "{}-comparison.html"),
    "predictions.csv": ("predict", "predictions.csv", "{}-predictions.csv"),
}
VIEWS = tuple(name for name in DOWNLOADS if name.endswith(".html"))
LINKS = (*(f"view/{name}" for name in VIEWS), *(f"download/{name}" for name in DOWNLOADS))
"""Paths that the browser loads by itself, without the scripts of the page."""


class Answer(JSONResponse):
    """JSON in ASCII, because names in tables may hold what UTF-8 cannot: halves of surrogate pairs."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


class KeptFile(FileResponse):
    """A file whose folder stays until the last byte is sent."""

    def __init__(self, folder: Folder, file: str, **options: Any):
        super().__init__(folder.path / file, **options)
        self.folder = folder


class Pages:
    """Answers of the server about one session; ``most_bytes`` limits uploads, ``quit`` ends the server."""

    def __init__(self, session: Session, most_bytes: int, quit: Callable[[], None]):
        self.session, self.most_bytes, self.quit = session, most_bytes, quit
        # Threads of their own, so that tables that are read or wait for it hold up nothing else.
        self.readers = ThreadPoolExecutor(READERS)

    def routes(self) -> list[Route]:
        session = self.session
        post: dict[str, Callable] = {"example": self.example, "columns": self.columns}
        post |= {kind: partial(self.upload, kind) for kind in ("table", "predict")}
        settings = {"fit": fit_settings, "compare": comparison_settings}
        post |= {kind: partial(self.start, kind, checked) for kind, checked in settings.items()}
        post |= {"cancel": _answering(lambda _: session.cancel()), "quit": self.end}
        look = _answering(lambda request: session.known_rows().look(request.path_params["place"]))
        style = _text("report", "page.css") + _text("serve", "page.css")
        return [
            Route("/", lambda _: Response(_text("serve", "page.html"), media_type="text/html")),
            Route("/page.js", lambda _: Response(script(), media_type="text/javascript")),
            Route("/page.css", lambda _: Response(style, media_type="text/css")),
            Route("/plotly.js", self.plotly),
            Route("/view/{name}", self.view),
            Route("/download/{name}", self.download),
            Route("/api/state", _answering(self.state)),
            Route("/api/rows", _answering(lambda _: session.known_rows().index())),
            Route("/api/rows/{place:int}", look),
            Route("/api/jobs/{number:int}/events", self.events),
            *(Route(f"/api/{path}", answer, methods=["POST"]) for path, answer in post.items()),
        ]

    def plotly(self, request: Request) -> Response:
        content = require("plotly.offline", "report").get_plotlyjs()
        return Response(content, media_type="text/javascript", headers={"cache-control": "private, max-age=3600"})

    def state(self, request: Request) -> dict[str, Any]:
        limit = {"most_megabytes": self.most_bytes >> 20, "examples": list(EXAMPLES)}
        return {**self.session.state(), **limit}

    async def upload(self, kind: str, request: Request) -> Response:
        """A file as the body of the request, its name in the address."""
        work = {"table": self.session.take, "predict": self.session.predict}[kind]
        name = request.query_params.get("name", "")
        try:
            with self.session.arrival() as folder:
                await _save(request, stored_path(folder.path, name), self.most_bytes)
                return Answer(await self._read(work, folder, name))
        except ClientDisconnect:
            return Response(status_code=400)  # which nobody gets

    async def example(self, request: Request) -> Response:
        name = (await _json(request)).get("name")
        if name not in list(EXAMPLES):  # which takes any JSON value
            raise RefusedError("there is no such example")
        file = f"{name}.csv"
        with self.session.arrival() as folder:
            await run_in_threadpool(write_example, name, stored_path(folder.path, file))
            return Answer(await self._read(self.session.take, folder, file))

    async def columns(self, request: Request) -> Response:
        content = await _json(request)
        choices, table = Choices.from_json(content), checked_number(content, "table")
        return Answer(await self._read(self.session.choose, choices, table))

    async def _read(self, work, *given):
        return await asyncio.get_running_loop().run_in_executor(self.readers, work, *given)

    async def start(self, kind: str, settings: Callable, request: Request) -> Response:
        content = await _json(request)
        job = await run_in_threadpool(self.session.start, kind, settings(content), checked_number(content, "version"))
        return Answer({"number": job.number, "kind": kind})

    async def events(self, request: Request) -> Response:
        """All events of a job as server-sent events."""
        job = self.session.job
        if job is None or job.number != request.path_params["number"]:
            raise RefusedError("there is no such job")
        if request.method == "HEAD":  # has no body, for whose end nobody should wait
            return Response(media_type="text/event-stream")
        return StreamingResponse(_events(job), media_type="text/event-stream")

    def view(self, request: Request) -> Response:
        """A report inside of the page; it may run its own scripts and load nothing."""
        folder, file, _ = self._file(request, VIEWS)
        headers = {"content-security-policy": framed_policy(folder.path / file), "x-frame-options": "SAMEORIGIN"}
        return KeptFile(folder, file, media_type="text/html", headers=headers)

    def download(self, request: Request) -> Response:
        folder, file, name = self._file(request, DOWNLOADS)
        return KeptFile(folder, file, media_type="application/octet-stream", filename=name)

    def _file(self, request, known) -> tuple[Folder, str, str]:
        if request.path_params["name"] not in known:
            raise RefusedError("there is no such file")
        kind, file, name = DOWNLOADS[request.path_params["name"]]
        return self.session.made_by(kind), file, name.format(file_stem(self.session.name))

    async def end(self, request: Request) -> Response:  # not in a thread: the server might end before it answers
        self.quit()
        return Answer({})


def _answering(work: Callable[[Request], Any]) -> Callable[[Request], Response]:
    """A route, in a thread of its own, that answers with what the work returns."""
    return lambda request: Answer(work(request) or {})


async def _json(request: Request) -> dict[str, Any]:
    if int(request.headers.get("content-length", MOST_JSON + 1)) > MOST_JSON:
        raise RefusedError("too long, or of unknown length")
    try:
        return checked_dict(await request.json())
    except RecursionError:
        raise RefusedError("the JSON is nested too deeply") from None
    except ValueError as problem:
        raise RefusedError("JSON is needed") from problem


async def _save(request: Request, path: Path, most: int) -> None:
    """Write the body of a request to a file, unless it is too large."""
    large = RefusedError(f"the file is larger than {most >> 20} MB; `freemetric serve --upload N` takes more")
    if int(request.headers.get("content-length", 0)) > most:
        raise large
    size = 0
    with path.open("xb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if size > most:
                raise large
            file.write(chunk)


async def _events(job: Any) -> AsyncIterator[bytes]:
    sent = silent = 0
    while True:
        ended, new = job.ended.is_set(), job.events[sent:]
        for event in new:
            yield b"data: %s\n\n" % event
        sent, silent = sent + len(new), 0 if new else silent + 1
        if ended and sent == len(job.events):
            return
        if silent == ALIVE:
            yield b": still there\n\n"
            silent = 0
        await asyncio.sleep(TICK)


def application(session: Session, most_bytes: int, quit: Callable[[], None]) -> Starlette:
    """The application without its guard."""

    def refused(request: Request, problem: Exception) -> Response:
        if isinstance(problem, RefusedError):
            return Answer({"error": str(problem)}, 422)
        # The system fails, not the request: the disk is full, or no process can be started.
        return Answer({"error": f"the system refuses it: {getattr(problem, 'strerror', None) or problem}"}, 503)

    known: dict[Any, Any] = {RefusedError: refused, OSError: refused}
    return Starlette(routes=Pages(session, most_bytes, quit).routes(), exception_handlers=known)
