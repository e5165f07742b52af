"""The free-energy classifier among trees, boosting and networks of other libraries.

    python benchmarks/classification/outside.py

The paper's sets with fewer than 3,000 samples, and the halves of accuracy.py, from the
committed records. NOTES.md names the commit whose code made those of other libraries.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from command import (
    RECORDS,
    arguments_of,
    committed,
    on_common_splits,
    records_in,
    small_sets,
)
from records_tables import print_against, print_means, print_versions

OURS = "free-energy"
BESIDE = ("rf", "hist-boosting", "svm")
FULL = ("forest-500", "extra-trees", "lightgbm", "catboost", "forest-tuned")
FULL += ("extra-trees-tuned", "lightgbm-tuned", "modern-nca", "modern-nca-bagged")
NETWORKS = ("catboost", "realmlp-bagged", "tabm-bagged", "xrfm-bagged")
MEASURES = ["error", "brier", "log_loss"]


def main():
    arguments = arguments_of(__doc__).parse_args()
    small = small_sets()
    records = [
        record
        for record in committed("paper", OURS, arguments.ours)
        if record.job.method in (OURS, *BESIDE) and record.job.dataset in small
    ]
    records += records_in(RECORDS / "others/outside.jsonl.gz")
    print_versions(records, OURS)
    for title, methods in {
        "all splits": (OURS, *BESIDE, *FULL),
        "58 splits, with networks": (OURS, *NETWORKS),
    }.items():
        some = [r for method in methods for r in records if r.job.method == method]
        some = on_common_splits(some)
        print_means(some, MEASURES, f"{title}: mean")
        print_against(some, OURS, MEASURES, f"{title}: ")


if __name__ == "__main__":
    main()
