// Plotly waits compressed in the page; the page's policy knows its digest, so that no other script runs.
async function loadPlotly() {
  const stream = new Blob([bytesOf(byId("plotly").textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}

// Draw a page; where that cannot be done, a line says so.
async function openPage(drawing) {
  try {
    await drawing();
  } catch (error) {
    byId("trouble").hidden = false;
    byId("trouble").textContent = `The figures cannot be drawn here (${error.message}). A browser of 2023 or later can.`;
    throw error;
  }
  followTheme();
  document.documentElement.dataset.ready = "true";
}
