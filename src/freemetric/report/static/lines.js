// Lines: the traces of the run, and the error against k.
function traceLines(name, panel, axes, tint) {
  const hover = (more) => `step %{x}: ${name} %{y:.4g}${more}<extra></extra>`;
  const on = { ...axes, type: "scatter", mode: "lines" };
  if (panel.lines) {
    const opacity = Math.max(0.5, 1 / panel.lines.length);
    const line = { color: tint, width: 1.5 };
    return panel.lines.map((y, r) => ({ ...on, y, line, opacity, hovertemplate: hover(`, replica ${r + 1}`) }));
  }
  const edge = { ...on, line: { width: 0 }, hoverinfo: "skip" };
  return [
    { ...edge, y: panel.low },
    { ...edge, y: panel.high, fill: "tonexty", fillcolor: alpha(tint, 0.22) },
    { ...on, y: panel.median, line: { color: tint, width: 2 }, hovertemplate: hover(" (median)") },
  ];
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
  const panel = (name, low, high, more) => axis({ title: upright(name), domain: [low, high], nticks: 5, ...more });
  const scale = run.log_temperature ? { type: "log", dtick: 1 } : { rangemode: "tozero" };
  figure(() => {
    const tints = { energy: color("cold"), temperature: color("hot"), acceptance: "#009E73" };
    const lines = Object.entries(tints).flatMap(([name, tint], i) =>
      traceLines(name, run.panels[name], { x: run.step, yaxis: `y${i + 1}` }, tint),
    );
    draw("traces-plot", lines, {
      xaxis: axis({ title: { text: "Monte Carlo step" }, anchor: "y3" }),
      yaxis: panel("energy", 0.6, 1),
      yaxis2: panel("temperature", 0.3, 0.52, { exponentformat: "e", ...scale }),
      yaxis3: panel("acceptance", 0, 0.22, { range: [0, 1.03], tickformat: ".0%" }),
      margin: { l: 64, r: 12, t: 20, b: 40 },
      ...burnIn(run.step[0], run.burn_in),
    });
  });
}

function chosenLine(k, most) {
  const place = { xref: "x", yref: "paper", x0: k, x1: k, y0: 0, y1: 1 };
  const words = { text: `chosen: k = ${k}`, textposition: "end", textangle: 0, padding: 6, xanchor: k > most / 2 ? "right" : "left" };
  const line = { color: color("soft"), dash: "dash", width: 1.5 };
  return { type: "line", ...place, line, label: { ...words, font: { color: color("soft") } } };
}

function drawCurves() {
  const shown = data.curves;
  if (!shown) return;
  const tints = ["#1A7FC1", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#6B6B6B", "#8A5A00"];
  const most = Math.max(...shown.curves.flatMap(({ k }) => k));
  const curve = ({ name, k, error }, i) => ({
    ...{ type: "scatter", mode: "lines+markers", x: k, y: error, name: label(name || "error", 60) },
    ...{ line: { color: tints[i], width: 2 }, marker: { symbol: SYMBOLS[i], size: 6 } },
    hovertemplate: "k = %{x}: %{y:.2%}<extra></extra>",
  });
  figure(() =>
    draw("curves-plot", shown.curves.map(curve), {
      shapes: shown.chosen === null ? [] : [chosenLine(shown.chosen, most)],
      showlegend: shown.curves.length > 1,
      legend: { orientation: "h", x: 0, y: 0, yref: "container", yanchor: "bottom" },
      xaxis: axis({ title: { text: "number of neighbours k" } }),
      yaxis: axis({ title: upright(shown.unit), tickformat: ".1~%" }),
      margin: { l: 56, r: 12, t: 24, b: 40 },
    }),
  );
}
