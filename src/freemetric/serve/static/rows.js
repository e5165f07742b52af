// A row beside its neighbours, in the words and units of the table.
const FEW_COLUMNS = 12;
const looked = { index: null, place: 0, row: null };

const openRows = attempt("trouble", async ({ task }) => {
  looked.index = await ask("api/rows");
  if (looked.index.targets) showPredictions(looked.index);
  byId("wrong").textContent = task === "regress" && !looked.index.targets.has_intervals ? "Next far off" : TASKS[task].wrong;
  byId("look").hidden = false;
  byId("row").max = looked.index.row.at(-1);
  byId("wrong").disabled = looked.index.wrong.length === 0;
  await lookAt(looked.index.wrong[0] ?? 0);
});

const lookAt = attempt("trouble", async (place) => {
  looked.place = (place + looked.index.n) % looked.index.n;
  looked.row = await ask(`api/rows/${looked.place}`);
  byId("row").value = looked.row.self.row;
  showRow();
});

// The nearest number that is shown, where the rows are a sample.
function placeOf(row) {
  const after = looked.index.row.findIndex((shown) => shown >= row);
  return after < 0 ? looked.index.n - 1 : after;
}

// From a figure to its row.
function explainRow(place) {
  lookAt(place);
  byId("look").scrollIntoView({ behavior: "smooth" });
}

const nameOf = ({ row, line }) => `Row ${row}${line === null ? "" : ` (line ${line} of the file)`}`;

function summaryOfTarget({ self, neighbors }) {
  const near = neighbors.map((other) => other.story.truth).filter((truth) => truth !== null);
  const around = near.length ? ` Its ${near.length} nearest neighbours have ${targetText(Math.min(...near))} to ${targetText(Math.max(...near))}.` : "";
  const by = looked.index.out_of_bag ? " The prediction is out of bag." : " The prediction is by its neighbours, in a metric that was fitted on all rows.";
  return `${nameOf(self)}. ${targetSummary(self.story)}${around}${self.story.predicted === null ? "" : by}`;
}

function summaryOf({ self, neighbors }) {
  if (self.story) return summaryOfTarget({ self, neighbors });
  const name = `${nameOf(self)} is of class “${bothEnds(self.class, 40)}”`;
  const same = neighbors.filter((other) => other.class === self.class).length;
  const near = `; ${same} of its ${neighbors.length} nearest neighbours are, too.`;
  if (!self.predicted) return `${name}${near}`;
  const by = looked.index.out_of_bag ? "Out of bag it is predicted as" : "The model, which was fitted on it, predicts";
  return `${name}${near} ${by} “${bothEnds(self.predicted, 40)}”, which is ${self.predicted === self.class ? "right" : "wrong"}.`;
}

function showRow() {
  const { self, neighbors, columns, cells } = looked.row;
  byId("row-summary").textContent = summaryOf(looked.row);
  showParts(self);
  const all = byId("all-columns").checked;
  const shown = columns.map((_, i) => i).filter((i) => all || (columns[i].used && i < FEW_COLUMNS));
  const lines = shown.map((i) => [
    shortened(columns[i].name, 40),
    ...cells[i].map((cell) => element("span", cell === null ? "missing" : bothEnds(cell, 40), { title: cell ?? "" })),
  ]);
  const far = ["distance", "", ...neighbors.map(({ distance }) => fixed(number(distance)))];
  const made = tableOf(["", `row ${self.row}`, ...neighbors.map(() => "")], [whatTheyAre(self, neighbors), far, ...lines]);
  neighbors.forEach((other, j) => {
    const button = element("button", `row ${other.row}`, { type: "button" });
    button.onclick = () => lookAt(other.place);
    made.tHead.rows[0].cells[j + 2].append(button);
  });
  for (const line of made.rows) line.cells[1].classList.add("mine");
  shown.forEach((i, n) => made.tBodies[0].rows[n + 2].classList.toggle("unused", !columns[i].used));
  fillTable("neighbors", made);
  const left = columns.length - shown.length;
  const more = left > 0 ? `There ${left === 1 ? "is 1 more column" : `are ${left} more columns`}. ` : "";
  byId("row-caption").textContent = `Nearest first, in the learned distance; columns that weigh most in it come first. ${more}The report says which columns make rows near or far.`;
}

// Classes, those that differ in a colour of their own; of a regression the cells of the file.
function whatTheyAre(self, neighbors) {
  const differs = (other) => (self.story || other.class === self.class ? "" : "differs");
  const shown = neighbors.map((other) => element("span", bothEnds(other.class, 24), { class: differs(other) }));
  return [self.story ? bothEnds(looked.index.target, 40) : "class", bothEnds(self.class, 24), ...shown];
}

function showParts({ story }) {
  const known = Boolean(story) && story.neighbors !== null && story.predicted !== null;
  byId("parts").hidden = !known;
  if (known) fillTable("parts-table", partsTable(story));
}

function listenForRows() {
  byId("row").onchange = () => lookAt(placeOf(Number(byId("row").value)));
  byId("before").onclick = () => lookAt(looked.place - 1);
  byId("after").onclick = () => lookAt(looked.place + 1);
  byId("wrong").onclick = () => {
    const { wrong } = looked.index;
    lookAt(wrong.find((place) => place > looked.place) ?? wrong[0]);
  };
  byId("all-columns").onchange = showRow;
}
