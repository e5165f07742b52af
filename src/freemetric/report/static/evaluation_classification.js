// Classification: the classes of one method, calibration and ROC of all methods.
const MOST_BESIDE = 12; // classes whose confusion has room beside their table, ...
const LONGEST_BESIDE = 14; // ... and letters of their names
const ERROR = { title: "error in %", short: "% wrong" };
const hasDetails = ({ classes }) => classes.length > 0;

function drawClasses() {
  const { classes, confusion } = current() ?? { classes: [], confusion: null };
  const share = (part) => (part === null ? "–" : percent(part));
  const lines = classes.map(([name, n, recall, precision, , mistake]) => [name, String(n), fixed(share(recall)), fixed(share(precision)), mistake]);
  byId("by-class").replaceChildren(tableOf(["class", "rows", "recall", "precision", "most often taken for"], lines));
  data.confusion = confusion && { names: classes.map(([name]) => name), counts: confusion };
  byId("confusion-plot").closest("figure").hidden = !confusion;
  const fits = classes.length <= MOST_BESIDE && classes.every(([name]) => name.length <= LONGEST_BESIDE);
  byId("class-parts").classList.toggle("stacked", !fits || !confusion);
  drawConfusion(); // of the page about a model
}

// Lines in a square of shares, with its diagonal.
function drawInSquare(id, lines, x, y) {
  const shares = { range: [-0.02, 1.02], tickformat: ".0%", nticks: 6 };
  const place = { type: "line", xref: "x", yref: "y", x0: 0, x1: 1, y0: 0, y1: 1, layer: "below" };
  draw(id, lines, {
    shapes: [{ ...place, line: { ...dashes(), width: 1 } }],
    showlegend: lines.length > 1,
    legend: BELOW,
    xaxis: across(x, shares),
    yaxis: upwards(y, shares),
    margin: { ...MARGIN, b: 40 },
  });
}

// Lines of 95 % belong to the chosen method; those of all would hide each other.
function calibrationLine(result) {
  const { bins } = result.calibration;
  const [x, y, low, high, n] = [0, 1, 2, 3, 4].map((i) => bins.map((bin) => bin[i]));
  const text = x.map((_, i) => `${label(result.method, 40)}<br>predicted ${percent(x[i])}, observed ${percent(y[i])}<br>about ${n[i]} rows`);
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
  byId("calibration-name").textContent = of === null ? "Calibration of the predicted class" : `Calibration of “${of}”`;
  drawInSquare("calibration-plot", known.map(calibrationLine), "probability", "observed share");
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

const DETAILS = [drawClasses, drawCalibration, drawRoc];
