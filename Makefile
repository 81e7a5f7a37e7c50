# Frankly. `make` alone explains itself.
#
# .venv-run holds what a user needs, .venv what a developer needs, .venv-bench the peers we
# measure ourselves against. Each is built from a locked list (requirements/*.txt) and rebuilt
# when that list changes.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
NODE ?= node
WORKERS ?= 2
BIN := .venv/bin
PIP_FLAGS := -qq --disable-pip-version-check
DEV := .venv/.ready
RUN := .venv-run/.ready
BENCH := .venv-bench/.ready

##@ Try it

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@echo

.PHONY: demo
demo: $(RUN) ## Start the service with a sample survey and simulated respondents
	@.venv-run/bin/frankly demo

##@ Check it

.PHONY: test
test: lint types walls unit browser docs ## Everything CI runs: the six checks below

.PHONY: lint
lint: $(DEV) ## Formatting and lint rules (ruff)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .

.PHONY: types
types: $(DEV) ## Types of package, tests and evidence (mypy --strict)
	$(BIN)/mypy

.PHONY: walls
walls: $(DEV) ## Who may import whom (import-linter)
	$(BIN)/lint-imports --no-logo

.PHONY: unit
unit: $(DEV) system ## Laws, examples and docstrings (pytest)
	$(BIN)/pytest -q -n $(WORKERS)

.PHONY: browser
browser: needs-node ## The browser's half (node --test)
	@files=$$(find tests/web -name '*.test.*js' | sort); \
	  test -n "$$files" || { echo "No browser test was found in tests/web (*.test.js)" >&2; exit 1; }; \
	  $(NODE) --test $$files

.PHONY: docs
docs: $(DEV) ## Build the documentation into docs/_build, warnings are errors
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

##@ Doubt it

.PHONY: evidence
evidence: $(DEV) ## Check our numbers against published data and oracles; ONLY=name for one
	$(BIN)/python -m evidence $(if $(ONLY),--only $(ONLY))

.PHONY: promises
promises: $(DEV) system ## The privacy promises at full length, as a table (half an hour)
	@rm -rf build/promises && mkdir -p build/promises
	-FRANKLY_FIGURES=build/promises $(BIN)/pytest -q -n $(WORKERS) tests/promises tests/journey tests/studio/test_schema.py \
	  --full --junitxml=build/promises/verdicts.xml
	$(BIN)/python -m tests.promises.table build/promises

.PHONY: supply
supply: $(DEV) ## What is installed with us: pins, licences, known advisories (needs the network)
	@test -x .venv-audit/bin/pip-audit || { $(PYTHON) -m venv .venv-audit; \
	  .venv-audit/bin/pip install $(PIP_FLAGS) pip-audit; }
	@mkdir -p build/supply && rm -f build/supply/*
	@.venv-audit/bin/pip-audit -r requirements/run.txt --disable-pip --require-hashes \
	  --progress-spinner off -f json -o build/supply/advisories.json || true
	@$(BIN)/python -m tests.promises.supply build/supply

.PHONY: bench
bench: $(BENCH) ## Measure our speed beside other packages, in one run
	.venv-bench/bin/frankly bench

##@ Change it

.PHONY: venv
venv: $(DEV) ## Build the developer's environment in .venv (instant when nothing changed)

.PHONY: format
format: $(DEV) ## Rewrite the code the way we write it
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

UV := .venv-lock/bin/uv
COMPILE := $(UV) pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header
# Spark is 450 MB and wants Java; its engine is tested like the others, so it is here too.
EXTRAS := server plot duckdb spark collaborate formats frames
BENCH_EXTRAS := server duckdb spark collaborate frames

.PHONY: lock
lock: needs-python ## Refresh the locked lists; UPGRADE=1 to move to the newest versions
	@test -x $(UV) || { $(PYTHON) -m venv .venv-lock; .venv-lock/bin/pip install $(PIP_FLAGS) uv; }
	$(COMPILE) $(if $(UPGRADE),--upgrade) --group build --extra server --extra formats -o requirements/run.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) --group dev $(EXTRAS:%=--extra %) -o requirements/dev.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) --group bench $(BENCH_EXTRAS:%=--extra %) -o requirements/bench.txt

.PHONY: clean
clean: ## Remove everything that make has built
	rm -rf .venv .venv-run .venv-bench .venv-lock .venv-audit build dist docs/_build docs/api
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests evidence -name __pycache__ -type d -prune -exec rm -rf {} +

# --- how the environments are made ---------------------------------------------------------

.venv/.ready: requirements/dev.txt
.venv-run/.ready: requirements/run.txt
.venv-bench/.ready: requirements/bench.txt

.venv/.ready .venv-run/.ready .venv-bench/.ready: pyproject.toml | needs-python
	@echo "Building $(@D) from $(filter %.txt,$^); once, a minute or two."
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip install $(PIP_FLAGS) --require-hashes -r $(filter %.txt,$^)
	@$(@D)/bin/python -m pip install $(PIP_FLAGS) --no-deps --no-build-isolation -e .
	@touch $@

# What tests need beside Python: program, then Debian's package.
SYSTEM := chromium:chromium initdb:postgresql java:openjdk-17-jre-headless strace:strace

.PHONY: system
system: ## Find, or install where that is allowed, a browser, PostgreSQL and Java for the tests
	@found() { command -v "$$1" >/dev/null || ls /usr/lib/postgresql/*/bin/"$$1" >/dev/null 2>&1 || \
	    { test "$$1" = chromium && command -v chromium-browser google-chrome >/dev/null; }; }; \
	  missing=""; for pair in $(SYSTEM); do found "$${pair%%:*}" || missing="$$missing $${pair##*:}"; done; \
	  if test -n "$$missing" && test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	    echo "Installing$$missing; once, a minute or two."; \
	    export DEBIAN_FRONTEND=noninteractive; \
	    apt-get update -qq && apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	    missing=""; for pair in $(SYSTEM); do found "$${pair%%:*}" || missing="$$missing $${pair##*:}"; done; \
	  fi; \
	  test -z "$$missing" || { echo "The tests drive a real browser, PostgreSQL and Spark, and these are" \
	    "missing:$$missing. Install them (Debian: sudo apt install$$missing), then run make again" >&2; exit 1; }

.PHONY: needs-python
needs-python:
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing: '$(PYTHON)' was not found." \
	  "Install Python 3.11 or newer (Debian: apt install python3 python3-venv), or name one:" \
	  "make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python is too old: frankly needs 3.11 or newer and '$(PYTHON)' is" \
	  "$$($(PYTHON) -V 2>&1). Install a newer one, or name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "Python's venv module is missing: frankly builds its own environment with it." \
	  "Install it (Debian: apt install python3-venv)" >&2; exit 1; }

.PHONY: needs-node
needs-node:
	@command -v $(NODE) >/dev/null || { echo "Node is missing: the browser's half is tested with" \
	  "'node --test'. Install Node 18 or newer (Debian: apt install nodejs), or name one:" \
	  "make NODE=/path/to/node" >&2; exit 1; }
	@$(NODE) -e 'process.exit(+(parseInt(process.versions.node) < 18))' || { \
	  echo "Node is too old: the browser tests need 18 or newer and '$(NODE)' is" \
	  "$$($(NODE) --version). Install a newer one, or name one: make NODE=/path/to/node" >&2; exit 1; }
