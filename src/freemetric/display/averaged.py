"""The averaged metric of a classifier whose replicas live on several views of the features."""

import numpy as np

from ..learners.free_energy.importance import averaged_axes

VIEWS = {"scaled": "features scaled to [0, 1]", "quantiles": "features on quantiles", "steps": "features as steps"}
"""In words; of those that vote the first is shown, for its coordinates are the plainest."""


class AveragedMetric:
    """The mean metric of the replicas on one view, each scaled to a mean squared distance of one."""

    def __init__(self, learner):
        name = next(name for name in VIEWS if name in learner.views_)
        trusted = zip(learner.ensembles_, learner._trust(), strict=True)
        ensembles, trust = zip(*[pair for pair in trusted if pair[0].candidate.view == name], strict=True)
        self.view, self.weight = learner.views_[name], float(np.sum(trust))
        self.title = f"averaged M, {VIEWS[name]}\n({100 * self.weight:.0f} % of the votes)"
        d = len(self.view.owner)
        # replicas that see no distances at all are left out, and may be all
        voters, _ = learner._voting
        axes = averaged_axes(ensembles, np.array(trust) / self.weight, learner.views_, voters)
        B = axes.get(name, np.zeros((1, d)))
        self._matrix, self._members = B.T @ B, np.eye(learner.n_features_in_)[self.view.owner]

    def matrix(self, X=None):
        """M (d, d); standard deviations of X (N, d) in the view become its units."""
        M = self._matrix
        if X is not None:
            unit = self.view(X).std(axis=0)
            M = M * np.outer(unit, unit)
        return self._members.T @ M @ self._members  # crossing all steps of a feature; else one column is one feature
