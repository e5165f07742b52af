"""Without the runtime there is nothing to compare with."""

import pytest
from sklearn.datasets import load_breast_cancer

pytest.importorskip("onnxruntime", reason="graphs are run by onnxruntime")


@pytest.fixture(scope="session")
def breast_cancer():
    return load_breast_cancer(return_X_y=True)
