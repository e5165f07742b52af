"""Tasks that any backend of joblib may carry, and that survive those who do them."""

import os
import signal
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from joblib import parallel_config

from freemetric.learners.parallel import MOST_LOSSES, in_parallel


class Task(NamedTuple):
    number: int
    folder: Path
    data: Any


def work(task, *shared):
    data = next((part for part in shared if isinstance(part, np.ndarray)), task.data)
    assert task.data is None or not shared
    return task.number + data.sum()


def dying_once(task, data):
    mark = task.folder / "died"
    if task.number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return work(task, data)


def tasks(folder, n=8):
    data = np.ones(1000)
    return [Task(number, folder, data) for number in range(n)]


@pytest.mark.parametrize("shared", [(), ("data",), ("data", "folder")])
def test_in_order_whatever_is_shared(tmp_path, shared):
    assert list(in_parallel(work, tasks(tmp_path), 2, shared)) == [number + 1000 for number in range(8)]
    assert list(in_parallel(work, [], 2, shared)) == []


@pytest.mark.slow
def test_what_a_killed_process_had_to_do_is_done_by_others(tmp_path):
    with parallel_config("loky"):
        found = list(in_parallel(dying_once, tasks(tmp_path), 2, ("data",)))
        assert found == [number + 1000 for number in range(8)]
        assert (tmp_path / "died").exists()


def test_errors_of_tasks_are_errors(tmp_path):
    with pytest.raises(ZeroDivisionError):
        list(in_parallel(lambda task: 1 // task.number, tasks(tmp_path), 2))


def test_tasks_that_were_lost_are_done_again(tmp_path):
    done = []

    def lost_once(task):
        done.append(task.number)
        if task.number == 3 and done.count(3) == 1:
            raise CancelledError
        return work(task)

    assert list(in_parallel(lost_once, tasks(tmp_path), 1)) == [number + 1000 for number in range(8)]
    assert done == [0, 1, 2, 3, 3, 4, 5, 6, 7]


def test_tasks_that_kill_are_given_up(tmp_path):
    tried = []

    def lost(task):
        tried.append(task)
        raise CancelledError

    with pytest.raises(CancelledError):
        list(in_parallel(lost, tasks(tmp_path, 1), 1))
    assert len(tried) == MOST_LOSSES + 1
