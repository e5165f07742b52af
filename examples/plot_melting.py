"""
A metric melts and freezes
==========================

At a low temperature all replicas of a metric are alike. At a high temperature each is
another one. We heat iris from its ground state, cool it again, and watch the space.
"""

# %%
# Two replicas start with the same annealed metric. The temperature rises from 0.00001
# to 0.03 and falls again.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation
from scipy.linalg import orthogonal_procrustes
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE
from freemetric.energies import Confinement, NCAEnergy
from freemetric.mc import Annealing, Geometric, HamiltonianMove
from freemetric.mc.samplers import Schedule
from freemetric.thermodynamics import overlap

X, y = load_iris(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
energy = (NCAEnergy() + 1e-4 * Confinement()).bind(X, y)


class UpAndDown(Schedule):
    """From cold to hot and back, evenly in the logarithm of the temperature."""

    reads_energies = False

    def __init__(self, cold=1e-5, hot=3e-2, n_steps=360):
        self.cold = cold
        self.hot = hot
        self.n_steps = n_steps

    def __call__(self, step, temperatures, energies):
        share = 1 - abs(2 * step / (self.n_steps - 1) - 1)
        return self.cold * (self.hot / self.cold) ** share


schedule = UpAndDown()
annealed = DMLFE(
    sampler=Annealing(Geometric(0.01, 0.93), n_steps=120), random_state=0
).fit(X, y)
start = np.repeat(annealed.components_[None], 2, axis=0)
sampler = Annealing(schedule, HamiltonianMove(), n_steps=schedule.n_steps, burn_in=1.0)
steps = list(sampler.iterate(np.random.default_rng(0), energy, start))
temperature = np.array([info.temperature[0] for _, info in steps])
maps = np.array([state.A for state, _ in steps])
q = overlap(maps[:, 0], maps[:, 1])

# %%
# The overlap q of both replicas is 1 in the cold. It falls where the metric melts. When
# the metric freezes again, both replicas come back to the same one: the landscape of
# iris has few valleys. The overlap is averaged over 15 steps.

smooth = np.convolve(np.pad(q, 7, mode="edge"), np.ones(15) / 15, mode="valid")
half = schedule.n_steps // 2
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
ax.plot(temperature[:half], smooth[:half], color="tab:red", label="melting")
ax.plot(temperature[half:], smooth[half:], color="tab:blue", label="freezing")
ax.set(
    xscale="log", xlabel="temperature", ylabel="overlap of two replicas", ylim=(0, 1.02)
)
ax.legend(frameon=False)
plt.show()

# %%
# The space of both replicas on the way, in its two main directions. A rotation changes
# no distance, so every step is turned to fit the first one, and all have the same size.


def plane(A):
    Z = (X - X.mean(axis=0)) @ A.T
    Z = Z @ np.linalg.svd(Z, full_matrices=False)[2][:2].T
    return Z / np.linalg.norm(Z)


first, frames = plane(start[0]), np.arange(0, schedule.n_steps, 4)
seen = np.array([[plane(A) for A in maps[frames, which]] for which in range(2)])
planes = np.array(
    [[Z @ orthogonal_procrustes(Z, first)[0] for Z in replica] for replica in seen]
)


def film(ink, paper):
    with plt.rc_context(
        {"text.color": ink, "axes.edgecolor": ink, "axes.labelcolor": ink}
    ):
        figure, (*spaces, side) = plt.subplots(1, 3, figsize=(8, 2.9), facecolor=paper)
        figure.subplots_adjust(left=0.02, right=0.98, bottom=0.2, top=0.88, wspace=0.3)
    reach = 1.05 * np.abs(planes).max()
    groups = []
    for ax in spaces:
        ax.set(
            xlim=(-reach, reach),
            ylim=(-reach, reach),
            xticks=[],
            yticks=[],
            facecolor=paper,
        )
        groups.append(
            [
                ax.plot([], [], "o", markersize=3, color=c)[0]
                for c in ("#0d9488", "#f59e0b", "#a855f7")
            ]
        )
    side.plot(temperature[:half], smooth[:half], color="#ef4444", linewidth=1)
    side.plot(temperature[half:], smooth[half:], color="#3b82f6", linewidth=1)
    side.set(
        xlabel="temperature",
        ylabel="overlap",
        xscale="log",
        ylim=(0, 1.05),
        facecolor=paper,
    )
    side.tick_params(which="both", colors=ink)
    (now,) = side.plot([], [], "o", color=ink)
    title = figure.suptitle(" ", color=ink, fontsize="medium")

    def draw(frame):
        for which, replica in enumerate(groups):
            for c, group in enumerate(replica):
                group.set_data(*planes[which][frame, y == c].T)
        now.set_data([temperature[frames[frame]]], [smooth[frames[frame]]])
        title.set_text(
            f"two replicas of iris at temperature {temperature[frames[frame]]:.5f}"
        )

    return FuncAnimation(figure, draw, frames=len(frames), interval=120)


light, dark = film(ink="#1f2937", paper="white"), film(ink="#d1d5db", paper="#14181e")
plt.show()

# %%
# Every colour is one species. Five of the steps, one replica above the other:

# sphinx_gallery_thumbnail_number = 4
figure, axes = plt.subplots(2, 5, figsize=(10, 4.2), layout="constrained")
for column, frame in enumerate(np.linspace(0, len(frames) - 1, 5).round().astype(int)):
    for which in range(2):
        axes[which, column].scatter(*planes[which][frame].T, c=y, s=4, cmap="viridis")
        axes[which, column].set(xticks=[], yticks=[])
    axes[0, column].set_title(f"T = {temperature[frames[frame]]:.5f}")
plt.show()
