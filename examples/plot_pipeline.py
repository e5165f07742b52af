"""
Pipelines and grid search
=========================

Learners are scikit-learn transformers. They work in pipelines after a ColumnTransformer
and keep feature names. A grid search can compare different learners.
"""

# %%
# The table has a text column, missing values and features in different units.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_wine
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from freemetric import LFDA, LMNN, NCA, RCA, Euclidean

X, y = load_wine(return_X_y=True, as_frame=True)
rng = np.random.default_rng(0)
X["strength"] = np.where(X.pop("alcohol") > 13, "strong", "light")
X["magnesium"] = X["magnesium"].mask(rng.random(len(X)) < 0.1)

is_number = make_column_selector(dtype_include="number")
is_text = make_column_selector(dtype_exclude="number")
prepare = make_column_transformer(
    (make_pipeline(SimpleImputer(), MinMaxScaler()), is_number),
    (OneHotEncoder(sparse_output=False), is_text),
)
model = Pipeline(
    [("prepare", prepare), ("metric", Euclidean()), ("vote", KNeighborsClassifier())]
)

# %%
# The grid contains the learner itself. All steps, including imputation, are refitted in
# every fold.

grid = {
    "metric": [Euclidean(), RCA(), LFDA(), LMNN(), NCA()],
    "vote__n_neighbors": [1, 5, 15],
}
search = GridSearchCV(model, grid, cv=5).fit(X, y)
results = pd.DataFrame(search.cv_results_)
results["learner"] = [type(used["metric"]).__name__ for used in results["params"]]
best = results.groupby("learner")["mean_test_score"].max().sort_values()

figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.barh(best.index, 100 * (1 - best))
ax.set(xlabel="error in % of five folds, best number of neighbours")
plt.show()
