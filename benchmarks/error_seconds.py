"""Error against the seconds of a fit, from the committed records of outside.py.

    python benchmarks/error_seconds.py      # docs/images/error-seconds-light.svg and -dark.svg

Both axes are means over the 29 data sets with fewer than 3,000 samples, on the splits that all methods have.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter
from outside import OURS, OUTSIDE, all_records, small_sets
from outside_tables import by_set, common

from freemetric.bench.results import load_compact

IMAGES = Path(__file__).parents[1] / "docs" / "images"
INKS = {"light": "#1f2937", "dark": "#d1d5db"}
ABOVE, BELOW = ((0, 7), "center", "bottom"), ((0, -7), "center", "top")
LEFT, RIGHT = ((-7, 0), "right", "center"), ((7, 0), "left", "center")
PLACES = {"svm": LEFT, "lightgbm-tuned": LEFT, "forest-500": BELOW, "extra-trees-tuned": BELOW, "catboost": RIGHT}
"""Where the label of a method is, if not above its point: labels must not overlap."""


def error_and_seconds():
    """A DataFrame with one row per method."""
    sets = small_sets()
    records = common(all_records([r for r in load_compact(OUTSIDE) if r.job.dataset in sets]))
    return pd.DataFrame({field: by_set(records, field).mean() for field in ("honest_error", "seconds")})


def draw(panels, ink, own=(OURS,)):
    """A transparent figure in one colour of ink: errors and seconds by method, a panel for each measure."""
    figure, axes = plt.subplots(1, len(panels), figsize=(7, 4.2 if len(panels) == 1 else 3.6), layout="constrained")
    for ax, (words, points) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        for method, (error, seconds) in points.iterrows():
            ours = method in own
            color = "#ef4444" if ours else "#0d9488"
            ax.plot(seconds, error, "o", color=color, markersize=9 if ours else 6)
            shift, across, along = PLACES.get(method, ABOVE)
            style = {"color": ink, "ha": across, "va": along, "fontweight": "bold" if ours else "normal"}
            ax.annotate(method, (seconds, error), shift, textcoords="offset points", fontsize=8.5, **style)
        ax.set(xlabel="seconds of a fit, mean", ylabel=words, xscale="log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.margins(x=0.12 * len(panels), y=0.12)
        ax.set_facecolor("none")
        ax.tick_params(which="both", colors=ink)
        for part in (ax.xaxis.label, ax.yaxis.label):
            part.set_color(ink)
        for name, spine in ax.spines.items():
            spine.set(color=ink, visible=name in ("left", "bottom"))
    return figure


def save(panels, name, own=(OURS,)):
    """Write the figure for light and dark pages."""
    plt.rcParams["svg.hashsalt"] = name  # the same file from the same records
    for shade, ink in INKS.items():
        draw(panels, ink, own).savefig(IMAGES / f"{name}-{shade}.svg", transparent=True, metadata={"Date": None})


def main():
    points = error_and_seconds()
    print(points.sort_values("honest_error").round(2).to_string())
    save({"error in %, mean": points}, "error-seconds")


if __name__ == "__main__":
    main()
