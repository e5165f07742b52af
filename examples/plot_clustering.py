"""
Clustering with labelled pairs
==============================

The samples have no labels, but we know of a few pairs whether they belong together. A
metric learned from such pairs improves any clustering algorithm.
"""

# %%
# We use iris without its labels. k-means with the Euclidean distance mixes two of the
# species. The adjusted Rand index measures the agreement with the true groups: 1 is
# perfect, 0 is chance.

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler

from freemetric import ITML, RCA

X, y = load_iris(return_X_y=True)
X = MinMaxScaler().fit_transform(X)


def clusters(Z):
    return KMeans(3, n_init=10, random_state=0).fit_predict(Z)


print(f"Euclidean distance: {adjusted_rand_score(y, clusters(X)):.2f}")

# %%
# A pair of rows has the label +1 (similar) or -1 (dissimilar).
# :class:`~freemetric.ITML` learns from pairs. :class:`~freemetric.RCA` learns from
# chunks, which are groups of similar samples. We join similar pairs to chunks; the
# other rows get -1. RCA ignores dissimilar pairs.


def labelled_pairs(rng, n):
    pairs = rng.choice(len(X), size=(3 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]][:n]
    return pairs, np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)


def chunks(pairs, labels):
    alike = pairs[labels == 1]
    graph = coo_array((np.ones(len(alike)), alike.T), shape=(len(X), len(X)))
    _, group = connected_components(graph, directed=False)
    return np.where(np.bincount(group)[group] > 1, group, -1)


def with_itml(pairs, labels):
    return ITML(random_state=0).fit(X, pairs=pairs, pair_labels=labels)


def with_rca(pairs, labels):
    return RCA(2).fit(X, chunks=chunks(pairs, labels))


rng = np.random.default_rng(0)
amounts = (15, 30, 60, 120)
found = {"ITML": [], "RCA": []}
for n in amounts:
    draws = [labelled_pairs(rng, n) for _ in range(10)]
    for name, learn in (("ITML", with_itml), ("RCA", with_rca)):
        found[name].append(
            [
                adjusted_rand_score(y, clusters(learn(*draw).transform(X)))
                for draw in draws
            ]
        )

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
ax.axhline(
    adjusted_rand_score(y, clusters(X)),
    color="0.5",
    linestyle=":",
    label="Euclidean distance",
)
for name, scores in found.items():
    mean, spread = np.mean(scores, axis=1), np.std(scores, axis=1)
    ax.errorbar(amounts, mean, spread, marker="o", capsize=3, label=name)
ax.set(
    xlabel="labelled pairs", ylabel="adjusted Rand index", xscale="log", xticks=amounts
)
ax.set_xticklabels(amounts)
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()

# %%
# The clusters before and after learning from the last set of pairs. Colours are
# clusters; crosses mark samples in the wrong cluster.

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, Z, name in zip(
    axes,
    (X[:, 2:], with_rca(*draws[-1]).transform(X)),
    ("Euclidean", "RCA"),
    strict=True,
):
    group = clusters(X if name == "Euclidean" else Z)
    usual = np.array([np.bincount(y[group == g]).argmax() for g in range(3)])
    wrong = usual[group] != y
    ax.scatter(*Z[~wrong].T, c=group[~wrong], cmap="Set2", s=18)
    ax.scatter(*Z[wrong].T, marker="x", color="black", s=25)
    ax.set(
        title=f"{name}: {wrong.sum()} of {len(X)} in the wrong cluster",
        xticks=[],
        yticks=[],
    )
plt.show()
