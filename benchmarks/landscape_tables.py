"""Tables and figures of the landscape study, from its records alone.

    python benchmarks/landscape_tables.py                    # the tables of the pages
    python benchmarks/landscape_tables.py --figures FOLDER   # landscape-ends.png, -overlaps.png and -temperatures.png

``landscape.py`` and ``landscape_temperatures.py`` say what was measured.
"""

import argparse
import gzip
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from freemetric.bench.figures import save
from landscape import SAME_ENERGY, SEARCHES
from landscape_temperatures import TEMPERATURES
from scipy.stats import spearmanr

COMMITTED = Path(__file__).parent / "landscape.jsonl.gz"
MOST_R_HAT = 1.1
COLD = 10  # place of 1e-4, the temperature of DMLFE
MOSTLY = 9  # temperatures in equilibrium from which on a set answers
FLOOR = 1e-6  # of energies that are drawn


def committed(path=COMMITTED):
    """Records by set and method, of the first half; those of the published setting under "paper"."""
    content, found = path.read_bytes(), {}
    for record in map(
        json.loads,
        (gzip.decompress(content) if path.suffix == ".gz" else content).splitlines(),
    ):
        if record["job"]["repeat"] in (0, "paper"):
            found.setdefault(record["job"]["set"], {})[record["method"]] = record
    return found


def with_records(found, method):
    """The sets that have a record of a method."""
    return {name: of_set for name, of_set in found.items() if method in of_set}


def lowest_of(of_set):
    """The lowest energy that any search has found, after a descent from there."""
    return min(of_set[name]["polished"] for name in ("L-BFGS", *SEARCHES))


def ruggedness(of_set):
    """Of the descents: how many reach the lowest energy, how alike their ends are, and what low energy is worth."""
    record, ends, low = (
        of_set["minima"],
        np.asarray(of_set["L-BFGS"]["energy"]),
        lowest_of(of_set),
    )
    error = np.asarray(of_set["L-BFGS"]["test_energy"])
    varied = np.ptp(ends) > SAME_ENERGY and np.ptp(error) > 0
    return {
        "reach": np.mean(ends <= low + SAME_ENERGY),
        "overlap": record["overlap_of_ends"][2],
        "pass": max(record["barrier"], default=0.0),
        "rank": spearmanr(ends, error).statistic if varied else np.nan,
        "lowest": error[ends.argmin()],
        "median": np.median(error),
    }


def above(of_set, method):
    """The lowest energy of a search above the lowest of all, in units of 1e-4, the temperature of DMLFE."""
    return 1e4 * max(0.0, min(of_set[method]["energy"]) - lowest_of(of_set))


def minima_rows(found):
    """Minima that descents find, passes between them, and what the searches reach in equal time."""
    yield [
        "set",
        "N",
        "d",
        "seconds",
        "starts",
        "basins",
        "reach",
        "q",
        "pass",
        *("L-BFGS", *SEARCHES),
    ]
    for name, of_set in found.items():
        record, row = of_set["minima"], ruggedness(of_set)
        facts = [
            record["samples"],
            record["features"],
            f"{of_set['L-BFGS']['seconds']:.1f}",
            record["starts"],
        ]
        shape = [
            record["basins"],
            f"{row['reach']:.0%}",
            f"{row['overlap']:.2f}",
            f"{1e4 * row['pass']:.1f}",
        ]
        yield [
            name,
            *facts,
            *shape,
            *(f"{above(of_set, method):.1f}" for method in ("L-BFGS", *SEARCHES)),
        ]
    every = ("L-BFGS", *SEARCHES)
    medians = [
        np.median([above(of_set, method) for of_set in found.values()])
        for method in every
    ]
    yield ["median", *[""] * 8, *(f"{value:.1f}" for value in medians)]
    same = [
        [
            of_set[method]["polished"] <= lowest_of(of_set) + SAME_ENERGY
            for method in every
        ]
        for of_set in found.values()
    ]
    yield ["sets where lowest", *[""] * 8, *(f"{n}" for n in np.sum(same, axis=0))]


class Melting:
    """What a record of temperatures says where both ladders agree."""

    def __init__(self, record):
        self.T, self.elements = (
            np.asarray(record["temperature"]),
            record["rows"] * record["features"],
        )
        self.agree = np.asarray(record["r_hat"]) < MOST_R_HAT
        self.heat, self.heat_error = (
            np.asarray(record[name]) / self.elements
            for name in ("heat_capacity", "heat_capacity_error")
        )
        self.expected, self.error = (
            np.asarray(record["test_energy"]),
            np.asarray(record["test_energy_error"]),
        )
        self.of_mean = np.asarray(record["test_error_of_mean"])
        self.at_minimum, self.soft_at_minimum, _ = record["minimum"]["scores"]
        self.peak = int(np.where(self.agree, self.heat, -1).argmax())
        self.best = int(np.where(self.agree, self.expected, np.inf).argmin())
        self.best_of_mean = int(np.where(self.agree, self.of_mean, np.inf).argmin())


def temperature_rows(found):
    """Heat capacity and test errors at the temperatures in equilibrium; overlaps."""
    yield [
        *(
            "set",
            "elements",
            "rungs",
            "steps",
            "agree",
            "most C at",
            "C/n",
            "minimum",
            "best",
            "at",
            "all",
            "at",
        ),
        *("q hot", "q cold", "R-hat"),
    ]
    for name, of_set in found.items():
        record, found_at = of_set["temperatures"], Melting(of_set["temperatures"])
        T, peak, best, of_mean = (
            found_at.T,
            found_at.peak,
            found_at.best,
            found_at.best_of_mean,
        )
        yield [
            *(
                name,
                found_at.elements,
                record["rungs"],
                record["steps"],
                f"{found_at.agree.sum()}",
            ),
            *(
                f"{T[peak]:.0e}",
                f"{found_at.heat[peak]:.2f}±{found_at.heat_error[peak]:.2f}",
            ),
            *(
                f"{found_at.at_minimum:.1f}",
                f"{found_at.expected[best]:.1f}±{found_at.error[best]:.1f}",
            ),
            *(
                f"{T[best]:.0e}",
                f"{found_at.of_mean[of_mean]:.1f}",
                f"{T[of_mean]:.0e}",
            ),
            *(f"{record['overlap'][k][2]:.2f}" for k in (0, COLD)),
            f"{record['r_hat'][COLD]:.2f}",
        ]


def answer_rows(found):
    """What goes with many basins: rank correlations over the sets."""
    rows = [ruggedness(of_set) for of_set in found.values()]
    records = [of_set["minima"] for of_set in found.values()]
    facts = {
        "samples": [record["samples"] for record in records],
        "features": [record["features"] for record in records],
        "samples/feature": [
            record["samples"] / record["features"] for record in records
        ],
        "lowest energy": [lowest_of(of_set) for of_set in found.values()],
        "expected test error": [row["lowest"] for row in rows],
    }
    crowd = [record["basins"] / record["starts"] for record in records]
    yield ["", "basins/start", "q of ends", "pass"]
    for name, values in facts.items():
        columns = (
            crowd,
            [row["overlap"] for row in rows],
            [row["pass"] for row in rows],
        )
        yield [
            name,
            *(f"{spearmanr(values, column).statistic:+.2f}" for column in columns),
        ]


def mean_rows(found):
    """Means of the test errors over the sets that mostly mix, at every temperature: here no temperature is chosen."""
    some = answering(found)
    yield ["", "expected", "all", "C/n", f"agree, of {len(found)} sets"]
    minimum = np.mean(
        [(one.at_minimum, one.soft_at_minimum) for one in some.values()], axis=0
    )
    yield ["lowest minimum", *(f"{value:.1f}" for value in minimum), "-", "-"]
    agree = np.sum(
        [Melting(of_set["temperatures"]).agree for of_set in found.values()], axis=0
    )
    for k, T in reversed(list(enumerate(TEMPERATURES))):
        errors = np.mean(
            [(one.expected[k], one.of_mean[k]) for one in some.values()], axis=0
        )
        heat = np.mean([one.heat[k] for one in some.values() if one.agree[k]])
        yield [
            f"{T:.0e}",
            *(f"{value:.1f}" for value in errors),
            f"{heat:.2f}",
            agree[k],
        ]


def answering(found):
    """The sets in equilibrium at most temperatures."""
    every = {name: Melting(of_set["temperatures"]) for name, of_set in found.items()}
    return {name: one for name, one in every.items() if one.agree.sum() >= MOSTLY}


def summary(found):
    """What the low energy of minima and the mean over maps are worth, and where C has its peak, in sentences."""
    rows = [ruggedness(of_set) for of_set in found.values()]
    gain = np.array([row["median"] - row["lowest"] for row in rows])
    better = [
        m for m in found if above(found[m], "L-BFGS") > above(found[m], "annealing") + 1
    ]
    ranks = [row["rank"] for row in rows]
    some = answering(with_records(found, "temperatures"))
    rise = np.array(
        [one.expected[one.peak] - one.expected[one.best] for one in some.values()]
    )
    colder = sum(one.T[one.best] < one.T[one.peak] for one in some.values())
    averaged = np.array(
        [one.soft_at_minimum - one.of_mean[one.peak] for one in some.values()]
    )
    return [
        f"Rank correlation of energy and test error: mean {np.nanmean(ranks):.2f}.",
        f"The lowest minimum has {with_error(gain)} points less expected error than the median one.",
        f"Annealing ends lower than all descents on {', '.join(better)}.",
        f"In equilibrium at {MOSTLY} temperatures or more: {len(some)} sets, {', '.join(some)}.",
        f"There the expected error at the peak of C is {with_error(rise)} points above the lowest one,",
        f"which is at a lower temperature than the peak on {colder} of them;",
        f"the mean of maps at the peak has {with_error(averaged)} points less error than the lowest minimum,",
        f"it is better on {np.sum(averaged > 0)} and worse on {np.sum(averaged < 0)}.",
    ]


def with_error(values):
    """Mean and standard error over the sets."""
    return (
        f"{np.mean(values):.1f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.1f}"
    )


def paper_rows(found):
    """The published setting: median and range of the ends of 20 annealings and 20 quenches."""
    yield ["set", "annealings", "quenches", "quenches-not-above-median"]
    for name, of_set in found.items():
        if "paper" in of_set:
            ends = [
                np.asarray(of_set["paper"][kind]) for kind in ("annealed", "quenched")
            ]
            cells = [f"{np.median(x):.4f}({x.min():.4f}…{x.max():.4f})" for x in ends]
            yield [name, *cells, f"{np.mean(ends[1] <= np.median(ends[0]) + 1e-6):.0%}"]


def lines_of(rows):
    """A table of Markdown, a line for each row."""
    header, *rows = list(rows)
    return [
        "|".join(["", *map(str, cells), ""])
        for cells in (header, ["---"] * len(header), *rows)
    ]


MARKS = {
    "L-BFGS": ("o", "#1A7FC1"),
    "quenches": ("v", "#E69F00"),
    "annealing": ("s", "#009E73"),
    "tempering": ("D", "#D55E00"),
    "CMA-ES": ("x", "#6B6B6B"),
}


def figures(found, folder):
    """Write a file for every drawing."""
    melted = with_records(found, "temperatures")
    save(draw_ends(with_records(found, "minima")), folder / "landscape-ends.png")
    save(draw_overlaps(melted), folder / "landscape-overlaps.png")
    save(draw_temperatures(melted), folder / "landscape-temperatures.png")


def draw_ends(found):
    """Every end of every search, above the lowest energy of its set."""
    order = sorted(found, key=lambda name: ruggedness(found[name])["reach"])
    figure, axes = plt.subplots(
        figsize=(7.5, 0.26 * len(order) + 1), layout="constrained"
    )
    for shift, (method, (mark, tint)) in enumerate(MARKS.items()):
        for place, name in enumerate(order):
            rise = np.maximum(
                np.asarray(found[name][method]["energy"]) - lowest_of(found[name]),
                FLOOR,
            )
            label = method if place == 0 else None
            y = np.full(len(rise), place + 0.15 * (shift - 2))
            axes.plot(
                rise,
                y,
                mark,
                color=tint,
                markersize=3,
                alpha=0.5,
                linestyle="none",
                label=label,
            )
    axes.set(
        xscale="log",
        xlabel="energy above the lowest of all searches",
        ylim=(-1, len(order)),
    )
    axes.set_yticks(range(len(order)), order)
    axes.grid(axis="x", alpha=0.3)
    axes.legend(
        frameon=False,
        ncols=5,
        loc="lower center",
        bbox_to_anchor=(0.5, 1),
        fontsize="small",
    )
    return figure


def small_multiples(found):
    """A figure with a small panel for every set, and the panels."""
    rows = -(-len(found) // 5)
    figure, axes = plt.subplots(
        rows, 5, figsize=(9, 1.45 * rows + 0.5), layout="constrained", sharex=True
    )
    for axis in axes.ravel()[len(found) :]:
        axis.set_visible(False)
    for axis, name in zip(axes.ravel(), found, strict=False):
        axis.set_title(name, fontsize="small")
        axis.tick_params(labelsize="x-small")
    return figure, axes.ravel()[: len(found)]


def draw_overlaps(found):
    """P(q) of two ladders at three temperatures."""
    figure, axes = small_multiples(found)
    centres = (np.arange(20) + 0.5) / 20
    for axis, of_set in zip(axes, found.values(), strict=True):
        record = of_set["temperatures"]
        for k, tint in ((0, "#D55E00"), (6, "#E69F00"), (COLD, "#1A7FC1")):
            share = np.asarray(record["histogram"][k]) / np.sum(record["histogram"][k])
            label = f"T = {record['temperature'][k]:.0e}"
            axis.fill_between(
                centres,
                share,
                step="mid",
                color=tint,
                alpha=0.5,
                linewidth=0,
                label=label,
            )
        axis.set(xlim=(0, 1), yticks=[])
    figure.supxlabel("overlap q of two independent replicas", fontsize="small")
    figure.legend(
        *axes[0].get_legend_handles_labels(),
        loc="outside upper center",
        ncols=3,
        frameon=False,
    )
    return figure


def draw_temperatures(found):
    """Expected test error and heat capacity over temperature; large points and C where both ladders agree."""
    figure, axes = small_multiples(found)
    for axis, of_set in zip(axes, found.values(), strict=True):
        one, other = Melting(of_set["temperatures"]), axis.twinx()
        (error,) = axis.plot(
            one.T,
            one.expected,
            color="#1A7FC1",
            marker=".",
            label="expected test error in %",
        )
        heat_capacity = np.where(one.agree, one.heat, np.nan)
        (heat,) = other.plot(
            one.T,
            heat_capacity,
            color="#D55E00",
            linestyle="--",
            marker="x",
            label="C per element",
        )
        axis.plot(
            one.T[one.agree],
            one.expected[one.agree],
            "o",
            color="#1A7FC1",
            markersize=4,
        )
        other.set_ylim(0, 1)
        other.tick_params(labelsize="x-small", right=False, labelright=False)
        axis.set_xscale("log")
    figure.supxlabel("temperature", fontsize="small")
    figure.legend(
        handles=[error, heat], loc="outside upper center", ncols=2, frameon=False
    )
    return figure


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--figures", type=Path, help="folder to draw into")
    parser.add_argument("--records", type=Path, default=COMMITTED)
    given = parser.parse_args()
    found = committed(given.records)
    if given.figures:
        figures(found, given.figures)
    else:
        whole, melted = (
            with_records(found, "minima"),
            with_records(found, "temperatures"),
        )
        for rows in (
            minima_rows(whole),
            answer_rows(whole),
            temperature_rows(melted),
            mean_rows(melted),
        ):
            print("", *lines_of(rows), sep="\n")
        print("", *summary(whole), "", *lines_of(paper_rows(found)), sep="\n")
