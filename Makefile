# Every target works from a bare checkout with Python >= 3.11: the environment is made on first use.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
OLDEST := .venv-oldest
MINIMA := .venv-minima
PEERS := .venv-peers
RIVALS := .venv-rivals
DOCS := .venv-docs
RELEASE := .venv-release

.PHONY: bench-parts demo paper test test-slow test-oldest test-minima test-metric-learn coverage lint results docs release-check fuzz survive mutants usual clean \
	bench-accuracy bench-regression bench-bayes bench-scale bench-learners bench-speed bench-quick bench-rivals

demo: $(VENV)/ready
	$(RUN) -m freemetric demo

# the paper: fits, tables and figures into out/paper; EFFORT=--quick for ten minutes instead of ten hours, goes on when called again
paper: $(VENV)/ready
	$(RUN) -m freemetric paper $(or $(EFFORT),--full) $(if $(DATA),--data "$(DATA)")

test: lint
	$(RUN) -m pytest -n 2 --dist worksteal -m "not slow"

# what is slow, and what needs Dask, ONNX Runtime, Arrow or polars, which `make test` skips
test-slow: $(VENV)/all
	$(RUN) -m pytest -n 2 -m slow
	$(RUN) -m pytest -n 2 -m "not slow" tests/dask tests/files/test_onnx.py tests/tables/test_estimators.py tests/cli \
		tests/test_docs.py tests/test_ecosystem.py src/freemetric/dask src/freemetric/files
	$(RUN) -m pytest -n 2 --hypothesis-profile=many tests/test_properties.py

# scikit-learn's estimator contract, model files and tables on the oldest supported release
test-oldest: $(OLDEST)/ready
	$(OLDEST)/bin/python -m pytest -n 2 -m "not slow" tests/test_contract.py tests/files tests/metric_learn tests/tables

# the same and experiments with every package as old as pyproject.toml allows
test-minima: $(MINIMA)/ready
	$(MINIMA)/bin/python -m pytest -n 2 -m "not slow" --junitxml=out/test-minima.xml tests/test_contract.py tests/files tests/tables \
		tests/experiments/test_runner.py tests/experiments/test_statistics.py tests/experiments/test_records.py

# metric-learn's own tests on freemetric.metric_learn; its source archive is fetched into out/metric-learn
test-metric-learn: $(VENV)/ready
	$(RUN) tools/metric_learn_suite.py

# lines of the library that `make test` runs and its extras' tests, and those that none runs
coverage: $(VENV)/all
	$(RUN) -m pip install --quiet --disable-pip-version-check coverage
	$(RUN) -m coverage run -m pytest -m "not slow"
	$(RUN) -m coverage report

lint: $(VENV)/ready
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(RUN) -m mypy --strict --follow-imports silent tests/user_code.py

# classification: tables from the committed records
bench-accuracy: $(VENV)/ready
	$(RUN) benchmarks/classification/accuracy.py

# regression: tables from the committed records
bench-regression: $(VENV)/ready
	$(RUN) benchmarks/regression/regression.py
	$(RUN) benchmarks/regression/regression.py --noise

# every part of the ensembles taken out alone: the table from the committed records
bench-parts: $(VENV)/ready
	$(RUN) benchmarks/classification/parts.py

# synthetic classification problems: tables from the committed records
bench-bayes: $(VENV)/ready
	$(RUN) benchmarks/classification/synthetic.py

# large tables: from the committed records
bench-scale: $(VENV)/ready
	$(RUN) benchmarks/scale/scale.py

# time and memory of every learner, beside metric-learn's
bench-learners: $(VENV)/ready $(PEERS)/ready
	$(RUN) benchmarks/speed/learners.py --peer $(PEERS)/bin/python

# times and ratios to scikit-learn's, a failure beyond 1.5 times their bounds; OPTIONS="-k fit"
bench-speed: $(VENV)/ready
	$(RUN) -m pip install --quiet --disable-pip-version-check "pytest-benchmark>=5"
	$(RUN) -m pytest benchmarks/speed/test_speed.py --benchmark-columns=min,rounds $(OPTIONS)

# a tenth of the comparisons, beside the committed records
bench-quick: $(VENV)/ready
	$(RUN) benchmarks/quick.py

# forests, LightGBM, CatBoost and RealMLP beside ours, on tables as they are; rivals go into an environment of their own
bench-rivals: $(RIVALS)/ready
	$(RIVALS)/bin/python benchmarks/classification/mixed.py --run out/rivals.jsonl \
		--methods freemetric forest hist-boosting lightgbm catboost realmlp $(OPTIONS)

# benchmarks/tables and the tables of docs/results.md and docs/paper.md, from the committed records
results: $(VENV)/ready
	$(RUN) tools/results_page.py

# pages, the toy problem, examples and the tutorials as notebooks, into docs/_build/html
docs: $(DOCS)/ready
	$(DOCS)/bin/python tools/notebooks.py docs/tutorials docs/_build/notebooks
	$(DOCS)/bin/python docs/toy.py
	$(DOCS)/bin/python -m sphinx -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html

# edited model files for so many seconds: refused in a line, or loaded and used
fuzz: $(VENV)/ready
	$(RUN) -m tests.fuzz --seconds $(or $(SECONDS),60)

# kills, edited files, hostile input, a large table, forks and pools: what holds, as a table
survive: $(VENV)/ready
	$(RUN) tools/survive.py

# the wheel in fresh environments without extras, with `table` alone, and with all
usual: $(VENV)/ready
	$(RUN) -m tests.usual

# small faults in the library, one at a time: which ones its tests notice
mutants: $(VENV)/ready
	$(RUN) tools/mutants.py

# archives, metadata, a first use on every Python that is here, licences, into out/release; TAG=v1.2.3 before a release
release-check: $(RELEASE)/ready
	$(RELEASE)/bin/python tools/release.py $(if $(TAG),--tag "$(TAG)")

$(VENV)/ready: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(0 if sys.version_info >= (3, 11) else 'freemetric needs Python 3.11 or newer')"
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

$(VENV)/all: $(VENV)/ready
	$(RUN) -m pip install --quiet --disable-pip-version-check -e ".[dev-all]"
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
		"pyparsing<3.3" -e ".[bench,dask,onnx,parquet]"
	touch $@

$(DOCS)/ready: pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@

$(RELEASE)/ready:
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check build twine
	touch $@

$(RIVALS)/ready: pyproject.toml
	$(PYTHON) -m venv $(RIVALS)
	$(RIVALS)/bin/python -m pip install --quiet --disable-pip-version-check -e ".[outside,regression]" \
		statsmodels vega_datasets ISLP
	touch $@

$(PEERS)/ready:
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check "metric-learn==0.7.0" "scikit-learn==1.7.2"
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) $(MINIMA) $(PEERS) $(RIVALS) $(DOCS) $(RELEASE) out docs/_build docs/auto_examples docs/api/generated
