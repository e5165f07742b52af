"""Build the wheel, install it into three fresh environments, and use it in each.

``make usual`` runs this. Everything is written below out/usual.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from environments import Environment  # noqa: E402 - a folder of scripts

OUT = ROOT / "out" / "usual"
EXTRAS = {
    "without extras": "",
    "table alone": "[table]",
    "all": "[bench,cli,dask,excel,onnx,parquet,plot,report,thermo]",
}
"""Extras by environment; all but the GPU's, and those that are other methods."""


def build_wheel():
    """Return the path of the wheel that pip makes of the repository."""
    folder = OUT / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    options = ["--quiet", "--no-deps", "--disable-pip-version-check"]
    words = [sys.executable, "-m", "pip", "wheel", *options, "-w", folder, ROOT]
    subprocess.run(words, check=True)
    return next(folder.glob("*.whl"))


def use(wheel, name, extras):
    """Install the wheel with extras, use it, and return whether all was right."""
    folder = OUT / name.replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    environment = Environment(folder)
    installed = environment.install(f"{wheel}{extras}")
    if installed.code:
        print(f"FAIL {name}: pip: {installed.said}")
        return False
    script = Path(__file__).with_name("installed.py")
    seen = environment.call(["python", str(script)])
    print(
        f"{name}: exit code {seen.code}, {seen.seconds:.0f} s\n{seen.out}", flush=True
    )
    if not seen.out:
        print(seen.err[-1000:])
    return seen.code == 0


if __name__ == "__main__":
    wheel = build_wheel()
    wanted = sys.argv[1:] or list(EXTRAS)
    results = [use(wheel, name, EXTRAS[name]) for name in wanted]
    sys.exit(not all(results))
