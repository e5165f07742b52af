"""The paper done again: what is fitted, how long it takes, and what it ends with.

This module needs the extra ``bench``.
"""

from dataclasses import dataclass
from html import escape
from importlib.resources import files
from io import BytesIO
from pathlib import Path

from joblib import effective_n_jobs

from ..exceptions import require
from . import figures
from .datasets import DatasetError, dataset_info, dataset_names
from .loading import load_dataset
from .measures import mean_errors
from .methods import PAPER_METHODS
from .paper import (
    differences_from_published,
    neighbors_beside_published,
    of_published_methods,
    ranks_beside_published,
)
from .records import read_records, replace_file
from .runner import plan
from .tables import error_table

pd = require("pandas", "bench")
matplotlib = require("matplotlib", "bench")

UNOBTAINABLE = ("heart-y: no public copy is known.",)
QUICK_ROWS = 700
SETUP = 60
"""Seconds that processes need for imports and for compiled kernels."""

SLOWER = 1.5
"""Time on cores of 2.1 GHz, in units of that on the machine of our records."""


LONG = 600
MOST_REPEATED = 20_000
"""Fits of more seconds, and sets of more rows, have one pair of halves alone."""

WALKED = ("zoo", "iris", "wine", "glass-g2", "glass")
"""The data sets of Fig. 6, of which the paper names none."""

CURVES = ("balance", "glass", "vowel", "iris", "wine", "sonar")
"""The data sets of Fig. 7, likewise: the first three that are there."""


@dataclass(frozen=True)
class Effort:
    """How much of the paper is done.

    Attributes
    ----------
    most_rows : int
        Rows of the largest data set.
    repeats : int
        Pairs of halves.
    n_walks, n_panels : int
        Annealings and quenches of each panel of Fig. 6, and its panels.
    """

    most_rows: int
    repeats: int
    n_walks: int
    n_panels: int


EFFORTS = {"quick": Effort(QUICK_ROWS, 1, 6, 3), "full": Effort(10**9, 5, 20, 5)}
"""One pair of halves of the sets up to 700 rows; or all five times, as the paper."""


def available(names, folder=None):
    """Load data sets, and say why some cannot be loaded.

    Parameters
    ----------
    names : iterable of str
        Names of data sets.
    folder : path-like or None, default=None
        Folder to look in first.

    Returns
    -------
    found : dict of Dataset
        Those that are there, or have been downloaded.
    missing : dict of str
        A line about every other one.
    """
    found, missing = {}, {}
    for name in names:
        try:
            found[name] = load_dataset(name, folder)
        except DatasetError as problem:
            missing[name] = str(problem)
    return found, missing


def jobs_of(effort, names=None, methods=None, repeats=None):
    """Return the fits of an effort.

    Parameters
    ----------
    effort : Effort
        One of ``EFFORTS``.
    names, methods : list of str or None, default=None
        Data sets and methods; None: those of the effort, and all of the paper.
    repeats : int or None, default=None
        Pairs of halves; None: those of the effort, and one for fits of more than ten
        minutes and for sets of more than 20,000 rows.

    Returns
    -------
    jobs : list of Job
        The smaller data sets first.

    Examples
    --------
    >>> from freemetric.experiments.reproduction import EFFORTS, jobs_of
    >>> jobs = jobs_of(EFFORTS["quick"])
    >>> len(jobs), len({job.dataset for job in jobs}), len({job.method for job in jobs})
    (588, 21, 14)
    """
    if names is None:
        names = [n for n in dataset_names() if dataset_info(n).rows <= effort.most_rows]
    names = sorted(names, key=lambda name: dataset_info(name).rows)
    methods = PAPER_METHODS if methods is None else methods
    if repeats is not None:
        return plan(names, methods, repeats)
    jobs = plan(names, methods, effort.repeats)
    timed = zip(jobs, expected_seconds(jobs), strict=True)
    return [job for job, seconds in timed if job.repeat == 0 or is_short(job, seconds)]


def is_short(job, seconds):
    """Return whether a fit that takes so many seconds is made for all halves."""
    return seconds < LONG and dataset_info(job.dataset).rows <= MOST_REPEATED


def expected_seconds(jobs):
    """Return about how long every fit takes on a core of 2.1 GHz, a list.

    A method or a data set that has not been timed counts as the slowest that has.

    Examples
    --------
    >>> from freemetric.experiments.records import Job
    >>> from freemetric.experiments.reproduction import expected_seconds
    >>> jobs = [Job("iris", "rca"), Job("vowel", "dmlfe-paper")]
    >>> quick, slow = expected_seconds(jobs)
    >>> quick < 1 < slow
    True
    """
    with files(__package__).joinpath("data", "paper_seconds.csv").open() as file:
        table = pd.read_csv(file, index_col="name")
    recorded = table.stack().dropna().to_dict()
    slowest = table.max(axis=1).to_dict()
    most = max(slowest.values())
    return [
        SLOWER * recorded.get((job.dataset, job.method), slowest.get(job.dataset, most))
        for job in jobs
    ]


def jobs_left(jobs, folder):
    """Return the fits that have no record in a folder yet."""
    path = Path(folder, "records.jsonl")
    done = {record.job for record in read_records(path)} if path.exists() else set()
    return [job for job in jobs if job not in done]


def lines_about(jobs, left, n_jobs):
    """Return lines that say what is fitted, and about how long that takes."""
    n_cores = max(1, effective_n_jobs(n_jobs))
    sets, methods = ({getattr(job, of) for job in jobs} for of in ("dataset", "method"))
    what = f"{len(jobs)} fits of {len(methods)} methods on {len(sets)} data sets"
    minutes = (SETUP + sum(expected_seconds(left)) / n_cores) / 60
    how_long = f"about {minutes:.0f} minutes for {len(left)} of them"
    return [what, f"{how_long}, {n_cores} at a time, on cores of 2.1 GHz"]


def tables_of(records):
    """Return the paper's tables of records, by the names of their files.

    Parameters
    ----------
    records : list of Record
        Those of a comparison; failed fits leave gaps.

    Returns
    -------
    tables : dict of Table
        Table 3 by two protocols and beside the published one; ranks and tests with
        both settings of DMLFE, where both are there; Table 5.
    """
    one_k = mean_errors(records, "one-k")
    tables = {
        "table-3": error_table(one_k),
        "table-3-honest": error_table(mean_errors(records, "honest")),
    }
    for name, dmlfe in (("", "dmlfe-paper"), ("-our-defaults", "dmlfe")):
        errors, best_k = of_published_methods(records, dmlfe)
        if not name and not errors.empty:
            tables["table-3-published"] = differences_from_published(errors)
        if "DMLFE" in errors and errors.shape[1] > 2 and len(errors) > 1:
            tables[f"table-4-ranks{name}"] = ranks_beside_published(errors)
        if not name and not best_k.empty:
            tables["table-5"] = neighbors_beside_published(best_k)
    return tables


def figures_of(records, data, effort):
    """Yield the name and the figure of each of the paper's figures.

    Parameters
    ----------
    records : list of Record
        Those of a comparison.
    data : dict of Dataset
        The data sets that are there.
    effort : Effort
        How many walks are drawn.

    Yields
    ------
    name, figure : str, Figure
        "figure-1" to "figure-7", without those that the records do not suffice for.
    """
    yield "figure-1", figures.intuition_figure()
    if "iris" in data:
        yield "figure-2", figures.trials_figure(*scaled(data["iris"]))
    if "wine" in data:
        yield "figure-3", figures.snapshots_figure(*scaled(data["wine"]))
    errors, _ = of_published_methods(records)
    if "DMLFE" in errors and errors.shape[1] > 2 and len(errors) > 1:
        yield "figure-4", figures.pairwise_figure(errors)
        yield "figure-5", figures.interval_figure(errors, "DMLFE")
    walked = [name for name in WALKED if name in data][: effort.n_panels]
    if walked:
        samples = {name: scaled(data[name]) for name in walked}
        yield "figure-6", figures.annealing_figure(samples, effort.n_walks)
    fitted = {record.job.dataset for record in records if not record.failure}
    drawn = [name for name in CURVES if name in fitted] or sorted(fitted)
    yield "figure-7", figures.neighbors_figure(records, drawn[:3])


def scaled(data):
    """Return features in [0, 1] and class numbers of a data set."""
    width = data.X.max(axis=0) - data.X.min(axis=0)
    return (data.X - data.X.min(axis=0)) / width.clip(min=1e-300), data.y


def write_tables(records, folder):
    """Write the tables as Markdown and CSV, and return them by name."""
    tables = tables_of(records)
    for name, table in tables.items():
        replace_file(Path(folder, f"{name}.md"), table.markdown().encode())
        replace_file(Path(folder, f"{name}.csv"), table.csv().encode())
    return tables


def write_figures(records, data, effort, folder):
    """Write the figures as SVG, and return the names of their files."""
    names = []
    for name, figure in figures_of(records, data, effort):
        content = BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "freemetric"}):
            figure.savefig(content, format="svg", metadata={"Date": None})
        figures.plt.close(figure)
        replace_file(Path(folder, f"{name}.svg"), content.getvalue())
        names.append(f"{name}.svg")
    return names


def write_page(folder, tables, drawn, notes):
    """Write index.html with all tables and figures, and return its path.

    Parameters
    ----------
    folder : path-like
        Folder of the page.
    tables : dict of Table
        From :func:`write_tables`.
    drawn : list of str
        Files of :func:`write_figures`.
    notes : list of str
        Lines for the top, such as what is missing.

    Returns
    -------
    path : Path
        The page.
    """
    parts = [f"<p>{escape(note)}</p>" for note in notes]
    for name, table in sorted(tables.items()):
        parts.append(f"<h2>{HEADINGS[name]}</h2>\n{table.html()}")
    for file in drawn:
        title = HEADINGS[file.removesuffix(".svg")]
        parts.append(f'<h2>{title}</h2>\n<img src="{file}" alt="{title}">')
    path = Path(folder, "index.html")
    replace_file(path, PAGE.format("\n".join(parts)).encode())
    return path


HEADINGS = {
    "table-3": "Table 3: errors, one k for each set",
    "table-3-honest": "Table 3: errors, k chosen without test samples",
    "table-3-published": "Table 3: our errors minus the published ones",
    "table-4-ranks": "Table 4: ranks and tests, DMLFE in the published setting",
    "table-4-ranks-our-defaults": "Table 4: ranks and tests, DMLFE with our defaults",
    "table-5": "Table 5: the number of neighbours",
    "figure-1": "Figure 1: two classes before and after learning",
    "figure-2": "Figure 2: trials of Metropolis Monte Carlo on iris",
    "figure-3": "Figure 3: the wines while they are annealed",
    "figure-4": "Figure 4: errors of DMLFE in the published setting against others",
    "figure-5": "Figure 5: average ranks and critical differences",
    "figure-6": "Figure 6: annealings and quenches",
    "figure-7": "Figure 7: errors against the number of neighbours",
}
"""Headings of tables and figures by the names of their files."""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The paper</title><style>
body {{ font: 15px/1.5 sans-serif; max-width: 1100px; margin: 2em auto; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
caption {{ text-align: left; padding: 0.3em 0; }}
td, th {{ padding: 0.1em 0.7em; text-align: right; border-bottom: 1px solid #ddd; }}
img {{ max-width: 100%; }}
</style></head><body>
<h1>Distance metric learning through minimization of the free energy</h1>
{}
</body></html>
"""
