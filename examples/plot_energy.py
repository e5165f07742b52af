"""
The energy of a metric
======================

What is a good distance? One in which the neighbours of a sample are of its class. The energy turns this into a number
for every linear map A.
"""

# %%
# Two features tell the classes apart by their difference; each alone says little. In the plain distance the nearest
# neighbours of the sample with the cross are of both classes.

import matplotlib.pyplot as plt
import numpy as np

from freemetric import NCA
from freemetric.energies import NCAEnergy

rng = np.random.default_rng(1)
along, across = rng.normal(0, 1, 120), rng.normal(0, 0.07, 120)
y = np.arange(120) % 2
across += np.where(y == 0, -0.12, 0.12)
X = np.column_stack([along + across, along - across])

# %%
# A sample i picks sample j as its neighbour with a probability that falls with their distance after the map,
# :math:`p_{ij} \propto \exp(-|A x_i - A x_j|^2)`. The energy is the expected share of wrong picks,
# :math:`E(A) = 1 - \frac1N \sum_i \sum_{j \in \text{class of } i} p_{ij}`.

energy = NCAEnergy().bind(X, y)
learned = NCA().fit(X, y).components_


def picks(A, i):
    squares = (((X - X[i]) @ A.T) ** 2).sum(axis=1)
    squares[i] = np.inf  # nobody picks itself
    p = np.exp(squares.min() - squares)
    return p / p.sum()


right = np.array([picks(learned, i)[y == y[i]].sum() for i in range(len(X))])
one = np.argmin(np.abs(along) + 9 * (right < 0.95))  # in the middle, and helped by learning

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for ax, A, name in zip(axes, (np.eye(2), learned), ("before", "after learning"), strict=True):
    Z, p = X @ A.T, picks(A, one)
    for c, color in enumerate(("tab:blue", "tab:orange")):
        ax.scatter(*Z[y == c].T, s=8 + 900 * p[y == c], color=color, alpha=0.6)
        ax.scatter([], [], color=color, label=f"class {c}")
    ax.plot(*Z[one], "kx", markersize=9)
    ax.set(title=f"{name}: E = {energy(A[None])[0]:.2f}", xticks=[], yticks=[], aspect="equal", adjustable="datalim")
axes[0].legend(loc="upper left", frameon=False)
figure.suptitle("size: how likely the sample with the cross picks this one")
plt.show()

# %%
# The landscape
# -------------
# The energy of every map of the form "stretch the difference by s, the sum by t" can be drawn. Stretching the
# difference pays, stretching the sum does not; and the valley has no end: beyond a certain size nothing changes.

stretch = np.linspace(0, 12, 49)
rotation = np.array([[1, -1], [1, 1]]) / np.sqrt(2)
s, t = np.meshgrid(stretch, stretch)
maps = np.stack([s.ravel(), t.ravel()], axis=1)[:, :, None] * rotation  # (R, 2, 2): a stack, evaluated in one call
E = energy(maps).reshape(s.shape)

figure, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
shades = ax.contourf(s, t, E, levels=20, cmap="viridis_r")
ax.plot(1, 1, "o", color="white", label="A = I, the plain distance")
best = np.unravel_index(E.argmin(), E.shape)
ax.plot(
    s[best],
    t[best],
    "*",
    color="white",
    markeredgecolor="black",
    markersize=16,
    clip_on=False,
    label="lowest on this grid",
)
ax.set(xlabel="stretch of the difference of the features", ylabel="stretch of their sum")
ax.legend(labelcolor="white", frameon=False)
figure.colorbar(shades, label="energy")
plt.show()
