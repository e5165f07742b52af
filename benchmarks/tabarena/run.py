"""Run FreeEnergyClassifier in TabArena, and put it on its leaderboard.

PYTHONPATH=benchmarks/tabarena python benchmarks/tabarena/run.py FOLDER                      # defaults, first splits
PYTHONPATH=benchmarks/tabarena python benchmarks/tabarena/run.py FOLDER --all-splits --configurations 200
"""

import argparse
from pathlib import Path

from freemetric_tabarena.hpo import gen_free_energy
from tabarena.benchmark.experiment import TabArenaV0pt1ExperimentBundle
from tabarena.contexts import TabArenaContext


def jobs(context, n_configurations=0, splits="lite"):
    """All fits: the defaults and some drawn configurations, on every data set with classes."""
    experiments = TabArenaV0pt1ExperimentBundle(models=[(gen_free_energy, n_configurations)]).build_experiments()
    return context.build_jobs(experiments, problem_types=["binary", "multiclass"], split_indices=splits)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="results and the leaderboard are written below it")
    parser.add_argument("--configurations", type=int, default=0, help="drawn beside the defaults; TabArena has 200")
    parser.add_argument("--all-splits", action="store_true", help="not only the first of every data set")
    parser.add_argument("--list", action="store_true", help="only print the fits")
    arguments = parser.parse_args()
    context = TabArenaContext()
    wanted = jobs(context, arguments.configurations, None if arguments.all_splits else "lite")
    if arguments.list:
        print(*(f"{job.experiment.name}, {job.task}" for job in wanted), sep="\n")
        return
    context.run_jobs(wanted, expname=arguments.folder / "results")
    print(context.compare(output_dir=arguments.folder / "leaderboard").to_string())


if __name__ == "__main__":
    main()
