const EVERY = [drawScores, ...DETAILS, drawCurve];

function choose(change) {
  Object.assign(chosen, change);
  for (const drawing of EVERY) drawing();
}

function offerMethods() {
  const known = methodsOf(chosen.file).filter(hasDetails);
  known.sort((a, b) => a.scores.error[0] - b.scores.error[0]); // the best is shown first
  if (!known.some(({ method }) => method === chosen.method)) chosen.method = known.length ? known[0].method : null;
  const pairs = known.map(({ method }) => [method, method]);
  fill(byId("method"), pairs, chosen.method, (method) => choose({ method }));
}

function chooseFile(file) {
  chosen.file = Number(file);
  offerMethods();
  choose({});
}

await openPage(async () => {
  await loadPlotly();
  fill(byId("file"), data.files.map((name, i) => [i, name]), 0, chooseFile);
  const scores = data.scores.map(({ name, title }) => [name, title]);
  fill(byId("score"), [["error", "Error"], ...scores], "error", (score) => choose({ score }));
  offerMethods();
  for (const drawing of EVERY) figure(drawing);
});
