"""
The energy of a metric
======================

A good metric puts samples of the same class next to each other. The energy measures
this for every linear map A.
"""

# %%
# The classes differ in the difference of the two features. Each feature alone is
# uninformative.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import softmax
from sklearn.metrics import pairwise_distances

from freemetric import NCA
from freemetric.energies import NCAEnergy

rng = np.random.default_rng(1)
along, across = rng.normal(0, 1, 120), rng.normal(0, 0.07, 120)
y = np.arange(120) % 2
across += np.where(y == 0, -0.12, 0.12)
X = np.column_stack([along + across, along - across])

# %%
# Sample i chooses sample j as its neighbour with the probability :math:`p_{ij} \propto
# \exp(-|A x_i - A x_j|^2)`. The energy is the expected share of neighbours of another
# class, :math:`E(A) = 1 - \frac1N \sum_i \sum_{j \in \text{class of } i} p_{ij}`.

energy = NCAEnergy().bind(X, y)
learned = NCA().fit(X, y).components_


def neighbor_probabilities(A):
    """Probabilities (N, N) that a sample chooses another one."""
    squares = pairwise_distances(X @ A.T, metric="sqeuclidean")
    np.fill_diagonal(squares, np.inf)
    return softmax(-squares, axis=1)


before, after = neighbor_probabilities(np.eye(2)), neighbor_probabilities(learned)
is_own = y[:, None] == y
one = np.argmax(((after - before) * is_own).sum(axis=1))  # learning helps it most

# %%
# The cross is the sample that learning helps most. Marks are as large as the
# probability that it chooses them.

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
maps = {"before": (np.eye(2), before[one]), "after": (learned, after[one])}
for ax, (name, (A, p)) in zip(axes, maps.items(), strict=True):
    Z = X @ A.T
    for c, color in enumerate(("tab:blue", "tab:orange")):
        ax.scatter(*Z[y == c].T, s=8 + 900 * p[y == c], color=color, alpha=0.6)
    ax.plot(*Z[one], "kx", markersize=9)
    ax.set(title=f"{name} learning: E = {energy(A[None])[0]:.2f}", xticks=[], yticks=[])
plt.show()
