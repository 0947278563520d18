# Pantala: the commands of a working day. `make` alone lists them.
#
# Everything Python lives in .venv, pinned by hash in requirements/dev.txt; nothing is installed outside the clone.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CARGO  ?= cargo
# Cargo's own targets and the wheel share one build of the core if they agree on the interpreter.
export PYO3_PYTHON := $(abspath $(BIN)/python)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# pantala-python is built (and tested, by tests/python) as the extension module: alone it has no libpython to link to.
RUST_TEST := $(CARGO) test --profile testing --locked --workspace --exclude pantala-python
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml
DEMO_OUT := runs/interference

.DEFAULT_GOAL := help
.PHONY: help setup build demo test lint validate mpi docs bench instructions generate schema figure lock clean
.DELETE_ON_ERROR:

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.tools ## Check the system and make the virtual environment

build: $(VENV)/.core ## Build the release core and install pantala into .venv

demo: build ## Run examples/interference.toml and write its report
	$(BIN)/pantala run examples/interference.toml --out $(DEMO_OUT) --overwrite
	@echo
	@echo "The report: $(abspath $(DEMO_OUT))/report.html"

test: build lint ## Run every test: Rust, Python, examples, lints
	$(RUST_TEST)
	$(BIN)/python -m pytest

# Other releases of Rust have other lints: what a user happens to have must not fail his tests.
RUST_LINTED := 1.95

lint: $(VENV)/.tools ## Check format, lints and types of Rust and Python
	@case "$$($(CARGO) clippy --version 2>/dev/null)" in \
	"clippy 0.$(RUST_LINTED) "*) set -ex; \
	  $(CARGO) fmt --all --check; \
	  $(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings ;; \
	*) echo "lint: Rust's format and lints are held to Rust $(RUST_LINTED), which is not here: skipped" ;; \
	esac
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

validate: build ## Measure the runs of other simulators again: docs/explanation/made-validation.md and its figures
	PYTHONPATH=tests $(BIN)/python -m validation

mpi: build ## Build pantala-mpi (several processes) and test it; needs Open MPI and libclang
	@command -v mpicc >/dev/null || { echo "pantala: mpicc is not installed" >&2; \
	  echo "         remedy: apt-get install libopenmpi-dev openmpi-bin libclang-dev" >&2; exit 1; }
	cd mpi && $(CARGO) build --release --locked --target-dir ../target/mpi
	$(BIN)/python -m pytest -q -c pyproject.toml mpi/tests

docs: build ## Build the documentation: target/docs (the site) and target/doc (the crates)
	$(BIN)/sphinx-build -W --keep-going -q -b html docs target/docs
	$(CARGO) doc --locked --workspace --no-deps

BENCH := uniform-1056

bench: build ## Measure the speed of the core on uniform-1056; BENCH=NAME: another of `pantala bench --list`
	$(BIN)/pantala bench $(BENCH)

instructions: build ## Record the instructions per packet-hop that `make test` holds the core to (needs valgrind)
	PYTHONPATH=tests $(BIN)/python -m instructions

generate: build ## Write every file that is made from the core's catalogue
	PYTHONPATH=tools $(BIN)/python -m generate

schema: build ## Write what is made from the models: schema/scenario.schema.json
	$(BIN)/pantala schema --out schema/scenario.schema.json

figure: build ## Draw the README's figure from the run of `make demo`
	$(BIN)/python docs/figure.py $(DEMO_OUT) docs/_static/interference.png

lock: ## Resolve requirements/dev.txt anew (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --upgrade --generate-hashes --no-emit-index-url \
	  --no-header --no-annotate pyproject.toml requirements/dev.in -o requirements/dev.txt

clean: ## Remove what was built (.venv, target, caches); runs/ stays
	rm -rf $(VENV) target python/pantala/_core*.so .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.tools: requirements/dev.txt requirements/check-system
	@PYTHON="$(PYTHON)" CARGO="$(CARGO)" requirements/check-system
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --no-input --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/.core: $(VENV)/.tools $(RUST_SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) PIP_NO_INDEX=1 PIP_QUIET=1 $(BIN)/maturin develop --release
	@touch $@
