"""
Explaining a regression
=======================

A prediction by neighbours can be inspected: its neighbours, their targets, and the part of the trends.
"""

# %%
# Disease progression after one year, for 442 patients with ten features.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from freemetric import FreeEnergyRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = FreeEnergyRegressor(n_replicas=20, random_state=0).fit(X, y)
print(f"R^2 out of bag {model.oob_score_:.2f}, on a {model.scale_name_} scale")

# %%
# Out-of-bag predictions against targets.

known = np.isfinite(model.oob_prediction_)
figure, ax = plt.subplots(figsize=(4.4, 4.2), layout="constrained")
ax.scatter(model.oob_prediction_[known], y[known], s=8)
ax.axline((150, 150), slope=1, color="0.5", lw=1)
ax.set(xlabel="expected", ylabel="observed")
plt.show()

# %%
# Permutation importances with standard errors.

found = model.permutation_importances()
order = np.argsort(found.mean)
figure, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
ax.barh(found.names[order], found.mean[order], xerr=found.error[order], color="0.6")
ax.set(xlabel="loss of R$^2$")
plt.show()

# %%
# One patient, and the five that are nearest in the averaged metric, in their own units.

patient = 0
_, rows = model.kneighbors(X.iloc[[patient]], n_neighbors=6)
others = X.iloc[rows[0][1:]].assign(number=y.iloc[rows[0][1:]])
print(others[[*found.names[order][::-1][:4], "number"]].to_string())
low, high = model.predict_interval(X.iloc[[patient]], alpha=0.2)[0]
print(f"expected {model.predict(X.iloc[[patient]])[0]:.0f}, eight of ten between {low:.0f} and {high:.0f}")

# %%
# The strengths of votes and trends.

for what, strength in model.strengths_.items():
    print(f"{what:15} {strength:.2f}")
