"""
Prediction intervals
====================

``predict_interval`` returns an interval that contains the target with a given
probability. Intervals are wide where the target is noisy.
"""

# %%
# The target is a sine wave of the first feature. The noise grows from left to right.
# The other seven features are irrelevant.

import matplotlib.pyplot as plt
import numpy as np

from freemetric import FreeEnergyRegressor

rng = np.random.default_rng(0)


def wave(n):
    X = rng.random((n, 8))
    noise = 0.05 + 0.5 * X[:, 0] ** 2
    return X, np.sin(8 * X[:, 0]) + noise * rng.standard_normal(n)


X_train, y_train = wave(500)
X_test, y_test = wave(400)
model = FreeEnergyRegressor(n_replicas=20, random_state=0).fit(X_train, y_train)

# %%
# 90 % prediction intervals. Their width follows the noise. Red samples are outside of
# their interval.

low, high = model.predict_interval(X_test, alpha=0.1).T
inside = (low <= y_test) & (y_test <= high)
order = np.argsort(X_test[:, 0])
x = X_test[order, 0]
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.fill_between(x, low[order], high[order], alpha=0.25, lw=0, label="90 % interval")
ax.plot(x, model.predict(X_test)[order], lw=1, label="prediction")
ax.scatter(X_test[:, 0], y_test, s=8, c=np.where(inside, "0.3", "tab:red"))
ax.set(xlabel="first feature", ylabel="target")
ax.legend(frameon=False)
plt.show()
print(f"{inside.mean():.0%} of the test targets are inside their interval")
