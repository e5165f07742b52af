"""Public tables as tasks of TabArena, for machines that cannot reach OpenML."""

import numpy as np
import pandas as pd
from mixed_data import load_table
from sklearn import datasets
from sklearn.model_selection import KFold, StratifiedKFold
from tabarena.benchmark.task.metadata import TaskMetadataCollection
from tabarena.benchmark.task.user_task import (
    UserTask,
    from_sklearn_splits_to_user_task_splits,
)

NUMBERS = {  # scikit-learn's own: numbers only
    "wine": datasets.load_wine,
    "breast-cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": datasets.load_diabetes,
}
MIXED = (
    "homeless",
    "penguins",
    "students",
    "titanic",
    "births",
    "census-income",
    "psid",
    "un",
)  # categories and gaps
TABLES = (*NUMBERS, *MIXED)
MOST_ROWS = (
    400  # of more, so many are drawn: a bag of eight models is fitted in seconds
)
FOLDS = 3  # as many as TabArena has
TARGET = "target"


def load(name):
    """Frame with its target as a column, and "classification" or "regression"."""
    if name in NUMBERS:
        bunch = NUMBERS[name](as_frame=True)
        X, y, classes = bunch.data, bunch.target, bunch.get("target_names")
    else:
        X, y, classes = load_table(name)
    task = "regression" if classes is None else "classification"
    y = (
        np.asarray(y, dtype=float)
        if classes is None
        else pd.Categorical(np.asarray(classes).astype(str)[y])
    )
    frame = X.assign(**{TARGET: y})
    return frame.sample(min(len(frame), MOST_ROWS), random_state=0).reset_index(
        drop=True
    ), task


def save_task(name, folder):
    """Write one table as a task of TabArena."""
    frame, task = load(name)
    splitter = KFold if task == "regression" else StratifiedKFold
    folds = splitter(FOLDS, shuffle=True, random_state=0).split(frame, frame[TARGET])
    user_task = UserTask(task_name=name, task_cache_path=folder)
    user_task.save_task(
        user_task.create_task(
            target_feature=TARGET,
            problem_type=task,
            dataset=frame,
            splits=from_sklearn_splits_to_user_task_splits(folds, FOLDS),
            stratify_on=None if task == "regression" else TARGET,
        )
    )
    return user_task


def local_tasks(folder, names=TABLES):
    """Collection of tasks, which are written below ``folder``."""
    return TaskMetadataCollection.from_user_tasks(
        [save_task(name, folder) for name in names]
    )
