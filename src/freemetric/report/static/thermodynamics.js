// Curves over temperature, overlaps of replicas, and their walks.
const onTemperature = () => across("temperature", { type: "log", exponentformat: "e", nticks: 6 });
const marks = () => [upLine(data.search, "dot"), ...(data.freezing[0] === null ? [] : [upLine(data.freezing[0])])];
const line = (x, y, tint, more) => ({ type: "scatter", mode: "lines", x, y, line: { color: tint, width: 2 }, ...more });

// A curve with a band of two standard errors.
function banded(name, words, tint) {
  const [x, y, errors] = [data.temperature, data.curves[name], data.errors[name]];
  const edge = (sign) => y.map((value, i) => value + 2 * sign * errors[i]);
  const hovertemplate = `T = %{x:.3~e}: ${words} = %{y:.5~g} ± %{text}<extra></extra>`;
  const curve = line(x, y, tint, { name: words, text: errors.map(number), showlegend: true, hovertemplate });
  return [...band(x, edge(-1), edge(1), tint), curve];
}

function drawCurve(id, traces, title, showlegend = false) {
  const legend = { x: 0.02, y: 0.02, yanchor: "bottom", bgcolor: "rgba(0,0,0,0)" };
  const axes = { xaxis: onTemperature(), yaxis: upwards(title, { nticks: 6 }) };
  draw(id, traces, { ...axes, shapes: marks(), showlegend, legend, margin: MARGIN });
}

function drawEnergies() {
  const both = [...banded("free_energy", "F", color("cold")), ...banded("energy", "U", color("hot"))];
  drawCurve("energies-plot", both, "F, U", true);
}
const drawHeat = () => drawCurve("heat-plot", banded("heat_capacity", "C", "#009E73"), "C");
const drawEntropy = () => drawCurve("entropy-plot", banded("entropy", "S", color("accent")), "S");

const rung = () => Number(byId("rung").value);

function drawHistogram() {
  if (!data.overlaps) return;
  const { bins, shares, temperature } = data.overlaps;
  byId("at").textContent = `T = ${number(temperature[rung()])}`;
  const hovertemplate = "q = %{x:.2f}: %{y:.1%}<extra></extra>";
  draw("histogram-plot", [{ type: "bar", x: bins, y: shares[rung()], marker: { color: color("cold") }, hovertemplate }], {
    xaxis: across("overlap q", { range: [0, 1] }),
    yaxis: upwards("share", { tickformat: ".0%", range: [0, 1.05 * Math.max(...shares.flat())] }),
    bargap: 0,
    margin: MARGIN,
  });
}

function drawOverlaps() {
  if (!data.overlaps) return;
  const { temperature, quantiles } = data.overlaps;
  const [low, median, high] = quantiles;
  const hovertemplate = "T = %{x:.3~e}: q = %{y:.2f}<extra></extra>";
  const middle = line(temperature, median, color("cold"), { mode: "lines+markers", marker: { size: 5 }, hovertemplate });
  draw("overlaps-plot", [...band(temperature, low, high, color("cold")), middle], {
    xaxis: onTemperature(),
    yaxis: upwards("overlap q", { range: [0, 1.02] }),
    shapes: [...marks(), upLine(temperature[rung()], "solid")],
    margin: MARGIN,
  });
}

function drawWalks() {
  if (!data.walks) return;
  const { step, rungs, n_rungs, temperature } = data.walks;
  const lines = rungs.map((y, i) => ({
    ...{ type: "scatter", mode: "lines", x: step, y, line: { color: tintOf(i), width: 1.5, shape: "hv" } },
    ...{ name: `replica ${i + 1}`, text: y.map((k) => number(temperature[k])) },
    hovertemplate: `replica ${i + 1}, step %{x}: T = %{text}<extra></extra>`,
  }));
  draw("walks-plot", lines, {
    xaxis: across("Monte Carlo step"),
    yaxis: upwards("rung", { tickvals: [0, n_rungs - 1], ticktext: ["cold", "hot"], range: [-0.5, n_rungs - 0.5] }),
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
