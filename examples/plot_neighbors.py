"""
Choosing k
==========

A learned metric makes its own training samples look separable. The number of neighbours
k must therefore be chosen on held-out samples.
"""

# %%
# We use few samples, many features and some wrong labels, so that learners overfit.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import NCA, MetricKNeighborsClassifier

X, y = make_classification(
    2400, 30, n_informative=6, n_redundant=4, flip_y=0.15, random_state=5
)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=400, stratify=y, random_state=0
)
learner = make_pipeline(MinMaxScaler(), NCA())
model = MetricKNeighborsClassifier(learner, random_state=0).fit(X_train, y_train)
k = model.selection_["n_neighbors"]

# %%
# We compare three estimates of the error. "One metric" is leave-one-out with a metric
# that was learned from all training samples. "Refitted" is cross-validation with the
# metric refitted in every fold; :class:`~freemetric.MetricKNeighborsClassifier` does
# this. "Test" is the error on test samples.

Z = model.learner_.transform(X_train)
neighbors = NearestNeighbors(n_neighbors=len(k)).fit(Z)
nearest = neighbors.kneighbors(return_distance=False)  # without the sample itself
votes = np.stack([y_train[nearest[:, :n]].mean(axis=1) > 0.5 for n in k])
curves = {
    "one metric": 100 * np.mean(votes != y_train, axis=1),
    "refitted": 100 * model.selection_["error"],
    "test": 100 * np.mean(model.decisions(X_test, len(k)) != y_test[:, None], axis=0),
}

figure, ax = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
for name, curve in curves.items():
    best = np.argmin(curve)
    ax.plot(k, curve, label=f"{name}: lowest at k = {k[best]}")
    ax.plot(k[best], curve[best], "ko", markersize=4)
ax.set(xlabel="number of neighbours k", ylabel="error in %", ylim=(0, None))
ax.legend(frameon=False)
plt.show()
