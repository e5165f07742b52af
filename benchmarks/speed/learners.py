"""Time and memory of every learner, beside metric-learn's where it has the same one.

    make bench-learners
    python benchmarks/speed/learners.py --peer PYTHON

PYTHON is that of an environment with metric-learn (`make bench-learners` makes one).

Every fit has a process of its own with one thread, on features scaled to [0, 1]; a
small fit before it loads compiled kernels. Seconds are those of the processor, and
memory is what the fit adds to the peak (Linux). Fits above the limit are stopped.
Both libraries learn from labels, with their own defaults, but for 50 chunks of RCA.
``--same-names`` measures the classes of freemetric.metric_learn in place of ours.
"""

import argparse
import json
import sys
import warnings
from importlib import import_module
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from fits import cost_of, in_a_process

SETS = ("wine", "breast_cancer", "digits", "2000x30")
PEERS = {
    "rca": "RCA_Supervised",
    "lfda": "LFDA",
    "itml": "ITML_Supervised",
    "lmnn": "LMNN",
    "scml": "SCML_Supervised",
    "nca": "NCA",
    "covariance": "Covariance",
    "mmc": "MMC_Supervised",
    "lsml": "LSML_Supervised",
    "sdml": "SDML_Supervised",
    "mlkr": "MLKR",
}
"""Classes of metric-learn by our names."""


def load(name):
    """Return samples in [0, 1] and classes."""
    from sklearn import datasets
    from sklearn.preprocessing import MinMaxScaler

    if "x" in name:
        n, d = map(int, name.split("x"))
        options = {"n_informative": 10, "n_classes": 3, "random_state": 0}
        X, y = datasets.make_classification(n, d, **options)
    else:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return MinMaxScaler().fit_transform(X[:2000]), y[:2000]


def learner(library, name):
    """Return an unfitted learner."""
    if library == "freemetric":
        from freemetric.learners import LEARNERS

        model = LEARNERS[name]()
    else:
        model = getattr(import_module(library), PEERS[name])()
    if "n_chunks" in model.get_params():
        model.set_params(n_chunks=50)  # wine has too few rows for the default of 100
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    return model


def measure(library, name, data, limit):
    """Return seconds and MB of a fit, here and now."""
    warnings.simplefilter("ignore")
    learner(library, name).fit(*load("wine"))
    model, samples = learner(library, name), load(data)
    return cost_of(lambda: model.fit(*samples), limit)


def cell(result, limit):
    """Return a result as a text."""
    if result is None:
        return f"over {limit} s, or failed"
    return f"{result['seconds']:.3g} s, {result['megabytes']:.0f} MB"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--same-names", action="store_true")
    parser.add_argument("--learners", nargs="+")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--limit", type=int, default=60, help="most seconds of a fit")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        library, name, data, limit = arguments.one
        print(json.dumps(measure(library, name, data, int(limit))))
        return
    from command import print_table

    from freemetric.learners import LEARNERS

    limit, rows = arguments.limit, []
    ours = "freemetric.metric_learn" if arguments.same_names else "freemetric"
    names = PEERS if arguments.same_names else LEARNERS
    for name in arguments.learners or names:
        who = [(ours, sys.executable)]
        if arguments.peer and name in PEERS:
            who.append(("metric_learn", arguments.peer))
        for library, python in who:
            found = [
                in_a_process(__file__, library, name, data, limit, python=python)
                for data in arguments.sets
            ]
            rows.append([name, library, *(cell(result, limit) for result in found)])
    print_table(["learner", "library", *arguments.sets], rows)


if __name__ == "__main__":
    main()
