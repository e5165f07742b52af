"""
Nonlinear metrics with a kernel
===============================

A linear map cannot separate two rings. A linear map in the feature space of a kernel can.
:class:`~freemetric.Kernelized` turns any learner into its kernel form.
"""

# %%
# We use two rings and a checkerboard. Half of the samples are for training. Every learner has a single output
# dimension.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from freemetric import LDA, NCA, Kernelized

board = np.random.default_rng(0).random((800, 2))
SETS = {
    "two rings": make_circles(400, noise=0.1, factor=0.5, random_state=0),
    "checkerboard": (board, np.floor(3 * board).sum(axis=1).astype(int) % 2),
}
LEARNERS = {
    "LDA(1)": LDA(1),
    "Kernelized(LDA(1))": Kernelized(LDA(1)),
    "Kernelized(NCA(1))": Kernelized(NCA(1, max_iter=300)),
}

# %%
# Shades are values of the learned coordinate. Points are test samples, and the titles give the accuracy of 5-NN on this
# coordinate. LDA finds a direction. Its kernel form finds the radius of the rings and the fields of the checkerboard.
# NCA only needs neighbours of the same class, so it may give fields of one class different values.

figure, axes = plt.subplots(2, 3, figsize=(9.6, 6.2), layout="constrained")
for row, (X, y) in zip(axes, SETS.values(), strict=True):
    lines = [np.linspace(low, high, 80) for low, high in zip(X.min(axis=0), X.max(axis=0), strict=True)]
    grid = np.stack(np.meshgrid(*lines), axis=-1)
    for ax, (name, learner) in zip(row, LEARNERS.items(), strict=True):
        model = make_pipeline(learner, KNeighborsClassifier(5)).fit(X[::2], y[::2])
        level = model[0].transform(grid.reshape(-1, 2)).reshape(grid.shape[:2])
        ax.contourf(*lines, level, levels=12, cmap="Greys", alpha=0.6)
        ax.scatter(*X[1::2].T, c=y[1::2], cmap="coolwarm", s=7)
        ax.set(xticks=[], yticks=[], title=f"{name}: {100 * model.score(X[1::2], y[1::2]):.0f} % correct")
plt.show()

# %%
# For more than ``max_exact`` samples, a subset of them (landmarks) spans the space. The default width of the kernel
# follows the data. A grid search can set the width, ``kernelized__gamma``, and parameters of the learner, such as
# ``kernelized__learner__n_components``.

X, y = make_circles(20_000, noise=0.1, factor=0.5, random_state=0)
model = Kernelized(LDA(1), n_landmarks=100, random_state=0).fit(X, y)
print(f"{len(model.landmarks_)} landmarks, {len(model.projection_)} directions, gamma = {model.gamma_:.2f}")
