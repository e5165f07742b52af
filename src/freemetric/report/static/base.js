// The data of the page, and texts of numbers.
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const KINDS = { f4: Float32Array, f8: Float64Array, i4: Int32Array };

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function unpack(packed) {
  const [[kind, base64]] = Object.entries(packed);
  return new KINDS[kind](bytesOf(base64).buffer);
}

// Plotly reads a little HTML in its labels; what the user wrote is to be read as it stands.
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const plain = (text) => String(text).replace(/[&<>]/g, (letter) => ENTITIES[letter]);
const label = (text, most = 24) => plain(String(text).length > most ? `${String(text).slice(0, most - 1)}…` : text);

// Beginning and end: names that begin alike often differ at the end.
function bothEnds(text, most) {
  const tail = Math.floor(0.4 * most);
  return text.length > most ? `${text.slice(0, most - tail - 1)}…${text.slice(-tail)}` : text;
}

// Names that stand side by side; where they are too long, without what all of them begin with.
function distinct(names, most) {
  if (names.every((name) => name.length <= most)) return names;
  let shared = 0;
  while (names.length > 1 && names.every((name) => shared < name.length && name[shared] === names[0][shared])) shared++;
  const wordBegins = names[0].slice(0, shared).search(/[^\s_./:=-]*$/);
  return names.map((name) => bothEnds(wordBegins > 3 ? `…${name.slice(wordBegins)}` : name, most));
}

function number(x) {
  if (x === null || Number.isNaN(x)) return "–";
  if (Number.isInteger(x) && Math.abs(x) < 1e7) return String(x);
  const size = Math.abs(x);
  return size >= 1e-3 && size < 1e6 ? String(Number(x.toPrecision(4))) : x.toExponential(2).replace(/\.?0+e/, "e");
}

// A number among others: with as many digits as tell those apart that differ by so much in all.
function numberWithin(x, range) {
  if (x === null || Number.isNaN(x)) return "–";
  const size = Math.abs(x);
  if (size >= 1e15 || (size > 0 && size < 1e-3)) return number(x);
  if (Number.isInteger(x)) return String(x);
  const more = range > 0 ? Math.max(0, Math.ceil(Math.log10(size / range))) : 0;
  return String(Number(x.toPrecision(Math.min(15, 4 + more))));
}

const percent = (share) => `${number(Number((100 * share).toFixed(1)))} %`;

const fixed = (text) => element("span", text, { class: "fixed" }); // a number, which no line end may part

// An element with text, never markup: element("td", "<b>") shows those three letters.
function element(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function tableOf(header, rows) {
  const table = element("table");
  table.createTHead().insertRow().append(...header.map((name) => element("th", name, { scope: "col" })));
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const cell of row) line.insertCell().append(cell);
  }
  return table;
}

// The rows shown: number among all, class, and what the user's table says of them.
let rows = data.rows && {
  index: unpack(data.rows.index),
  class: unpack(data.rows.class),
  n_columns: data.rows.n_columns,
  columns: data.rows.columns.map((c) => ({
    name: c.name,
    values: c.numbers ? unpack(c.numbers) : Array.from(unpack(c.codes), (code) => c.levels[code]),
  })),
};
const asText = (value) => {
  if (typeof value !== "number") return value;
  return Number.isNaN(value) ? "missing" : String(Number(value.toPrecision(7)));
};
const labelled = data.classes.length > 1;

// Targets of a regression, their predictions and intervals for every row shown; null for classification.
const unpackTargets = (packed) =>
  packed && { ...packed, ...Object.fromEntries(["truth", "predicted", "low", "high"].map((name) => [name, unpack(packed[name])])) };
let targets = unpackTargets(data.targets);
const targetText = (x) => numberWithin(x, targets.colours[1] - targets.colours[0]);

function hoverText(row) {
  const lines = [`<b>row ${rows.index[row]}</b>`];
  if (labelled) lines[0] += `, class ${label(data.classes[rows.class[row]].name, 40)}`;
  if (targets) lines[0] += `: ${targetText(targets.truth[row])}, predicted ${targetText(targets.predicted[row])}`;
  for (const { name, values } of rows.columns) lines.push(`${label(name, 32)}: ${label(asText(values[row]), 40)}`);
  const left = rows.n_columns - rows.columns.length;
  if (left > 0) lines.push(`<i>and ${left} more ${left === 1 ? "column" : "columns"}</i>`);
  return lines.join("<br>");
}
