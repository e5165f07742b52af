"""
Is the best metric the one of lowest free energy?
=================================================

A metric has an energy, and the basin around it a free energy, which counts its width,
too. Which of the two tells the error of later samples?
"""

# %%
# Twenty maps onto a plane are quenched from random starts, each to a minimum.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import softmax
from scipy.stats import spearmanr
from sklearn.datasets import make_classification
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale

from freemetric.energies import NCAEnergy
from freemetric.mc import Annealing, Constant
from freemetric.thermodynamics import Coupled

kinds = {"n_informative": 5, "n_clusters_per_class": 3, "flip_y": 0.05}
X, y = make_classification(240, 10, **kinds, random_state=1)
X, X_test, y, y_test = train_test_split(minmax_scale(X), y, random_state=0)
energy = Coupled(NCAEnergy().bind(X, y), 1e-4)
rng = np.random.default_rng(0)
starts = 5 * rng.standard_normal((20, 2, 10))
quench = Annealing(Constant(0.0), n_steps=120)
maps = [state.A for state, _ in quench.iterate(rng, energy, starts)][-1]

# %%
# A basin is nearly harmonic. The eigenvalues h of its Hessian give its volume, and with
# it the free energy E - T log(volume). The rotation of the plane has no eigenvalue.

T, volumes, steps = 1e-3, [], 1e-4 * np.eye(20).reshape(20, 2, 10)
for A in maps:
    up, down = (energy.value_and_grad(A + sign * steps)[1] for sign in (1, -1))
    hessian = (up - down).reshape(20, 20) / 2e-4
    h = np.sort(np.abs(np.linalg.eigvalsh((hessian + hessian.T) / 2)))[1:]
    volumes.append(0.5 * np.log(2 * np.pi * T / h).sum())
E = energy(maps)
found = {"energy": E, "free energy": E - T * np.array(volumes)}

# %%
# The error is that of stochastic neighbours of other samples. Over 14 data sets both
# predict it about equally well (``benchmarks/physics/basins.py``).

D = [pairwise_distances(X_test @ A.T, X @ A.T, "sqeuclidean") for A in maps]
right = softmax(-np.array(D), axis=2) * (y_test[:, None] == y)
errors = 100 - 100 * right.sum(axis=2).mean(axis=1)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", sharey=True)
for axis, (name, values) in zip(axes, found.items(), strict=True):
    axis.plot(values, errors, "o")
    axis.set(xlabel=f"{name}, rank correlation {spearmanr(values, errors)[0]:.2f}")
axes[0].set_ylabel("test error in %")
plt.show()
