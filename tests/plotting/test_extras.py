import subprocess
import sys

import pytest

CODE = """
import sys
import numpy as np


class Missing:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == {missing!r}:
            raise ModuleNotFoundError(name={missing!r})


sys.meta_path.insert(0, Missing())
from freemetric import plotting
from freemetric import LFDA
X = np.random.default_rng(0).normal(size=(20, 2))
model = LFDA().fit(X, np.arange(20) % 2)
try:
    {call}
except ImportError as problem:
    print(problem)
"""
CALLS = {
    "embedding": "plotting.EmbeddingDisplay.from_estimator(model, X)",
    "report": "plotting.report(model, 'page.html', X)",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "missing", "extra"),
    [
        ("embedding", "matplotlib", "plot"),
        ("report", "plotly", "report"),
        ("report", "jinja2", "report"),
    ],
)
def test_one_line_says_what_to_install(call, missing, extra, tmp_path):
    code = CODE.format(missing=missing, call=CALLS[call])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    says = f"This needs {missing}: pip install {missing} (extra {extra!r})."
    assert done.stdout.strip() == says, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_page_needs_no_matplotlib(tmp_path):
    code = CODE.format(missing="matplotlib", call=CALLS["report"])
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    assert (tmp_path / "page.html").exists()
