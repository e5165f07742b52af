"""
Explaining a model
==================

This example shows which features count, how good the predictions are, and the
neighbours behind a single one.
"""

# %%
# The data are tumours with thirty measurements. Many of them are correlated, and each
# alone seems unimportant. We therefore shuffle the mean, the error and the worst value
# of a measurement together.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from freemetric import FreeEnergyClassifier
from freemetric.inspection import permutation_importance
from freemetric.plotting import ConfusionDisplay, EmbeddingDisplay, ImportancesDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"}).to_numpy()
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
model = FreeEnergyClassifier(n_replicas=20, random_state=0).fit(X_train, y_train)

kinds = X.columns.str.replace("mean |worst | error", "", regex=True)
found = permutation_importance(model, X_test, y_test, groups=kinds, random_state=0)
label = "decrease of the accuracy"
spread = found.importances_std
ImportancesDisplay(found.names, found.importances_mean, spread, label).plot()
plt.show()

# %%
# The share of each feature in the squared distances is a different quantity. A feature
# with a large variance has a large share even if it does not separate the classes.

ImportancesDisplay.from_estimator(model, most=10)
plt.show()

# %%
# Training samples are predicted out of bag: by metrics that have not learned from them.

ConfusionDisplay.from_estimator(model)
plt.show()

# %%
# The test sample with the least certain prediction, and its nearest neighbours in the
# whole space. Two axes show only a part of it. ``freemetric.plotting.report`` writes
# all of this to one page.

doubtful = model.predict_proba(X_test).max(axis=1).argmin()
EmbeddingDisplay.from_estimator(model, X_test, y_test, query=int(doubtful))
plt.show()
