"""
The energy of a metric
======================

A good metric puts samples of the same class next to each other. The energy measures
this for every linear map A.
"""

# %%
# The classes differ in the difference of the two features. Each feature alone is
# uninformative. With the Euclidean distance, the nearest neighbours of the marked
# sample belong to both classes.

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
# Sample i chooses sample j as its neighbour with the probability :math:`p_{ij} \propto
# \exp(-|A x_i - A x_j|^2)`. The energy is the expected share of neighbours of another
# class, :math:`E(A) = 1 - \frac1N \sum_i \sum_{j \in \text{class of } i} p_{ij}`.

energy = NCAEnergy().bind(X, y)
learned = NCA().fit(X, y).components_


def neighbour_probabilities(A, i):
    squares = (((X - X[i]) @ A.T) ** 2).sum(axis=1)
    squares[i] = np.inf
    p = np.exp(squares.min() - squares)
    return p / p.sum()


right = np.array(
    [neighbour_probabilities(learned, i)[y == y[i]].sum() for i in range(len(X))]
)
# a sample in the middle with good neighbours after learning
one = np.argmin(np.abs(along) + 9 * (right < 0.95))

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for ax, A, name in zip(
    axes, (np.eye(2), learned), ("before", "after learning"), strict=True
):
    Z, p = X @ A.T, neighbour_probabilities(A, one)
    for c, color in enumerate(("tab:blue", "tab:orange")):
        ax.scatter(*Z[y == c].T, s=8 + 900 * p[y == c], color=color, alpha=0.6)
        ax.scatter([], [], color=color, label=f"class {c}")
    ax.plot(*Z[one], "kx", markersize=9)
    ax.set(
        title=f"{name}: E = {energy(A[None])[0]:.2f}",
        xticks=[],
        yticks=[],
        aspect="equal",
        adjustable="datalim",
    )
axes[0].legend(loc="upper left", frameon=False)
figure.suptitle("size: probability of being chosen by the sample with the cross")
plt.show()

# %%
# The energy landscape
# --------------------
# We draw the energy of all maps that stretch the difference of the features by s and
# their sum by t. The energy falls when s grows and rises when t grows. For large s it
# becomes constant.

stretch = np.linspace(0, 12, 49)
rotation = np.array([[1, -1], [1, 1]]) / np.sqrt(2)
s, t = np.meshgrid(stretch, stretch)
# shape (R, 2, 2)
maps = np.stack([s.ravel(), t.ravel()], axis=1)[:, :, None] * rotation
E = energy(maps).reshape(s.shape)

figure, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
shades = ax.contourf(s, t, E, levels=20, cmap="viridis_r")
ax.plot(1, 1, "o", color="white", label="A = I, Euclidean distance")
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
ax.set(
    xlabel="stretch of the difference of the features", ylabel="stretch of their sum"
)
ax.legend(labelcolor="white", frameon=False)
figure.colorbar(shades, label="energy")
plt.show()
