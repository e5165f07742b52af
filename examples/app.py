"""A web app: drop a table, fit a model, look at it, predict a new table.

pip install streamlit 'freemetric[table]'
streamlit run examples/app.py
"""

import pandas as pd
import streamlit as st
from sklearn.model_selection import train_test_split

from freemetric import TableClassifier, TableRegressor
from freemetric.inspection import permutation_importance

MOST_CLASSES = 20  # numbers with more distinct values are a regression target


@st.cache_resource
def fitted(table, target):
    """A model of three quarters of the rows, its score and importances on the rest."""
    table = table.dropna(subset=target)
    X = table.drop(columns=target)
    y = table[target]
    is_number = pd.api.types.is_numeric_dtype(y)
    is_regression = is_number and y.nunique() > MOST_CLASSES
    model = TableRegressor() if is_regression else TableClassifier()
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    model.fit(X_train, y_train)
    found = permutation_importance(model, X_test, y_test, n_repeats=3, random_state=0)
    return model, model.score(X_test, y_test), found


def show(model, score, found):
    """Score and importances."""
    if isinstance(model, TableRegressor):
        st.metric("R² on held-out rows", f"{score:.3f}")
    else:
        st.metric("Accuracy on held-out rows", f"{score:.3f}")
    st.subheader("Score lost when a column is shuffled")
    st.bar_chart(pd.Series(found.importances_mean, index=found.names.astype(str)))


st.title("freemetric")
file = st.file_uploader("A table to learn from", type="csv", key="training")
if file is None:
    st.stop()
table = pd.read_csv(file)
st.dataframe(table.head())
target = st.selectbox("Column to predict", table.columns, index=table.shape[1] - 1)
if not st.checkbox("Fit"):
    st.stop()
model, score, found = fitted(table, target)
show(model, score, found)
new_file = st.file_uploader("New rows to predict", type="csv", key="new")
if new_file is not None:
    new = pd.read_csv(new_file)
    new[target] = model.predict(new.drop(columns=target, errors="ignore"))
    st.dataframe(new)
    st.download_button("Download", new.to_csv(index=False), "predicted.csv")
