// Methods that can be fitted and compared for each task, and their names.
const NAMES = {
  "free-energy": "free energy", "rf": "random forest", "hist-boosting": "boosting", "extra-trees": "extra trees",
  "euclidean": "plain k-NN", "logistic": "logistic regression", "svm": "SVM", "nca": "NCA + k-NN", "lmnn": "LMNN + k-NN",
  "dmlfe": "DMLFE + k-NN", "mlkr": "MLKR + k-NN", "lfda": "LFDA + k-NN", "rca": "RCA + k-NN", "constant": "constant prediction",
};
const methodName = (method) => NAMES[method] ?? method;

const TASKS = {
  classify: {
    words: "classes",
    fitted: ["free-energy", "nca", "lmnn", "dmlfe", "lfda", "rca", "euclidean"],
    compared: ["free-energy", "rf", "hist-boosting", "euclidean", "logistic", "svm", "nca", "lmnn", "dmlfe"],
    error: "error in %",
    errorShort: "% wrong",
    scores: [["balanced_accuracy", "balanced accuracy", percent], ["roc_auc", "AUC", number], ["log_loss", "log loss", number]],
    wrong: "Next wrong one",
  },
  regress: {
    words: "a number",
    fitted: ["free-energy", "mlkr", "dmlfe", "euclidean"],
    compared: ["free-energy", "rf", "hist-boosting", "extra-trees", "euclidean", "mlkr", "dmlfe"],
    error: "RMSE in % of the standard deviation",
    errorShort: "% of the standard deviation",
    scores: [["r2", "R²", (r2) => (Math.abs(r2) < 5e-4 ? "0.000" : r2.toFixed(3))], ["mae", "MAE", number], ["rmse", "RMSE", number], ["pinball", "pinball loss", number], ["coverage_90", "inside of 90 % intervals", percent]],
    wrong: "Next outside of its interval",
  },
};
const USUAL = ["free-energy", "rf", "hist-boosting", "euclidean"];

// Offer the methods of a task; the chosen method stays chosen where it can.
function offerMethods(task) {
  if (byId("methods").dataset.task === task) return;
  byId("methods").dataset.task = task;
  const { fitted, compared } = TASKS[task];
  const before = byId("method").value;
  const pairs = fitted.map((name) => [name, name === "free-energy" ? "free energy: an ensemble of metrics" : NAMES[name]]);
  options(byId("method"), pairs, fitted.includes(before) ? before : "free-energy");
  const boxes = compared.map((value) => {
    const line = element("label");
    const box = element("input", "", { type: "checkbox", value });
    box.checked = USUAL.includes(value);
    line.append(box, NAMES[value]);
    return line;
  });
  byId("methods").replaceChildren(element("legend", "Methods", { class: "hidden" }), ...boxes);
}
