// Choices of the reader, and scores beside the constant prediction.
const chosen = { file: 0, score: "error", method: null };
const DASHES = ["solid", "dash", "dot"];
const methodNames = [...new Set(data.results.map(({ method }) => method))].filter((name) => name !== data.baseline);

// A method has one look in all figures; the constant prediction is grey.
function look(method) {
  const marker = (symbol, tint) => ({ symbol, size: 7, color: tint });
  if (method === data.baseline) return { line: dashes("dot"), marker: marker("circle-open", color("soft")) };
  const i = methodNames.indexOf(method);
  const [tint, dash] = [tintOf(i), DASHES[Math.floor(i / TINTS.length) % DASHES.length]];
  return { line: { color: tint, width: 2, dash }, marker: marker(SYMBOLS[i % SYMBOLS.length], tint) };
}

const resultsOf = (file) => data.results.filter((result) => result.file === file);
const methodsOf = (file) => resultsOf(file).filter(({ method }) => method !== data.baseline);
const constantOf = (file) => resultsOf(file).find(({ method }) => method === data.baseline);
const current = () => resultsOf(chosen.file).find(({ method }) => method === chosen.method);

function fill(select, pairs, value, then) {
  if (!select) return;
  select.replaceChildren(...pairs.map(([key, text]) => element("option", text, { value: key })));
  select.value = value;
  select.onchange = () => then(select.value);
}

function aboutScore() {
  if (chosen.score === "error") return { title: "Error in %", unit: 1, higher: false };
  const { title, in_percent, higher_is_better } = data.scores.find(({ name }) => name === chosen.score);
  return { title: in_percent ? `${title} in %` : title, unit: in_percent ? 100 : 1, higher: higher_is_better };
}

function drawScores() {
  const { title, unit, higher } = aboutScore();
  const value = ({ scores }) => scores[chosen.score]?.[0] ?? null;
  const known = methodsOf(chosen.file).filter((result) => value(result) !== null);
  known.sort((a, b) => (higher ? value(b) - value(a) : value(a) - value(b)));
  const constant = constantOf(chosen.file) ? value(constantOf(chosen.file)) : null;
  const x = known.map((result) => unit * value(result));
  const errors = known.map(({ scores }) => unit * (scores[chosen.score][1] ?? 0));
  const text = known.map(({ method }, i) => `${label(method, 40)}: ${number(Number(x[i].toPrecision(4)))} ± ${number(Number(errors[i].toPrecision(2)))}`);
  byId("scores-plot").style.height = `${Math.max(190, 34 * known.length + 110)}px`;
  const points = {
    ...{ type: "scatter", mode: "markers", x, y: [...known.keys()], text, ...HOVER },
    marker: { color: known.map(({ method }) => look(method).marker.color), size: 10 },
    error_x: { type: "data", array: errors, thickness: 1.5, width: 5, color: color("ink") },
  };
  const [low, high] = [Math.min(...x, unit * (constant ?? Infinity)), Math.max(...x, unit * (constant ?? -Infinity))];
  const words = {
    ...{ text: "constant prediction", x: unit * constant, y: 1, xref: "x", yref: "paper", yanchor: "bottom", showarrow: false },
    ...{ font: { color: color("soft") }, xanchor: unit * constant > (low + high) / 2 ? "right" : "left" },
  };
  const unseen = { type: "scatter", mode: "markers", x: [unit * constant], y: [0], marker: { opacity: 0, size: 20 }, hoverinfo: "skip" };
  draw("scores-plot", constant === null ? [points] : [points, unseen], {
    shapes: constant === null ? [] : [upLine(unit * constant)],
    annotations: constant === null ? [] : [words],
    xaxis: across(`${plain(title)}, ${higher ? "more" : "less"} is better`, { nticks: 7 }),
    yaxis: named(known.map(({ method }) => method), 24, MOST_TICKS, { range: [known.length - 0.5, -0.5], showgrid: true }),
    margin: { l: 10, r: 16, t: 28, b: 40 },
  });
}
