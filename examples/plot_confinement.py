r"""
Why the metric is confined
==========================

The energy of NCA is between 0 and 1 for every map, however large. Most maps are large,
so a run at a finite temperature drifts towards them. There, only the nearest neighbour
has an influence. A harmonic confinement :math:`\lambda |A|^2` prevents this.
"""

# %%
# We run the same simulation with three strengths of confinement; the first is next to
# none. It starts at the identity, and the temperature is high for this energy.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import softmax
from scipy.stats import entropy
from sklearn.datasets import load_wine
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import MinMaxScaler

from freemetric.energies import Confinement, NCAEnergy
from freemetric.mc import Annealing, Constant, ElementMove

X, y = load_wine(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
sampler = Annealing(Constant(0.01), ElementMove(1.0), n_steps=200)
runs = {}
for strength in (1e-9, 1e-3, 1e-2):
    energy = (NCAEnergy() + strength * Confinement()).bind(X, y)
    steps = sampler.iterate(np.random.default_rng(0), energy, np.eye(13)[None])
    runs[strength] = np.array([state.A[0] for state, _ in steps])


def n_effective(A):
    """The mean exponential of the entropy of the neighbour probabilities."""
    squared = np.minimum(pairwise_distances(X @ A.T, metric="sqeuclidean"), 1e30)
    np.fill_diagonal(squared, np.inf)
    return np.exp(entropy(softmax(-squared, axis=1), axis=1)).mean()


figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for strength, run in runs.items():
    sizes = np.linalg.norm(run, axis=(1, 2))
    axes[0].plot(sizes, label=rf"$\lambda$ = {strength:g}")
    axes[1].plot([n_effective(A) for A in run])
axes[0].set(xlabel="Monte Carlo step", ylabel="size of the map, |A|", yscale="log")
axes[1].set(xlabel="Monte Carlo step", ylabel="effective neighbours", yscale="log")
axes[0].legend(frameon=False)
plt.show()

# %%
# Without confinement the map keeps growing, and a single neighbour decides. Only the
# ratio :math:`\lambda / T` matters for the size: with the confinement alone, each
# element has the variance :math:`T / 2 \lambda`.
