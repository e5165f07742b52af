// Methods beside each other, by cross-validation.
const METHODS = [["free-energy", "free energy"], ["rf", "random forest"], ["hist-boosting", "boosting"], ["euclidean", "plain k-NN"], ["logistic", "logistic regression"], ["svm", "SVM"], ["nca", "NCA + k-NN"], ["lmnn", "LMNN + k-NN"], ["dmlfe", "DMLFE + k-NN"]];
const USUAL = ["free-energy", "rf", "hist-boosting", "euclidean"];
const methodName = (method) => (METHODS.find(([key]) => key === method) ?? [method, method === "constant" ? "constant answer" : method])[1];

const startCompare = attempt("compare-problem", async () => {
  const methods = [...byId("methods").querySelectorAll("input:checked")].map(({ value }) => value);
  const [folds, repeats] = ["folds", "repeats"].map((id) => Number(byId(id).value));
  const quick = byId("effort").value === "quick";
  watchCompare(await post("api/compare", { methods, folds, repeats, quick, seed: Number(byId("seed").value) }));
});

function watchCompare(job) {
  byId("compare-progress").hidden = false;
  byId("compare-bar").removeAttribute("value");
  byId("compare-said").textContent = "reading the table";
  running("compare");
  const end = (text) => {
    byId("compare-progress").hidden = true;
    running(null);
    if (text) say("compare-problem", text);
  };
  follow(job, {
    split: ({ method, error, done, total }) => {
      [byId("compare-bar").max, byId("compare-bar").value] = [total, done];
      const said = error === null ? "failed" : `${number(Number(error.toFixed(1)))} % wrong`;
      byId("compare-said").textContent = `${done} of ${total} fits; ${methodName(method)}: ${said}`;
    },
    failed: ({ text }) => end(text),
    cancelled: () => end("Cancelled. Nothing was changed."),
    done: ({ result }) => {
      end();
      showComparison(result);
    },
  });
}

let compared = null;
function showComparison(result) {
  compared = result;
  byId("compared").hidden = false;
  const sorted = [...result.rows].sort((a, b) => (a.error ?? Infinity) - (b.error ?? Infinity));
  const score = (row, name) => (row.scores[name] === undefined || row.scores[name] === null ? "–" : number(row.scores[name]));
  const plusMinus = ({ error, uncertainty }) => (error === null ? "–" : `${error.toFixed(1)}${uncertainty === null ? "" : ` ± ${uncertainty.toFixed(1)}`}`);
  const share = (row, name) => (row.scores[name] === undefined || row.scores[name] === null ? "–" : percent(row.scores[name]));
  const lines = sorted.map((row) => [methodName(row.method), fixed(plusMinus(row)), share(row, "balanced_accuracy"), score(row, "roc_auc"), score(row, "log_loss"), number(row.seconds), row.failure ?? ""]);
  const made = tableOf(["method", "error in %", "balanced accuracy", "AUC", "log loss", "seconds", ""], lines);
  made.tBodies[0].rows[0]?.classList.add("best");
  byId("scores").replaceChildren(...made.childNodes);
  list("compare-notes", result.notes.filter((note) => !page.table.notes.includes(note)));
  byId("protocol").textContent = `${result.protocol}.`;
  figure(drawErrors);
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
    hovertemplate: "%{y}: %{x:.2f} % wrong<extra></extra>",
  };
  draw("scores-plot", [bars], { xaxis: axis({ title: { text: "error in %, less is better" }, rangemode: "tozero", nticks: 6 }), yaxis: axis({ showgrid: false }), margin: { l: 10, r: 12, t: 8, b: 40 } });
}

function listenForComparisons() {
  for (const [value, text] of METHODS) {
    const line = element("label");
    const box = element("input", "", { type: "checkbox", value });
    box.checked = USUAL.includes(value);
    line.append(box, text);
    byId("methods").append(line);
  }
  byId("start-compare").onclick = startCompare;
  byId("cancel-compare").onclick = attempt("compare-problem", cancelJob);
}
