"""The search: which candidates get replicas, and how well these predict out of bag."""

from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed

from .neighbors import neighbor_means, space
from .sampling import Bags, sample_maps

SMALL_BAG, LARGE_BAG = 250, 4000
LISTED, MOST_LISTED = 16, 64  # neighbours that an energy looks at; more in large bags
FEWEST = 4  # replicas of a candidate before it is judged where larger bags may follow
MOST_SCORED = 2000  # samples that are predicted out of bag
MOST_NUMBERS = 1 << 25  # of all out-of-bag votes together
NEGLIGIBLE = 0.005  # share of all weight: less does not vote, for fast predictions
WIDE = 200  # columns: wider maps are sampled a few at a time, for the memory
FEW_TOGETHER = 2


@dataclass
class Candidate:
    """A view of the features, a form of the map and a bag size, with its replicas.

    Attributes
    ----------
    maps : list of ndarray
        The maps; without learning, a row of ones.
    sums : ndarray of shape (n_sizes, n_scored, n_values)
        Sums of the votes that scored samples got from replicas that left them out.
    n_votes : ndarray of shape (n_scored,)
        Number of these replicas.
    """

    view: str
    form: str
    bag_size: int
    maps: list = field(default_factory=list)
    sums: Any = 0.0
    n_votes: Any = 0

    @property
    def learns(self):
        return self.form != "identity"

    def mean_votes(self):
        """Out-of-bag votes (n_sizes, n_scored, n_values); zeros without any."""
        return self.sums / np.maximum(self.n_votes, 1)[:, None]


@dataclass
class Search:
    """What all candidates share.

    Parameters
    ----------
    task : ClassTask or TargetTask
        Strata, targets, energy and losses.
    training_set : TrainingSet
        Samples that bags are drawn from, and that vote.
    in_views : dict of str to ndarray
        The training samples in every view.
    scored : ndarray of shape (n_scored,)
        Numbers of the samples that are predicted out of bag.
    sizes : list of int
        Numbers of neighbours that are tried.
    energy, sampler
        What replicas sample, and how.
    n_jobs : int or None
        Threads.
    seed : numpy.random.SeedSequence
        The root of all random streams.
    """

    task: Any
    training_set: Any
    in_views: dict
    scored: np.ndarray
    sizes: list
    energy: Any
    sampler: Any
    n_jobs: int | None
    seed: np.random.SeedSequence
    bags: dict = field(default_factory=dict)

    def stream(self, name, number=0):
        """A random seed by name: what else is drawn does not change it."""
        key = crc32(name.encode()), number
        return np.random.SeedSequence(self.seed.entropy, spawn_key=key)

    def sample(self, candidates, n_replicas):
        """Sample as many more replicas of every candidate, and collect their votes."""
        tasks = []
        for candidate in candidates:
            start = len(candidate.maps)
            wide = self.in_views[candidate.view].shape[1] > WIDE
            step = FEW_TOGETHER if wide else n_replicas
            for first in range(start, start + n_replicas, step):
                numbers = range(first, min(first + step, start + n_replicas))
                tasks.append((candidate, numbers, self._bags_for(candidate, numbers)))
        run = delayed(self._sampled)
        found = Parallel(self.n_jobs, prefer="threads")(run(*task) for task in tasks)
        for (candidate, _, _), (maps, sums, n_votes) in zip(tasks, found, strict=True):
            candidate.maps.extend(maps)
            candidate.sums = candidate.sums + sums
            candidate.n_votes = candidate.n_votes + n_votes

    def _bags_for(self, candidate, numbers):
        """Bags of the replicas with these numbers; all candidates have the same."""
        size = candidate.bag_size
        if size not in self.bags:
            rng = np.random.default_rng(self.stream(f"bags of {size}"))
            self.bags[size] = Bags(rng, self.task.strata, size), []
        source, drawn = self.bags[size]
        while len(drawn) < numbers.stop:
            drawn.extend(source.draw(1))
        return np.array(drawn[numbers.start : numbers.stop])

    def _sampled(self, candidate, numbers, bags):
        """Maps of new replicas, and their votes for scored samples."""
        name = f"{candidate.view}/{candidate.form} on {candidate.bag_size}"
        energy = self.energy
        if energy is None:
            energy = self.task.energy(listed_in(candidate.bag_size))
        maps = sample_maps(
            self.in_views[candidate.view],
            self.task.targets(bags),
            self.task.energy_weights,
            bags,
            candidate.form,
            energy,
            self.sampler,
            [self.stream(name, number) for number in numbers],
        )
        outside = [~np.isin(self.scored, bag) for bag in bags]
        pairs = zip(maps, outside, strict=True)
        votes = [self._votes(candidate, *pair) for pair in pairs]
        return maps, sum(votes), sum(is_out.astype(int) for is_out in outside)

    def score_without_learning(self, candidate):
        """Let a candidate that does not learn vote: every sample is out of bag."""
        V = self.in_views[candidate.view]
        candidate.maps = [np.ones((1, V.shape[1]))]
        everyone = np.ones(len(self.scored), dtype=bool)
        candidate.sums = self._votes(candidate, candidate.maps[0], everyone)
        candidate.n_votes = np.ones(len(self.scored), dtype=int)

    def _votes(self, candidate, A, is_outside):
        """Votes (n_sizes, n_scored, n_values) under a map; zeros in the bag."""
        Z = space(self.in_views[candidate.view], A)
        own = self.scored[is_outside]
        training_set = self.training_set
        points = Z[training_set.row_of_point]
        means = neighbor_means(points, Z[own], training_set, self.sizes, own)
        shape = len(self.sizes), len(self.scored), means.shape[2]
        out = np.zeros(shape, dtype=np.float32)
        out[:, is_outside] = means.swapaxes(0, 1)
        return out


def listed_in(bag_size):
    """Neighbours that an energy looks at: more in a large bag, where they are near."""
    return int(np.clip(LISTED * bag_size / SMALL_BAG, LISTED, MOST_LISTED))


def scored_samples(strata, n_numbers, rng):
    """Choose the samples to predict out of bag: few if a vote holds many numbers."""
    most = max(100, min(MOST_SCORED, MOST_NUMBERS // n_numbers))
    if len(strata) <= most:
        return np.arange(len(strata))
    return stratified_part(strata, most, rng)


def stratified_part(strata, size, rng):
    """Choose about so many samples, of every stratum its share and at least two."""
    parts = []
    for stratum in np.unique(strata):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        parts.append(rows[: max(2, round(size * len(rows) / len(strata)))])
    return np.sort(np.concatenate(parts))


def sample_replicas(search, candidates, n_replicas):
    """Sample replicas of all candidates; return those that were tried.

    All learn on small bags first. Where there are samples for larger ones, the best
    candidate is tried on these, too. If that is better, the rest of the replicas are
    its own; otherwise all get as many more.
    """
    for candidate in candidates:
        if not candidate.learns:
            search.score_without_learning(candidate)
    learners = [candidate for candidate in candidates if candidate.learns]
    if not learners or n_replicas == 0:
        return [candidate for candidate in candidates if not candidate.learns]
    size = min(LARGE_BAG, len(search.training_set) // 2)
    if size < 2 * SMALL_BAG or n_replicas < FEWEST * (len(learners) + 1):
        search.sample(learners, max(2, round(n_replicas / len(learners))))
        return candidates
    search.sample(learners, FEWEST)
    best = min(learners, key=lambda candidate: losses(search, candidate).mean())
    larger = Candidate(best.view, best.form, size)
    search.sample([larger], FEWEST)
    left = n_replicas - FEWEST * (len(learners) + 1)
    if is_better(search, larger, best):
        search.sample([larger], left)
    elif left >= len(learners):
        search.sample(learners, left // len(learners))
    return [*candidates, larger]


def losses(search, candidate):
    """Losses (n_scored,) out of bag with the best number of neighbours."""
    every = search.task.losses(candidate.mean_votes(), search.scored)
    return every[every.mean(axis=1).argmin()]


def is_better(search, new, old):
    """Whether a candidate is better than another by more than a standard error."""
    gains = losses(search, old) - losses(search, new)
    return gains.mean() > gains.std() / np.sqrt(len(gains))


def selection_weights(search, candidates):
    """Boltzmann weights (n_candidates, n_sizes) by the losses out of bag.

    The temperature is half the standard error of the lowest loss: what is not clearly
    worse than the best votes, too.
    """
    rows = search.scored
    is_out = np.all([candidate.n_votes > 0 for candidate in candidates], axis=0)
    if not is_out.any():
        shape = len(candidates), len(search.sizes)
        return np.full(shape, 1 / (shape[0] * shape[1]))
    every = [search.task.losses(c.mean_votes(), rows)[:, is_out] for c in candidates]
    weights = search.training_set.weights[rows[is_out]]
    scores = np.average(every, axis=2, weights=weights)
    n_effective = weights.sum() ** 2 / (weights**2).sum()
    error = search.task.standard_error(scores.min(), n_effective)
    found = np.exp(-(scores - scores.min()) / (0.5 * error))
    found[found < NEGLIGIBLE * found.sum()] = 0
    return found / found.sum()
