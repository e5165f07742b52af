"""The selection of features as it is drawn: what a selector has, and nothing else."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import FreeEnergySelector
from freemetric.display import SelectionDisplay
from freemetric.display.style import COLORS


@pytest.fixture(scope="module")
def pipeline():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((120, 6)), columns=list("abcdef"))
    y = (X["b"] + X["e"] > 1).to_numpy()
    scaler = MinMaxScaler().set_output(transform="pandas")
    return make_pipeline(scaler, FreeEnergySelector(n_replicas=3, random_state=0)).fit(X, y)


def test_errors_and_temperatures_are_those_of_the_selector(pipeline):
    selector, display = pipeline[-1], SelectionDisplay.from_estimator(pipeline, most=4)
    errors, frozen = display.ax_
    drawn = errors.lines[0].get_xydata()
    np.testing.assert_allclose(drawn, np.column_stack([selector.path_["n_features"], selector.path_["oob_error"]]))
    assert errors.lines[-1].get_xdata()[0] == selector.n_features_
    names = [text.get_text() for text in frozen.get_yticklabels()]
    assert set(names[:2]) == {"b", "e"}
    order = np.argsort(selector.ranking_)[:4]
    assert names == list(np.array(list("abcdef"))[order])
    np.testing.assert_allclose(frozen.collections[0].get_offsets()[:, 0], selector.freezing_temperatures_[order])
    fill = frozen.collections[0].get_facecolors()
    filled = [len(fill) > i and tuple(fill[i]) == to_rgba(COLORS[0]) for i in range(4)]
    assert filled == selector.support_[order].tolist()
    plt.close(display.figure_)


def test_it_needs_a_selector_and_two_axes(pipeline):
    with pytest.raises(TypeError, match=r"needs a selector, such as FreeEnergySelector; MinMaxScaler is none"):
        SelectionDisplay.from_estimator(pipeline[0])
    figure, ax = plt.subplots()
    with pytest.raises(ValueError, match="needs 2 axes, got 1"):
        SelectionDisplay.from_estimator(pipeline, ax=ax)
    plt.close(figure)
