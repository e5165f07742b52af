"""Run freemetric in TabArena, and put it on its leaderboard.

python benchmarks/tabarena/run.py FOLDER            # defaults, first splits
python benchmarks/tabarena/run.py FOLDER --configurations 200
python benchmarks/tabarena/run.py FOLDER --local    # without a network
"""

import argparse
from pathlib import Path

import pandas as pd
from freemetric_tabarena import generator
from sklearn import datasets
from sklearn.model_selection import KFold, StratifiedKFold
from tabarena.benchmark.experiment import TabArenaV0pt1ExperimentBundle
from tabarena.benchmark.task.metadata import TaskMetadataCollection
from tabarena.benchmark.task.user_task import (
    UserTask,
    from_sklearn_splits_to_user_task_splits,
)
from tabarena.contexts import CacheConfig, TabArenaContext

LOCAL = ("wine", "breast_cancer", "digits", "iris", "diabetes")
N_FOLDS = 3
BESIDE = ("RandomForest", "ExtraTrees", "LightGBM", "KNN", "Linear")
FOREST = "RF (default)"  # TabArena's name of the forest, whose Elo rating is 1000


def local_task(name, folder):
    """Return a data set of scikit-learn as a task, which is written to a folder."""
    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    is_class = name != "diabetes"
    if is_class:
        frame["target"] = pd.Categorical(frame["target"].astype(str))
    splitter = StratifiedKFold if is_class else KFold
    splitter = splitter(N_FOLDS, shuffle=True, random_state=0)
    folds = splitter.split(frame, frame["target"])
    task = UserTask(task_name=name, task_cache_path=folder)
    made = task.create_task(
        target_feature="target",
        problem_type="classification" if is_class else "regression",
        dataset=frame,
        splits=from_sklearn_splits_to_user_task_splits(folds, N_FOLDS),
        stratify_on="target" if is_class else None,
    )
    task.save_task(made)
    return task


def context_of(arguments):
    """Return TabArena's context: its own data sets, or local ones."""
    options = {}
    if arguments.local:
        tasks = [local_task(name, arguments.folder / "tasks") for name in LOCAL]
        options["task_metadata"] = TaskMetadataCollection.from_user_tasks(tasks)
        options |= {"methods": [], "backend": "native", "fillna_method": None}
        options["calibration_method"] = FOREST
    return TabArenaContext(
        cache_config=CacheConfig(openml=arguments.data_home), **options
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="results are written below it")
    parser.add_argument("--local", action="store_true", help="data of scikit-learn")
    parser.add_argument("--data-home", type=Path, help="cache folder of OpenML")
    parser.add_argument("--configurations", type=int, default=0)
    parser.add_argument("--all-splits", action="store_true")
    arguments = parser.parse_args()
    beside = BESIDE if arguments.local else ()
    models = [(model, arguments.configurations) for model in (generator(), *beside)]
    bundle = TabArenaV0pt1ExperimentBundle(
        models=models,
        sequential_local_fold_fitting=arguments.local,
        verbosity=0,
        model_verbosity=0,
    )
    context = context_of(arguments)
    jobs = context.build_jobs(
        bundle.build_experiments(num_gpus=0),
        dataset_names=None,
        split_indices=None if arguments.all_splits else "lite",
    )
    context.run_jobs(jobs, expname=arguments.folder / "results")
    board, rows = context.leaderboard(return_results=True)
    board.to_csv(arguments.folder / "leaderboard.csv", index=False)
    rows.to_csv(arguments.folder / "results.csv", index=False)
    print(board.round(3).to_string(index=False))


if __name__ == "__main__":
    main()
