// Lines: the traces of the run, and the error against k.
function traceLines(name, panel, axes, tint) {
  const hover = (more) => `step %{x}: ${name} %{y:.4g}${more}<extra></extra>`;
  const on = { ...axes, type: "scatter", mode: "lines" };
  if (panel.lines) {
    const opacity = Math.max(0.5, 1 / panel.lines.length);
    const line = { color: tint, width: 1.5 };
    return panel.lines.map((y, r) => ({ ...on, y, line, opacity, hovertemplate: hover(`, replica ${r + 1}`) }));
  }
  const median = { ...on, y: panel.median, line: { color: tint, width: 2 }, hovertemplate: hover(" (median)") };
  return [...band(axes.x, panel.low, panel.high, tint, axes), median];
}

function burnIn(first, last) {
  const place = { xref: "x", yref: "paper", x0: first, x1: last, y0: 0, y1: 1 };
  const shape = { type: "rect", ...place, fillcolor: alpha(color("soft"), 0.12), line: { width: 0 }, layer: "below" };
  const corner = { x: first, y: 1, xanchor: "left", yanchor: "bottom", yref: "paper" };
  const annotation = { text: "burn-in", ...corner, showarrow: false, font: { color: color("soft") } };
  return last > 0 ? { shapes: [shape], annotations: [annotation] } : {};
}

function drawTraces() {
  const run = data.traces;
  if (!run) return;
  const panel = (name, low, high, more) => upwards(name, { domain: [low, high], nticks: 5, ...more });
  const scale = run.log_temperature ? { type: "log", dtick: 1 } : { rangemode: "tozero" };
  const tints = { energy: color("cold"), temperature: color("hot"), acceptance: "#009E73" };
  const lines = Object.entries(tints).flatMap(([name, tint], i) =>
    traceLines(name, run.panels[name], { x: run.step, yaxis: `y${i + 1}` }, tint),
  );
  draw("traces-plot", lines, {
    xaxis: across("Monte Carlo step", { anchor: "y3" }),
    yaxis: panel("energy", 0.6, 1),
    yaxis2: panel("temperature", 0.3, 0.52, { exponentformat: "e", ...scale }),
    yaxis3: panel("acceptance", 0, 0.22, { range: [0, 1.03], tickformat: ".0%" }),
    margin: { l: 64, r: 12, t: 20, b: 40 },
    ...burnIn(run.step[0], run.burn_in),
  });
}

function drawCurves() {
  const shown = data.curves;
  if (!shown) return;
  const most = Math.max(...shown.curves.flatMap(({ k }) => k));
  const curve = ({ name, k, error }, i) => ({
    ...{ type: "scatter", mode: "lines+markers", x: k, y: error, name: label(name || "error", 60) },
    ...{ line: { color: tintOf(i), width: 2 }, marker: { symbol: SYMBOLS[i], size: 6 } },
    hovertemplate: "k = %{x}: %{y:.2%}<extra></extra>",
  });
  const place = { textposition: "end", textangle: 0, padding: 6, xanchor: shown.chosen > most / 2 ? "right" : "left" };
  const words = { text: `chosen: k = ${shown.chosen}`, ...place, font: { color: color("soft") } };
  draw("curves-plot", shown.curves.map(curve), {
    shapes: shown.chosen === null ? [] : [{ ...upLine(shown.chosen), label: words }],
    showlegend: shown.curves.length > 1,
    legend: BELOW,
    xaxis: across("number of neighbours k"),
    yaxis: upwards(shown.unit, { tickformat: ".1~%" }),
    margin: { l: 56, r: 12, t: 24, b: 40 },
  });
}
