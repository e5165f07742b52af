r"""
Why the metric is confined
==========================

NCA's energy lies between 0 and 1 however large the map is. There are endlessly many large maps, so a warm walk without
walls wanders off to them, where only the single nearest neighbour counts. A harmonic trap
:math:`\lambda |A|^2` keeps it home.
"""

# %%
# The same walk three times with different traps, from the identity, at a temperature that is warm for this energy.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import softmax
from scipy.stats import entropy
from sklearn.datasets import load_wine
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE
from freemetric.mc import Annealing, Constant, ElementMove

X, y = load_wine(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
T, traps = 0.01, (0.0, 1e-3, 1e-2)
sampler = Annealing(Constant(T), ElementMove(1.0), n_steps=200)
walks = {trap: DMLFE(sampler=sampler, confinement=trap, random_state=0).fit(X, y).snapshots_ for trap in traps}


def n_effective(A):
    """The number of effective neighbours: the mean exponential of the entropy of the picks."""
    squared = np.minimum(pairwise_distances(X @ A.T, metric="sqeuclidean"), 1e30)
    np.fill_diagonal(squared, np.inf)
    return np.exp(entropy(softmax(-squared, axis=1), axis=1)).mean()


figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for trap, walk in walks.items():
    axes[0].plot(walk["step"], np.linalg.norm(walk["map"], axis=(1, 2)), label=rf"$\lambda$ = {trap:g}")
    axes[1].plot(walk["step"], [n_effective(A) for A in walk["map"]])
axes[0].set(xlabel="Monte Carlo step", ylabel="size of the map, |A|", yscale="log")
axes[0].legend(frameon=False)
axes[1].set(xlabel="Monte Carlo step", ylabel="effective neighbours", yscale="log")
plt.show()

# %%
# Without walls the map grows without end and one neighbour decides: the energy is that of 1-NN, a plain with no slope.
# The traps hold the map at a size where more than one has a say; the narrower the trap, the more.
#
# What size? Boltzmann's distribution :math:`\exp(-(E + \lambda |A|^2) / T)` can only be normalised with
# :math:`\lambda > 0`. If the trap were alone, each of the d p elements would have the variance :math:`T / 2 \lambda`:

for trap in traps[1:]:
    size = np.linalg.norm(walks[trap]["map"][-20:], axis=(1, 2)).mean()
    alone = X.shape[1] * np.sqrt(T / (2 * trap))
    print(f"lambda = {trap:g}: |A| = {alone:.0f} by the trap alone, {size:.0f} measured")

# %%
# Only the ratio :math:`\lambda / T` matters for this: a colder walk wants a weaker trap. That is why
# :class:`~freemetric.FreeEnergyClassifier` changes both together.
