// Why this prediction: the mean of the neighbours, what trends add, and the interval.
function targetRowText(row) {
  const outside = hasInterval(row) && !isHeld(row) ? " (outside)" : "";
  return `row ${rows.index[row]}: ${targetText(targets.truth[row])}${outside}`;
}

const signed = (x) => (x === null ? "–" : x < 0 ? `−${number(-x)}` : `+${number(x)}`);
const added = (x) => (targets.log ? (x === null ? "–" : `× ${number(Number(x.toPrecision(3)))}`) : signed(x));

function targetSummary({ truth, predicted, low, high }) {
  if (predicted === null) return `Its target is ${targetText(truth)}; it has no prediction.`;
  const off = targets.log ? `true / predicted ${number(truth / predicted)}` : `off by ${signed(truth - predicted)}`;
  const chance = `${Math.round(100 * (1 - targets.alpha))} % interval`;
  const held = holds(low, high, truth) ? "which holds it" : "which misses it";
  const interval = low === null ? "" : ` The ${chance} is ${targetText(low)} to ${targetText(high)}, ${held}.`;
  return `Its target is ${targetText(truth)}, predicted ${targetText(predicted)} (${off}).${interval}`;
}

// From the mean of the neighbours to the prediction, a line for each part that counts.
function partsTable({ neighbors, pull, trends, rest, predicted }) {
  const counts = (x) => x !== null && Math.abs(targets.log ? Math.log(x) : x) > 1e-9 * Math.abs(neighbors || 1);
  const lines = [["mean of the neighbours that vote", fixed(targetText(neighbors)), ""]];
  if (counts(pull)) lines.push([targets.pull_words, "", fixed(added(pull))]);
  for (const { words, here, around, adds } of trends) {
    const says = `${words}: ${targetText(here)} here, ${targetText(around)} at the neighbours`;
    if (counts(adds)) lines.push([says, "", fixed(added(adds))]);
  }
  if (counts(rest)) lines.push(["the rest: mean error of other rows", "", fixed(added(rest))]);
  lines.push(["predicted", fixed(targetText(predicted)), ""]);
  const table = tableOf(["part", "value", targets.log ? "multiplies" : "adds"], lines);
  table.tBodies[0].lastElementChild.className = "total";
  return table;
}

function targetStory({ story }) {
  const parts = [element("p", targetSummary(story), { class: "summary" })];
  if (story.neighbors !== null && story.predicted !== null) parts.push(partsTable(story));
  parts.push(element("h3", "The nearest in the averaged metric"));
  return parts;
}
