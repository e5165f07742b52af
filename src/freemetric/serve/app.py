"""The routes: the page and its parts, what it asks, what can be downloaded."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from .assets import framed_policy, page, plotly, script, style
from .examples import EXAMPLES, write_example
from .session import RefusedError, Session
from .settings import comparison_settings, fit_settings
from .wishes import Wishes, WrongRequestError, checked_dict

MOST_JSON = 4 << 20  # bytes that the page sends about a table
TICK = 0.1  # seconds between two looks at what a job has told
ALIVE = 50  # ticks until a silent stream says that it is there
DOWNLOADS = {
    "model.fm": ("fit", "model.fm", "{}.fm"),
    "report.html": ("fit", "report.html", "{}-report.html"),
    "comparison.html": ("compare", "comparison.html", "{}-comparison.html"),
}


class Pages:
    """What the server answers, about one session.

    Parameters
    ----------
    session : Session
        What the page is about.
    most_bytes : int
        Of a file that the browser sends.
    quit : callable
        Ends the server.
    """

    def __init__(self, session: Session, most_bytes: int, quit: Callable[[], None]):
        self.session, self.most_bytes, self.quit = session, most_bytes, quit

    def routes(self) -> list[Route]:
        asked: dict[str, Callable] = {"state": self.state, "rows": self.rows, "rows/{place:int}": self.row}
        asked |= {"jobs/{number:int}/events": self.events}
        told = {"table": self.table, "example": self.example, "columns": self.columns, "fit": self.fit}
        told |= {"compare": self.compare, "cancel": self.cancel, "quit": self.end}
        return [
            Route("/", lambda request: Response(page(), media_type="text/html")),
            Route("/page.js", lambda request: Response(script(), media_type="text/javascript")),
            Route("/page.css", lambda request: Response(style(), media_type="text/css")),
            Route("/plotly.js", self.plotly),
            Route("/view/{name}", self.view),
            Route("/download/{name}", self.download),
            *(Route(f"/api/{path}", answer) for path, answer in asked.items()),
            *(Route(f"/api/{path}", answer, methods=["POST"]) for path, answer in told.items()),
        ]

    def plotly(self, request: Request) -> Response:
        return Response(plotly(), media_type="text/javascript", headers={"cache-control": "private, max-age=3600"})

    def state(self, request: Request) -> Response:
        limit = {"most_megabytes": self.most_bytes >> 20, "examples": EXAMPLES}
        return JSONResponse({**self.session.state(), **limit})

    async def table(self, request: Request) -> Response:
        """A file as the body of the request, its name in the address."""
        name = request.query_params.get("name", "")
        path = self.session.new_place(name)
        await _save(request, path, self.most_bytes)
        return JSONResponse(await run_in_threadpool(self.session.take, path, name))

    async def example(self, request: Request) -> Response:
        name = str((await _json(request)).get("name"))
        path = self.session.new_place("example.csv")
        await run_in_threadpool(write_example, name, path)
        return JSONResponse(await run_in_threadpool(self.session.take, path, f"{name}.csv"))

    async def columns(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self.session.choose, Wishes.from_json(await _json(request))))

    async def fit(self, request: Request) -> Response:
        return await self._start("fit", fit_settings(await _json(request)))

    async def compare(self, request: Request) -> Response:
        return await self._start("compare", comparison_settings(await _json(request)))

    async def _start(self, kind, settings):
        job = await run_in_threadpool(self.session.start, kind, settings)
        return JSONResponse({"number": job.number, "kind": kind})

    async def events(self, request: Request) -> Response:
        """What a job tells, from its beginning on, as server-sent events."""
        job = self.session.job
        if job is None or job.number != request.path_params["number"]:
            raise RefusedError("there is no such job")
        return StreamingResponse(_told(job), media_type="text/event-stream")

    async def cancel(self, request: Request) -> Response:
        await run_in_threadpool(self.session.cancel)
        return JSONResponse({})

    def rows(self, request: Request) -> Response:
        return JSONResponse(self.session.known_rows().index())

    def row(self, request: Request) -> Response:
        try:
            return JSONResponse(self.session.known_rows().look(request.path_params["place"]))
        except IndexError as problem:
            raise RefusedError(str(problem)) from None

    def view(self, request: Request) -> Response:
        """A report inside of the page; it may run its own scripts and ask for nothing."""
        path, _ = self._file(request)
        if path.suffix != ".html":
            raise RefusedError("there is no such page")
        headers = {"content-security-policy": framed_policy(path), "x-frame-options": "SAMEORIGIN"}
        return FileResponse(path, media_type="text/html", headers=headers)

    def download(self, request: Request) -> Response:
        path, name = self._file(request)
        return FileResponse(path, media_type="application/octet-stream", filename=name)

    def _file(self, request) -> tuple[Path, str]:
        if request.path_params["name"] not in DOWNLOADS:
            raise RefusedError("there is no such file")
        kind, file, name = DOWNLOADS[request.path_params["name"]]
        return self.session.file(kind, file), name.format(self.session.stem)

    async def end(self, request: Request) -> Response:
        self.quit()
        return JSONResponse({})


async def _json(request: Request) -> dict[str, Any]:
    if int(request.headers.get("content-length", MOST_JSON + 1)) > MOST_JSON:
        raise WrongRequestError("too long, or of unknown length")
    try:
        return checked_dict(await request.json())
    except ValueError as problem:
        raise WrongRequestError("JSON is needed") from problem


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
                path.unlink()
                raise large
            file.write(chunk)


async def _told(job: Any) -> AsyncIterator[bytes]:
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


def _refused(request: Request, problem: Exception) -> Response:
    return JSONResponse({"error": str(problem)}, 422)


def application(session: Session, most_bytes: int, quit: Callable[[], None]) -> Starlette:
    """The whole of it, without its guard."""
    known: dict[Any, Any] = {RefusedError: _refused, WrongRequestError: _refused}
    return Starlette(routes=Pages(session, most_bytes, quit).routes(), exception_handlers=known)
