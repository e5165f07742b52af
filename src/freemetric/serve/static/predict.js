// A new file is predicted by the model; what was understood of it.
function offerPredictions() {
  byId("new").hidden = false;
  byId("new-result").hidden = true;
  say("new-problem", "");
}

const sendNew = attempt("new-problem", async (file) => {
  byId("new-result").hidden = true;
  showNew(await busy("predicting-now", () => upload("api/predict", file)));
});

function showNew(found) {
  const { accuracy, r2, mae } = found.scores;
  const size = [["file", bothEnds(found.name, 60)], ["rows", whole(found.n_rows)], ["columns", whole(found.n_columns)]];
  const used = found.columns.filter(({ use }) => use === "used").length;
  const scores = [["accuracy", accuracy === undefined ? null : percent(accuracy)], ["R²", few(r2 ?? null)], ["mean absolute error", few(mae ?? null)]];
  facts("new-facts", [...size, ["used", whole(used)], ...scores]);
  list("new-notes", found.notes);
  const line = (column) => [shortened(column.name, 60), column.kind, ...countsOf(column), column.use];
  fillTable("new-columns", tableOf(["column", "kind", "missing", "values", "use"], found.columns.map(line)));
  const { names, rows } = found.predictions;
  const numbered = rows.map((row, i) => [whole(i + 1), ...row]);
  fillTable("new-rows", tableOf(["row", ...names.map((name) => bothEnds(name, 40))], numbered));
  byId("new-result").hidden = false;
}

const listenForNewFiles = () => onFile("new-file", sendNew);
