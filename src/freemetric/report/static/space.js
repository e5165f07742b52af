// Points in the learned space, in two or three dimensions, and which classes are shown.
const FEW = 600; // points that are drawn large. Plotly's scattergl would need a policy that allows eval.
const MOST_LAYERS = 8;
const hiddenClasses = new Set();
const followers = []; // called when classes are shown or hidden

// Traces of points: a class, and places of its members. Of many points each class has several, in turn with those of the
// others: what is drawn last would hide all else.
function dealt(points) {
  const members = data.classes.map(() => []);
  points.forEach((row, place) => members[rows.class[row]].push(place));
  const layers = points.length > FEW ? Math.min(MOST_LAYERS, Math.ceil(64 / members.length)) : 1;
  const deal = (layer) => members.map((places, c) => ({ c, places: places.filter((_, i) => i % layers === layer) }));
  return Array.from({ length: layers }, (_, layer) => deal(layer)).flat();
}

function cloud({ coordinates, deals, texts, shades }, solid) {
  const crowd = coordinates[0].length / FEW;
  const size = (solid ? 4 : 8) / Math.max(1, crowd ** 0.28);
  const line = { width: solid || crowd > 1 ? 0 : 0.5, color: color("panel") };
  return deals.map(({ c, places }) => {
    const group = data.classes[c];
    const take = (values) => places.map((place) => values[place]);
    // a line alone would hide its points
    const aside = () => (shades ? take(shades) : places.map((place) => c + ((place * 0.618) % 1) * 0.6));
    const symbol = (solid ? SOLID_SYMBOLS : SYMBOLS)[group.marker];
    return {
      ...{ type: solid ? "scatter3d" : "scatter", mode: "markers", name: label(group.name) },
      ...{ x: take(coordinates[0]), y: coordinates.length > 1 ? take(coordinates[1]) : aside() },
      ...(solid ? { z: take(coordinates[2]) } : {}),
      ...{ text: take(texts), hovertemplate: "%{text}<extra></extra>", visible: !hiddenClasses.has(c) },
      marker: { ...(shades ? tinted(take(shades)) : { color: group.color }), opacity: 0.85, size, symbol, line },
    };
  });
}

// Names of many classes where their members are: a legend alone would not tell them apart.
const MANY_CLASSES = 8;
function classNames(coordinates, deals) {
  if (data.classes.length <= MANY_CLASSES || coordinates.length < 2) return [];
  const members = data.classes.map(() => []);
  for (const { c, places } of deals) members[c].push(...places);
  const middle = (values, places) => places.map((p) => values[p]).sort((a, b) => a - b)[Math.floor(places.length / 2)];
  const names = distinct(data.classes.map(({ name }) => name), narrow() ? 8 : 14);
  return data.classes.flatMap(({ color: own }, c) => {
    if (!members[c].length || hiddenClasses.has(c)) return [];
    const [x, y] = coordinates.slice(0, 2).map((values) => middle(values, members[c]));
    const look = { showarrow: false, bgcolor: alpha(color("panel"), 0.72), borderpad: 1, font: { color: own, size: 12, weight: 700 } };
    return [{ x, y, text: label(names[c]), ...look, captureevents: false }];
  });
}

function cloudLayout(titles, solid, reach) {
  const bare = (title, more = {}) =>
    axis({
      ...{ title: { text: title }, showticklabels: false, ticks: "", zeroline: false, showgrid: solid, mirror: true },
      ...(reach ? { range: [-reach, reach] } : {}),
      ...more,
    });
  if (solid) {
    const [xaxis, yaxis, zaxis] = titles.map((title) => bare(title, { showbackground: false, automargin: undefined }));
    const scene = { xaxis, yaxis, zaxis, aspectmode: reach ? "cube" : "data", dragmode: "orbit" };
    return { scene, margin: { l: 0, r: 0, t: 0, b: 0 }, uirevision: "solid" };
  }
  const yaxis = titles.length > 1 ? bare(titles[1], { scaleanchor: "x" }) : bare(targets ? "target" : "class", { range: undefined });
  return { xaxis: bare(titles[0]), yaxis, margin: { l: 30, r: 8, t: 24, b: 36 }, uirevision: "flat" };
}

function drawCloud(id, shown, dimensions, reach = null) {
  const { coordinates, deals, titles, shades } = shown;
  const solid = dimensions === 3 && titles.length > 2;
  const traces = cloud(shown, solid);
  const annotations = solid ? [] : classNames(coordinates, deals);
  const layout = { ...cloudLayout(titles, solid, reach), annotations, ...(shades ? colourAxis() : {}) };
  return draw(id, traces, layout, solid ? SOLID_BUTTONS : BUTTONS);
}

function onDimensions(id, act) {
  if (!byId(id)) return () => 2; // nothing here has a third axis
  const radios = [...byId(id).querySelectorAll("input")];
  const solid = radios.find((radio) => radio.value === "3");
  if (!document.createElement("canvas").getContext("webgl")) {
    solid.disabled = true;
    solid.parentElement.title = "This browser has no WebGL.";
  }
  for (const radio of radios) radio.addEventListener("change", act);
  return () => Number(radios.find((radio) => radio.checked).value);
}

function drawLegend() {
  data.classes.forEach((group, c) => {
    const button = element("button", "", { type: "button", "aria-pressed": "true" });
    button.append(glyphOf(group), group.name);
    button.addEventListener("click", () => {
      const isShown = hiddenClasses.delete(c);
      if (!isShown) hiddenClasses.add(c);
      button.setAttribute("aria-pressed", String(isShown));
      for (const follow of followers) follow();
    });
    byId("legend").append(button);
  });
}

function drawSpaces() {
  if (!data.spaces.length) return;
  const texts = Array.from(rows.index, (_, row) => hoverText(row));
  const deals = dealt(rows.index.map((_, row) => row));
  const spaces = data.spaces.map(({ points, share }) => {
    const titles = share.map((part, i) => `axis ${i + 1} (${percent(part)})`);
    return { coordinates: points.map(unpack), deals, texts, titles, shades: targets && targets.truth };
  });
  const drawAll = () => spaces.forEach((space, s) => drawCloud(`space-${s}`, space, dimensions()));
  const dimensions = onDimensions("space-axes", drawAll);
  if (labelled) drawLegend();
  followers.push(drawAll);
  figure(drawAll);
  const explain = ({ points: [point] }) => explainRow(deals[point.curveNumber].places[point.pointNumber]);
  spaces.forEach((_, s) => byId(`space-${s}`).on("plotly_click", explain));
}
