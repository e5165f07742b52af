"""Run freemetric in TabArena, and put it on its leaderboard.

export PYTHONPATH=benchmarks:benchmarks/tabarena
python benchmarks/tabarena/run.py FOLDER            # defaults, first splits
python benchmarks/tabarena/run.py FOLDER --all-splits --configurations 200
python benchmarks/tabarena/run.py FOLDER --local    # public tables, no network
"""

import argparse
from pathlib import Path

from freemetric_tabarena.hpo import gen_free_energy
from tabarena.benchmark.experiment import TabArenaV0pt1ExperimentBundle
from tabarena.contexts import CacheConfig, TabArenaContext

BESIDE = ("RandomForest", "ExtraTrees", "LightGBM", "KNN", "Linear")
FOREST = "RF (default)"  # TabArena's name of the forest, whose Elo rating is 1000
COLUMNS = ["method", "elo", "elo+", "elo-", "rank", "winrate", "normalized-error"]
COLUMNS += ["median_time_train_s_per_1K", "median_time_infer_s_per_1K"]


def experiments(n_configurations=0, beside=(), one_process=False):
    """Return the defaults and drawn configurations of freemetric and other models."""
    models = [(model, n_configurations) for model in (gen_free_energy, *beside)]
    bundle = TabArenaV0pt1ExperimentBundle(
        models=models,
        sequential_local_fold_fitting=one_process,
        verbosity=0,
        model_verbosity=0,
    )
    return bundle.build_experiments(num_gpus=0)


def arena(arguments):
    """Return TabArena's context: its own data sets or local ones."""
    options = {}
    if arguments.local:
        from local_tasks import TABLES, local_tasks

        names = arguments.datasets or TABLES
        options["task_metadata"] = local_tasks(arguments.folder / "tasks", names)
    if arguments.local or arguments.beside:
        forest = FOREST if "RandomForest" in arguments.beside else None
        options |= {"methods": [], "backend": "native", "fillna_method": None}
        options["calibration_method"] = forest
    cache = CacheConfig(openml=arguments.data_home)
    return TabArenaContext(cache_config=cache, **options)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("folder", type=Path, help="results and the leaderboard are written below it")
    add("--local", action="store_true", help="public tables of Python packages")
    add("--data-home", type=Path, help="cache folder of OpenML")
    add("--datasets", nargs="+", help="names; all by default")
    add("--beside", nargs="*", help="models of TabArena to run and compare with")
    add("--configurations", type=int, default=0, help="drawn beside the defaults")
    add("--all-splits", action="store_true")
    add("--list", action="store_true", help="only print the fits")
    arguments = parser.parse_args()
    if arguments.beside is None:
        arguments.beside = BESIDE if arguments.local else ()
    return arguments


def main():
    arguments = parsed()
    context = arena(arguments)
    one_process = arguments.local
    jobs = context.build_jobs(
        experiments(arguments.configurations, arguments.beside, one_process),
        dataset_names=None if arguments.local else arguments.datasets,
        split_indices=None if arguments.all_splits else "lite",
    )
    if arguments.list:
        print(*(f"{job.experiment.name}, {job.task}" for job in jobs), sep="\n")
        return
    context.run_jobs(jobs, expname=arguments.folder / "results")
    board, rows = context.leaderboard(return_results=True)
    board.to_csv(arguments.folder / "leaderboard.csv", index=False)
    rows.to_csv(arguments.folder / "results.csv", index=False)
    print(board[COLUMNS].round(3).to_string(index=False))


if __name__ == "__main__":
    main()
