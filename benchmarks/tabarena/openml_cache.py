"""Tasks in a cache folder of openml-python, looked at before openml is asked.

openml deletes the folders of a task and of a data set that it cannot complete. Without a network it would delete files
that somebody copied there, so a task that is not complete is left to openml only if its server answers.
"""

from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from xml.etree import ElementTree

OPENML = "{http://openml.org/openml}"
SECONDS_TO_ANSWER = 10


def missing_file(task_id, folder):
    """First file below ``folder`` that openml would have to download for a task, or None."""
    task = Path("tasks", str(task_id))
    missing = _first_missing(folder, task / "task.xml", task / "datasplits.arff")
    if missing is not None:
        return missing
    data_id = _texts(folder / task / "task.xml", "data_set_id")[0]
    data = Path("datasets", data_id)
    missing = _first_missing(folder, data / "description.xml", data / "features.xml")
    if missing is not None:
        return missing
    tables = ["dataset.arff"]
    if _texts(
        folder / data / "description.xml", "parquet_url"
    ):  # openml reads no parquet without it
        tables = [f"dataset_{data_id}.pq", "dataset.pq", *tables]
    return (
        None
        if any((folder / data / name).is_file() for name in tables)
        else data / tables[0]
    )


def _first_missing(folder, *files):
    return next((file for file in files if not (folder / file).is_file()), None)


def _texts(path, name):
    return [element.text for element in ElementTree.parse(path).iter(OPENML + name)]


def answers(url):
    """Whether a server can be reached."""
    try:
        urlopen(Request(url, method="HEAD"), timeout=SECONDS_TO_ANSWER).close()
    except HTTPError:  # an error is an answer
        return True
    except OSError:
        return False
    return True


def check_tasks(tasks, folder, server):
    """Exit with one line if a task is neither complete in the folder nor to be had from the server.

    ``tasks`` is a dict of ids to names, ``folder`` the part of openml's cache that belongs to the server.
    """
    missing = {
        task: file for task in tasks if (file := missing_file(task, folder)) is not None
    }
    if missing and not answers(server):
        task, file = next(iter(missing.items()))
        more = (
            f" ({len(missing)} of {len(tasks)} tasks are not complete)"
            if len(tasks) > 1
            else ""
        )
        raise SystemExit(
            f"task {task}, {tasks[task]}: {folder / file} is missing and {server} does not answer{more}"
        )
