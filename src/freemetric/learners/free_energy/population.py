"""A population of replicas: sampled candidate by candidate, judged by the patterns they did not learn on."""

import numpy as np
from joblib import effective_n_jobs

from ...energies import Diagonal, as_energy, bind, takes_weights
from ...mc import Annealing, Constant, HamiltonianMove
from ..callbacks import Steps
from ..dmlfe import confined
from ..init import initial_map
from ..votes import NeighborVotes
from ..walk import Walk, steps_of
from .bags import Bags
from .calibration import brier_scores
from .views import VIEWS

MOST_NEIGHBORS = 40
MOST_LEARNED_ON = 4000  # patterns a bag: a metric has few parameters, and its cost grows with the square of the bag
MOST_JUDGED = 4000  # patterns that judge: enough to tell candidates apart
N_STEPS = 18  # enough to forget the identity where the first time step is not too long
CAUTION = 0.5


class Ensemble:
    """The replicas of one candidate: maps (R, p, d), or weights (R, 1, d) where the form is diagonal."""

    def __init__(self, candidate, n_features):
        self.candidate = candidate
        self.maps = np.empty((0, 1, n_features))

    def spaces(self, V):
        """The view V (N, d) in every replica's space; in its own where nothing is learned."""
        if not self.candidate.learns:
            yield V
        for A in self.maps:
            yield V * A if self.candidate.form == "diagonal" else V @ A.T

    @property
    def n_coordinates(self):
        """Dimension of these spaces."""
        return self.maps.shape[1 if self.candidate.form == "full" else 2]

    def metrics(self):
        """M = A^T A of every replica, (R, d, d)."""
        if not self.candidate.learns:
            return np.eye(self.maps.shape[2])[None]
        if self.candidate.form == "diagonal":
            return self.maps**2 * np.eye(self.maps.shape[2])
        return np.swapaxes(self.maps, 1, 2) @ self.maps


class Population:
    """All ensembles of one fit, their out-of-bag votes and their trace.

    ``ballots[c]`` (n_judged, K, C) sums the shares of votes over those of candidate c's replicas that did not learn on
    the pattern, ``n_ballots[c]`` (n_judged,) counts them. Where ``weights`` are None all patterns weigh the same and
    the energy is not told.
    """

    def __init__(self, rng, X, y, settings, weights=None):
        self.rng, self.X, self.y, self.settings, self.weights = rng, X, y, settings, weights
        self.n_classes = int(y.max()) + 1
        self.most_neighbors = min(MOST_NEIGHBORS, len(y) - 1)
        self.views, self.seen = {}, {}
        self.bags = Bags(rng, y, settings.subsample, MOST_LEARNED_ON)
        everyone = np.arange(len(y))
        self.judged = Bags(rng, y, 1.0, MOST_JUDGED).first(1)[0] if len(y) > MOST_JUDGED else everyone
        self.ensembles, self.ballots, self.n_ballots, self.walks = [], [], [], []
        self.steps = None

    def begin(self, n_replicas):
        """Say how many replicas there will be at most."""
        sampler = Annealing(n_steps=N_STEPS) if self.settings.sampler is None else self.settings.sampler
        self.steps = Steps(self.settings, self.X, self.y, steps_of(sampler, n_replicas))

    def add(self, candidate, n_replicas):
        if candidate.view not in self.views:
            self.views[candidate.view] = VIEWS[candidate.view](self.X)
            self.seen[candidate.view] = self.views[candidate.view](self.X)
        self.ensembles.append(Ensemble(candidate, self.seen[candidate.view].shape[1]))
        self.ballots.append(np.zeros((len(self.judged), self.most_neighbors, self.n_classes), dtype=np.float32))
        self.n_ballots.append(np.zeros(len(self.judged), dtype=np.int32))
        self.walks.append([])
        if candidate.learns:
            self.grow(len(self.ensembles) - 1, n_replicas)
        else:
            self._judge(-1, self.seen[candidate.view], np.empty(0, dtype=int))

    def grow(self, number, n_replicas):
        """Sample more replicas of a candidate and let the patterns they have not seen judge them."""
        ensemble = self.ensembles[number]
        start = len(ensemble.maps)
        if n_replicas == 0:
            return
        bags = self.bags.between(start, start + n_replicas)  # the same for every candidate: luck is shared
        walk = self._sample(ensemble.candidate, bags)
        ensemble.maps = np.concatenate([ensemble.maps.reshape(-1, *walk.state.A.shape[1:]), walk.state.A])
        self.walks[number].append(walk)
        for Z, bag in zip(list(ensemble.spaces(self.seen[ensemble.candidate.view]))[start:], bags, strict=True):
            self._judge(number, Z, bag)

    def _sample(self, candidate, bags):
        set_ = self.settings
        V = self.seen[candidate.view]
        energy = as_energy(candidate.energy if set_.energy is None else set_.energy)
        if candidate.form == "diagonal":
            energy, start = Diagonal(energy), np.ones((1, V.shape[1]))
        else:
            start = initial_map("identity", self.rng, V, self.y, set_.n_components)
        energy = confined(energy, candidate.confinement)
        told = self.weights is not None and takes_weights(energy)
        weights = self.weights[bags] if told else None
        bound = bind(energy, V[bags], self.y[bags[0]], weights, set_.device, effective_n_jobs(set_.n_jobs))
        sampler = set_.sampler
        if sampler is None:
            sampler = Annealing(Constant(candidate.temperature), HamiltonianMove(caution=CAUTION), n_steps=N_STEPS)
        walk = Walk(type(set_).__name__, set_.verbose, self.steps)
        return walk.run(sampler, self.rng, bound, np.repeat(start[None], len(bags), axis=0))

    def _judge(self, number, Z, bag):
        outside = ~np.isin(self.judged, bag)
        if outside.any():
            set_ = self.settings
            voters = NeighborVotes(
                Z, self.y, self.n_classes, self.most_neighbors, set_.n_jobs, set_.device, self.weights
            )
            votes = voters.left_out(self.judged[outside])
            self.ballots[number][outside] += votes / votes.sum(axis=-1, keepdims=True)
            self.n_ballots[number][outside] += 1

    @property
    def learns(self):
        """Which candidates learn."""
        return np.array([ensemble.candidate.learns for ensemble in self.ensembles])

    @property
    def _asked(self):
        """Which of the judged patterns every candidate left out at least once."""
        return np.all(self.n_ballots, axis=0)

    @property
    def judges(self):
        """The patterns that judged every candidate."""
        return self.judged[self._asked]

    @property
    def truth(self):
        """Their classes."""
        return self.y[self.judges]

    @property
    def judges_weights(self):
        """Their weights, mean one; None where all are the same."""
        if self.weights is None or not len(self.judges):
            return None
        return self.weights[self.judges] / self.weights[self.judges].mean()

    @property
    def n_judges(self):
        """As many judges of equal weight would be as sure as these."""
        weights = self.judges_weights
        return max(1.0, len(self.judges) if weights is None else weights.sum() ** 2 / (weights**2).sum())

    def shares(self):
        """Class shares (n_candidates, K, n, C) that the judges got out of bag."""
        asked = self._asked
        out = np.empty((len(self.ballots), self.most_neighbors, asked.sum(), self.n_classes), dtype=np.float32)
        for share, ballots, n in zip(out, self.ballots, self.n_ballots, strict=True):
            share[:] = np.swapaxes(ballots[asked] / n[asked, None, None], 0, 1)
        return out

    def scores(self):
        """Brier scores (n_candidates, K) out of bag; equal ones where nobody could judge."""
        if not self._asked.any():
            return np.zeros((len(self.ensembles), self.most_neighbors))
        return brier_scores(self.shares(), self.truth, self.judges_weights)

    def trace(self):
        """Temperature, energy and acceptance (n_steps, R) of all replicas; NaN after the end of a shorter walk."""
        traces = [walk.trace for walks in self.walks for walk in walks]
        if not traces:
            return {}
        longest = max(len(trace["energy"]) for trace in traces)
        return {
            name: np.hstack([_padded(np.asarray(trace[name], dtype=float), longest) for trace in traces])
            for name in traces[0]
        }


def _padded(rows, length):
    return np.vstack([rows, np.full((length - len(rows), rows.shape[1]), np.nan)])
