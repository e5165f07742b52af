// Figures in the colours of the page; every one is drawn anew when those change.
const drawings = [];
const CONFIG = { responsive: true, displayModeBar: false };
// Named one by one: Plotly's own choice has a button that would send the chart away.
const BUTTONS = {
  displaylogo: false,
  displayModeBar: true,
  modeBarButtons: [["toImage", "zoomIn2d", "zoomOut2d", "resetScale2d"]],
};
const SOLID_BUTTONS = { ...BUTTONS, modeBarButtons: [["toImage", "resetCameraDefault3d"]] };
const SYMBOLS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star"];
const SOLID_SYMBOLS = ["circle", "square", "diamond", "cross", "x", "circle-open", "square-open", "diamond-open"];
const GLYPHS = ["●", "■", "▲", "◆", "▼", "✚", "✖", "★"];

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function axis(more = {}) {
  return {
    gridcolor: color("line"),
    zerolinecolor: color("line"),
    linecolor: color("line"),
    automargin: true,
    ...more,
  };
}

// A colour that lets something through.
const alpha = (hex, share) => hex + (256 + Math.round(255 * share)).toString(16).slice(1);

// A title beside an axis, clear of its numbers.
const upright = (text) => ({ text, standoff: 10 });

function layout(more) {
  const hoverlabel = {
    bgcolor: color("panel"),
    bordercolor: color("line"),
    align: "left",
    font: { color: color("ink"), size: 12 },
  };
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    showlegend: false,
    hovermode: "closest",
    hoverlabel,
    font: { color: color("ink"), family: "system-ui, sans-serif", size: 12 },
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

const narrow = () => window.innerWidth < 600;

// Theme: the system's until the reader chooses.
const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

function followTheme() {
  const button = byId("theme");
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
  };
  const show = () => {
    name();
    for (const drawing of drawings) drawing();
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  name();
}
