# Every target makes its own virtual environment first; nothing else needs to be installed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= 2

# `make check test test-full` runs them in this order, whatever the flags.
.NOTPARALLEL:

.PHONY: demo test test-full check format bench peers clean

demo: $(STAMP)
	$(BIN)/python examples/demo.py

test: $(STAMP)
	$(BIN)/pytest -n $(WORKERS) -m "not slow"

# Then what `test` leaves out, and the property tests with more examples.
test-full: test
	$(BIN)/pytest -n $(WORKERS) -m "slow or hypothesis" --hypothesis-profile=thorough

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP)
	$(BIN)/python -m benchmarks.bench

# Adds the compilers that `make bench` measures beside vxproof, where they are present.
peers: $(STAMP)
	$(BIN)/pip install --quiet -e '.[dev,peers]'

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find vxproof tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "vxproof needs Python 3.11 or newer; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@
