# Every target works from a bare checkout with Python >= 3.11: the environment is made on first use.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
OLDEST := .venv-oldest
MINIMA := .venv-minima
PEERS := .venv-peers
DOCS := .venv-docs
FUZZ := .venv-fuzz
RELEASE := .venv-release

.PHONY: demo test test-slow test-oldest test-minima test-metric-learn lint bench-speed bench-honest bench-accuracy bench-learners bench-onnx bench-scale bench-bayes bench-regression results docs release-check fuzz clean

demo: $(VENV)/ready
	$(RUN) -m freemetric demo

test: lint
	$(RUN) -m pytest -n 2 --dist worksteal -m "not slow"

test-slow: $(VENV)/ready
	$(RUN) -m pytest -n 2 -m slow

# scikit-learn's estimator contract, model files and tables on the oldest supported release
test-oldest: $(OLDEST)/ready
	$(OLDEST)/bin/python -m pytest -n 2 -m "not slow" tests/test_contract.py tests/files tests/metric_learn tests/tables

# the same and benchmarks with every package as old as pyproject.toml allows
test-minima: $(MINIMA)/ready
	$(MINIMA)/bin/python -m pytest -n 2 -m "not slow" --junitxml=out/test-minima.xml tests/test_contract.py tests/files tests/tables \
		tests/bench/test_runner.py tests/bench/test_stats.py tests/bench/test_race.py

# metric-learn's own tests on freemetric.metric_learn; its source archive is fetched into out/metric-learn
test-metric-learn: $(VENV)/ready
	$(RUN) tools/metric_learn_suite.py

lint: $(VENV)/ready
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

bench-speed: $(VENV)/ready
	$(RUN) benchmarks/speed.py

bench-honest: $(VENV)/ready
	$(RUN) benchmarks/honest.py

# classification: tables from the committed records
bench-accuracy: $(VENV)/ready
	$(RUN) benchmarks/accuracy.py

bench-learners: $(VENV)/ready $(PEERS)/ready
	$(RUN) benchmarks/learners.py --peer $(PEERS)/bin/python

bench-onnx: $(VENV)/ready
	$(RUN) benchmarks/onnx_export.py

bench-scale: $(VENV)/ready
	$(RUN) benchmarks/scale.py --run out/scale.jsonl

# synthetic classification problems: tables from the committed records
bench-bayes: $(VENV)/ready
	$(RUN) benchmarks/bayes.py

# regression: tables from the committed records
bench-regression: $(VENV)/ready
	$(RUN) benchmarks/regression.py
	$(RUN) benchmarks/regression.py --noise

# benchmarks/tables and the tables of docs/results.md and docs/paper.md, from the committed records
results: $(VENV)/ready
	$(RUN) tools/results_page.py

# pages, pictures, examples and the tutorials as notebooks, into docs/_build/html
docs: $(DOCS)/ready
	$(DOCS)/bin/python tools/notebooks.py docs/tutorials docs/_build/notebooks
	$(DOCS)/bin/python -m sphinx -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html

# mutated model files and tables for so many seconds, led by coverage; what breaks something goes into out/fuzz
fuzz: $(FUZZ)/ready
	$(FUZZ)/bin/python -m tests.fuzz --seconds $(or $(SECONDS),60)

# archives, metadata, a first use on every Python that is here, licences, into out/release; TAG=v1.2.3 before a release
release-check: $(RELEASE)/ready
	$(RELEASE)/bin/python tools/release.py $(if $(TAG),--tag "$(TAG)")

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(0 if sys.version_info >= (3, 11) else 'freemetric needs Python 3.11 or newer')"
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

$(OLDEST)/ready: pyproject.toml
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check -e ".[dev]" \
		"scikit-learn==1.6.*" "scipy<1.16" "numpy<2.3" "pandas<3" "pytest<9"
	touch $@

# such a matplotlib uses names that today's pyparsing calls deprecated, and warnings are errors
$(MINIMA)/ready: pyproject.toml tools/minima.py
	$(PYTHON) -m venv $(MINIMA)
	$(MINIMA)/bin/python tools/minima.py > $(MINIMA)/minima.txt
	$(MINIMA)/bin/python -m pip install --quiet --disable-pip-version-check -r $(MINIMA)/minima.txt \
		"pyparsing<3.3" -e ".[bench,dask,onnx,parquet,serve]"
	touch $@

# atheris leads by coverage; where there is none for this Python or system, mutants are made by seeds alone
$(FUZZ)/ready: pyproject.toml
	$(PYTHON) -m venv $(FUZZ)
	$(FUZZ)/bin/python -m pip install --quiet --disable-pip-version-check -e ".[cli,parquet]"
	-$(FUZZ)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: "atheris>=3"
	touch $@

$(DOCS)/ready: pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@

$(RELEASE)/ready:
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check build twine
	touch $@

$(PEERS)/ready:
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check "metric-learn==0.7.0" "scikit-learn==1.7.2"
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) $(MINIMA) $(PEERS) $(DOCS) $(FUZZ) $(RELEASE) out docs/_build docs/auto_examples docs/api/generated
