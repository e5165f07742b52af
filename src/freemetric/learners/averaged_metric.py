"""The averaged metric of a committee whose replicas live on several views of the features."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..metrics import VIEWS
from ..metrics.averaged_metric import pulled_back


class AveragedMetric:
    """The mean metric of the replicas on one view, each scaled to a mean squared distance of one.

    Of the views that vote the first in ``VIEWS`` is shown, for its coordinates are the plainest.

    Parameters
    ----------
    ensemble : Ensemble
        Whose replicas are averaged.
    """

    def __init__(self, ensemble: Any) -> None:
        name = next(name for name in VIEWS if name in ensemble.views)
        self.view = ensemble.views[name]
        pairs = zip(ensemble.members, ensemble.member_weights, strict=True)
        share = float(sum(weight for member, weight in pairs if member.candidate.view == name))
        self.title = f"averaged M, {getattr(self.view, 'words', name)}\n({100 * share:.0f} % of the votes)"
        self._n_features = ensemble.training_set.X.shape[1]
        # a view on which all rows are equal has no matrix
        self._matrix = ensemble.averaged_matrices().get(name, np.zeros(len(self.view.owner))) / share

    def matrix(self, X: NDArray | None = None) -> NDArray:
        """M (d, d); standard deviations of X (N, d) in the view become its units."""
        M, view = self._matrix, self.view
        J = view.slopes() if view.mixes_features else None
        if J is not None:
            unit = np.ones(self._n_features) if X is None else X.std(axis=0)
            return pulled_back(pulled_back(M, J), unit)
        unit = np.ones(len(view.owner)) if X is None else view(X).std(axis=0)
        if M.ndim == 1:  # crossing all steps of a feature; else one column is one feature
            return np.diag(np.bincount(view.owner, M * unit**2, minlength=self._n_features))
        members = np.eye(self._n_features)[view.owner]
        return members.T @ pulled_back(M, unit) @ members
