"""Tasks that walk together, as on a GPU, give what each gives alone."""

import numpy as np
from sklearn.datasets import load_wine

from freemetric import FreeEnergyClassifier
from freemetric.ensemble.running import run_to_the_end
from freemetric.ensemble.sampling import _kind_of_walk, replicas_of, replicas_of_all


def test_tasks_of_one_shape_walk_together():
    model = FreeEnergyClassifier(n_replicas=14, random_state=0)
    task, training_set, _ = model._problem(*load_wine(return_X_y=True), None)
    search, seen = model._search(training_set, task), []

    def run(tasks):
        seen.extend(tasks)
        return map(replicas_of, tasks)

    search_grow = search.grow
    search.grow = lambda wanted, _, note: search_grow(wanted, run, note)
    run_to_the_end(search, model)
    kinds = [_kind_of_walk(task) for task in seen]
    assert any(kinds.count(kind) > 1 for kind in kinds)
    for alone, together in zip(map(replicas_of, seen), replicas_of_all(seen), strict=True):
        np.testing.assert_array_equal(together.maps, alone.maps)
        np.testing.assert_array_equal(together.oob_votes.shares, alone.oob_votes.shares)
        for name, rows in alone.trace.items():
            np.testing.assert_array_equal(together.trace[name], rows)
        for name, rows in alone.snapshots.items():
            np.testing.assert_array_equal(together.snapshots[name], rows)
