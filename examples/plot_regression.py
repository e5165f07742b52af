"""
Explaining a regression
=======================

This example inspects a regression model: its out-of-bag predictions, the importances of features, and the neighbours of
a single sample.
"""

# %%
# The target is the progression of a disease after one year, for 442 patients with ten features.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from freemetric import FreeEnergyRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = FreeEnergyRegressor(n_replicas=20, random_state=0).fit(X, y)
print(f"R^2 out of bag {model.oob_score_:.2f}, on a {model.scale_name_} scale")

# %%
# Targets against out-of-bag predictions:

known = np.isfinite(model.oob_prediction_)
figure, ax = plt.subplots(figsize=(4.4, 4.2), layout="constrained")
ax.scatter(model.oob_prediction_[known], y[known], s=8)
ax.axline((150, 150), slope=1, color="0.5", lw=1)
ax.set(xlabel="out-of-bag prediction", ylabel="target")
plt.show()

# %%
# Permutation importances with standard errors:

found = model.permutation_importances()
order = np.argsort(found.mean)
figure, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
ax.barh(found.names[order], found.mean[order], xerr=found.error[order], color="0.6")
ax.set(xlabel="decrease of R$^2$")
plt.show()

# %%
# The five nearest neighbours of one patient in the averaged metric, and the prediction with an 80 % interval:

patient = 0
_, rows = model.kneighbors(X.iloc[[patient]], n_neighbors=6)
others = X.iloc[rows[0][1:]].assign(target=y.iloc[rows[0][1:]])
print(others[[*found.names[order][::-1][:4], "target"]].to_string())
low, high = model.predict_interval(X.iloc[[patient]], alpha=0.2)[0]
print(f"prediction {model.predict(X.iloc[[patient]])[0]:.0f}, 80 % interval {low:.0f} to {high:.0f}")

# %%
# A prediction combines the mean of neighbours (votes) with trends over all samples. ``strengths_`` holds their weights:

for what, strength in model.strengths_.items():
    print(f"{what:15} {strength:.2f}")
