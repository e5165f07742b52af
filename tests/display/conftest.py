import matplotlib as mpl
import pytest

from freemetric import NCA, FreeEnergyClassifier, Recipe

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="session")
def nca(iris):
    return NCA().fit(*iris)


@pytest.fixture(scope="session")
def classifier(iris):
    X, y = iris
    return FreeEnergyClassifier(n_replicas=20, recipe=Recipe(subsample=0.3), random_state=0).fit(X[::2], y[::2])
