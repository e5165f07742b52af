// The fitted model: its scores and its errors.
function showModel(result) {
  byId("result").hidden = false;
  byId("stale").hidden = true;
  const pairs = result.task === "regress" ? numberFacts(result) : [[result.score_name, result.score === null ? null : percent(result.score)]];
  const heaviest = result.weights.slice(0, 3).map(([name, share]) => `${bothEnds(name, 24)} ${number(Math.round(share))} %`);
  const clear = result.importances.filter(([, mean, error]) => mean > 2 * error).slice(0, 3);
  const owed = clear.map(([name, mean, error]) => `${bothEnds(name, 24)} ${mean.toFixed(3)} ± ${error.toFixed(3)}`);
  const counts = [["rows", whole(result.rows)], ["columns", whole(result.columns)]];
  const voting = ["replicas", result.replicas || null];
  facts("result-facts", [...pairs, ...counts, voting, ["matters most", owed.join(", ")], ["distances weigh most", heaviest.join(", ")]]);
  list("result-notes", result.notes.filter((note) => !page.table.notes.includes(note)));
  byId("predictions").hidden = result.task !== "regress" || !result.errors.n;
  if (result.task === "regress") numberCaptions(result);
  byId("report").open = false;
  byId("report-frame").removeAttribute("src");
  offerPredictions();
  openRows(result);
}

const few = (x) => (x === null ? null : number(Number(x.toPrecision(3))));

function numberFacts(result) {
  const { r2, mae, rmse, coverage } = result.errors;
  const how = result.kind;
  const held = coverage === null ? null : percent(coverage);
  return [[`${how} R²`, few(r2)], ["mean absolute error", few(mae)], ["root mean squared error", few(rmse)], [`inside of ${chance(result)} intervals`, held]];
}

const chance = ({ alpha: missed }) => `${Math.round(100 * (1 - missed))} %`;

function numberCaptions(result) {
  const { n, coverage, width } = result.errors;
  byId("predicted-caption").textContent = `${whole(n)} rows, ${result.kind}: ${result.source} On the line both agree. A click on a point shows its row.`;
  byId("interval-part").hidden = coverage === null;
  const held = coverage === null ? "" : `${percent(coverage)} of the ${chance(result)} intervals hold the truth; the median width is ${few(width)}.`;
  byId("intervals-caption").textContent = `Rows from the narrowest interval to the widest: it is wide where neighbours disagree. ${held}`;
}

// Figures of a regression; the report's, about the rows of the last fit.
function showPredictions(index) {
  targets = unpackTargets(index.targets);
  rows = { index: index.row, columns: [], n_columns: 0 };
  drawPredictions();
}

function drawPredictions() {
  if (byId("predictions").hidden || !targets) return;
  for (const drawing of [drawPredicted, drawResiduals, drawIntervals]) drawing();
}

function listenForModels() {
  drawings.push(drawPredictions);
  byId("report").ontoggle = () => {
    const frame = byId("report-frame");
    if (byId("report").open && !frame.hasAttribute("src")) frame.src = `${page.links["view/report.html"]}&${Date.now()}`;
  };
}
