"""Choosing a default without looking: tried on half of the small data sets, confirmed once on the others and the zoo.

    python benchmarks/choosing.py --choose "dict(n_steps=9)" --data-home DATA --jobs 2    # as often as one likes
    python benchmarks/choosing.py --confirm "dict(n_steps=9)" --data-home DATA --jobs 2   # once
    python benchmarks/choosing.py --choose "dict()" --before 0123456789                   # a change of the code
    python benchmarks/choosing.py --choose "dict(most_scored=2000)" --large               # of fits with many samples
    python benchmarks/choosing.py --show                                                  # what was tried so far

Every call appends a line to benchmarks/choices.jsonl: what was changed, when, both means, paired p-values;
docs/results.md says what the halves are for. A change of the code has no recipe: fit the default before it, by
--choose "dict()", and give the fingerprint that this prints ("sources") as --before once the code has changed. Records
of fits are kept in a folder, by fingerprint of the code, and used again.
"""

from resuming import one_thread_each, print_rows, read

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
import hashlib
import json
import tempfile
import time
import warnings
from datetime import date
from itertools import product
from pathlib import Path

import bayes
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from variants import canonical, changed_recipe, sources
from zoo import PROBLEMS

from freemetric import FreeEnergyClassifier
from freemetric.bench.protocol import halves, probability_scores
from freemetric.bench.records import BenchJob, Record, read_all
from freemetric.bench.stats import wilcoxon
from freemetric.datasets import load
from freemetric.extras import versions

CHOOSING = (
    *("promoters", "hepatitis", "heart-c", "soybean", "anneal", "german"),  # with categories
    *("wine", "ionosphere", "heart", "dermatology", "balance", "pima", "vowel", "segment"),  # numbers only
)
CONFIRMING = (
    *("zoo", "breast", "horse", "vote", "card", "tic-tac-toe"),
    *("iris", "glass", "glass-g2", "newthyroid", "sonar", "liver", "breast-w", "vehicle", "yeast"),
)
"""Alike in size, categories and classes. Sets of one origin are not parted: heart and heart-c, glass and glass-g2."""

LARGE = ("page-blocks", "pendigits", "krkopt", "poker"), ("satimage", "cod-rna")
"""Sets of thousands of samples, to choose and to confirm by what the others are too small for; without the zoo."""

REPEATS, LARGE_REPEATS = 5, 2
ZOO_SIZES, ZOO_REPEATS = (100, 400), 2
DEFAULT = "dict()"
ALLOWED = {"better": 0.0, "cheaper": 0.1}  # points of error that a change may cost, by what it is for
CHOICES = Path(__file__).parent / "choices.jsonl"


# --- fits


def folder_of(records, change, fingerprint):
    return records / fingerprint / hashlib.sha1(change.encode()).hexdigest()[:10]


def fit(job, change, folder, data_home):
    """One fit of a changed recipe on one half, recorded; nothing if it has been made."""
    if job.path(folder).exists():
        return
    data = load(job.dataset, data_home)
    train, test = halves(data.y, job.repeat)[job.fold]
    model = FreeEnergyClassifier(recipe=changed_recipe(change), random_state=2 * job.repeat + job.fold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        P = model.fit(data.X[train], data.y[train]).predict_proba(data.X[test])
        seconds = time.perf_counter() - start
    error = round(100 * float(np.mean(P.argmax(axis=1) != data.y[test])), 6)
    shape = (len(train), data.X.shape[1], P.shape[1])
    scores = probability_scores(P, data.y[test])
    Record(job, [error], None, error, **scores, seconds=seconds, shape=shape, versions=versions()).write(folder)


def fit_sets(names, change, folder, data_home, n_jobs):
    repeats = LARGE_REPEATS if names in LARGE else REPEATS
    jobs = [
        BenchJob(name, "free-energy", repeat, fold) for name, repeat, fold in product(names, range(repeats), range(2))
    ]
    Parallel(n_jobs, batch_size=1)(delayed(fit)(job, change, folder, data_home) for job in jobs)


def fit_zoo(change, folder, n_jobs):
    method = bayes.OURS if change == DEFAULT else change
    bayes.run_missing(folder / "zoo.jsonl", list(PROBLEMS), ZOO_SIZES, ZOO_REPEATS, [method], n_jobs)


# --- comparisons


def compared(default, changed, scale=1):
    """Means over what both have, and Wilcoxon's test of the change against the default, paired by set."""
    pair = pd.DataFrame({"default": default, "changed": changed}).dropna()
    test = wilcoxon(scale * pair, "changed").loc["default"]
    gain = pair["changed"] - pair["default"]
    return {
        "pairs": len(pair),
        "default": round(pair["default"].mean(), 4),
        "changed": round(pair["changed"].mean(), 4),
        "difference": round(gain.mean(), 4),
        "standard_error": round(gain.std() / np.sqrt(len(gain)), 4),
        "wins_ties_losses": [int(test.wins), int(test.ties), int(test.losses)],
        "p": float(f"{test.p_value:.3g}"),
    }


def means_of_sets(folder, names, field):
    """Mean of a field over the halves of every set."""
    values = [(r.job.dataset, getattr(r, field)) for r in read_all(folder)[0] if r.job.dataset in names]
    return pd.DataFrame(values, columns=["set", field]).groupby("set")[field].mean()


def means_of_zoo(folder):
    """Mean points above Bayes of every problem and size."""
    return pd.DataFrame(read(folder / "zoo.jsonl")).groupby(["problem", "n"])["excess"].mean()


def on_sets(names, before, after):
    """Error in %, Brier score and seconds of the change and the default."""
    error, brier, seconds = (
        compared(*(means_of_sets(folder, names, field) for folder in (before, after)), scale)
        for field, scale in (("honest_error", 1), ("brier", 100), ("seconds", 1))
    )
    return {"error": error, "brier": brier, "seconds": [seconds["default"], seconds["changed"]]}


def holds(result, goal):
    """Whether the confirming sets and the zoo bear out what was chosen."""
    zoo = result.get("zoo", {"difference": -np.inf, "standard_error": 0.0})
    return bool(
        result["confirming"]["error"]["difference"] <= ALLOWED[goal]
        and zoo["difference"] <= ALLOWED[goal] + zoo["standard_error"]
    )


# --- the log


def read_choices(path=CHOICES):
    return read(path)


def earlier(choices, change, stage, fingerprint, large=False):
    """The last line of this change, stage, code and size of sets; None where there is none."""
    wanted = change, stage, fingerprint, large
    same = [c for c in choices if (c["change"], c["stage"], c["sources"], c.get("large", False)) == wanted]
    return same[-1] if same else None


def may_confirm(choices, change, fingerprint, large=False):
    """The line of the choice; an end with a message where there is none, or where it has been confirmed."""
    chosen = earlier(choices, change, "choose", fingerprint, large)
    if chosen is None:
        raise SystemExit(f"{change} was not tried on the choosing sets with this code: --choose it first.")
    if earlier(choices, change, "confirm", fingerprint, large):
        raise SystemExit(f"{change} was confirmed before: the confirming sets are looked at once.")
    return chosen


def append(path, line):
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")


def show(choices):
    rows = []
    for c in choices:
        parts = [c["choosing"]["error"], c.get("confirming", {}).get("error"), c.get("zoo")]
        cells = [f"{part['difference']:+.2f}, p = {part['p']:.2g}" for part in parts if part]
        about = [c["date"], c["change"] + ", large sets" * c.get("large", False), c["goal"], c["stage"]]
        rows.append([*about, *cells, *[""] * (3 - len(cells)), c.get("holds", "")])
    print_rows(["date", "change", "goal", "stage", "choosing sets", "confirming sets", "zoo", "holds"], rows)


def compare_change(change, stage, arguments):
    """Fit what is lacking of the change, and of the default unless it was fitted before the code changed."""
    now, choices = sources(), read_choices(arguments.choices)
    large = arguments.large
    chosen = may_confirm(choices, change, now, large) if stage == "confirm" else None
    names = (LARGE if large else (CHOOSING, CONFIRMING))[stage == "confirm"]
    before = folder_of(arguments.records, DEFAULT, arguments.before or now)
    after = folder_of(arguments.records, change, now)
    for one, folder in dict.fromkeys([(change, after)] + [(DEFAULT, before)] * (not arguments.before)):
        fit_sets(names, one, folder, arguments.data_home, arguments.jobs)
        if chosen and not large:
            fit_zoo(one, folder, arguments.jobs)
    line = {"date": date.today().isoformat(), "change": change, "goal": arguments.goal, "stage": stage, "sources": now}
    line |= {"before": arguments.before} if arguments.before else {}
    line |= {"large": True} if large else {}
    result = on_sets(names, before, after)
    if not chosen:
        return line | {"choosing": result, "number": 1 + sum(c["stage"] == "choose" for c in choices)}
    line |= {"choosing": chosen["choosing"], "confirming": result}
    line |= {} if large else {"zoo": compared(means_of_zoo(before), means_of_zoo(after))}
    return line | {"holds": holds(line, arguments.goal)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--choose", metavar="CHANGE", help='a change of the recipe, such as "dict(n_steps=9)"')
    parser.add_argument("--confirm", metavar="CHANGE", help="one that was chosen")
    parser.add_argument("--show", action="store_true", help="what was tried so far")
    parser.add_argument("--goal", choices=list(ALLOWED), default="better", help="what the change is for")
    parser.add_argument("--before", metavar="FINGERPRINT", help="code that the default is taken from")
    parser.add_argument("--large", action="store_true", help="on sets of thousands of samples, without the zoo")
    parser.add_argument("--data-home", metavar="DATA", type=Path, help="where data sets are looked for first")
    parser.add_argument("--records", type=Path, default=Path(tempfile.gettempdir()) / "freemetric-choosing")
    parser.add_argument("--choices", type=Path, default=CHOICES)
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    arguments = parser.parse_args()
    for change, stage in ((arguments.choose, "choose"), (arguments.confirm, "confirm")):
        if change:
            line = compare_change(canonical(change), stage, arguments)
            append(arguments.choices, line)
            print(json.dumps(line, indent=1))
    if arguments.show:
        show(read_choices(arguments.choices))


if __name__ == "__main__":
    main()
