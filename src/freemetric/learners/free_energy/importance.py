"""What a population of metrics weighs: features, and the axes of the averaged metric."""

import numpy as np


def feature_importances(ensembles, weights, views, X):
    """Mean (d,) and standard deviation (d,) over replicas of every feature's share in the squared distances.

    A replica's share of view feature j is M_jj var(v_j), without the cross terms; features of a view that belong to the
    same feature of X add up.
    """
    shares, trust = [], []
    for ensemble, weight in zip(ensembles, weights, strict=True):
        view = views[ensemble.candidate.view]
        spread = view(X).var(axis=0)
        metrics = ensemble.metrics()
        for M in metrics:
            parts = np.bincount(view.owner, np.diagonal(M) * spread, minlength=X.shape[1])
            shares.append(parts / parts.sum() if parts.sum() > 0 else np.full(X.shape[1], 1 / X.shape[1]))
            trust.append(weight / len(metrics))
    shares, trust = np.array(shares), np.array(trust) / np.sum(trust)
    mean = trust @ shares
    return mean, np.sqrt(trust @ (shares - mean) ** 2)


def averaged_axes(ensembles, weights, views, X):
    """For every view its map B (q, d_view): |B (u - v)|^2 summed over views is the averaged squared distance.

    Every replica's metric is scaled to a mean squared distance of one first: votes do not know scales.
    """
    total = {}
    for ensemble, weight in zip(ensembles, weights, strict=True):
        name = ensemble.candidate.view
        covariance = np.atleast_2d(np.cov(views[name](X), rowvar=False))
        metrics = ensemble.metrics()
        for M in metrics:
            scale = 2 * np.sum(M * covariance)
            if scale > 0:
                total[name] = total.get(name, 0) + weight / len(metrics) / scale * M
    return {name: _root(M) for name, M in total.items()}


def _root(M):
    values, vectors = np.linalg.eigh(M)
    return np.sqrt(np.clip(values, 0, None))[:, None] * vectors.T
