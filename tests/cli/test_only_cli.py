"""With nothing but ``freemetric[cli]`` installed: people's own files, and one line about what the rest needs."""

import subprocess
import sys

import pytest

from freemetric.bench.records import BenchJob, Record

NOT_OF_CLI = ["cma", "scikit_posthocs", "matplotlib", "onnx", "pyarrow", "skl2onnx"]
CALL = f"""
import sys
class Hidden:
    def find_spec(self, name, *where):
        if name.partition(".")[0] in {NOT_OF_CLI}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Hidden())
from freemetric.cli import main
"""


EACH = """
for sys.argv in [sys.argv[:1] + line.split() for line in sys.stdin]:
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
"""


def shell(*words):
    call = [sys.executable, "-c", f"{CALL}main()", *map(str, words)]
    return subprocess.run(call, capture_output=True, text=True)


@pytest.fixture(scope="module")
def fewer(people, tmp_path_factory):
    path = tmp_path_factory.mktemp("fewer") / "fewer.csv"
    people.drop(columns="town").to_csv(path, index=False)
    return path


@pytest.mark.slow
def test_from_the_table_to_the_page(home, tmp_path):
    data, model = home / "people.csv", tmp_path / "people.fm"
    lines = f"""fit {data} --target class --set n_replicas=6 -o {model}
predict {model} {data} -o {tmp_path}/out.csv --proba
transform {model} {data} -o {tmp_path}/z.csv
inspect {model}
report {model} -o {tmp_path}/page.html"""
    done = subprocess.run([sys.executable, "-c", CALL + EACH], input=lines, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"people.fm", "out.csv", "z.csv", "page.html"}


@pytest.mark.slow
def test_evaluate_has_ranks_and_says_what_the_tests_need(home, fewer):
    words = ["--target", "class", "--methods", "euclidean,rf", "--folds", "2", "--repeats", "1"]
    alone = shell("evaluate", home / "people.csv", *words)
    assert (alone.returncode, alone.stderr) == (0, "")
    several = shell("evaluate", home / "people.csv", fewer, *words)
    assert several.returncode == 0
    assert "| **Rank** |" in several.stdout
    assert "Critical differences" not in several.stdout
    needs = "This needs scikit_posthocs: pip install 'freemetric[bench]'."
    assert several.stderr.splitlines() == [f"note: no tests against euclidean. {needs}"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (["table", "FOLDER", "posthoc", "--control", "nca"], "scikit_posthocs"),
        (
            ["figure", "FOLDER", "scatter", "FOLDER/a.png", "--control", "nca"],
            "matplotlib",
        ),
        (["draw", "race", "iris", "FOLDER/a.png"], "matplotlib"),
    ],
)
def test_the_laboratory_says_what_it_needs(words, missing, tmp_path):
    for method, error in {"euclidean": 5.0, "nca": 4.0}.items():
        for dataset in ("iris", "wine"):
            Record(BenchJob(dataset, method, 0, 0), errors=[error], honest_error=error).write(tmp_path)
    done = shell("bench", *(word.replace("FOLDER", str(tmp_path)) for word in words))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"This needs {missing}: pip install 'freemetric[bench]'.\n"


@pytest.mark.slow
def test_an_export_says_what_it_needs(home):
    done = shell("export", home / "people.fm", "-o", home / "people.onnx")
    assert (done.returncode, done.stderr) == (1, "This needs onnx: pip install 'freemetric[onnx]'.\n")


@pytest.mark.slow
def test_parquet_says_what_it_needs(home, tmp_path):
    (tmp_path / "people.parquet").write_bytes(b"PAR1")
    done = shell("predict", home / "people.fm", tmp_path / "people.parquet")
    assert (done.returncode, done.stderr) == (1, "This needs pyarrow: pip install 'freemetric[parquet]'.\n")


@pytest.mark.parametrize("module", ["typer", "rich"])
def test_the_command_line_itself(module):
    code = f"import sys; sys.modules[{module!r}] = None; import freemetric.cli"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"The command line needs {module}: pip install 'freemetric[cli]'.\n"
