// What is drawn as lines: calibration, ROC, error against the number of rows.
const BELOW = { orientation: "h", x: 0, y: 0, yref: "container", yanchor: "bottom" };
const diagonal = () => ({
  ...{ type: "line", xref: "x", yref: "y", x0: 0, x1: 1, y0: 0, y1: 1, layer: "below" },
  line: { color: color("soft"), dash: "dash", width: 1 },
});
const shares = (title) => axis({ title, range: [-0.02, 1.02], tickformat: ".0%", nticks: 6 });

// Lines in a square of shares, with its diagonal.
function drawInSquare(id, lines, across, upwards) {
  draw(id, lines, {
    shapes: [diagonal()],
    showlegend: lines.length > 1,
    legend: BELOW,
    xaxis: shares({ text: across }),
    yaxis: shares(upright(upwards)),
    margin: { l: 56, r: 12, t: 16, b: 40 },
  });
}

function lineOf(result, x, y, more) {
  return { type: "scatter", mode: "lines+markers", x, y, name: label(result.method, 30), ...look(result.method), ...more };
}

// Lines of 95 % belong to the chosen method; those of all would hide each other.
function calibrationLine(result) {
  const { bins } = result.calibration;
  const [x, y, low, high, n] = [0, 1, 2, 3, 4].map((i) => bins.map((bin) => bin[i]));
  const text = x.map((_, i) => `${label(result.method, 40)}<br>said ${percent(x[i])}, came true ${percent(y[i])}<br>about ${n[i]} rows`);
  const array = high.map((h, i) => h - y[i]);
  const arrayminus = low.map((l, i) => y[i] - l);
  const interval = { type: "data", symmetric: false, array, arrayminus, thickness: 1, width: 3 };
  const isChosen = result.method === chosen.method;
  return lineOf(result, x, y, { text, ...HOVER, opacity: isChosen ? 1 : 0.6, ...(isChosen ? { error_y: interval } : {}) });
}

function drawCalibration() {
  if (!byId("calibration-plot")) return;
  const known = methodsOf(chosen.file).filter(({ calibration }) => calibration);
  const of = known.length ? known[0].calibration.of : null;
  byId("calibration-name").textContent = of === null ? "Calibration of the class decided for" : `Calibration of “${of}”`;
  drawInSquare("calibration-plot", known.map(calibrationLine), "probability", "share that came true");
}

function drawRoc() {
  if (!byId("roc-plot")) return;
  const known = methodsOf(chosen.file).filter(({ roc }) => roc);
  byId("roc-part").hidden = known.length === 0;
  if (!known.length) return;
  byId("roc-name").textContent = `ROC curve of “${known[0].classes[1][0]}”`;
  const curve = (result) => {
    const hovertemplate = `${label(result.method, 40)}<br>found %{y:.1%}, wrongly %{x:.1%}<extra></extra>`;
    return lineOf(result, result.roc.false, result.roc.true, { mode: "lines", hovertemplate });
  };
  drawInSquare("roc-plot", known.map(curve), "share of the others taken for it", "share found");
}

function drawCurve() {
  if (!byId("curve-plot")) return;
  const known = methodsOf(chosen.file).filter(({ curve }) => curve.length);
  const sizes = [...new Set(known.flatMap(({ curve }) => curve.map(([n]) => Math.round(n))))].sort((a, b) => a - b);
  const curve = (result) => {
    const points = result.curve.filter(([, error]) => error !== null);
    const [x, y, array] = [0, 1, 2].map((i) => points.map((point) => point[i]));
    const hovertemplate = `${label(result.method, 40)}<br>%{x:.0f} rows: %{y:.2f} % wrong<extra></extra>`;
    return lineOf(result, x, y, { error_y: { type: "data", array, thickness: 1, width: 3 }, hovertemplate });
  };
  draw("curve-plot", known.map(curve), {
    showlegend: known.length > 1,
    legend: BELOW,
    xaxis: axis({ title: { text: "training rows" }, type: "log", tickvals: sizes, ticktext: sizes.map(String) }),
    yaxis: axis({ title: upright("error in %"), rangemode: "tozero" }),
    margin: { l: 56, r: 16, t: 16, b: 40 },
  });
  const lines = known.filter(({ more_rows }) => more_rows).map(({ method, more_rows }) => element("li", `${method}: ${more_rows}.`));
  byId("more-rows").replaceChildren(...lines);
}
