// A new file is predicted by the model; what was understood of it.
function offerPredictions() {
  byId("new").hidden = false;
  byId("new-result").hidden = true;
  say("new-problem", "");
}

const sendNew = attempt("new-problem", async (file) => {
  byId("new-result").hidden = true;
  byId("predicting-now").hidden = false;
  try {
    showNew(await upload("api/predict", file));
  } finally {
    byId("predicting-now").hidden = true;
  }
});

function showNew(found) {
  const { accuracy, r2, mae } = found.scores;
  const size = [["file", bothEnds(found.name, 60)], ["rows", whole(found.n_rows)], ["columns", whole(found.n_columns)]];
  const used = found.columns.filter(({ use }) => use === "used").length;
  const scores = [["accuracy", accuracy === undefined ? null : percent(accuracy)], ["R²", few(r2 ?? null)], ["mean absolute error", few(mae ?? null)]];
  facts("new-facts", [...size, ["used", whole(used)], ...scores]);
  list("new-notes", found.notes);
  const lines = found.columns.map(({ name, kind, missing, n_values, use }) => [
    element("span", bothEnds(name, 60), { title: name }),
    kind,
    missing ? whole(missing) : "",
    whole(n_values),
    use,
  ]);
  byId("new-columns").replaceChildren(...tableOf(["column", "kind", "missing", "values", "use"], lines).childNodes);
  const { names, rows } = found.predictions;
  const numbered = rows.map((row, i) => [whole(i + 1), ...row]);
  byId("new-rows").replaceChildren(...tableOf(["row", ...names.map((name) => bothEnds(name, 40))], numbered).childNodes);
  byId("new-result").hidden = false;
}

function listenForNewFiles() {
  byId("new-file").onchange = (event) => {
    if (event.target.files.length) sendNew(event.target.files[0]);
    event.target.value = ""; // the same file may be chosen again
  };
}
