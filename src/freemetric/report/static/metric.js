// Figures with names: the matrix, the weights of the features, the confusion of the classes.
const LINE = 24; // pixels that a line of a confusion needs for its numbers
const MOST_TICKS = 26;
const ticksAcross = () => (narrow() ? 14 : MOST_TICKS);
const HOVER = { hovertemplate: "%{text}<extra></extra>" };

function named(names, longest, ticks, more = {}) {
  const every = Math.ceil(names.length / ticks);
  const tickvals = [...names.keys()].filter((i) => i % every === 0);
  const short = distinct(names, longest);
  const ticktext = tickvals.map((i) => plain(short[i]));
  return axis({ tickvals, ticktext, showgrid: false, zeroline: false, ...more });
}

function drawMetric() {
  if (!data.metric) return;
  const { names, matrix } = data.metric;
  const limit = Math.max(...matrix.flat().map(Math.abs), 1e-300);
  const words = (i, j) => [label(names[i], 40), label(names[j], 40), number(matrix[i][j])].join("<br>");
  const text = matrix.map((line, i) => line.map((_, j) => words(i, j)));
  const colorbar = { thickness: 10, len: 0.8, outlinewidth: 0, exponentformat: "e", nticks: 5 };
  const colorscale = ["cold", "panel", "hot"].map((name, i) => [i / 2, color(name)]);
  const cells = { z: matrix, zmin: -limit, zmax: limit, xgap: 1, ygap: 1, colorscale, colorbar };
  draw("metric-plot", [{ type: "heatmap", ...cells, text, ...HOVER }], {
    xaxis: named(names, narrow() ? 10 : 18, ticksAcross(), { tickangle: narrow() ? -90 : -60 }),
    yaxis: named(names, narrow() ? 12 : 24, MOST_TICKS, { autorange: "reversed" }),
    margin: { l: 10, r: 0, t: 24, b: 10 },
  });
}

function drawBars(id, { names, value, low, high }, tint, inWords, xaxis) {
  const range = (i) => (low ? `<br>${inWords(low[i])} to ${inWords(high[i])}` : "");
  const text = value.map((v, i) => `${label(names[i], 40)}: ${inWords(v)}${range(i)}`);
  const whiskers = low && {
    array: high.map((h, i) => Math.max(h - value[i], 0)),
    arrayminus: low.map((l, i) => Math.max(value[i] - l, 0)),
    ...{ type: "data", symmetric: false, thickness: 1.5, width: 3, color: color("ink") },
  };
  const bars = { type: "bar", orientation: "h", x: value, y: [...names.keys()], marker: { color: color(tint) } };
  draw(id, [{ ...bars, ...(low ? { error_x: whiskers } : {}), text, textposition: "none", ...HOVER }], {
    xaxis: axis({ rangemode: "tozero", nticks: 6, zerolinecolor: color("soft"), ...xaxis }),
    yaxis: named(names, narrow() ? 16 : 28, MOST_TICKS, { autorange: "reversed" }),
    margin: { l: 10, r: 12, t: 24, b: 40 },
    bargap: 0.3,
  });
}

function drawImportances() {
  if (!data.importances) return;
  const { score } = data.importances;
  const lost = (v) => `${number(Number(v.toFixed(4)))}`;
  drawBars("importances-plot", data.importances, "hot", lost, { title: { text: `${plain(score)} lost without it` } });
}

function drawWeights() {
  if (!data.weights) return;
  const title = { text: "share of the squared distances" };
  drawBars("weights-plot", data.weights, "cold", percent, { title, tickformat: ".0%" });
}

function drawConfusion() {
  if (!data.confusion) return;
  const { names, counts } = data.confusion;
  const totals = counts.map((line) => line.reduce((a, b) => a + b, 0) || 1);
  const share = counts.map((line, i) => line.map((n) => n / totals[i]));
  const words = (i, j) => `predicted ${label(names[j], 40)} (${percent(share[i][j])})`;
  const text = counts.map((line, i) => line.map((n, j) => `${n} of ${label(names[i], 40)}<br>${words(i, j)}`));
  const places = names.flatMap((_, i) => names.map((_, j) => [i, j]));
  const numerals = counts.flat().map((n) => (n || names.length <= 16 ? String(n) : ""));
  const shade = share.map((line) => line.map(Math.sqrt)); // or a few in a hundred would not be seen
  if (!narrow()) byId("confusion-plot").style.height = `${Math.min(Math.max(480, LINE * names.length + 100), 1000)}px`;
  const room = byId("confusion-plot").clientHeight - 100 >= LINE * names.length;
  const longest = names.length > 8 ? 10 : narrow() ? 12 : 24;
  const tickangle = narrow() && names.some((name) => name.length > 6) ? -60 : undefined;
  const colorscale = ["panel", "cold"].map((name, i) => [i, color(name)]);
  const cells = { z: shade, zmin: 0, zmax: 1, xgap: 2, ygap: 2, colorscale, showscale: false };
  const ink = places.map(([i, j]) => color(share[i][j] > 0.55 ? "on-accent" : "ink"));
  const numbers = {
    ...{ type: "scatter", mode: "text", hoverinfo: "skip", textfont: { color: ink, size: names.length > 16 ? 10 : 13 } },
    ...{ x: places.map(([, j]) => j), y: places.map(([i]) => i), text: numerals },
  };
  const square = { scaleanchor: "x", constrain: "domain", constraintoward: "top" };
  const reach = [-0.5, names.length - 0.5];
  const below = { title: { text: "predicted" }, tickangle, constrain: "domain", range: reach };
  const beside = { title: { text: "true", standoff: 10 }, range: [...reach].reverse(), ...square };
  draw("confusion-plot", [{ type: "heatmap", ...cells, text, ...HOVER }, ...(room ? [numbers] : [])], {
    xaxis: named(names, longest, ticksAcross(), below),
    yaxis: named(names, longest, ticksAcross(), beside),
    margin: { l: 20, r: 12, t: 24, b: 30 },
  });
}
