"""Is the landscape of metrics rugged? What four searches reach in equal time.

    python benchmarks/landscape.py                     # the table of the records
    python benchmarks/landscape.py --run out/landscape.jsonl --sets iris glass

The energy is that of DMLFE, NCA's with a confinement of 1e-4, on one half of every set
with fewer than 1,000 samples, features in [0, 1]. All searches have the processor time
of 50 descents by L-BFGS, at most 3 seconds. Ends of descents are one basin if their
energies differ by 1e-4 at most and the overlap of their metrics is at least 0.99.
"""

import gzip
import json
import time

import numpy as np
from command import RECORDS, arguments_of, print_table
from landscape_searches import SAME_ENERGY, WALKS, descents, n_basins, starts, walked
from scipy.special import softmax
from scipy.stats import spearmanr
from sklearn.metrics import euclidean_distances

from freemetric.energies import NCAEnergy
from freemetric.experiments import dataset_info, dataset_names
from freemetric.experiments.protocol import load_source, split
from freemetric.thermodynamics import Coupled

COMMITTED = RECORDS / "landscape.jsonl.gz"
MOST_SAMPLES = 1000
RIDGE = 1e-4  # the confinement of DMLFE
UNIT = 1e-4  # its temperature
SEARCHES = ("L-BFGS", "quenches", "annealing", "tempering")


def measure(name, folder):
    """Return the record of a set: the ends of all searches."""
    half = split(load_source(name, folder), 0, 0)
    low, high = half.X.min(axis=0), half.X.max(axis=0)
    X = (half.X - low) / np.where(high > low, high - low, 1.0)
    energy = Coupled(NCAEnergy().bind(X, half.y), RIDGE)
    rng = np.random.default_rng(dataset_info(name).number)
    d = X.shape[1]
    energy.value_and_grad(np.eye(d)[None])  # compiled before the clock starts
    start = time.process_time()
    maps, energies = descents(energy, rng, d)
    seconds = time.process_time() - start
    X_test = (half.X_test - low) / np.where(high > low, high - low, 1.0)
    record = {"set": name, "samples": len(X), "features": d, "seconds": seconds}
    record |= {"starts": len(maps), "basins": n_basins(maps, energies)}
    errors = test_errors(maps, X, half.y, X_test, half.y_test)
    record |= {"L-BFGS": energies, "test": errors}
    for search, (make, n) in WALKS.items():
        record[search] = walked(make, energy, starts(rng, n, d), rng, seconds)
    return {key: plain(value) for key, value in record.items()}


def test_errors(maps, X, y, X_test, y_test):
    """Return the expected test error of stochastic neighbours under maps, in %."""
    errors = []
    for A in maps:
        distances = euclidean_distances(X_test @ A.T, X @ A.T, squared=True)
        chances = softmax(-distances, axis=1)
        same = y == y_test[:, None]
        errors.append(100 - 100 * (chances * same).sum(axis=1).mean())
    return np.array(errors)


def plain(value):
    """Return an array as a list of rounded numbers."""
    return np.round(value, 6).tolist() if isinstance(value, np.ndarray) else value


def read(path):
    """Return the records of a file, by the name of the set."""
    if not path.exists():
        return {}
    content = path.read_bytes()
    content = gzip.decompress(content) if path.suffix == ".gz" else content
    return {record["set"]: record for record in map(json.loads, content.splitlines())}


def print_records(records):
    """Print what the searches reach above the lowest energy, in units of 1e-4."""
    rows, ranks = [], []
    for name, record in records.items():
        ends = np.array(record["L-BFGS"])
        lowest = min(min(record[search]) for search in SEARCHES)
        reach = f"{100 * np.mean(ends <= lowest + SAME_ENERGY):.0f} %"
        above = [f"{(min(record[s]) - lowest) / UNIT:.1f}" for s in SEARCHES]
        if np.ptp(ends) > SAME_ENERGY:
            ranks.append(spearmanr(ends, record["test"]).statistic)
        facts = [record["samples"], record["features"], record["starts"]]
        rows.append([name, *facts, record["basins"], reach, *above])
    head = ["set", "samples", "features", "descents", "basins", "reach the lowest"]
    print_table([*head, *SEARCHES], rows)
    print(
        "\nRank correlation of energy and test error over the descents of a set: mean "
        f"{np.mean(ranks):.2f}, from {np.min(ranks):.2f} to {np.max(ranks):.2f}."
    )


def main():
    arguments = arguments_of(__doc__).parse_args()
    if arguments.run:
        arguments.run.parent.mkdir(parents=True, exist_ok=True)
        names = [n for n in dataset_names() if dataset_info(n).rows < MOST_SAMPLES]
        for name in arguments.sets or names:
            if name not in read(arguments.run):
                record = measure(name, arguments.folder)
                with arguments.run.open("a") as file:
                    file.write(json.dumps(record) + "\n")
    print_records(read(arguments.run or COMMITTED))


if __name__ == "__main__":
    main()
