// Figures in the colours of the page; every one is drawn anew when those change.
const drawings = [];
const CONFIG = { responsive: true, displayModeBar: false };
// Named one by one: Plotly's own choice has a button that would send the chart away.
const FLAT = [["toImage", "zoomIn2d", "zoomOut2d", "resetScale2d"]];
const BUTTONS = { displaylogo: false, displayModeBar: true, modeBarButtons: FLAT };
const SOLID_BUTTONS = { ...BUTTONS, modeBarButtons: [["toImage", "resetCameraDefault3d"]] };
const SYMBOLS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star"];
const SOLID_SYMBOLS = ["circle", "square", "diamond", "cross", "x", "circle-open", "square-open", "diamond-open"];
const GLYPHS = ["●", "■", "▲", "◆", "▼", "✚", "✖", "★"];
const TINTS = ["#1A7FC1", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#6B6B6B", "#8A5A00"];
const tintOf = (c) => TINTS[c % TINTS.length];
const MARGIN = { l: 56, r: 12, t: 16, b: 44 };
const BELOW = { orientation: "h", x: 0, y: 0, yref: "container", yanchor: "bottom" }; // a legend

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// A colour that lets something through.
const alpha = (hex, share) => hex + (256 + Math.round(255 * share)).toString(16).slice(1);

// Axes; a title beside one stands clear of its numbers.
function axis(more) {
  const line = color("line");
  return { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true, ...more };
}
const across = (text, more) => axis({ title: { text }, ...more });
const upwards = (text, more) => axis({ title: { text, standoff: 10 }, ...more });

// Lines that say nothing under the mouse: through points, upwards at x, and around a band.
const mute = (x, y, more) => ({ type: "scatter", mode: "lines", x, y, hoverinfo: "skip", showlegend: false, ...more });
const dashes = (dash = "dash") => ({ color: color("soft"), dash, width: 1.5 });
const dashed = (x, y) => mute(x, y, { line: dashes() });
const upLine = (x, dash) => ({ type: "line", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line: dashes(dash) });
const band = (x, low, high, tint, { line, ...more } = {}) => [
  mute(x, low, { line: { width: 0, ...line }, ...more }),
  mute(x, high, { line: { width: 0, ...line }, ...more, fill: "tonexty", fillcolor: alpha(tint, 0.22) }),
];

function layout(more) {
  const font = { color: color("ink"), size: 12 };
  const hoverlabel = { bgcolor: color("panel"), bordercolor: color("line"), align: "left", font };
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    showlegend: false,
    hovermode: "closest",
    hoverlabel,
    font: { ...font, family: "system-ui, sans-serif" },
    modebar: { color: color("soft"), activecolor: color("accent"), bgcolor: "rgba(0,0,0,0)" },
    margin: { l: 40, r: 12, t: 28, b: 40 },
    ...more,
  };
}

function draw(id, traces, more = {}, config = {}) {
  return Plotly.react(byId(id), traces, layout(more), { ...CONFIG, ...config });
}

function figure(drawing) {
  drawings.push(drawing);
  drawing();
}

// A class as legends and tables show it: its marker, in its colour.
function glyphOf({ color: tint, marker }) {
  const glyph = element("span", `${GLYPHS[marker]} `, { "aria-hidden": "true" });
  glyph.style.color = tint;
  return glyph;
}

const narrow = () => window.innerWidth < 600;

// Theme: the system's until the reader chooses.
const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

function followTheme() {
  const button = byId("theme");
  const other = () => (isDark() ? "light" : "dark");
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${other()} colours`);
  };
  const show = () => {
    name();
    for (const drawing of drawings) drawing();
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = other();
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  name();
}
