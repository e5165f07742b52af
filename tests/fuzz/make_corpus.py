"""``python -m tests.fuzz.make_corpus``: small files of every kind that strangers may hand us."""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, QuantileTransformer

from freemetric import (
    LEARNERS,
    MMC,
    NCA,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    Kernelized,
    MetricKNeighborsClassifier,
    PairClassifier,
    Recipe,
)
from freemetric.files import save

from .targets import CORPUS

X, y = np.stack(np.divmod(np.arange(24.0), 6), axis=1), np.arange(24) % 3
TEXTS = {
    "a.csv": 'size,town,day,class\n1.5,Rome,2024-01-31,yes\n-2,"Bo;nn",2024-02-01,no\n,?,,yes\n3e2,Rome,2023-12-24,no',
    "german.csv": "Größe;Ort;Klasse\n1.234,5;Köln;ja\n-2,25;Bonn;nein\n3;Köln;ja\n",
    "a.tsv": "a\tb\tclass\n1\tx\tyes\n2\ty\tno\n",
    "a.jsonl": '{"a": 1, "b": "x", "class": "yes"}\n{"a": null, "b": "y", "class": "no"}\n',
    "a.json": '[{"a": 1, "b": true}, {"a": 2.5, "b": false}]\n',
    "a.arff": "@relation r\n@attribute a numeric\n@attribute 'b c' {x,'y z'}\n@data\n1,x\n?,'y z'\n{0 3}\n",
    "a.libsvm": "+1 1:0.5 3:2\n-1 2:1e-3\n+1 1:1 # end\n",
}


def main():
    for name, text in TEXTS.items():
        (CORPUS / name).write_text(text, encoding="utf-8")
    frame = pd.DataFrame({"a": [1.5, None, 3.0], "b": ["x", "y", None], "day": pd.to_datetime(["2024-01-31"] * 3)})
    frame.to_parquet(CORPUS / "a.parquet")
    frame.to_feather(CORPUS / "a.feather")
    frame.to_excel(CORPUS / "a.xlsx", index=False)
    last = MetricKNeighborsClassifier(LEARNERS["euclidean"](), 1)
    rare = OneHotEncoder(sparse_output=False, handle_unknown="infrequent_if_exist", max_categories=4)
    save(make_pipeline(rare, MinMaxScaler(), last).fit(X, y), CORPUS / "one_hot.model")
    columns = make_column_transformer((QuantileTransformer(n_quantiles=5), [0]), (OrdinalEncoder(), slice(1, 2)))
    save(make_pipeline(SimpleImputer(add_indicator=True), columns, last).fit(X, y), CORPUS / "columns.model")
    kinds = ["scaled/full", "steps/diagonal", "quantiles/identity"]
    save(FreeEnergyClassifier(6, recipe=Recipe(candidates=kinds), random_state=0).fit(X, y), CORPUS / "ensemble.model")
    growing = np.exp(X[:, 0] + 0.1 * X[:, 1] ** 2)
    save(
        FreeEnergyRegressor(6, recipe=Recipe(candidates=kinds), random_state=0).fit(X, growing),
        CORPUS / "regression.model",
    )
    save(Kernelized(NCA(max_iter=2), n_landmarks=8, random_state=0).fit(X, y), CORPUS / "kernelized.model")
    pairs = PairClassifier(MMC(max_iter=2)).fit([[[0, 0], [0, 1]], [[0, 0], [3, 4]], [[1, 1], [1, 2]]], [1, -1, 1])
    save(pairs, CORPUS / "pairs.model")


if __name__ == "__main__":
    main()
