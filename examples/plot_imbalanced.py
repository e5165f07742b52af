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
from sklearn.metrics import (
    PrecisionRecallDisplay,
    balanced_accuracy_score,
    f1_score,
    precision_recall_curve,
)
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import NCA, FreeEnergyClassifier

X, y = make_classification(
    2000,
    20,
    n_informative=6,
    n_redundant=0,
    n_clusters_per_class=2,
    weights=[0.95],
    class_sep=1.3,
    random_state=2,
)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=800, stratify=y, random_state=0
)
print(f"{y_train.sum()} of {len(y_train)} training samples belong to the rare class")

models = {
    "k-NN": make_pipeline(MinMaxScaler(), KNeighborsClassifier(15)),
    "NCA + k-NN": make_pipeline(MinMaxScaler(), NCA(), KNeighborsClassifier(15)),
    "FreeEnergyClassifier": FreeEnergyClassifier(n_replicas=20, random_state=0),
}
figure, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
probabilities = {
    name: model.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    for name, model in models.items()
}
for name, P in probabilities.items():
    PrecisionRecallDisplay.from_predictions(y_test, P, name=name, ax=ax)
ax.set(xlabel="recall", ylabel="precision")
ax.legend(loc="lower left", frameon=False)
plt.show()

# %%
# Bags are stratified, so every replica sees the rare class. Votes are calibrated out of
# bag. ``predict`` returns the class with a probability above one half. The out-of-bag
# probabilities show which threshold maximises the F1 score; no test sample is needed.

model = models["FreeEnergyClassifier"]
expected = model.oob_decision_function_[:, 1]
scored = np.isfinite(expected)
precision, recall, thresholds = precision_recall_curve(
    y_train[scored], expected[scored]
)
f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
threshold = thresholds[f1[:-1].argmax()]

for name, limit in (("one half", 0.5), ("out of bag", threshold)):
    found = (probabilities["FreeEnergyClassifier"] >= limit).astype(int)
    balanced = balanced_accuracy_score(y_test, found)
    scores = f"F1 {f1_score(y_test, found):.2f}, balanced accuracy {balanced:.2f}"
    print(f"threshold {name:10} {limit:.2f}: {scores}")

# %%
# The reliability curve shows the share of the rare class among samples with similar
# predicted probabilities. With so few rare samples, the probabilities tend to be too
# low.

figure, ax = plt.subplots(figsize=(4.6, 4.2), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.6", linestyle=":")
for name, P in probabilities.items():
    bins = np.digitize(P, [0.1, 0.2, 0.35, 0.5, 0.65, 0.8])
    filled = [b for b in range(7) if (bins == b).sum() >= 8]
    ax.plot(
        *np.array([(P[bins == b].mean(), y_test[bins == b].mean()) for b in filled]).T,
        marker="o",
        label=name,
    )
ax.set(xlabel="predicted probability", ylabel="observed share", aspect="equal")
ax.legend(frameon=False, fontsize="small")
plt.show()
