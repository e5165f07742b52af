// Regression: colours of the targets, predictions against true targets, residuals and intervals.
const VIRIDIS = [[0, "#440154"], [0.25, "#3b528b"], [0.5, "#21918c"], [0.75, "#5ec962"], [1, "#fde725"]];
const OUTSIDE = "#D55E00";
// The ends belong to it, which are errors of rows, perhaps of its own.
function holds(low, high, truth) {
  const slack = 1e-9 * (Math.abs(low) + Math.abs(high));
  return low - slack <= truth && truth <= high + slack;
}
const isHeld = (row) => holds(targets.low[row], targets.high[row], targets.truth[row]);
const hasInterval = (row) => Number.isFinite(targets.low[row]) && Number.isFinite(targets.high[row]);

// Numbers that are averaged as logarithms are shown as such; those of the colours must be positive then.
const shadedAsLogarithms = () => targets.log && targets.colours[0] > 0;
const shade = (value) => (shadedAsLogarithms() ? Math.log10(value) : value);
const tinted = (values) => ({ color: Array.from(values, shade), coloraxis: "coloraxis" });

function colourAxis() {
  const [low, high] = targets.colours.map(shade);
  const steps = [0, 0.25, 0.5, 0.75, 1].map((part) => low + part * (high - low));
  const words = (value) => number(Number((shadedAsLogarithms() ? 10 ** value : value).toPrecision(2)));
  const colorbar = { thickness: 10, outlinewidth: 0, tickvals: steps, ticktext: steps.map(words), tickfont: { size: 11 } };
  return { coloraxis: { colorscale: VIRIDIS, cmin: low, cmax: high > low ? high : low + 1, colorbar } };
}

const isScored = (row) => Number.isFinite(targets.truth[row]) && Number.isFinite(targets.predicted[row]);
const scoredRows = () => [...targets.truth.keys()].filter(isScored);

// Points of rows, which a click explains: those outside of their interval in a colour of their own.
function rowPoints(shown, x, y) {
  const size = shown.length > 2000 ? 4 : 6;
  const groups = [
    [(row) => !hasInterval(row) || isHeld(row), color("cold"), 0.6],
    [(row) => hasInterval(row) && !isHeld(row), OUTSIDE, 0.9],
  ];
  return groups.map(([belongs, tint, opacity]) => {
    const some = [...shown.keys()].filter((i) => belongs(shown[i]));
    return {
      ...{ type: "scatter", mode: "markers", x: some.map((i) => x[i]), y: some.map((i) => y[i]) },
      ...{ rows: some.map((i) => shown[i]), text: some.map((i) => hoverText(shown[i])) },
      ...{ hovertemplate: "%{text}<extra></extra>", marker: { color: tint, size, opacity } },
    };
  });
}

// Ticks of a logarithmic scale: 10, 20, 50, 100.
function scaleOfTargets(values) {
  if (!targets.log) return {};
  const [low, high] = ends(values);
  const powers = Array.from({ length: 41 }, (_, i) => 10 ** (i - 20));
  const marks = (digits) => powers.flatMap((power) => digits.map((n) => n * power)).filter((n) => n >= low && n <= high);
  const tickvals = [[1], [1, 2, 5], [1, 1.2, 1.5, 2, 3, 4, 5, 6, 8]].map(marks).find((some) => some.length > 2) ?? marks([1, 1.5, 2, 5]);
  return { type: "log", tickvals, ticktext: tickvals.map((n) => number(Number(n.toPrecision(2)))) };
}

// Points of rows over lines that guide the eye; a click on one explains the row.
function drawRowPoints(id, shown, lines, [x, xaxis], [y, words]) {
  draw(id, [...lines, ...rowPoints(shown, x, y)], { xaxis, yaxis: ofTargets(upwards, words, y), margin: MARGIN });
  byId(id).removeAllListeners("plotly_click"); // of a drawing before
  byId(id).on("plotly_click", ({ points: [point] }) => {
    if (point.data.rows) explainRow(point.data.rows[point.pointNumber]);
  });
}
const ofTargets = (side, words, values) => side(words, { nticks: 6, ...scaleOfTargets(values) });
const ends = (values) => [Math.min(...values), Math.max(...values)];

function drawPredicted() {
  if (!targets) return;
  const shown = scoredRows();
  const [x, y] = [targets.truth, targets.predicted].map((values) => shown.map((row) => values[row]));
  const both = ends([...x, ...y]);
  drawRowPoints("predicted-plot", shown, [dashed(both, both)], [x, ofTargets(across, "true", x)], [y, "predicted"]);
}

// Difference of two targets: a factor where they are averaged as logarithms.
const apart = (value, from) => (targets.log ? value / from : value - from);
const apartWords = () => (targets.log ? "true / predicted" : "true − predicted");
const levelLine = (x) => dashed(x, targets.log ? [1, 1] : [0, 0]);

function drawResiduals() {
  if (!targets) return;
  const shown = scoredRows();
  const x = shown.map((row) => targets.predicted[row]);
  const y = shown.map((row) => apart(targets.truth[row], targets.predicted[row]));
  const xaxis = ofTargets(across, "predicted", x);
  drawRowPoints("residuals-plot", shown, [levelLine(ends(x))], [x, xaxis], [y, apartWords()]);
}

function drawIntervals() {
  if (!targets || !targets.has_intervals) return;
  const width = (row) => apart(targets.high[row], targets.low[row]);
  const shown = scoredRows().filter(hasInterval).sort((a, b) => width(a) - width(b));
  const place = shown.map((_, i) => i + 1);
  const around = (values) => shown.map((row) => apart(values[row], targets.predicted[row]));
  const [low, high, truth] = [targets.low, targets.high, targets.truth].map(around);
  const lines = [...band(place, low, high, color("cold"), { line: { shape: "hvh" } }), levelLine([1, shown.length])];
  const xaxis = across("rows, the narrowest interval first", { nticks: 8 });
  drawRowPoints("intervals-plot", shown, lines, [place, xaxis], [truth, apartWords()]);
}
