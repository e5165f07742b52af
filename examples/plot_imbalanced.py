"""
Rare classes
============

One sample in twenty belongs to the class of interest. A model that never predicts it
has an accuracy of 95 %. Precision and recall are better measures. We choose the
decision threshold from out-of-bag probabilities.
"""

# %%
# Six of twenty features are informative.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import precision_recall_curve
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from freemetric import FreeEnergyClassifier

X, y = make_classification(
    2000, 20, n_informative=6, n_redundant=0, weights=[0.95], random_state=2
)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=800, stratify=y, random_state=0
)
model = FreeEnergyClassifier(n_replicas=20, random_state=0).fit(X_train, y_train)
plain = KNeighborsClassifier(15).fit(X_train, y_train)

# %%
# ``predict`` returns the class with a probability above one half. The out-of-bag
# probabilities show which threshold maximises the F1 score; no test sample is needed.

P = model.oob_decision_function_[:, 1]
scored = np.isfinite(P)
precision, recall, thresholds = precision_recall_curve(y_train[scored], P[scored])
f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
threshold = thresholds[f1[:-1].argmax()]

figure, ax = plt.subplots(figsize=(6, 4.4), layout="constrained")
for name, found in {"FreeEnergyClassifier": model, "k-NN": plain}.items():
    P = found.predict_proba(X_test)[:, 1]
    precision, recall, _ = precision_recall_curve(y_test, P)
    ax.plot(recall, precision, label=name)
P = model.predict_proba(X_test)[:, 1]
for limit, mark in ((0.5, "o"), (threshold, "s")):
    is_found = limit <= P
    right = (is_found & (y_test == 1)).sum()
    place = right / y_test.sum(), right / is_found.sum()
    ax.plot(*place, mark, color="black", label=f"threshold {limit:.2f}")
ax.set(xlabel="recall", ylabel="precision", ylim=(0, 1.05))
ax.legend(frameon=False)
plt.show()
