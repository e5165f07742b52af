// Lines, above all the error against the number of rows.
function lineOf(result, x, y, more) {
  return { type: "scatter", mode: "lines+markers", x, y, name: label(result.method, 30), ...look(result.method), ...more };
}

function drawCurve() {
  if (!byId("curve-plot")) return;
  const known = methodsOf(chosen.file).filter(({ curve }) => curve.length);
  const sizes = [...new Set(known.flatMap(({ curve }) => curve.map(([n]) => Math.round(n))))].sort((a, b) => a - b);
  const curve = (result) => {
    const points = result.curve.filter(([, error]) => error !== null);
    const [x, y, array] = [0, 1, 2].map((i) => points.map((point) => point[i]));
    const hovertemplate = `${label(result.method, 40)}<br>%{x:.0f} rows: %{y:.2f} ${ERROR.short}<extra></extra>`;
    return lineOf(result, x, y, { error_y: { type: "data", array, thickness: 1, width: 3 }, hovertemplate });
  };
  draw("curve-plot", known.map(curve), {
    showlegend: known.length > 1,
    legend: BELOW,
    xaxis: across("training rows", { type: "log", tickvals: sizes, ticktext: sizes.map(String) }),
    yaxis: upwards(ERROR.title, { rangemode: "tozero" }),
    margin: { l: 56, r: 16, t: 16, b: 40 },
  });
  const lines = known.filter(({ more_rows }) => more_rows).map(({ method, more_rows }) => element("li", `${method}: ${more_rows}.`));
  byId("more-rows").replaceChildren(...lines);
}
