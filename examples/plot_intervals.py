"""
Prediction intervals
====================

Some targets can be predicted well, others cannot. Prediction intervals show the difference.
"""

# %%
# A wave that is quiet on the left and noisy on the right, and seven irrelevant features.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestRegressor

from freemetric import FreeEnergyRegressor

rng = np.random.default_rng(0)


def wave(n):
    X = rng.random((n, 8))
    noise = 0.05 + 0.5 * X[:, 0] ** 2
    return X, np.sin(8 * X[:, 0]) + noise * rng.standard_normal(n), noise


X_train, y_train, _ = wave(500)
X_test, y_test, noise = wave(400)
model = FreeEnergyRegressor(n_replicas=20, random_state=0).fit(X_train, y_train)
print(f"R^2 out of bag {model.oob_score_:.2f}, on new samples {model.score(X_test, y_test):.2f}")
forest = RandomForestRegressor(500, random_state=0).fit(X_train, y_train)
print(f"R^2 of a forest {forest.score(X_test, y_test):.2f}")

# %%
# Intervals that contain 90 % of the targets. They follow the noise, which the model has to learn.

low, high = model.predict_interval(X_test, alpha=0.1).T
held = (low <= y_test) & (y_test <= high)
order = np.argsort(X_test[:, 0])
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.fill_between(X_test[order, 0], low[order], high[order], alpha=0.25, lw=0, label="nine of ten")
ax.plot(X_test[order, 0], model.predict(X_test)[order], lw=1, label="expected")
ax.scatter(X_test[:, 0], y_test, s=8, c=np.where(held, "0.3", "tab:red"))
ax.set(xlabel="the feature that counts", ylabel="number")
ax.legend(frameon=False)
plt.show()
print(f"{held.mean():.0%} of the targets are inside")

# %%
# Half the width of an interval against the noise that was put in; with normal errors nine of ten are within 1.64
# standard deviations.

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
ax.scatter(1.64 * noise, (high - low) / 2, s=8, alpha=0.5)
ax.axline((0, 0), slope=1, color="0.5", lw=1)
ax.set(xlabel="1.64 times the noise", ylabel="half the width of the interval")
plt.show()
