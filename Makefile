# `make demo` and `make test` are all that a fresh machine with Python 3.11+ and a shell needs.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
RUN    := $(BIN)/roofcast
# What one process compiles, all others read: tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE
# A worker per core; benchmarks time nothing beside others.
PARALLEL := -n auto --dist worksteal -p no:benchmark

.PHONY: install install-dev demo test test-slow contracts nightly coverage mutants matrix check package lint freeze compare-frozen audit bench bench-check train calibrate families fresh accuracy lock clean help

help:              ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/'

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "roofcast needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Locked versions with hashes; the project itself, and what stands in packages/, without resolving anything again.
$(VENV)/.installed: $(VENV)/.python requirements.lock pyproject.toml $(wildcard packages/*/pyproject.toml)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . $(patsubst %,-e %,$(wildcard packages/*))
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

install: $(VENV)/.installed          ## Install roofcast into .venv
install-dev: $(VENV)/.installed-dev  ## Install what tests and checks need

demo: install      ## Forecast real measurements and draw the roofline
	@$(BIN)/python examples/demo.py

test: install-dev  ## Run the tests (those on real profiles skip where the files are absent; the slow ones: make check)
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow"

test-slow: install-dev ## Tests that take half a second and more: compilers, whole pages, virtual GPUs, real files
	$(BIN)/python -m pytest $(PARALLEL) -m "slow and not exhaustive"

contracts: install-dev ## The contracts over every real file and every model, and what else is exhaustive
	$(BIN)/python -m pytest $(PARALLEL) tests/contracts
	$(BIN)/python -m pytest $(PARALLEL) -m exhaustive packages

nightly: install-dev ## Every command over every file, damaged files, drawn tables: nine minutes of it, then again
	$(BIN)/python tools/nightly.py

lint: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

matrix: install-dev ## The quick tests under every Python that the project promises and that is on this machine
	$(BIN)/python tools/matrix.py

coverage: install-dev ## All tests but the exhaustive ones, and the lines and branches that they reach
	rm -rf .coverage_data
	$(BIN)/python -m coverage run -m pytest $(PARALLEL) -m "not exhaustive"
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report
	$(BIN)/python -m coverage json --quiet -o - | $(BIN)/python tools/coverage_floors.py

mutants: install-dev ## Plant faults in forecasting and models and count those that tests find: nine minutes, then again
	$(BIN)/python tools/mutants.py

check: lint coverage ## What CI runs: lint, types, all tests with doctests, their coverage

package: install-dev ## Wheels (pure Python) of all distributions and the sdist, as an index would take them
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	for p in hull measure evaluate; do $(BIN)/python -m build --no-isolation --wheel --outdir dist packages/roofcast-$$p || exit 1; done
	$(BIN)/twine check --strict dist/*
	$(BIN)/python tools/check_package.py dist

freeze: install-dev ## Keep the values that the commands print on real files in .frozen
	$(BIN)/python tools/freeze.py take .frozen

compare-frozen: install-dev ## Compare a part of them with the present source, in a minute
	$(BIN)/python tools/freeze.py compare .frozen --subset

audit: install-dev ## Known vulnerabilities, licences and age of all dependencies (needs the network)
	$(PYTHON) -m venv .audit && .audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	.audit/bin/pip-audit --disable-pip --require-hashes --strict -r requirements-dev.lock
	$(BIN)/python tools/audit.py --online

bench: install-dev ## Speed and memory against baselines of the same run
	@failed=0; \
	$(BIN)/python -m pytest benchmarks --benchmark-columns=min,median,max -o testpaths=benchmarks -o addopts="--import-mode=importlib -q -rs" || failed=1; \
	$(BIN)/python benchmarks/performance.py docs/performance.md || failed=1; exit $$failed

bench-check: install-dev ## Speed against the last commit, in turns in one run; COMMIT=81c9bcc for another
	$(BIN)/python benchmarks/against_commit.py $(COMMIT)

train: $(VENV)/.installed-dev        ## Learn the residual again from the public data (ROOFCAST_DATA), then the intervals
	$(BIN)/python -m roofcast_evaluate.train
	$(BIN)/python tools/teach.py calibrate

calibrate: install ## Fit the law without counters and the intervals to the public data (ROOFCAST_DATA)
	$(BIN)/python tools/teach.py calibrate

families: $(VENV)/.installed-dev     ## Score every family of measurements by a model taught without it (ROOFCAST_DATA)
	$(RUN) evaluate --families

fresh: $(VENV)/.installed-dev         ## Score the programs that are held back, as a whole; each look is written to docs/looks.csv
	$(BIN)/python -m roofcast_evaluate.fresh

accuracy: $(VENV)/.installed-dev     ## Renew the tables of docs/accuracy.md and of the README
	$(BIN)/python tools/teach.py accuracy_page docs/accuracy.md README.md

# Versions and hashes only: no index address, and of this repository's own distributions only what they need.
LOCK := uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
	$(patsubst packages/%,--no-emit-package %,$(wildcard packages/*)) --no-emit-package roofcast
lock:              ## Renew the lock files (versions and hashes only; no index address)
	$(LOCK) --extra build --extra all pyproject.toml -o requirements.lock
	$(LOCK) -c requirements.lock --all-extras --group dev pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) .audit .mypy_cache .ruff_cache .pytest_cache build dist demo_output
