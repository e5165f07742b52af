// Regression: predictions of one method against the true targets, residuals; intervals of all methods.
const ERROR = { title: "RMSE in % of the standard deviation", short: "%" };
const WIDE = 100; // times the lowest number: from there on logarithms help to see
const hasDetails = ({ predictions }) => predictions !== null;
const ends = (values) => [Math.min(...values.filter(Number.isFinite)), Math.max(...values.filter(Number.isFinite))];
const shownPredictions = () => current()?.predictions ?? { truth: [], predicted: [], left: [] };

// One point a row; a number that is none has no place.
function rowPoints(x, y, hovertemplate) {
  const size = x.length > 300 ? 4 : 6;
  const marker = { color: chosen.method ? look(chosen.method).marker.color : color("ink"), size, opacity: 0.65 };
  return { type: "scatter", mode: "markers", x, y, marker, hovertemplate: `${hovertemplate}<extra></extra>` };
}

function drawPredictions() {
  if (!byId("predicted-plot")) return;
  const { truth, predicted, left } = shownPredictions();
  const both = ends([...truth, ...predicted]);
  const logarithmsHelp = both[0] > 0 && both[1] > WIDE * both[0];
  byId("logarithmic-part").hidden = !logarithmsHelp;
  byId("logarithmic").onchange = () => choose({});
  const scale = logarithmsHelp && byId("logarithmic").checked ? { type: "log", nticks: 8 } : { nticks: 6 };
  const points = rowPoints(truth, predicted, "true %{x:.6~g}, predicted %{y:.6~g}");
  draw("predicted-plot", truth.length ? [dashed(both, both), points] : [], {
    xaxis: across("true", scale),
    yaxis: upwards("predicted", scale),
    margin: MARGIN,
  });
  const residuals = rowPoints(predicted, left, "predicted %{x:.6~g}, true is %{y:+.4~g} from it");
  draw("residuals-plot", truth.length ? [dashed(ends(predicted), [0, 0]), residuals] : [], {
    xaxis: across("predicted", scale),
    yaxis: upwards("true − predicted", { nticks: 6 }),
    margin: MARGIN,
  });
}

// Means and standard errors, from this place on among the values of an interval, against its level; side by side.
function intervalLines(known, place, unit) {
  return known.map((result, nth) => {
    const [level, y, array] = [0, place, place + 1].map((i) => result.intervals.map((values) => values[i]));
    const x = level.map((percent) => percent + 0.3 * (nth - (known.length - 1) / 2));
    const hovertemplate = `${label(result.method, 40)}<br>%{text} %: %{y:.4~g}${unit}<extra></extra>`;
    return lineOf(result, x, y, { error_y: { type: "data", array, thickness: 1, width: 3 }, text: level, hovertemplate });
  });
}

function drawIntervals() {
  if (!byId("coverage-plot")) return;
  const known = resultsOf(chosen.file).filter(({ intervals }) => intervals.length);
  const levels = [...new Set(known.flatMap(({ intervals }) => intervals.map(([level]) => level)))];
  const [low, high] = ends(levels);
  const ticks = { tickvals: levels, ticktext: levels.map((level) => `${level} %`) };
  const xaxis = across("nominal level", { ...ticks, range: [low - 2, high + 2] });
  const common = { showlegend: true, legend: BELOW, xaxis, margin: { ...MARGIN, b: 40 } };
  draw("coverage-plot", [dashed([low, high], [low, high]), ...intervalLines(known, 1, " %")], {
    ...common,
    yaxis: upwards("inside of the interval", { ticksuffix: " %", nticks: 7 }),
  });
  draw("width-plot", intervalLines(known, 3, ""), {
    ...common,
    yaxis: upwards("mean width", { rangemode: "tozero", nticks: 6 }),
  });
}

const DETAILS = [drawPredictions, drawIntervals];
