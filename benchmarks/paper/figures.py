"""Files that paper.py makes of the committed records: figures, and seconds of fits."""

import pandas as pd
from command import RECORDS, ROOT, committed
from matplotlib import rc_context

from freemetric.experiments import dataset_info
from freemetric.experiments.figures import interval_figure
from freemetric.experiments.methods import PAPER_METHODS
from freemetric.experiments.records import read_records
from freemetric.experiments.reproduction import Effort, available, write_figures

DRAWN = Effort(10**9, 5, 20, 3)


def draw(errors, ours, folder, data_folder):
    """Draw the figures of docs/paper.md; the same records make the same files.

    Parameters
    ----------
    errors : dict of str to DataFrame
        Mean errors (sets x methods) by protocol.
    ours : str
        The method whose difference from the others is marked.
    folder, data_folder : Path
        Where figures are written, and data sets are read.
    """
    records = [r for r in committed("paper", ours) if r.job.method in PAPER_METHODS]
    data, _ = available(("iris", "wine", "glass"), data_folder)
    write_figures(records, data, DRAWN, folder)
    for protocol, table in errors.items():
        figure = interval_figure(table, ours)
        with rc_context({"svg.hashsalt": "freemetric"}):
            figure.savefig(folder / f"ranks-{protocol}.svg", metadata={"Date": None})


def write_seconds():
    """Write the mean seconds of a fit of every method on every data set."""
    files = ("others/paper", "others/readings", "ours/paper")
    records = [r for f in files for r in read_records(RECORDS / f"{f}.jsonl.gz")]
    rows = [
        (record.job.dataset, record.job.method, record.seconds)
        for record in records
        if record.versions.get("machine") == "x86_64"
    ]
    frame = pd.DataFrame(rows, columns=["name", "method", "seconds"])
    table = frame.groupby(["name", "method"])["seconds"].mean().unstack()
    order = sorted(table.index, key=lambda name: dataset_info(name).rows)
    path = ROOT / "src/freemetric/experiments/data/paper_seconds.csv"
    table.loc[order].round(2).to_csv(path)
