"""Fresh environments: what a package takes there, and what commands do in them."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

NOT_FRESH = {
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "NUMBA_CACHE_DIR",
    "FREEMETRIC_DATA",
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")  # as pyproject.toml says


@dataclass
class Seen:
    """What a command did."""

    words: list[str]
    code: int
    seconds: float
    out: str
    err: str

    @property
    def said(self) -> str:
        """The last line that it printed, on stderr if on any."""
        return next(
            (
                lines[-1]
                for lines in (self.err.splitlines(), self.out.splitlines())
                if lines
            ),
            "",
        )


class Environment:
    """A virtual environment in a folder of its own."""

    def __init__(self, folder: Path, python: str = sys.executable):
        self.folder = folder
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([python, "-m", "venv", str(folder)], check=True, env=_fresh())

    def install(self, *requirements: str) -> Seen:
        """What pip does with them, from the index that it is configured for."""
        return self.call(
            [
                "python",
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                *requirements,
            ]
        )

    def call(
        self,
        words: Sequence[str],
        cwd: Path | None = None,
        timeout: float = 900,
        interrupt: float | None = None,
    ) -> Seen:
        """Run a program of the environment; its code is 124 where it took too long.

        ``interrupt`` presses Ctrl-C after so many seconds; the seconds that are seen
        then count from there.
        """
        env = _fresh() | {"PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}"}
        streams = {
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "preexec_fn": _in_front,
        }
        start = time.perf_counter()
        with subprocess.Popen(
            [str(self.bin / words[0]), *words[1:]],
            cwd=cwd or self.folder,
            env=env,
            **streams,
        ) as run:
            if interrupt is not None:
                time.sleep(interrupt)
                start = time.perf_counter()
                run.send_signal(signal.SIGINT)
            try:
                out, err = run.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                run.kill()
                return Seen(
                    list(words), 124, timeout, "", f"took longer than {timeout:g} s"
                )
        return Seen(list(words), run.returncode, time.perf_counter() - start, out, err)

    def megabytes(self) -> Counter[str]:
        """How much every package takes; the libraries in a folder beside a package are
        its own.
        """
        packages = next(self.folder.rglob("site-packages"))
        sizes: Counter[str] = Counter()
        for file in packages.rglob("*"):
            if file.is_file() and not file.is_symlink():
                owner = (
                    file.relative_to(packages)
                    .parts[0]
                    .partition("-")[0]
                    .removesuffix(".libs")
                )
                sizes[owner] += file.stat().st_size
        return Counter({name: size / 1e6 for name, size in sizes.items()})


def interpreters() -> dict[str, str]:
    """The Pythons of this machine that are supported, by version; pyenv's as well."""
    found = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in PYTHONS:
        kept = sorted(pyenv.glob(f"{version}.*/bin/python"))
        for python in filter(
            None, [*map(str, kept[::-1]), shutil.which(f"python{version}")]
        ):
            if (
                subprocess.run(
                    [python, "-c", "import venv"], capture_output=True
                ).returncode
                == 0
            ):
                found[version] = python
                break
    return found


def _hear_ctrl_c():
    signal.signal(signal.SIGINT, signal.SIG_DFL)


# programs that a shell starts in the background do not hear it
_in_front = None if os.name == "nt" else _hear_ctrl_c


def _fresh():
    return {name: value for name, value in os.environ.items() if name not in NOT_FRESH}
