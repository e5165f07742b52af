"""
Decision regions before and after learning
==========================================

A classifier by nearest neighbours assigns a class to every point. A learned metric
changes its regions.
"""

# %%
# The classes are narrow parallel bands. The direction along the bands is uninformative
# and has the largest variance, so neighbours by the Euclidean distance often belong to
# another band.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from freemetric import DMLFE

rng = np.random.default_rng(0)
y = np.arange(600) % 3
along, across = rng.normal(0, 1, 600), 0.35 * y + rng.normal(0, 0.1, 600)
X = np.column_stack([along + across, along - across])
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=150, stratify=y, random_state=0
)

COLORS = ListedColormap(["#0d9488", "#f59e0b", "#a855f7"])
models = {
    "before learning, 5-NN": KNeighborsClassifier(5),
    "after learning, DMLFE and 5-NN": make_pipeline(
        DMLFE(random_state=0), KNeighborsClassifier(5)
    ),
}
sides = np.linspace(X_train.min(axis=0), X_train.max(axis=0), 200).T
grid = np.stack(np.meshgrid(*sides), axis=-1)

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    regions = model.fit(X_train, y_train).predict(grid.reshape(-1, 2)).reshape(200, 200)
    ax.pcolormesh(*sides, regions, cmap=COLORS, alpha=0.25, rasterized=True)
    ax.scatter(*X_train.T, c=y_train, cmap=COLORS, s=10)
    ax.set(
        title=f"{name}: test error {100 * (1 - model.score(X_test, y_test)):.1f} %",
        xticks=[],
        yticks=[],
    )
plt.show()

# %%
# DMLFE stretches the direction across the bands. Neighbours then lie along a band, and
# the regions become parallel to the bands.
