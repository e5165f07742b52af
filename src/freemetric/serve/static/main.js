// The page begins: what the server knows already is shown, be it opened for the first time or again.
async function begin() {
  await enter();
  const state = await ask("api/state");
  page.mostMegabytes = state.most_megabytes;
  byId("drop").hidden = false;
  for (const name of state.examples) {
    const button = element("button", name.replace("_", " "), { type: "button" });
    button.onclick = () => sendExample(name);
    byId("examples").append(button, " ");
  }
  if (state.table) showTable(state.table);
  if (state.results.fit) showModel(state.results.fit);
  if (state.results.compare) showComparison(state.results.compare);
  if (state.job) (state.job.kind === "fit" ? watchFit : watchCompare)(state.job);
}

byId("quit").onclick = attempt("trouble", async () => {
  await post("api/quit");
  page.stream?.abort();
  document.body.replaceChildren(element("p", "The server has ended. This page can be closed.", { class: "ended" }));
});

listenForFiles();
listenForFits();
listenForModels();
listenForNewFiles();
listenForRows();
listenForComparisons();
followTheme();
await attempt("trouble", begin)();
document.documentElement.dataset.ready = "true";
