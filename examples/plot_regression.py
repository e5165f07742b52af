"""
Explaining a regression
=======================

This example inspects a regression model: its predictions with their intervals, the
features in its distances, and the neighbours of a single sample.
"""

# %%
# The target is the progression of a disease after one year, for 442 patients with ten
# features. Samples that the model was not fitted on have prediction intervals. Those
# that miss the truth have another colour.

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from freemetric import FreeEnergyRegressor
from freemetric.plotting import (
    EmbeddingDisplay,
    ImportancesDisplay,
    PredictionDisplay,
)

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = FreeEnergyRegressor(n_replicas=20, random_state=0).fit(X_train, y_train)
print(f"R^2 out of bag {model.oob_score_:.2f}")
PredictionDisplay.from_estimator(model, X_test, y_test, alpha=0.2)
plt.show()

# %%
# Shares of the features in the squared distances:

ImportancesDisplay.from_estimator(model)
plt.show()

# %%
# The five nearest neighbours of one patient in the averaged metric:

patient = X_test.iloc[[0]]
_, rows = model.kneighbors(patient, n_neighbors=5)
print(X_train.iloc[rows[0]].assign(target=y_train).to_string())
low, high = model.predict_interval(patient, alpha=0.2)[0]
print(f"{model.predict(patient)[0]:.0f}, 80 % interval {low:.0f} to {high:.0f}")

# %%
# The same patient in the space of all patients:

EmbeddingDisplay.from_estimator(model, X_test, y_test, query=0)
plt.show()
