"""Events of a running fit: energies, spaces, and candidates of the search so far."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes
from scipy.stats import rankdata

from ..display.embedding import main_axes
from ..metrics import FORMS
from ..report.document import evenly, rounded

Send = Callable[[dict[str, Any]], None]

BETWEEN_STEPS, BETWEEN_SPACES = 0.25, 1.0  # seconds
MOST_POINTS, MOST_FRAMES, MOST_STEPS, MOST_FOUND = 400, 6, 40, 12


class Live:
    """An ``on_step`` of ``TableModel.fit`` that sends events, not more often than the page can draw.

    ``targets`` (n_rows,) are those of a regression; None for classification.
    """

    def __init__(self, send: Send, targets: NDArray | None = None):
        self.send, self.seen = send, {"step": -np.inf, "space": -np.inf}
        self.ranks = None if targets is None else rankdata(targets) / len(targets)
        self.axes: NDArray | None = None

    def __call__(self, done: int, total: int | None) -> None:
        if self._is_time("step", BETWEEN_STEPS) or done == total:
            self.send({"type": "step", "done": done, "total": total})

    def on_replicas(self, task: Any, replicas: Any) -> None:
        """Replicas were sampled: their energies, and the space of the first of them."""
        if not task.candidate.learns:
            return
        energies = replicas.trace["energy"]  # (n_steps, R)
        shown, median = evenly(len(energies), MOST_STEPS), np.nanmedian(energies, axis=1)
        walk = {"at": (shown + 1).tolist(), "energy": rounded(median[shown], 4), "replicas": energies.shape[1]}
        self.send({"type": "walk", **about(task.candidate), **walk})
        if self._is_time("space", BETWEEN_SPACES):
            self.send({"type": "space", **about(task.candidate), **self._space(task, replicas)})

    def on_round(self, population: Any) -> None:
        """A round is over, and the candidates have scores."""
        if len(population.oob_samples):
            self.send({"type": "round", "found": found(population), "score": population.task.score_words})

    def _is_time(self, what, seconds):
        now = time.monotonic()
        if now - self.seen[what] < seconds:
            return False
        self.seen[what] = now
        return True

    def _space(self, task, replicas):
        """The rows on two axes, as the walk goes on; turned so that it looks like the one before."""
        training_set, form = task.training_set, FORMS[task.candidate.form]
        some, kept = evenly(len(task.seen), MOST_POINTS), list(replicas.snapshots.get("map", ()))
        maps = [*(kept[i] for i in evenly(len(kept), MOST_FRAMES - 1)), replicas.maps[0]]  # along its walk, and its end
        on_axes = seen_alike([form.map(task.seen[some], A) for A in maps], self.axes)
        self.axes, rows = on_axes[-1], training_set.places.rows[some]
        if self.ranks is None:
            return {"frames": rounded(on_axes, 3), "class": training_set.y[rows].tolist()}
        return {"frames": rounded(on_axes, 3), "rank": rounded(self.ranks[training_set.rows[rows]], 3)}


def about(candidate: Any) -> dict[str, Any]:
    """Kind and temperature of a candidate."""
    return {"kind": f"{candidate.view}, {candidate.form}", "temperature": rounded(float(candidate.temperature), 3)}


def seen_alike(spaces: list[NDArray], before: NDArray | None) -> NDArray:
    """Spaces (n, p) on the two main axes of the last, each of unit size, turned towards what was seen before."""
    last = spaces[-1] - spaces[-1].mean(axis=0)
    directions = np.linalg.lstsq(last, main_axes(last, 2)[0], rcond=None)[0]
    flat = np.array([(Z - Z.mean(axis=0)) @ directions for Z in spaces])
    size = np.sqrt((flat**2).sum(axis=2).mean(axis=1))
    flat /= np.where(size > 0, size, 1)[:, None, None]
    if flat.shape[2] < 2:
        flat = np.concatenate([flat, np.zeros((*flat.shape[:2], 1))], axis=2)
    if before is not None and before.shape == flat[-1].shape:
        flat = flat @ orthogonal_procrustes(flat[-1], before)[0]
    return flat


def found(population: Any) -> list[dict[str, Any]]:
    """Candidates with their replicas and their score out of bag, the best first."""
    scores = population.scores()
    best = np.argsort(scores.min(axis=1), kind="stable")[:MOST_FOUND]
    return [
        {
            **about(population.results[i].candidate),
            "replicas": len(population.results[i].maps),
            "k": int(scores[i].argmin()) + 1,
            "score": rounded(float(scores[i].min()), 4),
        }
        for i in best
    ]
