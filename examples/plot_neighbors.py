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

X, y = make_classification(2400, 30, n_informative=6, flip_y=0.1, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=400, stratify=y, random_state=0
)
learner = make_pipeline(MinMaxScaler(), NCA())
model = MetricKNeighborsClassifier(learner, random_state=0).fit(X_train, y_train)
k = model.selection_["n_neighbors"]

# %%
# "One metric" is the leave-one-out error of a metric that was learned from all training
# samples. "Refitted" is cross-validation with the metric refitted in every fold, as
# :class:`~freemetric.MetricKNeighborsClassifier` does.

neighbors = NearestNeighbors(n_neighbors=max(k))
neighbors.fit(model.learner_.transform(X_train))


def errors(nearest, truth):
    votes = [y_train[nearest[:, :n]].mean(axis=1) > 0.5 for n in k]
    return 100 * np.mean(np.array(votes) != truth, axis=1)


own = neighbors.kneighbors(return_distance=False)  # without the sample itself
new = neighbors.kneighbors(model.learner_.transform(X_test), return_distance=False)
curves = {
    "one metric": errors(own, y_train),
    "refitted": 100 * model.selection_["error"],
    "test": errors(new, y_test),
}

figure, ax = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
for name, curve in curves.items():
    best = np.argmin(curve)
    ax.plot(k, curve, label=f"{name}: lowest at k = {k[best]}")
    ax.plot(k[best], curve[best], "ko", markersize=4)
ax.set(xlabel="number of neighbours k", ylabel="error in %", ylim=(0, None))
ax.legend(frameon=False)
plt.show()
