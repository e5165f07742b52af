"""Check a release: versions, archives, metadata, a first use on every Python.

``make release-check`` runs it and leaves the archives in out/release/dist.
``TAG=v1.2.3`` also checks whether that tag could be published. Exit code 1 if something
is wrong.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from environments import PYTHONS, Environment, interpreters
from packages import sdist_problems, version_problems, versions, wheel_problems

ROOT = Path(__file__).parents[1]
FIRST_USE = """
from sklearn.datasets import load_iris
from freemetric import FreeEnergyClassifier, load, save
X, y = load_iris(return_X_y=True)
save(FreeEnergyClassifier(6, random_state=0).fit(X, y), "iris.fm")
assert load("iris.fm").score(X, y) > 0.9
"""
TABLE = "x,colour,class\n" + "\n".join(
    f"{i % 7},{'red' if i % 3 else 'blue'},{'a' if i % 7 > 3 else 'b'}"
    for i in range(60)
)


def build(out: Path) -> list[str]:
    """The source archive, the wheel made from it, and what twine says of both."""
    dist = out / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(dist), str(ROOT)],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return [
            f"python -m build: {(done.stderr or done.stdout).strip().splitlines()[-1]}"
        ]
    archives = sorted(map(str, dist.iterdir()))
    checked = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *archives],
        capture_output=True,
        text=True,
    )
    for line in checked.stdout.splitlines():
        print(f"  {line}")
    return [] if checked.returncode == 0 else ["twine check --strict"]


def look_into(out: Path) -> list[str]:
    """The archives from inside."""
    wheel, sdist = (
        next((out / "dist").glob(pattern)) for pattern in ("*.whl", "*.tar.gz")
    )
    for archive in (wheel, sdist):
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        print(
            f"  {archive.name}  {archive.stat().st_size / 1e6:.2f} MB  sha256 {digest}"
        )
    return wheel_problems(wheel, ROOT) + sdist_problems(sdist)


def first_uses(out: Path) -> list[str]:
    """The wheel in a fresh environment of every supported Python that is here."""
    problems, found = [], interpreters()
    for version in PYTHONS:
        if version not in found:
            print(f"  Python {version}: not here")
            continue
        with tempfile.TemporaryDirectory() as folder:
            problems += [
                f"Python {version}: {line}"
                for line in first_use(version, found[version], Path(folder), out)
            ]
    return problems


def first_use(version: str, python: str, folder: Path, out: Path) -> list[str]:
    """Install the wheel, fit; then with the extra, the same on the command line."""
    wheel = next((out / "dist").glob("*.whl"))
    (folder / "table.csv").write_text(TABLE)
    fresh = Environment(folder / "env", python)
    words = ["--target", "class", "--replicas", "6", "-o", "table.fm"]
    problems = []
    for what, step, wanted in (
        ("install", lambda: fresh.install(str(wheel)), 0),
        ("fit, save, load", lambda: fresh.call(["python", "-c", FIRST_USE], folder), 0),
        (
            "the command without its extra",
            lambda: fresh.call(["freemetric", "--version"], folder),
            2,
        ),
        ("install [cli]", lambda: fresh.install(f"{wheel}[cli]"), 0),
        ("--version", lambda: fresh.call(["freemetric", "--version"], folder), 0),
        (
            "fit a table",
            lambda: fresh.call(["freemetric", "fit", "table.csv", *words], folder),
            0,
        ),
        (
            "predict",
            lambda: fresh.call(
                ["freemetric", "predict", "table.fm", "table.csv", "-o", "o.csv"],
                folder,
            ),
            0,
        ),
    ):
        seen = step()
        print(
            f"  Python {version}: {what}: exit code {seen.code}, {seen.seconds:.1f} s",
            flush=True,
        )
        if seen.code != wanted:
            problems.append(f"{what}: exit code {seen.code}: {seen.said}")
            break
    return problems


def main() -> None:
    """Check, print, and end with the number of problems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", help="tag to publish, v1.2.3")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "out" / "release", help="folder to write to"
    )
    parser.add_argument(
        "--without-first-use", action="store_true", help="only what takes seconds"
    )
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    steps = {
        f"versions: {versions(ROOT)['src/freemetric/_version.py']}": lambda: (
            version_problems(ROOT, given.tag)
        ),
        "archives": lambda: build(given.out) or look_into(given.out),
    }
    if not given.without_first_use:
        steps["first use"] = lambda: first_uses(given.out)
    problems = []
    for name, step in steps.items():
        print(name, flush=True)
        problems += step()
        if problems:
            break
    for line in problems:
        print(f"problem: {line}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
