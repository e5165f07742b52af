"""
Weights of the candidates
=========================

:class:`~freemetric.FreeEnergyClassifier` samples several kinds of metrics. Each replica learns from half of the samples
and is scored on the other half. The scores determine the weights of the kinds in the vote.
"""

# %%
# We generate three data sets that favour different metrics. The classes differ in a linear combination of features, in
# thresholds of two of eight features, or in a way that no linear map improves much.

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
    ours = f"FreeEnergyClassifier out of bag {expected:4.1f} %, test {found:4.1f} %"
    print(f"{make.__name__:10}  5-NN test {plain:4.1f} %; {ours}")
    models[make.__name__] = model, X_test, y_test

# %%
# A candidate is a view of the features and a form of the map. Its weight is a Boltzmann factor: it falls exponentially
# with the out-of-bag loss. ``selection_`` lists all candidates.

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
# Numbers of neighbours have weights too. Coloured lines are out-of-bag errors of candidates; the thick one has the
# largest weight. The black line is the test error.

NeighborsCurveDisplay.from_estimator(*models["thresholds"])
plt.show()
