// A file is dropped; what was understood of it, and what the user makes of that.
const READING = ["decimal", "thousands", "date_order", "delimiter", "format", "encoding", "sheet", "missing", "header"];
const FORMATS = ["csv", "tsv", "txt", "excel", "jsonl", "json", "feather", "parquet", "arff", "libsvm"];
const CHOICES = [["", "as understood"], ["drop", "leave out"], ["keep", "keep it"], ["numeric", "as numbers"], ["nominal", "as names"]];

// A line is shown while something is done.
async function busy(line, work) {
  byId(line).hidden = false;
  try {
    return await work();
  } finally {
    byId(line).hidden = true;
  }
}
const reading = (work) => busy("reading-now", work);

function onFile(id, send) {
  byId(id).onchange = (event) => {
    if (event.target.files.length) send(event.target.files[0]);
    event.target.value = ""; // the same file may be chosen again
  };
}

function upload(path, file) {
  const most = page.mostMegabytes;
  if (file.size > most * 2 ** 20) throw new Error(`The file is larger than ${most} MB; freemetric serve --upload N takes more.`);
  return ask(`${path}?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
}

const sendFile = attempt("trouble", async (file) => newTable(await reading(() => upload("api/table", file))));

const sendExample = attempt("trouble", async (name) => newTable(await reading(() => post("api/example", { name }))));

function newTable(table) {
  page.stream?.abort(); // of work with the table that was there
  for (const id of ["result", "new", "look", "compared", "live", "fit-progress", "compare-progress"]) byId(id).hidden = true;
  for (const id of ["fit-problem", "compare-problem"]) say(id, "");
  byId("report").open = false;
  byId("report-frame").removeAttribute("src");
  running(null);
  showTable(table);
}

const choose = attempt("problem", async (change) => {
  const { target, uses, reading: how, task } = page.table.choices;
  const table = await reading(() => post("api/columns", { target, uses, reading: how, task, table: page.table.number, ...change }));
  byId("stale").hidden = byId("result").hidden;
  showTable(table);
});

function showTable(table) {
  page.table = table;
  for (const id of ["table", "fit", "compare", "sections"]) byId(id).hidden = false;
  byId("title").textContent = bothEnds(table.name, 60);
  const used = table.columns.filter(({ left_out }) => !left_out).length;
  const pairs = [["rows", whole(table.n_rows)], ["columns", whole(table.n_columns)], ["used", table.problem ? null : whole(used)]];
  facts("table-facts", [...pairs, ["classes", table.n_classes ? whole(table.n_classes) : null]]);
  list("table-notes", table.notes);
  say("problem", table.problem);
  options(byId("target"), table.names.map((name) => [name, name]), table.target);
  byId("guessed").hidden = !table.guessed;
  const understood = `${TASKS[table.task].words}${table.choices.task ? "" : ", as understood"}`;
  options(byId("task"), [["", table.choices.task ? "what it looks like" : understood], ["classify", "classes"], ["regress", "a number"]], table.choices.task ?? "");
  document.body.dataset.task = table.task;
  offerMethods(table.task);
  showClasses(table);
  showTargets(table.targets);
  for (const id of READING) byId(id).value = table.choices.reading[id] ?? "";
  fillTable("columns", columnTable(table));
  const more = table.n_columns - table.names.length;
  byId("more-columns").textContent = more > 0 ? `Columns that are used, but not shown: ${whole(more)}.` : "";
  byId("start").disabled = byId("start-compare").disabled = Boolean(table.problem);
}

function showClasses({ classes, n_classes }) {
  const chips = classes.map((known) => {
    const chip = element("span", "", { class: "chip", title: known.name });
    chip.append(glyphOf(known), element("b", known.name), ` ${whole(known.n)}`);
    return chip;
  });
  if (n_classes > classes.length) chips.push(element("span", `and ${n_classes - classes.length} more`, { class: "chip" }));
  byId("classes").replaceChildren(...chips);
}

// The targets to predict: how they spread, and what lies where.
function showTargets(known) {
  byId("targets").hidden = !known;
  if (!known) return;
  const most = Math.max(...known.bars);
  const bars = known.bars.map((n) => {
    const bar = element("i");
    bar.style.height = `${n ? Math.max(3, (100 * n) / most) : 0}%`;
    return bar;
  });
  byId("spread").replaceChildren(...bars);
  const ends = [["lowest", known.lowest], ["median", known.median], ["mean", known.mean], ["highest", known.highest]];
  facts("target-facts", [...ends.map(([name, value]) => [name, numberWithin(value, known.highest - known.lowest)]), ["different values", whole(known.n_values)]]);
}

const countsOf = ({ missing, n_values }) => [missing ? whole(missing) : "", whole(n_values)];

function columnTable(table) {
  const lines = table.columns.map((column) => [
    ...[shortened(column.name, 60), kindOf(column), ...countsOf(column)],
    element("span", column.examples.join(" · "), { class: "examples" }),
    useOf(column.name, table.choices.uses[column.name] ?? ""),
  ]);
  const made = tableOf(["column", "kind", "missing", "values", "examples", "use"], lines);
  [...made.tBodies[0].rows].forEach((row, i) => row.classList.toggle("out", Boolean(table.columns[i].left_out)));
  return made;
}

function kindOf({ kind, left_out }) {
  const made = element("span", kind || (left_out ? "" : "–"));
  if (left_out) made.append(element("span", `left out: ${left_out}`, { class: "why" }));
  return made;
}

function useOf(name, value) {
  const select = element("select", "", { "aria-label": `Use of ${name}` });
  options(select, CHOICES, value);
  select.onchange = () => {
    const uses = { ...page.table.choices.uses };
    if (select.value) uses[name] = select.value;
    else delete uses[name];
    choose({ uses });
  };
  return select;
}

function listenForFiles() {
  const zone = byId("zone");
  const over = (is) => (event) => {
    event.preventDefault();
    zone.classList.toggle("over", is);
  };
  // wherever a file is dropped, it is not to take the place of the page
  document.addEventListener("dragover", over(true));
  document.addEventListener("dragleave", over(false));
  document.addEventListener("drop", (event) => {
    over(false)(event);
    if (event.dataTransfer.files.length) sendFile(event.dataTransfer.files[0]);
  });
  onFile("file", sendFile);
  byId("target").onchange = (event) => choose({ target: event.target.value, task: null });
  byId("task").onchange = (event) => choose({ task: event.target.value || null });
  options(byId("format"), [["", "by its name"], ...FORMATS.map((name) => [name, name])], "");
  for (const id of READING) {
    byId(id).onchange = () => choose({ reading: Object.fromEntries(READING.map((name) => [name, byId(name).value])) });
  }
}
