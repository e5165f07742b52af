"""What is mutated, and by which tests a mutant may be killed. Paths are relative to src/freemetric and to tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES, TESTS = ROOT / "src" / "freemetric", ROOT / "tests"


@dataclass(frozen=True)
class Package:
    """Some modules, the tests that must notice a mutant of them, and how many mutants are sampled."""

    name: str
    modules: tuple[str, ...]  # patterns
    tests: tuple[str, ...]
    n_mutants: int
    without: tuple[str, ...] = ()
    interpreted: bool = False  # kernels run as Python instead of compiled

    def files(self) -> list[Path]:
        """The modules' files."""
        left_out = {path for pattern in self.without for path in SOURCES.glob(pattern)}
        found = {path for pattern in self.modules for path in SOURCES.glob(pattern)}
        return sorted(found - left_out)

    def test_files(self) -> list[Path]:
        """The files of tests, in the order of their names."""
        return sorted({path for place in self.tests for path in _test_files(TESTS / place)})


def _test_files(place: Path) -> Iterator[Path]:
    yield from place.rglob("test_*.py") if place.is_dir() else [place]


COMPILED = (
    "kernels/numba/nearest.py",
    "kernels/numba/votes.py",
    "kernels/numba/element_*.py",
    "kernels/numba/exp2.py",
    "kernels/numba/listed_*.py",
    "kernels/numba/losses.py",
    "kernels/numba/soft_*.py",
)
"""Modules whose functions numba compiles."""

ON_GPUS = ("kernels/torch/*.py",)

KERNEL_TESTS = (
    "kernels/test_exp2.py",
    "kernels/test_kernels_agree.py",
    "kernels/test_listed_neighbors.py",
    "kernels/test_nearest.py",
    "kernels/test_soft_means.py",
    "energies/test_energies.py",
    "energies/test_neighbor_likelihood.py",
    "energies/test_regression.py",
    "dask/test_partition_index.py",
    "ensemble/test_model.py",
    "metrics/test_neighbor_votes.py",
)

TOO_LONG = " and ".join(
    f"not {name}"
    for name in (
        *("256", "257", "300-", "600", "700", "97-1.0", "balance", "budget", "ten_thousand"),
        *("test_sweep_makes", "test_weighted_sweep", "test_cells", "equal_rows_have_cells"),
    )
)
"""Tests that take minutes where kernels are not compiled are not run there."""

CALIBRATION = ("ensemble/tasks/classification.py", "ensemble/tasks/decisions.py")
INTERVALS = ("ensemble/tasks/intervals.py", "ensemble/tasks/regression.py")

PACKAGES = (
    Package("mc", ("mc/**/*.py",), ("mc",), 80),
    Package("energies", ("energies/*.py",), ("energies", "mc/test_noisy_energies.py"), 60),
    Package("reference kernels", ("kernels/reference*.py",), ("kernels", "energies", "metrics"), 40),
    Package("numba kernels", (*COMPILED, "kernels/numba/backend.py"), KERNEL_TESTS, 90, ON_GPUS, interpreted=True),
    Package("metrics", ("metrics/*.py",), ("metrics", "ensemble", "files", "learners/test_retriever.py"), 100),
    Package(
        "free-energy search",
        ("ensemble/**/*.py",),
        ("ensemble", "files"),
        80,
        without=(*CALIBRATION, *INTERVALS),
    ),
    Package("calibration", CALIBRATION, ("ensemble",), 40),
    Package("intervals", INTERVALS, ("ensemble",), 30),
    Package("model files", ("files/*.py",), ("files",), 60),
)
