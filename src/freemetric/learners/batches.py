"""When a single metric is learned from mini-batches instead of from all pairs of patterns."""

from numbers import Integral

from ..sklearn_compat import Interval
from .training_rows import NUMBERS

MOST_WHOLE = 10_000  # patterns: there batches begin to be faster than all pairs (docs/guide/noisy_energies.md)
BATCH = 2048
SAMPLE = 4096  # patterns that judge the maps: their energy and gradient take about 65 ms

BATCH_SIZE = [Interval(Integral, 2, None, closed="left"), None]  # what the parameter may be


class MiniBatched:
    """A metric learner with the parameter ``batch_size``; very many patterns may stay in single precision."""

    batch_size: int | None
    _dtypes = NUMBERS

    def _rows_per_batch(self, n_patterns: int) -> int | None:
        """Patterns of a batch; None where all of them are looked at together."""
        if self.batch_size is None:
            return None if n_patterns <= MOST_WHOLE else BATCH
        return None if n_patterns <= self.batch_size else self.batch_size
