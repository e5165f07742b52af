"""
Weights of the candidates
=========================

:class:`~freemetric.FreeEnergyClassifier` does not ask its user which metric suits the data. It samples several kinds,
each replica on half of the samples, and scores it on the other half.
"""

# %%
# Three sets of samples, each made for another kind of metric: classes that differ in a mixture of features; in
# thresholds of single features, hidden among useless ones; and in nothing that a linear map could improve much.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from freemetric import FreeEnergyClassifier
from freemetric.display import NeighborsCurveDisplay

rng = np.random.default_rng(0)


def mixture(n):
    X = rng.normal(size=(n, 6))
    X[:, 0] = X[:, 1] + 0.3 * rng.normal(size=n)
    return X, (X[:, 0] - X[:, 1] > 0).astype(int)


def thresholds(n):
    X = np.exp(rng.normal(size=(n, 8)))
    return X, (X[:, 0] > 1) * 2 + (X[:, 1] > 1)


def moons(n):
    return make_moons(n, noise=0.2, random_state=0)


models = {}
for make in (mixture, thresholds, moons):
    X, y = make(360)
    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
    model = FreeEnergyClassifier(n_replicas=24, random_state=0).fit(X_train, y_train)
    plain = KNeighborsClassifier(n_neighbors=5).fit(X_train, y_train)
    plain, expected, found = (
        100 * (1 - score) for score in (plain.score(X_test, y_test), model.oob_score_, model.score(X_test, y_test))
    )
    print(f"{make.__name__:10}  5-NN {plain:4.1f} %   free energy: expected {expected:4.1f} %, found {found:4.1f} %")
    models[make.__name__] = model, X_test, y_test

# %%
# A candidate is a view of the features and a form of the map. Its weight falls exponentially with its out-of-bag score,
# like a Boltzmann factor. ``selection_`` lists all candidates.

weights = {}
for name, (model, _, _) in models.items():
    tried = model.selection_
    for view, form, weight in zip(tried["view"], tried["form"], tried["weight"], strict=True):
        weights.setdefault(f"{view} / {form}", dict.fromkeys(models, 0.0))[name] += weight

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
height = 0.8 / len(models)
for i, name in enumerate(models):
    ax.barh(np.arange(len(weights)) + i * height, [of[name] for of in weights.values()], height, label=name)
ax.set(yticks=np.arange(len(weights)) + height, yticklabels=list(weights), xlabel="weight in the vote")
ax.invert_yaxis()
ax.legend(frameon=False)
plt.show()

# %%
# The number of neighbours is weighed in the same way. Coloured lines are candidates out of bag, the heaviest one
# thick; black is the error on samples that were never seen.

NeighborsCurveDisplay.from_estimator(*models["thresholds"])
plt.show()
