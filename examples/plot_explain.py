"""
Explaining a metric
===================

This example shows permutation importances, the learned matrix, and the neighbours behind a single prediction.
"""

# %%
# The data are tumours with thirty measurements. The permutation importance of a feature is the increase of the
# out-of-bag log loss when its values are shuffled. Many features are correlated, and each alone seems unimportant. We
# therefore shuffle the mean, the error and the worst value of a measurement together.

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
ax.set(xlabel="increase of the log loss, with standard errors")
plt.show()

# %%
# The share of each feature in the squared distances is a different quantity. A feature with a large variance has a
# large share even if it does not separate the classes.

weight = pd.Series(ensemble.distance_weights_, ensemble.feature_names_in_).nlargest(10)[::-1]
spread = pd.Series(ensemble.distance_weights_std_, ensemble.feature_names_in_)[weight.index]

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.barh(weight.index, 100 * weight, xerr=100 * spread, color="tab:blue", alpha=0.8)
ax.set(xlabel="share in the squared distances in %, with the standard deviation over replicas", xlim=(0, None))
plt.show()

# %%
# One metric in full
# ------------------
# The matrix :math:`M = A^T A` of a single metric shows the weights of features and of pairs of features. With ``X``,
# weights are in units of standard deviations and can be compared.

model = make_pipeline(MinMaxScaler(), DMLFE(random_state=0)).set_output(transform="pandas").fit(X_train, y_train)
MetricDisplay.from_estimator(model, X=X_train, weights=True, top=10)
plt.show()

# %%
# One prediction
# --------------
# We take the test sample with the least certain prediction and list its nearest neighbours in the learned space.

doubtful = np.abs(ensemble.predict_proba(X_test)[:, 1] - 0.5).argmin()
Z_train, z = model.transform(X_train).to_numpy(), model.transform(X_test).to_numpy()[doubtful]
nearest = np.argsort(np.linalg.norm(Z_train - z, axis=1))[:5]
table = X_train.iloc[nearest][weight.index[::-1][:4]]
table.insert(0, "class", cancer.target_names[y_train.iloc[nearest]])
table.insert(1, "distance", np.linalg.norm(Z_train[nearest] - z, axis=1).round(2))
print(f"true class: {cancer.target_names[y_test.iloc[doubtful]]}")
print(table.to_string(index=False))

# %%
# The squared distance to the nearest neighbour is a sum over features, :math:`\sum_i v_i (M v)_i`, where v is the
# difference of the two samples. Negative terms come from differences that cancel in the metric.

scaled = model[0].transform(pd.concat([X_test.iloc[[doubtful]], X_train.iloc[nearest[:1]]]))
v = (scaled.iloc[0] - scaled.iloc[1]).to_numpy()
parts = pd.Series(v * (model[1].get_mahalanobis_matrix() @ v), X_train.columns)
parts = parts[parts.abs().nlargest(8).index][::-1]
figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.barh(parts.index, parts, color=np.where(parts > 0, "tab:red", "tab:green"))
ax.axvline(0, color="black", linewidth=0.8)
ax.set(xlabel="contribution to the squared distance to the nearest neighbour")
plt.show()
