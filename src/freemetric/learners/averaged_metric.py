"""The averaged metric of a committee whose replicas live on several views of the features."""

import numpy as np
from numpy.typing import NDArray

from ..metrics import VIEWS, Committee


class AveragedMetric:
    """The mean metric of the replicas on one view, each scaled to a mean squared distance of one.

    Of the views that vote the first in ``VIEWS`` is shown, for its coordinates are the plainest.

    Parameters
    ----------
    committee : Committee
        Whose replicas are averaged.
    """

    def __init__(self, committee: Committee) -> None:
        name = next(name for name in VIEWS if name in committee.views)
        self.view = committee.views[name]
        pairs = zip(committee.ensembles, committee.trust, strict=True)
        share = float(sum(trust for ensemble, trust in pairs if ensemble.candidate.view == name))
        self.title = f"averaged M, {getattr(self.view, 'words', name)}\n({100 * share:.0f} % of the votes)"
        d_view, d = len(self.view.owner), committee.voters.X.shape[1]
        # a view on which all rows are equal has no matrix
        self._matrix = committee.averaged_matrices().get(name, np.zeros((d_view, d_view))) / share
        slopes = self.view.slopes() if self.view.mixes_features else None
        self._members = np.eye(d)[self.view.owner] if slopes is None else slopes.T

    def matrix(self, X: NDArray | None = None) -> NDArray:
        """M (d, d); standard deviations of X (N, d) in the view become its units."""
        M = self._matrix
        if self.view.mixes_features:
            unit = np.ones(self._members.shape[1]) if X is None else X.std(axis=0)
            return (self._members * unit).T @ M @ (self._members * unit)
        if X is not None:
            unit = self.view(X).std(axis=0)
            M = M * np.outer(unit, unit)
        return self._members.T @ M @ self._members  # crossing all steps of a feature; else one column is one feature
