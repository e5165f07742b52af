"""
Search with short vectors
=========================

A learned map shortens vectors for similarity search and keeps the precision. After ``transform`` the learned distance
is the Euclidean distance, so any index of Euclidean vectors works.
"""

# %%
# The catalogue contains images of digits. A hit is an image of the same digit. The map is learned from the catalogue;
# queries are held out.

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import LFDA, NCA, PCA, RCA

X, y = load_digits(return_X_y=True)
catalogue, queries, y_catalogue, y_queries = train_test_split(X, y, test_size=300, stratify=y, random_state=0)

MOST = 20


def index_of(vectors):
    """An exact index. pynndescent, hnswlib and faiss build approximate ones from the same vectors."""
    return NearestNeighbors(n_neighbors=MOST, algorithm="kd_tree").fit(vectors)


# %%
# Precision at n is the share of hits among the first n results.

maps = {
    "pixels": VarianceThreshold(),
    "PCA, 8 dimensions": PCA(8),
    "LFDA, 8 dimensions": LFDA(8),
    "RCA, 8 dimensions": RCA(8),
    "NCA, 8 dimensions": NCA(8, init="lda"),
}
figure, ax = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
for name, learner in maps.items():
    model = make_pipeline(MinMaxScaler(), VarianceThreshold(), learner).fit(catalogue, y_catalogue)
    index = index_of(model.transform(catalogue))
    vectors = model.transform(queries)
    start = time.perf_counter()
    found = index.kneighbors(vectors, return_distance=False)
    milliseconds = 1000 * (time.perf_counter() - start)
    hits = y_catalogue[found] == y_queries[:, None]
    precision = 100 * np.cumsum(hits, axis=1).mean(axis=0) / np.arange(1, MOST + 1)
    ax.plot(np.arange(1, MOST + 1), precision, marker=".", label=name)
    print(f"{name:16} precision at 10: {precision[9]:.1f} %, {len(queries)} queries in {milliseconds:.0f} ms")
ax.set(xlabel="number of results n", ylabel="precision in %", xticks=[1, 5, 10, 15, 20])
ax.legend(frameon=False)
plt.show()

# %%
# Results of NCA for the four queries with the fewest hits. Each row shows a query and its nearest items; misses are
# red.

worst = np.argsort(hits.sum(axis=1))[:4]
figure, axes = plt.subplots(len(worst), 9, figsize=(8, 3.8), layout="constrained")
for row, q in zip(axes, worst, strict=True):
    row[0].imshow(queries[q].reshape(8, 8), cmap="gray_r")
    row[0].set_title("query", fontsize="small")
    for ax, item, hit in zip(row[1:], found[q], hits[q], strict=False):
        ax.imshow(catalogue[item].reshape(8, 8), cmap="gray_r" if hit else "Reds")
    for ax in row:
        ax.set_axis_off()
plt.show()
