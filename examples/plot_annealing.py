"""
A metric while it is annealed
=============================

Monte Carlo samples maps while the temperature falls. At a high temperature the classes
overlap. At a low temperature samples of one class are next to each other.
"""

# %%
# We learn a map of the 13 features of wine to a plane. The temperature falls from 0.1
# to 0.00006 in 59 steps. ``snapshots_`` holds the map of every step.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation
from scipy.linalg import orthogonal_procrustes
from sklearn.datasets import load_wine
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE
from freemetric.energies import NCAEnergy
from freemetric.mc import Annealing, ElementMove, Geometric

X, y = load_wine(return_X_y=True)
X = MinMaxScaler().fit_transform(X)

sampler = Annealing(Geometric(0.1, 0.88), ElementMove(1.0), n_steps=59)
model = DMLFE(2, sampler=sampler, init="uniform", random_state=0).fit(X, y)
maps, temperature = model.snapshots_["map"][1:], model.trace_["temperature"][:, 0]
energy = NCAEnergy().bind(X, y)(maps)

# %%
# A rotation of the plane changes no distance. We rotate every step so that it fits the
# last one, and scale it to the same size. One animation is for light pages, the other
# one for dark pages.

planes = [Z / np.linalg.norm(Z) for Z in (X - X.mean(axis=0)) @ np.swapaxes(maps, 1, 2)]
planes = np.array([Z @ orthogonal_procrustes(Z, planes[-1])[0] for Z in planes])


def film(ink, paper):
    with plt.rc_context(
        {"text.color": ink, "axes.edgecolor": ink, "axes.labelcolor": ink}
    ):
        figure, (ax, side) = plt.subplots(1, 2, figsize=(6.4, 3), facecolor=paper)
        figure.subplots_adjust(left=0.02, right=0.97, bottom=0.17, top=0.9, wspace=0.25)
        ax.set_title(" ", fontsize="medium")
    reach = np.quantile(np.abs(planes), 0.999)
    ax.set(
        xlim=(-reach, reach),
        ylim=(-reach, reach),
        xticks=[],
        yticks=[],
        facecolor=paper,
    )
    groups = [
        ax.plot([], [], "o", markersize=3, color=color)[0]
        for color in ("#0d9488", "#f59e0b", "#a855f7")
    ]
    side.plot(temperature, energy, color="0.5", linewidth=1)
    side.set(xlabel="temperature", ylabel="energy", xscale="log", facecolor=paper)
    side.tick_params(which="both", colors=ink)
    side.invert_xaxis()
    (now,) = side.plot([], [], "o", color="#ef4444")

    def draw(step):
        for c, group in enumerate(groups):
            group.set_data(*planes[step, y == c].T)
        now.set_data([temperature[step]], [energy[step]])
        ax.title.set_text(
            f"temperature {temperature[step]:.4f}, energy {energy[step]:.3f}"
        )

    last = [len(planes) - 1] * 15  # the last step stays for a while
    return FuncAnimation(
        figure, draw, frames=[*range(len(planes)), *last], interval=120
    )


light, dark = film(ink="#1f2937", paper="white"), film(ink="#d1d5db", paper="#14181e")
plt.show()

# %%
# Every colour is one grower. Five of the steps, from hot to cold:

# sphinx_gallery_thumbnail_number = 3
figure, axes = plt.subplots(1, 5, figsize=(10, 2.4), layout="constrained")
for ax, step in zip(axes, (0, 9, 19, 29, 58), strict=True):
    ax.scatter(*planes[step].T, c=y, s=4, cmap="viridis")
    ax.set(title=f"T = {temperature[step]:.4f}", xticks=[], yticks=[])
plt.show()
