const FIGURES = [drawSpaces, drawMotion, drawTraces, drawImportances, drawWeights, drawMetric, drawCurves, drawConfusion, ...TARGET_FIGURES];

await openPage(async () => {
  drawRows();
  await loadPlotly();
  for (const drawing of FIGURES) drawing();
});
