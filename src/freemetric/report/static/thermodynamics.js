// Curves over temperature, overlaps of replicas, and their walks.
const WALK_TINTS = ["#1A7FC1", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8A5A00", "#6B6B6B"];
const MARGIN = { l: 60, r: 14, t: 16, b: 44 };
const onTemperature = () => axis({ title: { text: "temperature" }, type: "log", exponentformat: "e", nticks: 6 });

// A line with a band of two standard errors.
function banded(name, words, tint) {
  const [x, y] = [data.temperature, data.curves[name]];
  const edge = (sign) => y.map((value, i) => value + 2 * sign * data.errors[name][i]);
  const rim = { type: "scatter", mode: "lines", x, line: { width: 0 }, hoverinfo: "skip", showlegend: false };
  const text = data.errors[name].map(number);
  return [
    { ...rim, y: edge(-1) },
    { ...rim, y: edge(1), fill: "tonexty", fillcolor: alpha(tint, 0.25) },
    { ...rim, y, name: words, text, showlegend: true, line: { color: tint, width: 2 }, hoverinfo: "all", hovertemplate: `T = %{x:.3~e}: ${words} = %{y:.5~g} ± %{text}<extra></extra>` },
  ];
}

const upLine = (x, dash) => ({ type: "line", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line: { color: color("soft"), dash, width: 1.5 } });
const marks = () => [upLine(data.search, "dot"), ...(data.freezing[0] === null ? [] : [upLine(data.freezing[0], "dash")])];

function drawCurve(id, traces, title, showlegend = false) {
  const legend = { x: 0.02, y: 0.02, yanchor: "bottom", bgcolor: "rgba(0,0,0,0)" };
  draw(id, traces, { xaxis: onTemperature(), yaxis: axis({ title: upright(title), nticks: 6 }), shapes: marks(), showlegend, legend, margin: MARGIN });
}

const drawEnergies = () => drawCurve("energies-plot", [...banded("free_energy", "F", color("cold")), ...banded("energy", "U", color("hot"))], "F, U", true);
const drawHeat = () => drawCurve("heat-plot", banded("heat_capacity", "C", "#009E73"), "C");
const drawEntropy = () => drawCurve("entropy-plot", banded("entropy", "S", color("accent")), "S");

const rung = () => Number(byId("rung").value);

function drawHistogram() {
  if (!data.overlaps) return;
  const { bins, shares, temperature } = data.overlaps;
  byId("at").textContent = `T = ${number(temperature[rung()])}`;
  const hovertemplate = "q = %{x:.2f}: %{y:.1%}<extra></extra>";
  draw("histogram-plot", [{ type: "bar", x: bins, y: shares[rung()], marker: { color: color("cold") }, hovertemplate }], {
    xaxis: axis({ title: { text: "overlap q" }, range: [0, 1] }),
    yaxis: axis({ title: upright("share"), tickformat: ".0%", range: [0, 1.05 * Math.max(...shares.flat())] }),
    bargap: 0,
    margin: MARGIN,
  });
}

function drawOverlaps() {
  if (!data.overlaps) return;
  const { temperature, quantiles } = data.overlaps;
  const [low, median, high] = quantiles;
  const rim = { type: "scatter", mode: "lines", x: temperature, line: { width: 0 }, hoverinfo: "skip" };
  const line = { color: color("cold"), width: 2 };
  const middle = { type: "scatter", mode: "lines+markers", x: temperature, y: median, line, marker: { size: 5 }, hovertemplate: "T = %{x:.3~e}: q = %{y:.2f}<extra></extra>" };
  draw("overlaps-plot", [{ ...rim, y: low }, { ...rim, y: high, fill: "tonexty", fillcolor: alpha(color("cold"), 0.25) }, middle], {
    xaxis: onTemperature(),
    yaxis: axis({ title: upright("overlap q"), range: [0, 1.02] }),
    shapes: [...marks(), upLine(temperature[rung()], "solid")],
    margin: MARGIN,
  });
}

function drawWalks() {
  if (!data.walks) return;
  const { step, rungs, n_rungs, temperature } = data.walks;
  const lines = rungs.map((y, i) => ({
    ...{ type: "scatter", mode: "lines", x: step, y, line: { color: WALK_TINTS[i % WALK_TINTS.length], width: 1.5, shape: "hv" } },
    ...{ name: `replica ${i + 1}`, text: y.map((k) => number(temperature[k])) },
    hovertemplate: `replica ${i + 1}, step %{x}: T = %{text}<extra></extra>`,
  }));
  draw("walks-plot", lines, {
    xaxis: axis({ title: { text: "Monte Carlo step" } }),
    yaxis: axis({ title: upright("rung"), tickvals: [0, n_rungs - 1], ticktext: ["cold", "hot"], range: [-0.5, n_rungs - 0.5] }),
    showlegend: true,
    margin: MARGIN,
  });
}

await openPage(async () => {
  await loadPlotly();
  for (const drawing of [drawEnergies, drawHeat, drawEntropy, drawHistogram, drawOverlaps, drawWalks]) figure(drawing);
  byId("rung")?.addEventListener("input", () => {
    drawHistogram();
    drawOverlaps();
  });
});
