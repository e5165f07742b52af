// Methods beside each other, by cross-validation.
const startCompare = attempt("compare-problem", async () => {
  const methods = [...byId("methods").querySelectorAll("input:checked")].map(({ value }) => value);
  const [folds, repeats] = ["folds", "repeats"].map((id) => Number(byId(id).value));
  const quick = byId("effort").value === "quick";
  watchCompare(await post("api/compare", { methods, folds, repeats, quick, seed: Number(byId("seed").value), version: page.table.version }));
});

function watchCompare(job) {
  watch("compare", job, showComparison, {
    split: ({ method, error, done, total }) => {
      const score = error === null ? "failed" : `${number(Number(error.toFixed(1)))} ${TASKS[page.table.task].errorShort}`;
      showProgress("compare", done, total, `${done} of ${total} fits; ${methodName(method)}: ${score}`);
    },
  });
}

let compared = null;
function showComparison(result) {
  compared = result;
  byId("compared").hidden = false;
  const sorted = [...result.rows].sort((a, b) => (a.error ?? Infinity) - (b.error ?? Infinity));
  const { error, scores } = TASKS[result.task];
  const plusMinus = ({ error: mean, uncertainty }) => (mean === null ? "–" : `${mean.toFixed(1)}${uncertainty === null ? "" : ` ± ${uncertainty.toFixed(1)}`}`);
  const scoresOf = (row) => scores.map(([name, , words]) => (typeof row.scores[name] === "number" ? fixed(words(row.scores[name])) : "–"));
  const failed = sorted.some(({ failure }) => failure);
  const lines = sorted.map((row) => [methodName(row.method), fixed(plusMinus(row)), ...scoresOf(row), fixed(number(Number(row.seconds.toPrecision(2)))), ...(failed ? [row.failure ?? ""] : [])]);
  const made = tableOf(["method", error, ...scores.map(([, title]) => title), "seconds", ...(failed ? [""] : [])], lines);
  made.tBodies[0].rows[0]?.classList.add("best");
  fillTable("scores", made);
  list("compare-notes", result.notes.filter((note) => !page.table.notes.includes(note)));
  byId("protocol").textContent = `${result.protocol}.`;
  drawErrors();
}

function drawErrors() {
  if (!compared || byId("compared").hidden) return;
  const known = compared.rows.filter(({ error }) => error !== null).sort((a, b) => b.error - a.error);
  byId("scores-plot").style.height = `${Math.max(160, 34 * known.length + 70)}px`;
  const names = known.map(({ method }) => methodName(method));
  const bars = {
    ...{ type: "bar", orientation: "h", x: known.map(({ error }) => error), y: names },
    marker: { color: known.map(({ method }) => (method === "free-energy" ? color("hot") : method === "constant" ? color("line") : color("cold"))) },
    error_x: { type: "data", array: known.map(({ uncertainty }) => uncertainty ?? 0), thickness: 1.5, width: 4, color: color("ink") },
    hovertemplate: `%{y}: %{x:.2f} ${TASKS[compared.task].errorShort}<extra></extra>`,
  };
  const title = narrow() ? TASKS[compared.task].errorShort : `${TASKS[compared.task].error}, less is better`;
  const axes = { xaxis: across(title, { rangemode: "tozero", nticks: 6 }), yaxis: axis({ showgrid: false }) };
  draw("scores-plot", [bars], { ...axes, margin: { l: 10, r: 12, t: 8, b: 40 } });
}

function listenForComparisons() {
  drawings.push(drawErrors);
  byId("start-compare").onclick = startCompare;
  byId("cancel-compare").onclick = attempt("compare-problem", cancelJob);
}
