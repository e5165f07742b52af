"""Methods of pytabkit with the defaults that its authors tuned on other data sets, single and bagged, on one thread.

D. Holzmüller, L. Grinsztajn, I. Steinwart, Better by Default: Strong Pre-Tuned MLPs and Boosted Trees on Tabular Data,
NeurIPS 2024 (RealMLP and the -TD defaults); Y. Gorishniy, A. Kotelnikov, A. Babenko, TabM, ICLR 2025; D. Beaglehole,
D. Holzmüller, A. Radhakrishnan, M. Belkin, xRFM, 2025. pytabkit 1.7 has no ModernNCA.
Networks learn on a GPU where the environment says NETWORK_DEVICE=cuda; their seconds are then those of the GPU.
"""

import os

from freemetric.extras import require

KINDS = {
    "lgbm-td": ("LGBM_TD", "LightGBM, pre-tuned defaults"),
    "xgb-td": ("XGB_TD", "XGBoost, pre-tuned defaults"),
    "xrfm": ("XRFM_D", "xRFM, a kernel machine with a learned metric"),
    "realmlp": ("RealMLP_TD", "RealMLP, pre-tuned defaults"),
    "catboost-td": ("CatBoost_TD", "CatBoost, pre-tuned defaults"),
    "tabm": ("TabM_D", "TabM, an ensemble of 32 networks that share weights"),
}
"""By the name of a method: pytabkit's class without its task, and what it is; the cheaper ones first."""

NETWORKS = ("realmlp", "tabm")
BAGGED = "-bagged"
N_BAGS = 5


def make_pretuned(name, seed, task="Classifier"):
    """A method by its name; with "-bagged", the mean of five models, each validated on another fifth.

    A single one is fitted on four fifths and stopped by the last one, which is pytabkit's default.
    """
    single = name.removesuffix(BAGGED)
    made = getattr(require("pytabkit", "outside"), f"{KINDS[single][0]}_{task}")
    device = os.environ.get("NETWORK_DEVICE", "cpu") if single in NETWORKS else "cpu"
    return made(device=device, random_state=seed, n_threads=1, n_cv=N_BAGS if name.endswith(BAGGED) else 1)
