"""Classes are distinguished by colour, on light and on dark, and many are named where they are."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from freemetric.display.embedding import scatter_classes
from freemetric.display.style import CLASS_COLORS, class_style


def linear(color):
    c = np.array(to_rgb(color))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(color):
    """CIELAB, in which a distance of ten is seen at a glance."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = to_xyz @ linear(color) / [0.9505, 1.0, 1.089]
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one, other):
    light = sorted(float(np.array([0.2126, 0.7152, 0.0722]) @ linear(c)) + 0.05 for c in (one, other))
    return light[1] / light[0]


@pytest.mark.parametrize(("n", "apart"), [(10, 20), (26, 14)])
def test_colours_differ_at_a_glance(n, apart):
    colors = [class_style(c)["color"] for c in range(n)]
    nearest = min(np.linalg.norm(lab(a) - lab(b)) for a, b in itertools.combinations(colors, 2))
    assert nearest > apart


def test_those_with_one_marker_differ_more():
    styles = [class_style(c) for c in range(26)]
    pairs = [(a, b) for a, b in itertools.combinations(styles, 2) if a["marker"] == b["marker"]]
    assert min(np.linalg.norm(lab(a["color"]) - lab(b["color"])) for a, b in pairs) > 25


@pytest.mark.parametrize("paper", ["#ffffff", "#1d2125"])
def test_they_are_seen_on_light_and_on_dark(paper):
    assert min(contrast(color, paper) for color in CLASS_COLORS) > 1.95


@pytest.mark.parametrize(("n", "named"), [(8, 0), (10, 10), (26, 26)])
def test_many_classes_are_named_where_they_are(rng, n, named):
    y = np.arange(10 * n) % n
    points = rng.standard_normal((10 * n, 2)) + 5 * y[:, None]
    _, axis = plt.subplots()
    scatter_classes(axis, points, y, [f"class {c} with $x_{c}$" for c in range(n)], {})
    assert len(axis.texts) == named
    for c, text in enumerate(axis.texts):
        assert text.get_text().startswith(f"class {c}")
        np.testing.assert_allclose(text.get_position(), np.median(points[y == c], axis=0))
    axis.figure.canvas.draw()
    plt.close()
