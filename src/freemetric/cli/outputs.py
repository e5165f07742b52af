"""Commands beside fit and predict: reports, exports, the page in the browser, the demo, compiling ahead."""

import os
import signal
import sys
import threading
import time
import warnings
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from .console import Json, argument, console, log, option, print_result, print_table, progress, shown_warnings
from .options import TO_FILE, Model, Reading, with_fields


@with_fields
def report(
    model: Model,
    data: Annotated[
        Path | None, argument("DATA", "Table of rows to show. Default: the rows that the model has kept.")
    ] = None,
    *,
    output: Annotated[Path | None, option("FILE", "HTML file to write. Default: beside the model.", *TO_FILE)] = None,
    title: Annotated[str | None, option("TITLE", "Title of the page.")] = None,
    rows: Annotated[int, option("N", "Show at most so many rows; a sample if there are more.", min=10)] = 10_000,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Write one HTML page about a model: the learned space, the Monte Carlo run, feature weights, single decisions."""
    from ..report import write
    from ..tabular import TableModel
    from ..tabular.writing import check_writable

    output = output or model.with_suffix(".html")
    check_writable(output)
    with shown_warnings():
        loaded = TableModel.load(model)
        X = y = None
        if data is not None:
            X, y = loaded.rows(reading.table(data, loaded))
        with progress("writing the report", quiet=as_json):
            names, columns = loaded.feature_names(), loaded.originals()
            options: dict[str, Any] = {"title": title or model.stem, "feature_names": names, "columns": columns}
            write(loaded.pipeline, output, X, y, most_rows=rows, **options)
    written = {"report": str(output), "bytes": output.stat().st_size}
    print_result(as_json, written, f"{output}: open it in a browser")


def export(
    model: Model,
    output: Annotated[Path | None, option("FILE", "ONNX file to write. Default: beside the model.", *TO_FILE)] = None,
    as_json: Json = False,
) -> None:
    """Write a model as an ONNX graph, which predicts without Python. Every column of the table is an input."""
    from ..files import about, load
    from ..onnx_export import to_onnx  # an extra
    from ..tabular import Schema
    from ..tabular.table import few
    from ..tabular.writing import check_writable

    output = output or model.with_suffix(".onnx")
    check_writable(output)
    with shown_warnings(), progress("exporting", quiet=as_json):
        graph = to_onnx(load(model), output).graph
    table = about(model).get("table")
    with suppress(KeyError, TypeError, ValueError):  # something else under that name
        columns = Schema.from_json(table).columns if table else ()
        if dates := [column.name for column in columns if column.kind == "date"]:
            log(f"note: the graph takes the parts of dates as numbers; days are counted from 1970: {few(dates)}")
    inputs, outputs = ([value.name for value in values] for values in (graph.input, graph.output))
    written = {"output": str(output), "bytes": output.stat().st_size, "inputs": inputs, "outputs": outputs}
    print_result(as_json, written, f"{output}: from {', '.join(inputs)} to {', '.join(outputs)}")


def demo(
    repeats: Annotated[int, option("N", "Repeats of two-fold cross-validation.", min=1)] = 3,
    out: Annotated[Path, option("FOLDER", "Folder of the picture.")] = Path("out"),
) -> None:
    """Learn metrics on wine and iris, and draw the space before and after."""
    from ..demo import SETS, compare, draw
    from ..extras import require

    require("matplotlib", "display")
    with progress("compiling the kernels (once)") as advance:
        errors = compare(repeats, advance)
    rows = ((method, *(f"{cell:.2f}" for cell in cells)) for method, cells in errors.items())
    print_table(("method", *SETS, "seconds a fit"), rows, f"Test error in %, mean of {repeats} x 2 splits")
    console.print("k is chosen by inner folds or out-of-bag votes, never on the test half.")
    console.print(f"The space before and after: {draw(out)}", soft_wrap=True)


def example(
    data: Annotated[Path, argument("DATA", "Table to write, in any format that `predict` writes.")],
    new: Annotated[Path | None, argument("NEW", "Table of further rows to write, without the class.")] = None,
    as_json: Json = False,
) -> None:
    """Write a made-up table to try the commands on: people with a `class` and an `income` to predict, and gaps.

    A file that exists is not overwritten.
    """
    from ..demo import people
    from ..tabular.writing import check_output, write

    tables = {data: people(200)}
    if new is not None:
        tables[new] = {name: cells for name, cells in people(20, seed=1).items() if name != "class"}
    for path in tables:
        check_output(path)
        if path.exists():
            raise ValueError(f"{path}: the file exists already")
    for path, columns in tables.items():
        write(path, columns)
    written = {"files": list(map(str, tables)), "columns": list(tables[data])}
    print_result(as_json, written, f"{', '.join(map(str, tables))}: {', '.join(tables[data])}")


def warmup(as_json: Json = False) -> None:
    """Compile all kernels now, for images and machines whose first fit shall not wait.

    What is compiled lies beside the package, or in the folder that NUMBA_CACHE_DIR names.
    """
    from ..demo import compiling

    start = time.perf_counter()
    with progress("compiling", quiet=as_json) as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fits are cut short
        folder = compiling(advance)
    seconds = time.perf_counter() - start
    written = {"folder": folder, "seconds": round(seconds, 1)}
    print_result(as_json, written, f"{folder or 'nowhere, no folder can be written to'}: ready after {seconds:.0f} s")


ENDS = ("SIGTERM", "SIGHUP")  # a request to end, and a closed terminal


def serve(
    port: Annotated[int | None, option("PORT", "Port on 127.0.0.1. Default: a free one.", min=1, max=65535)] = None,
    browser: Annotated[bool, option("", "Open the page in the browser.", "--browser/--no-browser")] = True,
    upload: Annotated[int, option("MEGABYTES", "Largest file that may be uploaded.", min=1, max=4096)] = 512,
    limit: Annotated[float | None, option("SECONDS", "Longest time of one fit or comparison.", min=0)] = None,
    megabytes: Annotated[
        float | None, option("MEGABYTES", "Largest memory of one fit or comparison. Default: all there is.", min=0)
    ] = None,
) -> None:
    """Open a page in the browser: upload a table, check its columns, fit, compare, look at rows, download the model.

    The page is for this machine and this user alone: the server listens on 127.0.0.1, asks for the token in the printed
    address, and uses no other network. Ctrl-C, or Quit on the page, stops it and deletes all uploaded files.
    """
    from ..serve import Options, Server
    from ..serve.jobs import Bounds, usual_bounds

    bounds = usual_bounds()._replace(seconds=limit)
    if megabytes is not None:
        from ..tabular import Limits  # takes seconds

        Limits(limit, megabytes)  # raises an error where memory cannot be limited
        bounds = Bounds(limit, megabytes)
    server = Server(Options(port, upload, bounds))
    for number in (getattr(signal, name) for name in ENDS if hasattr(signal, name)):
        if signal.getsignal(number) != signal.SIG_IGN:  # which nohup wants
            # Exit with the code of shells instead of dying, so that uploaded files are removed.
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    # Ended work leaves semaphores, which Python clears away with a warning that helps nobody.
    given = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [given, "ignore:resource_tracker:UserWarning"]))
    console.print(f"{server.url}\nOpen this address in a browser of this machine; Ctrl-C ends it.", soft_wrap=True)
    has_screen = sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    if browser and has_screen:  # else a browser in the terminal would take it away from us
        threading.Thread(target=webbrowser.open, args=(server.url_for_once,), daemon=True).start()
    server.run()
