PYTHON ?= python3
VENV := .venv
LATEST := .venv-latest
PEERS := .venv-bench
MLSERVER := .venv-mlserver
MLFLOW := .venv-mlflow
BIN := $(VENV)/bin

# Tests start hundreds of processes, which need not compile every module anew.
unexport PYTHONDONTWRITEBYTECODE
# Two workers on two cores: threads of linear algebra would only wait for each other.
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help demo test quick slow kills servers serving recording axe lint processors latest docs coverage bench bench-worst bench-methods casestudies clean

help:  ## what can be made here
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 13

demo: $(VENV)/.run  ## a tour of all five questions in one minute, offline: writes demo/index.html
	$(BIN)/ringtrue demo

# Side by side, because the linters would leave a processor idle.
test: $(VENV)/.dev  ## the linters and the tests; what is long by nature has a target of its own
	$(MAKE) --no-print-directory --jobs 2 lint quick

quick: $(VENV)/.dev  ## the tests alone
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow and not servers' --durations 20

slow: $(VENV)/.dev  ## the tests that are long by nature
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'slow and not kills' --durations 20

kills: $(VENV)/.dev  ## the command line of every question, killed three hundred times in all
	$(BIN)/python -m pytest -n 2 --dist worksteal -m kills --durations 5

# One at a time: a server needs both processors to start.
servers: $(VENV)/.dev serving  ## served models at real servers, MLServer and MLflow, each in an environment of its own
	$(BIN)/python -m pytest -m servers --durations 5

serving: $(MLSERVER)/.served $(MLFLOW)/.served

recording: $(VENV)/.dev serving  ## what these servers answer, for the other tests: writes tests/models/served
	$(BIN)/python tools/record_served.py

processors: $(VENV)/.dev  ## the numeric tests again, as on other kinds of processors
	$(BIN)/python tests/processors.py

latest: $(LATEST)/.dev  ## every test with the newest release of every package
	$(LATEST)/bin/python -m pip --disable-pip-version-check list --format freeze
	$(LATEST)/bin/python -m pytest -n 2 --dist worksteal

axe: .axe/node_modules/axe-core/axe.min.js  ## what looks for barriers on the desk's pages, by npm; without it those tests are skipped

.axe/node_modules/axe-core/axe.min.js:
	npm install --no-save --no-audit --no-fund --silent --prefix .axe axe-core@4.14.0

lint: $(VENV)/.dev  ## style, types and the import rule
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: $(VENV)/.dev  ## the documents and the reference as a site, without a network: writes site/index.html
	$(BIN)/python tools/build_site.py site

coverage: $(VENV)/.dev  ## simulate every interval, three hours; goes on where it was stopped: writes docs/coverage.md
	$(BIN)/python -m ringtrue.testing.coverage --out docs

bench: $(VENV)/.dev  ## the benchmarks, as ratios measured in one run
	failed=; for b in benchmarks/bench_*.py; do echo "== $$b"; $(BIN)/python $$b || failed="$$failed $$b"; done; \
	test -z "$$failed" || { echo "not as they should be:$$failed"; exit 1; }

# The whole takes a day, and goes on where it was stopped: `make bench-worst LONG=`, in ten minutes, is the short form.
RESULTS ?= benchmarks/worst_results.jsonl
LONG ?= --long --out $(RESULTS) --write
bench-worst: $(PEERS)/.peers  ## the search beside BoTorch, Optuna, CMA-ES and SMAC, a day, goes on where it was stopped: writes docs/worst.md
	$(PEERS)/bin/python benchmarks/bench_worst.py $(LONG)

# The whole takes hours, and goes on where it was stopped: `make bench-methods METHODS=` is the short form, at most ten minutes each.
METHODS ?= --long --write
bench-methods: $(VENV)/.dev  ## blind, changed and risk beside their papers and simple habits, hours, goes on where it was stopped: writes docs
	failed=; for b in blind blind_rate changed_methods risk_methods; do \
		$(BIN)/python benchmarks/bench_$$b.py $(METHODS) $(if $(METHODS),--out benchmarks/$${b}_results.jsonl) || failed="$$failed $$b"; \
	done; test -z "$$failed" || { echo "verdicts broken, or not run to the end:$$failed"; exit 1; }

casestudies: $(VENV)/.dev  ## papers run again on their data, in half a day: writes each README
	for c in casestudies/*/run.py; do echo "== $$c"; $(BIN)/python $$c --write || exit 1; done

# Debian ships Python without ensurepip, so pip is brought into the new environment from outside.
$(VENV)/bin/python $(LATEST)/bin/python $(PEERS)/bin/python $(MLSERVER)/bin/python $(MLFLOW)/bin/python:
	$(PYTHON) -m venv --without-pip $(@:/bin/python=)
	$(PYTHON) -m pip --quiet --disable-pip-version-check --python $@ install pip

$(VENV)/.run: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip --quiet --disable-pip-version-check install --constraint constraints.txt --editable .
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip --quiet --disable-pip-version-check install --constraint constraints.txt --editable '.[dev]'
	touch $@ $(VENV)/.run

# Apart from the others: what is compared with is not what is tested with.
$(PEERS)/.peers: pyproject.toml constraints.txt benchmarks/requirements.txt | $(PEERS)/bin/python
	$(PEERS)/bin/python -m pip --quiet --disable-pip-version-check install --constraint constraints.txt \
		--requirement benchmarks/requirements.txt --editable .
	touch $@

# Each apart: they pin what the other needs newer.
$(MLSERVER)/.served: | $(MLSERVER)/bin/python
	$(MLSERVER)/bin/python -m pip --quiet --disable-pip-version-check install mlserver==1.7.1 mlserver-sklearn==1.7.1
	touch $@

$(MLFLOW)/.served: | $(MLFLOW)/bin/python
	$(MLFLOW)/bin/python -m pip --quiet --disable-pip-version-check install mlflow==3.17.2
	touch $@

# Installed anew each time: what was the newest last week is not.
$(LATEST)/.dev: .FORCE | $(LATEST)/bin/python
	$(LATEST)/bin/python -m pip --quiet --disable-pip-version-check install --upgrade --upgrade-strategy eager \
		--editable '.[dev]'
	touch $@

.FORCE:

clean:  ## remove what make made
	rm -rf $(VENV) $(LATEST) $(PEERS) $(MLSERVER) $(MLFLOW) .axe demo site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
