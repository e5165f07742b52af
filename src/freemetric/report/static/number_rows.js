// Why this number: what neighbours tell, what trends add, and how far the prediction may be off.
function numberText(row) {
  const outside = hasInterval(row) && !isHeld(row) ? " (outside)" : "";
  return `row ${rows.index[row]}: ${told(numbers.truth[row])}${outside}`;
}

const signed = (x) => (x === null ? "–" : x < 0 ? `−${number(-x)}` : `+${number(x)}`);
const added = (x) => (numbers.log ? (x === null ? "–" : `× ${number(Number(x.toPrecision(3)))}`) : signed(x));

function numberVerdict({ truth, predicted, low, high }) {
  if (predicted === null) return `Its number is ${told(truth)}; it was not judged.`;
  const off = numbers.log ? `true / predicted ${number(truth / predicted)}` : `off by ${signed(truth - predicted)}`;
  const chance = `${Math.round(100 * (1 - numbers.alpha))} % interval`;
  const held = holds(low, high, truth) ? "which holds it" : "which misses it";
  const interval = low === null ? "" : ` The ${chance} is ${told(low)} to ${told(high)}, ${held}.`;
  return `Its number is ${told(truth)}, predicted ${told(predicted)} (${off}).${interval}`;
}

// From what neighbours tell to the prediction, a line for each part that counts.
function partsTable({ neighbors, pull, trends, rest, predicted }) {
  const counts = (x) => x !== null && Math.abs(numbers.log ? Math.log(x) : x) > 1e-9 * Math.abs(neighbors || 1);
  const lines = [["the neighbours that are asked tell", fixed(told(neighbors)), ""]];
  if (counts(pull)) lines.push([numbers.pull_words, "", fixed(added(pull))]);
  for (const { words, here, around, adds } of trends) {
    const says = `${words}: ${told(here)} here, ${told(around)} at the neighbours`;
    if (counts(adds)) lines.push([says, "", fixed(added(adds))]);
  }
  if (counts(rest)) lines.push(["the rest: what other rows were off by, on average", "", fixed(added(rest))]);
  lines.push(["predicted", fixed(told(predicted)), ""]);
  const table = tableOf(["what", "tells", numbers.log ? "multiplies" : "adds"], lines);
  table.tBodies[0].lastElementChild.className = "total";
  return table;
}

function numberStory({ story }) {
  const parts = [element("p", numberVerdict(story), { class: "verdict" })];
  if (story.neighbors !== null && story.predicted !== null) parts.push(partsTable(story));
  parts.push(element("h3", "The nearest in the averaged metric"));
  return parts;
}
