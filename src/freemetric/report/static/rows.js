// Why this prediction: choose a row, see its neighbours and the features that make them near or far.
let explainRow = () => {};

const className = (row) => data.classes[rows.class[row]].name;
const isPredicted = ({ predicted }) => predicted !== null && predicted >= 0;
const isWrong = (entry) => isPredicted(entry) && entry.predicted !== rows.class[entry.row];

// Names as they find room in a table; the whole of a name shows up under the mouse.
const inTable = (names, most) => {
  const short = distinct(names, narrow() ? most / 2 : most);
  return (i) => element("span", short[i], { title: names[i] });
};

function entryText(entry) {
  if (targets) return targetRowText(entry.row);
  const wrong = isWrong(entry) ? `, predicted ${data.classes[entry.predicted].name} (wrong)` : "";
  return `row ${rows.index[entry.row]}${labelled ? `: ${className(entry.row)}${wrong}` : ""}`;
}

// The same where it finds room in the list.
function shortEntry(entry, names) {
  const text = entryText(entry);
  if (text.length <= 28 || !isWrong(entry)) return bothEnds(text, 28);
  return `row ${rows.index[entry.row]}: ${names[rows.class[entry.row]]}, predicted ${names[entry.predicted]}`;
}

// A cell of the user's table: a number stays on one line, with fewer digits where there is little room; the whole of it
// shows up under the mouse. A long text may be broken.
function cellOf(text) {
  const digits = narrow() && text.length > 7 && text.trim() !== "" && Number.isFinite(Number(text));
  const short = digits ? String(Number(Number(text).toPrecision(4))) : bothEnds(text, 60);
  return element("span", short, { title: text, ...(short.length < 16 ? { class: "fixed" } : {}) });
}

function shareBar(share) {
  const bar = element("span", "", { class: share < 0 ? "share less" : "share" });
  const block = element("i");
  block.style.setProperty("--part", Math.min(1, Math.abs(share)));
  bar.append(block, element("span", percent(share)));
  return bar;
}

function pairTable(entry, pair) {
  const feature = inTable(data.explanations.features, 80);
  const header = ["feature", `row ${rows.index[entry.row]}`, `row ${rows.index[pair.row]}`, "share of squared distance"];
  const line = ([i, share, mine, theirs]) => [feature(i), cellOf(mine), cellOf(theirs), shareBar(share)];
  return tableOf(header, pair.features.map(line));
}

function classSummary(entry) {
  const classes = entry.neighbors.map((row) => rows.class[row]);
  const same = classes.filter((c) => c === rows.class[entry.row]).length;
  let words = `${same} of its ${classes.length} nearest neighbours are of its own class, ${className(entry.row)}.`;
  if (isPredicted(entry)) {
    const { name } = data.classes[entry.predicted];
    words += ` It is predicted as ${name}, which is ${isWrong(entry) ? "wrong" : "right"}.`;
  }
  const ratio = entry.own && entry.other ? entry.other.distance / entry.own.distance : NaN;
  if (!Number.isFinite(ratio)) return words;
  const times = number(Number(ratio.toPrecision(2)));
  return `${words} The nearest row of another class is ${times} times as far as the nearest of its own.`;
}

function answer(entry) {
  const parts = [element("h3", entryText(entry))];
  if (labelled) parts.push(element("p", classSummary(entry), { class: "summary" }));
  if (targets) parts.push(...targetStory(entry));
  const weights = data.explanations.weights;
  const group = labelled && inTable(data.classes.map(({ name }) => name), 60);
  const columns = [
    ["nearest", (_, i) => String(i + 1)],
    ["row", (row) => fixed(String(rows.index[row]))],
    labelled && ["class", (row) => group(rows.class[row])],
    targets && ["target", (row) => fixed(targetText(targets.truth[row]))],
    ["distance", (_, i) => fixed(number(entry.distances[i]))],
    weights && ["weight of its vote", (row) => fixed(number(weights[row]))],
  ].filter(Boolean);
  const neighbors = entry.neighbors.map((row, i) => columns.map(([, cell]) => cell(row, i)));
  parts.push(tableOf(columns.map(([name]) => name), neighbors));
  for (const [pair, words] of [
    [entry.own, labelled ? "Nearest of its own class" : "Nearest"],
    [entry.other, targets ? "Of these the one with the most different target" : "Nearest of another class"],
  ]) {
    if (!pair) continue;
    const what = labelled ? ` (${className(pair.row)})` : targets ? ` (${targetText(targets.truth[pair.row])})` : "";
    const who = `row ${rows.index[pair.row]}${what}`;
    parts.push(element("h3", `${words}: ${who}, distance ${number(pair.distance)}`));
    if (pair.features.length && pair.distance > 0) parts.push(pairTable(entry, pair));
  }
  const box = element("div", "", { class: "wide" });
  box.append(...parts);
  byId("answer").replaceChildren(box);
}

function drawRows() {
  if (!data.explanations) return;
  const entries = data.explanations.rows;
  const [search, list] = ["search", "row"].map(byId);
  const texts = entries.map(entryText);
  const names = distinct(data.classes.map(({ name }) => name), 8);
  const options = texts.map((text, e) => element("option", shortEntry(entries[e], names), { value: String(e), title: text }));
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    const exact = entries.findIndex((entry) => String(rows.index[entry.row]) === wanted);
    const matching = options.filter((_, e) => (exact >= 0 ? e === exact : texts[e].toLowerCase().includes(wanted)));
    list.replaceChildren(...matching);
    if (matching.length) choose(matching[0]);
    else byId("answer").replaceChildren(element("p", "No such row among those explained."));
  };
  const choose = (option) => {
    list.value = option.value;
    answer(entries[Number(option.value)]);
  };
  explainRow = (row) => {
    const e = entries.findIndex((entry) => entry.row === row);
    if (e < 0) return;
    search.value = "";
    list.replaceChildren(...options);
    choose(options[e]);
  };
  list.addEventListener("change", () => answer(entries[Number(list.value)]));
  search.addEventListener("input", filter);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    list.focus();
  });
  filter();
}
