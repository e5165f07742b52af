// A fit while it runs: walks, the space, what was found.
const MOST_WALKS = 80; // the last ones, that are drawn
const FRAME = 150; // milliseconds
const walks = [];
const kinds = [];
let moving = null;

function running(kind) {
  for (const [id, own] of [["cancel", "fit"], ["cancel-compare", "compare"]]) byId(id).hidden = kind !== own;
  for (const id of ["start", "start-compare"]) byId(id).disabled = kind !== null || Boolean(page.table?.problem);
}

const startFit = attempt("fit-problem", async () => {
  const quick = byId("effort").value === "quick";
  const settings = { method: byId("method").value, quick, seed: Number(byId("seed").value), version: page.table.version };
  watchFit(await post("api/fit", settings));
});

// Follow a job of a kind, with its bar and its line about what it does; `on` has a function for its other events.
function watch(kind, job, onDone, on) {
  byId(`${kind}-progress`).hidden = false;
  byId(`${kind}-bar`).removeAttribute("value");
  byId(`${kind}-status`).textContent = "reading the table";
  running(kind);
  const end = (text) => {
    clearInterval(moving);
    byId(`${kind}-progress`).hidden = true;
    running(null);
    if (text) say(`${kind}-problem`, text);
  };
  follow(job, {
    ...on,
    failed: ({ text }) => end(text),
    cancelled: () => end("Cancelled. Nothing was changed."),
    done: ({ result }) => {
      end();
      onDone(result);
    },
  });
}

// How far it is, in a bar and in words.
function showProgress(kind, done, total, words) {
  if (total) [byId(`${kind}-bar`).max, byId(`${kind}-bar`).value] = [total, Math.min(done, total)];
  byId(`${kind}-status`).textContent = words;
}

function watchFit(job) {
  walks.length = kinds.length = 0;
  byId("live").hidden = true; // until there is something to see: not every method walks
  byId("found").replaceChildren();
  const some = (done) => `${whole(done)} ${done === 1 ? "step" : "steps"}`;
  const steps = (done, total) => (total ? `${whole(done)} of at most ${whole(total)} Monte Carlo steps` : some(done));
  watch("fit", job, showModel, {
    begin: ({ classes, quarters }) => Object.assign(page, { classes, quarters }),
    step: ({ done, total }) => showProgress("fit", done, total, steps(done, total)),
    stage: ({ text }) => (byId("fit-status").textContent = text),
    walk: addWalk,
    space: moveSpace,
    round: showFound,
  });
}

let walksAreDrawn = true;
function addWalk(walk) {
  if (!kinds.includes(walk.kind)) kinds.push(walk.kind);
  walks.push(walk);
  byId("live").hidden = false;
  if (!walksAreDrawn) return;
  walksAreDrawn = false;
  setTimeout(() => {
    walksAreDrawn = true;
    drawWalks();
  }, 300);
}

function drawWalks() {
  if (byId("live").hidden) return;
  const named = new Set();
  const lines = walks.slice(-MOST_WALKS).map(({ kind, temperature, replicas, at, energy }) => {
    const first = !named.has(kind);
    named.add(kind);
    const hovertemplate = `${label(kind, 40)}, T = ${number(temperature)}, ${replicas} ${replicas === 1 ? "replica" : "replicas"}<br>step %{x}: %{y:.4g}<extra></extra>`;
    const line = { color: tintOf(kinds.indexOf(kind)), width: 1.4 };
    return { type: "scatter", mode: "lines", x: at, y: energy, name: label(kind, 30), legendgroup: kind, showlegend: first, line, opacity: 0.7, hovertemplate };
  });
  draw("walks-plot", lines, {
    showlegend: true,
    legend: { orientation: "h", x: 0, y: -0.22, yanchor: "top" },
    xaxis: axis({ title: { text: "Monte Carlo step", standoff: 4 } }),
    yaxis: upwards("energy", { nticks: 6 }),
    margin: { l: 56, r: 8, t: 8, b: 40 },
  });
}

function moveSpace(space) {
  clearInterval(moving);
  byId("space-name").textContent = `The space: ${space.kind}`;
  let next = 0;
  const show = () => {
    drawSpace(space.frames[next], space);
    next += 1;
    if (next >= space.frames.length) clearInterval(moving);
  };
  show();
  moving = setInterval(show, FRAME);
}

// Rows in the colours of their classes or of their targets, from the lowest to the highest; every colour has as many.
function drawSpace(points, { rank, class: classes }) {
  const places = (own) => ({ x: own.map(([x]) => x), y: own.map(([, y]) => y) });
  const cloud = (own, more) => ({ type: "scatter", mode: "markers", ...places(own), ...more });
  const ofClass = ({ name, color: tint, marker: form }, c) => {
    const marker = { color: tint, symbol: SYMBOLS[form], size: 6, opacity: 0.8 };
    const own = points.filter((_, i) => classes[i] === c);
    return cloud(own, { name: label(name, 20), marker, hovertemplate: `${label(name, 40)}<extra></extra>` });
  };
  const ticks = { tickvals: [0, 0.25, 0.5, 0.75, 1], ticktext: (page.quarters ?? []).map(number) };
  const colorbar = { thickness: 10, outlinewidth: 0, tickfont: { size: 11 }, ...ticks };
  const scale = { colorscale: VIRIDIS, cmin: 0, cmax: 1, showscale: true, colorbar };
  const shades = { color: rank, size: 6, opacity: 0.85, ...scale };
  const bare = { range: [-2.6, 2.6], showticklabels: false, zeroline: false };
  draw("live-plot", rank ? [cloud(points, { marker: shades, hoverinfo: "skip" })] : page.classes.map(ofClass), {
    xaxis: axis(bare),
    yaxis: axis(bare),
    showlegend: !rank && page.classes.length <= 12,
    legend: { orientation: "h", x: 0, y: -0.04, yanchor: "top" },
    margin: { l: 8, r: 8, t: 8, b: 8 },
  });
}

function showFound({ found, score }) {
  const lines = found.map((row) => [row.kind, row.replicas ? number(row.temperature) : "–", String(row.replicas), String(row.k), number(row.score)]);
  const made = tableOf(["candidate", "temperature", "replicas", "best k", `${score} out of bag`], lines);
  made.tBodies[0].rows[0]?.classList.add("best");
  fillTable("found", made);
}

function listenForFits() {
  drawings.push(drawWalks);
  byId("start").onclick = startFit;
  byId("cancel").onclick = attempt("fit-problem", cancelJob);
}
