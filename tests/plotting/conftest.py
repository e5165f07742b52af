import pytest

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def pictures():
    """Draw without a screen, and forget the pictures of a test."""
    matplotlib.use("agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")
