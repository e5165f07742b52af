"""
A metric while it is annealed
=============================

Monte Carlo samples maps while the temperature falls. At a high temperature the classes
overlap. At a low temperature samples of one class are next to each other.
"""

# %%
# We learn a map of the 13 features of wine to a plane. The temperature falls from 0.1
# to 0.00006 in 59 steps. The sampler yields the map of every step.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation
from scipy.linalg import orthogonal_procrustes
from sklearn.datasets import load_wine
from sklearn.preprocessing import MinMaxScaler

from freemetric.energies import NCAEnergy
from freemetric.mc import Annealing, ElementMove, Geometric

X, y = load_wine(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
sampler = Annealing(Geometric(0.1, 0.88), ElementMove(1.0), n_steps=59)
energy = NCAEnergy().bind(X, y)
rng = np.random.default_rng(0)
steps = list(sampler.iterate(rng, energy, rng.uniform(-1, 1, (1, 2, 13))))
maps = np.array([state.A[0] for state, _ in steps])
temperature = [info.temperature[0] for _, info in steps]

# %%
# A rotation of the plane changes no distance. We rotate every step so that it fits the
# last one, and scale it to the same size.

planes = [Z / np.linalg.norm(Z) for Z in (X - X.mean(axis=0)) @ np.swapaxes(maps, 1, 2)]
planes = np.array([Z @ orthogonal_procrustes(Z, planes[-1])[0] for Z in planes])
figure, ax = plt.subplots(figsize=(4.4, 4), layout="constrained")
ax.set(xlim=(-0.2, 0.2), ylim=(-0.2, 0.2), xticks=[], yticks=[])
points = ax.scatter(*planes[0].T, c=y, s=10)


def draw(step):
    points.set_offsets(planes[step])
    ax.set_title(f"temperature {temperature[step]:.4f}")


frames = [*range(len(planes)), *[len(planes) - 1] * 15]  # the last one stays
film = FuncAnimation(figure, draw, frames=frames, interval=120)
plt.show()

# %%
# Every colour is one grower. Five steps, from hot to cold:
# sphinx_gallery_thumbnail_number = 2
figure, axes = plt.subplots(1, 5, figsize=(10, 2.4), layout="constrained")
for ax, step in zip(axes, (0, 9, 19, 29, 58), strict=True):
    ax.scatter(*planes[step].T, c=y, s=4)
    ax.set(title=f"T = {temperature[step]:.4f}", xticks=[], yticks=[])
plt.show()
