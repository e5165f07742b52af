"""What a round of the search has found, in one line."""

from ...printable import counted
from ..base import tell
from .population import Population
from .trust import best_pair


def tell_round(population: Population) -> None:
    """Log how many replicas there are, and the candidate that its judges found best so far."""
    n_replicas = sum(len(entrant.maps) for entrant in population.entrants)
    n = len(population.entrants)
    sampled = f"{counted(n_replicas, 'replica')} of {counted(n, 'candidate')}"
    if not len(population.judges):
        return tell(True, "%s; no pattern was out of bag yet", sampled)
    scores = population.scores()
    number, column = best_pair(scores)
    best = population.entrants[number].candidate
    kind = f"{best.view}/{best.form}" + (f" at temperature {best.temperature:.2g}" if best.learns else "")
    found = f"{kind}, k = {column + 1}, {population.target.score_words} {scores[number, column]:.4f}"
    tell(True, "%s; best out of bag: %s", sampled, found)
