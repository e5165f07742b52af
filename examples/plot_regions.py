"""
Decision regions before and after learning
==========================================

A classifier by nearest neighbours assigns a class to every point. A learned metric changes its regions.
"""

# %%
# The classes are narrow parallel bands. The direction along the bands is uninformative and has the largest variance, so
# neighbours by the Euclidean distance often belong to another band.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.datasets import load_wine
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE, NCA, PCA

rng = np.random.default_rng(0)
y = np.arange(600) % 3
along, across = rng.normal(0, 1, 600), 0.35 * y + rng.normal(0, 0.1, 600)
X = np.column_stack([along + across, along - across])
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=150, stratify=y, random_state=0)

COLORS = ListedColormap(["#0d9488", "#f59e0b", "#a855f7"])


def draw_regions(ax, model, X_train, y_train, X_test, y_test, name):
    model.fit(X_train, y_train)
    options = {"response_method": "predict", "grid_resolution": 200, "alpha": 0.3}
    DecisionBoundaryDisplay.from_estimator(model, X_train, ax=ax, cmap=COLORS, **options)
    ax.scatter(*X_train.T, c=y_train, cmap=COLORS, s=8)
    ax.set(title=f"{name}: test error {100 * (1 - model.score(X_test, y_test)):.1f} %", xticks=[], yticks=[])


figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
models = {
    "before, 5-NN": KNeighborsClassifier(5),
    "after, DMLFE and 5-NN": make_pipeline(DMLFE(random_state=0), KNeighborsClassifier(5)),
}
for ax, (name, model) in zip(axes, models.items(), strict=True):
    draw_regions(ax, model, X_train, y_train, X_test, y_test, name)
plt.show()

# %%
# Wine has 13 features. Regions of a plane need a map to two dimensions. We compare principal components, which ignore
# the classes, with NCA.

X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for ax, learner in zip(axes, (PCA(2), NCA(2, random_state=0)), strict=True):
    plane = make_pipeline(MinMaxScaler(), learner).fit(X_train, y_train)
    samples = plane.transform(X_train), y_train, plane.transform(X_test), y_test
    draw_regions(ax, KNeighborsClassifier(5), *samples, type(learner).__name__)
plt.show()
