"""The first hour of three newcomers, each in a fresh environment: times, sizes and exit codes.

``make audit-user`` builds the wheel and takes all else from the package index that pip is configured for. The record is
out/audit-user.json; the exit code is 1 where a step went otherwise than wanted. first_hours.py holds the steps.
"""

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from environments import Environment, Seen
from first_hours import PEOPLE, Person, Step

ROOT = Path(__file__).parents[1]
HEAVIEST = 8  # packages to name
QUICK = 0.03  # seconds that Python takes for nothing on a machine that is not busy; limits count in those


def walk(person: Person, wheel: Path, folder: Path) -> dict:
    """What a person saw."""
    print(f"\n{person.name}", flush=True)
    for name, text in person.files.items():
        (folder / name).write_text(text())
    shutil.copy(ROOT / "docs" / "tutorials" / "metric_learn.md", folder)
    fresh = Environment(folder / "env")
    steps = [installed(fresh, requirements, wheel) for requirements in person.installs]
    slow = slowness(fresh)
    if all(step["fine"] for step in steps):
        steps += [taken(fresh, step, wheel, folder, slow) for step in person.steps]
    return {"person": person.name, "slowness": slow, "steps": steps, "megabytes": sizes(fresh)}


def slowness(fresh: Environment) -> float:
    """How many times longer than on a quick machine things take here and now, at least 1."""
    found = max(1.0, median(fresh.call(["python", "-c", "pass"]).seconds for _ in range(5)) / QUICK)
    print(f"  this machine is {found:.1f} times as slow as a quick one; limits are as much longer", flush=True)
    return round(found, 2)


def installed(fresh: Environment, requirements: list[str], wheel: Path) -> dict:
    """A call of pip, and how large the environment is after it."""
    seen = fresh.install(*(str(wheel) if text == "WHEEL" else text for text in requirements))
    total = round(fresh.megabytes().total())
    step = Step(f"pip install {' '.join(requirements).replace('WHEEL', 'freemetric')}", [])
    return result(step, seen, seen.code == 0, f"{total} MB" if seen.code == 0 else seen.said)


def taken(fresh: Environment, step: Step, wheel: Path, folder: Path, slow: float = 1.0) -> dict:
    """One step."""
    words = [word.replace("WHEEL", str(wheel)) for word in step.words]
    seen = fresh.call(words, folder, interrupt=step.interrupt)
    in_time = step.seconds is None or seen.seconds <= step.seconds * slow
    fine = seen.code == step.wanted and in_time and step.says in seen.out + seen.err
    problems = [line for line in seen.err.splitlines() if not line.startswith("note: ")]
    one_line = step.wanted not in (1, 2) or step.words[0] == "python" or len(problems) == 1
    return result(step, seen, fine and one_line, seen.said)


def result(step: Step, seen: Seen, fine: bool, said: str) -> dict:
    """The step as a record, and as a line."""
    name = step.name.replace("WHEEL", "freemetric")
    mark, after = "ok " if fine else "BAD", " after Ctrl-C" if step.interrupt else ""
    print(f"  {mark} {seen.seconds:7.2f} s{after}  exit {seen.code:3}  {name}: {said[:150]}", flush=True)
    wanted = {"code": step.wanted, "seconds": step.seconds, "says": step.says}
    return {
        "step": name,
        "fine": fine,
        "code": seen.code,
        "seconds": round(seen.seconds, 3),
        "said": said,
        "wanted": wanted,
    }


def sizes(fresh: Environment) -> dict:
    """Megabytes in all, and of the heaviest packages."""
    found = fresh.megabytes()
    heaviest = {name: round(size, 1) for name, size in found.most_common(HEAVIEST)}
    print(f"  {found.total():.0f} MB: {', '.join(f'{name} {size:.0f}' for name, size in heaviest.items())}", flush=True)
    return {"total": round(found.total(), 1), **heaviest}


def main() -> None:
    """Walk, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", type=Path, default=ROOT / "out" / "audit-user.json", help="file to write")
    parser.add_argument("--only", default="", help="people with this in their names")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "build", "--wheel", "--outdir", folder, str(ROOT)]
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        wheel = next(Path(folder).glob("*.whl"))
        seen = []
        for number, person in enumerate(person for person in PEOPLE if given.only in person.name):
            home = Path(folder) / str(number)
            home.mkdir()
            seen.append(walk(person, wheel, home))
    record = {"python": platform.python_version(), "machine": platform.machine(), "wheel": wheel.name, "people": seen}
    given.record.parent.mkdir(parents=True, exist_ok=True)
    given.record.write_text(json.dumps(record, indent=2) + "\n")
    bad = sum(not step["fine"] for person in seen for step in person["steps"])
    print(f"\n{bad} steps went otherwise than wanted; {given.record}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
