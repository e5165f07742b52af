const OF_THE_RUN = [drawTraces, drawImportances, drawWeights, drawMetric, drawCurves];
const OF_PREDICTIONS = [drawConfusion, drawPredicted, drawResiduals, drawIntervals];

await openPage(async () => {
  drawRows();
  await loadPlotly();
  drawSpaces();
  drawMotion();
  for (const drawing of [...OF_THE_RUN, ...OF_PREDICTIONS]) figure(drawing);
});
