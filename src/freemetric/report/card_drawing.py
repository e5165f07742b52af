"""The drawings of a card: bars, sparklines and texts that are no markup, in HTML without scripts."""

from collections.abc import Iterable
from hashlib import sha256
from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..printable import printable
from .document import evenly

LONGEST_NAME, MOST_POINTS = 21, 200
BORDERS = (0.005, 0.995)  # of the numbers that are drawn: a single one far away would press all others together

# Text is of the colour that the notebook gives it, whatever its theme; the bars can be seen on light and on dark.
STYLE = """
.NAME { --bar: #2f80c0; max-width: 58em; margin: .5em 0; padding: .6em .9em; box-sizing: border-box; color: inherit;
  font: 13px/1.5 system-ui, sans-serif; border: 1px solid rgba(128, 128, 128, .4); border-radius: 6px; }
@media (prefers-color-scheme: dark) { .NAME { --bar: #4a9fe0; } }
.NAME .facts, .NAME .parts { display: flex; flex-wrap: wrap; gap: .4em 2em; }
.NAME .parts { margin-top: .7em; }
.NAME .parts > div { flex: 1 1 22em; min-width: 0; max-width: 34em; }
.NAME .title { display: block; font-size: 11px; opacity: .75; }
.NAME b { font-weight: 600; }
.NAME .bar { display: grid; grid-template-columns: 12.5em minmax(2em, 1fr) 9em; gap: .5em; align-items: center; }
.NAME .bar span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate;
  font-variant-numeric: tabular-nums; }
.NAME svg { display: block; width: 100%; height: .7em; }
.NAME .line svg { height: 3.4em; }
.NAME .points svg { width: 12em; height: 12em; }
.NAME .points path.dots { stroke: var(--bar); stroke-width: 3.5; stroke-linecap: round; opacity: .7; }
.NAME rect { fill: var(--bar); }
.NAME polyline { fill: none; stroke: var(--bar); stroke-width: 1.6; vector-effect: non-scaling-stroke; }
.NAME path { stroke: currentColor; vector-effect: non-scaling-stroke; }
"""
# Cards that another release has made may stand in the same notebook; another style has another name.
NAME = f"freemetric-card-{sha256(STYLE.encode()).hexdigest()[:8]}"


def framed(facts: Iterable[tuple[str, str]], parts: Iterable[str]) -> str:
    """A card of facts, as pairs of texts, and of drawings."""
    pairs = "".join(f"<div>{_title(name)} <b>{text(value)}</b></div>" for name, value in facts)
    style = STYLE.strip().replace("NAME", NAME)
    inside = f'<div class="facts">{pairs}</div><div class="parts">{"".join(parts)}</div>'
    return f'<style>{style}</style><div class="{NAME}">{inside}</div>'


def bars(title: str, names: Iterable[object], weights: NDArray, spreads: NDArray, *, are_shares: bool = True) -> str:
    """A bar for every name, with a line for its spread where there is one; shares are written as percents."""
    scale = 100 / (max(np.max(weights + spreads), 0) or 1)
    rows = []
    for name, w, s in zip(names, weights, spreads, strict=True):
        line = f'<path d="M{scale * max(w - s, 0):.1f} 5H{scale * max(w + s, 0):.1f}"/>' if s > 0 else ""
        rect = f'<rect width="{scale * max(w, 0):.1f}" height="10"/>'
        value = percent(w) if are_shares else f"{w:.3g}"
        if s > 0:
            value += f" ± {100 * s:.1f}" if are_shares else f" ± {s:.2g}"
        rows.append(f'<div class="bar">{_named(name)} {_drawing(100, 10, rect + line)} <span>{value}</span></div>')
    return f"<div>{_title(title)}{''.join(rows)}</div>"


def line(title: str, values: ArrayLike, marked: int | None = None) -> str | None:
    """A sparkline, with a mark at one of its values."""
    values = np.asarray(values, dtype=np.float64)
    shown = evenly(len(values), MOST_POINTS)
    shown = shown[np.isfinite(values[shown])]
    if len(shown) < 2:
        return None
    low, high = values[shown].min(), values[shown].max()
    x, y = 100 * shown / max(len(values) - 1, 1), 38 - 36 * (values[shown] - low) / ((high - low) or 1)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    mark = "" if marked is None else f'<path d="M{100 * marked / (len(values) - 1):.1f} 0V40"/>'
    drawing = _drawing(100, 40, f'<polyline points="{points}"/>{mark}')
    return f'<div class="line">{_title(title)}{drawing}</div>'


def points(title: str, x: NDArray, y: NDArray) -> str | None:
    """Two numbers that should agree, against each other, with the line where they do."""
    if len(x) < 2:
        return None
    shown = evenly(len(x), MOST_POINTS)
    low, high = np.quantile(np.concatenate([x, y]), BORDERS)
    u, v = (np.clip((some[shown] - low) / ((high - low) or 1), 0, 1) for some in (x, y))
    dots = "".join(f"M{2 + 96 * a:.1f} {98 - 96 * b:.1f}h0" for a, b in zip(u, v, strict=True))
    drawing = _drawing(100, 100, f'<path opacity=".5" d="M2 98L98 2"/><path class="dots" d="{dots}"/>')
    return f'<div class="points">{_title(title)}{drawing}</div>'


def _drawing(width, height, inside):
    return f'<svg viewBox="0 0 {width} {height}" preserveAspectRatio="none" aria-hidden="true">{inside}</svg>'


def _title(words):
    return f'<span class="title">{text(words)}</span>'


def _named(name):
    """Beginning and end of a name, the whole of it under the mouse."""
    name = str(name)
    tail = LONGEST_NAME // 3
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - tail - 1]}…{name[-tail:]}"
    return f'<span title="{text(name[:500])}">{text(short)}</span>'


def text(value: object) -> str:
    """A text that is no markup, without letters that would turn, hide or break what stands around it."""
    return escape(printable(value))


def percent(share: float) -> str:
    """A share in words.

    Examples
    --------
    >>> percent(0.1234)
    '12.3 %'
    """
    return f"{100 * share:.1f} %"
