"""
Clustering with labelled pairs
==============================

The samples have no labels, but we know of a few pairs whether they belong together. A
metric learned from such pairs improves any clustering algorithm.
"""

# %%
# We use iris without its labels. A pair of rows has the label +1 (similar) or -1
# (dissimilar).

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler

from freemetric import ITML, MMC

X, y = load_iris(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
rng = np.random.default_rng(0)


def labelled_pairs(n):
    pairs = rng.choice(len(X), size=(3 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]][:n]
    return pairs, np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)


def agreement(Z):
    """The adjusted Rand index of k-means: 1 is perfect, 0 is chance."""
    return adjusted_rand_score(y, KMeans(3, n_init=10, random_state=0).fit_predict(Z))


# %%
# Ten draws of pairs for every number of pairs.

amounts = (15, 30, 60, 120)
learners = {"ITML": ITML(random_state=0), "MMC": MMC(random_state=0)}
found = {name: np.empty((len(amounts), 10)) for name in learners}
for row, n in enumerate(amounts):
    for draw in range(10):
        pairs, labels = labelled_pairs(n)
        for name, learner in learners.items():
            Z = learner.fit(X, pairs=pairs, pair_labels=labels).transform(X)
            found[name][row, draw] = agreement(Z)

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
ax.axhline(agreement(X), color="0.5", linestyle=":", label="Euclidean distance")
for name, scores in found.items():
    mean, spread = scores.mean(axis=1), scores.std(axis=1)
    ax.errorbar(amounts, mean, spread, marker="o", capsize=3, label=name)
ax.set(xlabel="labelled pairs", ylabel="adjusted Rand index")
ax.legend(frameon=False)
plt.show()
