"""
Explaining a metric
===================

A learned distance is a matrix, and a decision is a handful of neighbours: both can be looked at.
"""

# %%
# Tumours, described by thirty measurements with names. What does the classifier owe to each of them? Shuffle it among
# the patterns and see what the out-of-bag log loss loses. Many of the thirty say nearly the same: alone none of them
# seems to be needed, so those of one kind (its mean, its error, its worst value) are shuffled together.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE, FreeEnergyClassifier
from freemetric.display import MetricDisplay

cancer = load_breast_cancer(as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(cancer.data, cancer.target, stratify=cancer.target, random_state=0)

ensemble = FreeEnergyClassifier(n_replicas=20, random_state=0).fit(X_train, y_train)
kinds = cancer.data.columns.str.replace("mean |worst | error", "", regex=True)
found = ensemble.permutation_importances(kinds, scoring="neg_log_loss")
order = np.argsort(found.mean)

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.barh(found.names[order], found.mean[order], xerr=found.error[order], color="tab:blue", alpha=0.8)
ax.set(xlabel="what the log loss rises by without it, and the standard error of that")
plt.show()

# %%
# What the distances are made of is another question. A feature that varies much has much of them, whether the classes
# need it or not.

weight = pd.Series(ensemble.distance_weights_, ensemble.feature_names_in_).nlargest(10)[::-1]
spread = pd.Series(ensemble.distance_weights_std_, ensemble.feature_names_in_)[weight.index]

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.barh(weight.index, 100 * weight, xerr=100 * spread, color="tab:blue", alpha=0.8)
ax.set(xlabel="share in the squared distances in %, and its spread over replicas", xlim=(0, None))
plt.show()

# %%
# One metric in full
# ------------------
# The matrix :math:`M = A^T A` of a single learner says more: which features it weighs, and which it weighs
# *together*. With ``X`` the units are standard deviations, so that features can be compared.

model = make_pipeline(MinMaxScaler(), DMLFE(random_state=0)).set_output(transform="pandas").fit(X_train, y_train)
MetricDisplay.from_estimator(model, X=X_train, weights=True, top=10)
plt.show()

# %%
# One decision
# ------------
# Take the test sample that the classifier is least sure about, and look at its nearest neighbours in the learned
# space.

doubtful = np.abs(ensemble.predict_proba(X_test)[:, 1] - 0.5).argmin()
Z_train, z = model.transform(X_train).to_numpy(), model.transform(X_test).to_numpy()[doubtful]
nearest = np.argsort(np.linalg.norm(Z_train - z, axis=1))[:5]
table = X_train.iloc[nearest][weight.index[::-1][:4]]
table.insert(0, "class", cancer.target_names[y_train.iloc[nearest]])
table.insert(1, "distance", np.linalg.norm(Z_train[nearest] - z, axis=1).round(2))
print(f"truth: {cancer.target_names[y_test.iloc[doubtful]]}")
print(table.to_string(index=False))

# %%
# Why is the nearest one near? The squared distance is a sum over features, :math:`\sum_i v_i (M v)_i` with the
# difference v of the two patterns. Negative parts are differences that the metric lets cancel each other.

scaled = model[0].transform(pd.concat([X_test.iloc[[doubtful]], X_train.iloc[nearest[:1]]]))
v = (scaled.iloc[0] - scaled.iloc[1]).to_numpy()
parts = pd.Series(v * (model[1].get_mahalanobis_matrix() @ v), X_train.columns)
parts = parts[parts.abs().nlargest(8).index][::-1]
figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.barh(parts.index, parts, color=np.where(parts > 0, "tab:red", "tab:green"))
ax.axvline(0, color="black", linewidth=0.8)
ax.set(xlabel="part of the squared distance to the nearest neighbour")
plt.show()
