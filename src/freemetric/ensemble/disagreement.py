"""Disagreement of replicas: which labels would tell the ensemble most."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import entropy

from ..learners.base import one_blas_thread
from .model import Ensemble
from .tasks.intervals import check_one_target


def mutual_information(ensemble: Ensemble, X: NDArray, n_jobs: int | None = None, device: str = "cpu") -> NDArray:
    """Entropy (n,) of the mean class probabilities of all replicas minus their mean entropy, of samples X (n, d)."""
    of_k = ensemble.weights / np.maximum(ensemble.member_weights, np.finfo(float).tiny)[:, None]
    wholes = ensemble.head.wholes(X)
    mean = np.zeros((len(X), ensemble.training_set.n_cells))
    own_entropy = np.zeros(len(X))
    for number, shares in ensemble.shares_of_replicas(X, n_jobs, device):
        weight = ensemble.member_weights[number] / len(ensemble.members[number])
        P = ensemble.head.answers(np.tensordot(of_k[number], shares, 1), wholes)
        mean += weight * P
        own_entropy += weight * entropy(P, axis=1)
    return np.maximum(entropy(mean, axis=1) - own_entropy, 0.0)


class DisagreementMixin:
    """Disagreement in a classifier with an ``ensemble_`` and ``_samples(X)``, which validates."""

    ensemble_: Any
    _samples: Any
    n_jobs: int | None
    device: str

    def disagreement(self, X: ArrayLike) -> NDArray[np.float64]:
        r"""Disagreement of the replicas about the classes of samples, for active learning.

        Each replica r votes alone, and its votes are calibrated as those of the ensemble are. With the weights
        :math:`w_r` of the replicas and the entropy H,

        .. math:: I(x) = H\left[\sum_r w_r P_r(\cdot|x)\right] - \sum_r w_r H[P_r(\cdot|x)],

        the information that the label of x has about the metric. It is small where all replicas are sure, and also
        where all are equally unsure, because classes overlap there and no label helps. The samples of a pool with the
        largest values are those to label next. Where plain nearest neighbours vote alone there is one replica, and all
        values are zero.

        Costs a search among all training samples in the space of every replica.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, such as a pool without labels.

        Returns
        -------
        I : ndarray of shape (n_samples,)
            In nats, from 0 to log(n_classes).

        References
        ----------
        .. [1] N. Houlsby, F. Huszár, Z. Ghahramani, M. Lengyel, "Bayesian Active Learning for Classification and
           Preference Learning", arXiv:1112.5745, 2011.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from freemetric import FreeEnergyClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> model = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X[::6], y[::6])
        >>> next_to_label = model.disagreement(X).argmax()
        """
        samples, ensemble = self._samples(X), self.ensemble_
        check_one_target(self, "Disagreement is")
        with one_blas_thread():
            parts = [
                mutual_information(ensemble, samples[part], self.n_jobs, self.device)
                for part in ensemble.parts(len(samples))
            ]
        return np.concatenate(parts)
