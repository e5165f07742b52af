"""Files that paper.py makes of the committed records: figures, and seconds of fits."""

import pandas as pd
from command import RECORDS, ROOT, committed
from matplotlib import rc_context

from freemetric.experiments import dataset_info
from freemetric.experiments.figures import interval_figure
from freemetric.experiments.methods import MOST_WALKED, PAPER_METHODS
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
    """Write the mean seconds of a fit of every method on every data set, on a CPU.

    Fits of DMLFE without a commit ran on a GPU. In their place stands the cube of the
    samples for its readings of the paper, and the longest fit by batches.
    """
    files = ("others/paper", "others/readings", "ours/paper")
    records = [r for f in files for r in read_records(RECORDS / f"{f}.jsonl.gz")]
    rows = [
        (record.job.dataset, record.job.method, record.seconds)
        for record in records
        if record.versions.get("machine") == "x86_64"
        if "commit" in record.versions or not record.job.method.startswith("dmlfe")
    ]
    frame = pd.DataFrame(rows, columns=["name", "method", "seconds"])
    table = frame.groupby(["name", "method"])["seconds"].mean().unstack()
    sizes = {name: dataset_info(name).rows for name in table.index}
    cubes = pd.Series(sizes).div(2).clip(upper=MOST_WALKED) ** 3
    for method in (name for name in table if name.startswith("dmlfe-")):
        timed = table[method].dropna()
        rate = timed.sum() / cubes[timed.index].sum()
        table[method] = table[method].fillna(rate * cubes)
    table["dmlfe"] = table["dmlfe"].fillna(table["dmlfe"].max())
    order = sorted(table.index, key=sizes.get)
    path = ROOT / "src/freemetric/experiments/data/paper_seconds.csv"
    table.loc[order].round(2).to_csv(path)
