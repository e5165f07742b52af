"""
The space during learning
=========================

These figures show the samples in the metric space during a Monte Carlo run, as in the
paper. The run starts with the Euclidean distance.
"""

# %%
# ``snapshots_`` holds the map of the first replica at several steps. We project all of
# them on the first two principal components of the last one.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE

wine = load_wine()
X, y = MinMaxScaler().fit_transform(wine.data), wine.target

model = DMLFE(random_state=0).fit(X, y)
steps, maps = model.snapshots_["step"], model.snapshots_["map"]
plane = PCA(2).fit(X @ maps[-1].T)

shown = np.searchsorted(steps, (0, 1, 3, 6, 15, steps[-1]))
figure, axes = plt.subplots(2, 3, figsize=(10, 6.4), layout="constrained")
for ax, i in zip(axes.flat, shown, strict=True):
    Z = (X - X.mean(axis=0)) @ maps[i].T @ plane.components_.T
    for c in range(3):
        ax.scatter(*Z[y == c].T, s=12, alpha=0.8, label=f"grower {c + 1}")
    E = model.trace_["energy"][steps[i] - 1, 0] if steps[i] else None
    title = f"step {steps[i]}" + (
        f", E = {E:.3f}" if E is not None else ": Euclidean distance"
    )
    ax.set(title=title, xticks=[], yticks=[], aspect="equal", adjustable="datalim")
axes[0, 0].legend(frameon=False)
plt.show()

# %%
# The map at the same steps. It starts as the identity. Red elements are negative, blue
# ones positive.

figure, axes = plt.subplots(1, len(shown), figsize=(12, 2.4), layout="constrained")
for ax, i in zip(axes, shown, strict=True):
    size = np.abs(maps[i]).max()
    ax.imshow(maps[i], cmap="RdBu", vmin=-size, vmax=size)
    ax.set(title=f"step {steps[i]}", xticks=[], yticks=[])
plt.show()
