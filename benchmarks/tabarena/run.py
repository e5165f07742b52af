"""Run freemetric in TabArena, and put it on its leaderboard.

export PYTHONPATH=benchmarks:benchmarks/tabarena
python benchmarks/tabarena/run.py FOLDER                                      # defaults, first splits, data from OpenML
python benchmarks/tabarena/run.py FOLDER --all-splits --configurations 200
python benchmarks/tabarena/run.py FOLDER --data-home CACHE                    # data from OpenML's cache folder
python benchmarks/tabarena/run.py FOLDER --local                              # public tables, no network at all
"""

import argparse
import sys
from pathlib import Path

import openml
from botocore.exceptions import BotoCoreError
from freemetric_tabarena.hpo import gen_free_energy
from openml_cache import check_tasks
from tabarena.benchmark.experiment import TabArenaV0pt1ExperimentBundle
from tabarena.contexts import CacheConfig, TabArenaContext

BESIDE = ("RandomForest", "ExtraTrees", "LightGBM", "KNN", "Linear")
FOREST = "RF (default)"  # TabArena's name of the forest, whose Elo rating is 1000
COLUMNS = [
    *(
        "method",
        "elo",
        "elo+",
        "elo-",
        "rank",
        "winrate",
        "improvability",
        "normalized-error",
    ),
    *("median_time_train_s_per_1K", "median_time_infer_s_per_1K"),
]


def experiments(n_configurations=0, beside=(), one_process=False):
    """The defaults and some drawn configurations of freemetric and of models beside it."""
    models = [(model, n_configurations) for model in (gen_free_energy, *beside)]
    bundle = TabArenaV0pt1ExperimentBundle(
        models=models,
        sequential_local_fold_fitting=one_process,
        verbosity=0,
        model_verbosity=0,
    )
    return bundle.build_experiments(num_gpus=0)


def arena(folder, local=False, data_home=None, beside=(), datasets=None):
    """TabArena's context: its own data sets or local ones; its published results, or only the models beside ours."""
    options = {}
    if local:
        from local_tasks import TABLES, local_tasks

        if unknown := set(datasets or ()) - set(TABLES):
            sys.exit(
                f"No local tables {', '.join(sorted(unknown))}: there are {', '.join(TABLES)}"
            )
        options["task_metadata"] = local_tasks(folder / "tasks", datasets or TABLES)
    if local or beside:
        forest = FOREST if "RandomForest" in beside else None
        options |= {
            "methods": [],
            "backend": "native",
            "fillna_method": None,
            "calibration_method": forest,
        }
    return TabArenaContext(cache_config=CacheConfig(openml=data_home), **options)


def openml_tasks(context, jobs):
    """Ids and names of the tasks that jobs need from OpenML."""
    wanted = {job.task.dataset for job in jobs}
    tasks = context.task_metadata_collection.task_metadata_by_dataset()
    return {int(tasks[name].task_id_str): name for name in sorted(wanted)}


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "folder", type=Path, help="results and the leaderboard are written below it"
    )
    parser.add_argument(
        "--local",
        action="store_true",
        help="public tables of Python packages instead of OpenML's",
    )
    parser.add_argument(
        "--data-home",
        type=Path,
        help="cache folder of OpenML; what is there is not downloaded",
    )
    parser.add_argument("--datasets", nargs="+", help="names; all of them by default")
    parser.add_argument(
        "--beside",
        nargs="*",
        help="run these models of TabArena too, and compare with them alone",
    )
    parser.add_argument(
        "--configurations",
        type=int,
        default=0,
        help="drawn beside the defaults; TabArena has 200",
    )
    parser.add_argument(
        "--all-splits", action="store_true", help="not only the first of every data set"
    )
    parser.add_argument("--list", action="store_true", help="only print the fits")
    arguments = parser.parse_args()
    if arguments.beside is None:
        arguments.beside = BESIDE if arguments.local else ()
    return arguments


def main():
    arguments = parsed()
    context = arena(
        arguments.folder,
        arguments.local,
        arguments.data_home,
        arguments.beside,
        arguments.datasets,
    )
    jobs = context.build_jobs(
        experiments(
            arguments.configurations, arguments.beside, one_process=arguments.local
        ),
        dataset_names=None if arguments.local else arguments.datasets,
        split_indices=None if arguments.all_splits else "lite",
    )
    if arguments.list:
        print(*(f"{job.experiment.name}, {job.task}" for job in jobs), sep="\n")
        return
    if not arguments.local:
        cache = Path(openml.config.get_cache_directory())
        check_tasks(
            openml_tasks(context, jobs), cache, openml.config.get_server_base_url()
        )
    context.run_jobs(jobs, expname=arguments.folder / "results")
    try:
        board, rows = context.leaderboard(return_results=True)
    except (OSError, BotoCoreError) as error:  # the published results are on a server
        sys.exit(
            f"The results are below {arguments.folder}. TabArena's published ones cannot be downloaded: {error}"
        )
    board.to_csv(arguments.folder / "leaderboard.csv", index=False)
    rows.to_csv(arguments.folder / "results.csv", index=False)
    print(board[COLUMNS].round(3).to_string(index=False))


if __name__ == "__main__":
    main()
