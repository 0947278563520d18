# Pantala: the commands of a working day. `make` alone lists them.
#
# Everything Python lives in .venv, pinned by hash in requirements/; nothing is installed outside the clone.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CARGO  ?= cargo
# Cargo's own targets and the wheel share one build of the core if they agree on the interpreter.
export PYO3_PYTHON := $(abspath $(BIN)/python)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The crates that the core is built from, but for those of the hot path, are tested in the profile of the core: their tests
# share its build of them and of their third-party crates (Arrow, Parquet, zstd, by far the most to compile), because profile
# and features agree (hence all packages in one command; the extension itself has no Rust tests). The crates of the hot path
# are tested with debug assertions, which check every index. cargo-nextest runs the tests if it is installed.
NEXTEST := $(shell command -v cargo-nextest 2>/dev/null)
CARGO_TEST := $(CARGO) $(if $(NEXTEST),nextest run --no-fail-fast --cargo-profile,test --tests --profile)
ALL_CASES := $(if $(NEXTEST),--run-ignored all,-- --include-ignored)
RELEASED := sim python frontends ncptl workload
RUST_CORE := --locked $(addprefix -p pantala-,$(RELEASED))
RUST_HOT := --locked --workspace $(addprefix --exclude pantala-,$(RELEASED))
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
RUST_SOURCES := $(shell find crates -name tests -prune -o \( -name '*.rs' -o -name Cargo.toml \) -print) Cargo.toml Cargo.lock pyproject.toml
DEMO_OUT := runs/demo

.DEFAULT_GOAL := help
.PHONY: help setup build demo test-fast test test-optional test-all memory memcheck miri miri-threads loom oldest-rust fmt check lint deny wheel validate mpi docs web bench benches estimates \
  campaign compare instructions scenarios stages snapshots studies generate figure lock clean
.DELETE_ON_ERROR:

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.tools ## Check the system and create the virtual environment

build: $(VENV)/.core $(VENV)/.tools ## Build the release core and install pantala into .venv

# Without the tools of developers, which are most of the packages.
demo: $(VENV)/.core ## Run examples/interference.toml and write its report
	$(BIN)/pantala run examples/interference.toml --set record=explore --threads 2 --out $(DEMO_OUT) --overwrite
	@echo
	@echo "The report: $(abspath $(DEMO_OUT))/report.html"
	@echo "To explore: $(BIN)/pantala explore $(DEMO_OUT)"

test-fast: export PANTALA_CASES ?= 5
test-fast: build lint ## Run the tests for each commit in less than 90 seconds: few cases, no slow tests
	$(CARGO_TEST) testing $(RUST_HOT)
	$(CARGO_TEST) release $(RUST_CORE)
	$(PYTEST) -m "not slow and not full"

test: export PANTALA_CASES ?= 25
test: build ## Run the tests for each push: Rust, Python, examples (lints: make check)
	$(CARGO_TEST) testing $(RUST_HOT)
	$(CARGO_TEST) release $(RUST_CORE)
	$(CARGO) test --doc --profile testing $(RUST_HOT)
	$(CARGO) test --doc --release $(RUST_CORE)
	$(PYTEST) -m "not full"

test-optional: build ## Run the tests that need programs which the README does not require, as far as they are installed
	$(PYTEST) -m "needs and not full"

test-all: export PANTALA_CASES ?= 200
test-all: build lint deny memory oldest-rust ## Run all tests with all cases, and print the time
	@date +%s > $(VENV)/.test-all-started
	$(CARGO_TEST) testing --locked --workspace --exclude pantala-python $(ALL_CASES)
	$(CARGO_TEST) release $(RUST_CORE) $(ALL_CASES)
	$(CARGO) test --doc --profile testing --locked --workspace
	$(PYTEST)
	$(MAKE) wheel
	tools/check-wheel target/wheels
	@echo "make test-all: $$(( $$(date +%s) - $$(cat $(VENV)/.test-all-started) )) seconds"

# The crates with unsafe code. Under Valgrind the tests run without debug assertions: it finds what the assertions would.
# Miri comes from this toolchain or from a nightly one. `make campaign PARTS=memory_safety` runs these and more, and counts.
RUST_UNSAFE := --locked --lib -p pantala-engine -p pantala-fabric
MEMORY_CASES := PANTALA_CASES=2
VALGRIND := valgrind --quiet --error-exitcode=1
NIGHTLY = $(shell $(CARGO) miri --version >/dev/null 2>&1 && echo "$(CARGO)" || { $(CARGO) +nightly miri --version >/dev/null 2>&1 && echo "$(CARGO) +nightly"; })

memory: memcheck miri ## Run the tests of the core's arrays under Valgrind and Miri (needs valgrind; cargo miri)

memcheck:
	@if command -v valgrind >/dev/null; then set -ex; \
	  $(MEMORY_CASES) $(CARGO) --config "target.'cfg(unix)'.runner='$(VALGRIND)'" test --release $(RUST_UNSAFE); \
	else echo "memory: skipped under Valgrind: valgrind is not installed"; fi

miri:
	@if [ -n "$(NIGHTLY)" ]; then set -ex; \
	  $(MEMORY_CASES) MIRIFLAGS=-Zmiri-disable-isolation $(NIGHTLY) miri test $(RUST_UNSAFE) -- flat_array due_queue queue; \
	else echo "memory: skipped under Miri: no toolchain has cargo miri (a nightly one has)"; fi

miri-threads: ## Run the hand-over between threads under Miri, in 32 orders (needs cargo miri)
	@if [ -n "$(NIGHTLY)" ]; then set -ex; \
	  MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-many-seeds=0..32" $(NIGHTLY) miri test --locked --lib -p pantala-fabric -- hand_over; \
	else echo "memory: skipped under Miri: no toolchain has cargo miri (a nightly one has)"; fi

loom: ## Run the hand-over between threads in all orders of small cases
	RUSTFLAGS="--cfg loom" $(CARGO) test --locked --release --target-dir target/loom --lib -p pantala-fabric -- orders

# Other releases of Rust have other formats and lints, so only this one is held to them. The file does not stand where rustup
# looks for it: a user with another release must not have to download this one.
RUST_LINTED := $(shell sed -n 's/^channel = "\([0-9]*\.[0-9]*\).*/\1/p' requirements/rust-toolchain.toml)

# The oldest Rust that builds Pantala, if it is installed (`rustup toolchain install VERSION --profile minimal`).
RUST_OLDEST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

oldest-rust: ## Compile everything with the oldest Rust that is supported
	@if $(CARGO) +$(RUST_OLDEST).0 --version >/dev/null 2>&1; then set -ex; \
	  $(CARGO) +$(RUST_OLDEST).0 check --locked --workspace --all-targets --target-dir target/oldest-rust; \
	else echo "oldest-rust: skipped: Rust $(RUST_OLDEST) is not installed"; fi

fmt: $(VENV)/.tools ## Format Rust and Python
	$(CARGO) fmt --all
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

check: build lint ## Check format, lints, types and generated files
	PYTHONPATH=tools $(BIN)/python -m generate --check

lint: $(VENV)/.tools ## Check format, lints and types of Rust and Python
	@case "$$($(CARGO) clippy --version 2>/dev/null)" in \
	"clippy 0.$(RUST_LINTED) "*) set -ex; \
	  $(CARGO) fmt --all --check; \
	  $(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings ;; \
	*) echo "lint: skipped for Rust: format and lints need Rust $(RUST_LINTED); see CONTRIBUTING.md" ;; \
	esac
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/mypy

deny: ## Check licences and sources of the crates (needs cargo-deny)
	@if command -v cargo-deny >/dev/null; then set -ex; \
	  cargo-deny check licenses sources bans; \
	  cargo-deny --manifest-path mpi/Cargo.toml --config deny.toml check licenses sources bans; \
	else echo "deny: skipped: cargo-deny is not installed; run 'cargo install --locked cargo-deny'"; fi

# The wheel's tag is the oldest manylinux that the glibc of this machine allows. WHEEL_FLAGS="--zig --compatibility
# manylinux2014" builds one for older systems (needs ziglang from PyPI).
WHEEL_FLAGS ?=

wheel: $(VENV)/.tools ## Build the wheel: target/wheels
	rm -rf target/wheels
	PIP_NO_INDEX=1 $(BIN)/maturin build --release --locked --out target/wheels $(WHEEL_FLAGS)

web: ## Check and bundle the page of pantala explore (needs Node.js and npm)
	cd web && npm ci --silent --no-audit --no-fund && npm run --silent check && npm run --silent build

validate: build ## Repeat the runs of other simulators: docs/explanation/made-validation*.md and figures
	PYTHONPATH=tests $(BIN)/python -m validation

mpi: ## Build pantala-processes (several processes), test it and capture; needs Open MPI and libclang
	@requirements/check-mpi
	@$(MAKE) --no-print-directory build
	cd mpi && $(CARGO) build --release --locked --target-dir ../target/mpi
	$(BIN)/python -m pytest -q -c pyproject.toml mpi/tests
	$(BIN)/python -m pytest -q tests/python/capture

docs: build ## Build the documentation: target/docs (the site) and target/doc (the crates)
	$(BIN)/sphinx-build -W --keep-going -q -b html docs target/docs
	$(CARGO) doc --locked --workspace --no-deps

BENCH := uniform-1056

bench: build ## Measure the speed of the core on uniform-1056; BENCH=NAME takes another bench of `pantala bench --list`
	$(BIN)/pantala bench $(BENCH)

benches: build ## Measure all benches but million in turn, three times: the table of docs/performance.md
	PYTHONPATH=tools $(BIN)/python -m benches $(BENCHES_FLAGS)

# Programs of other simulators: make compare CAMINOS=~/.cargo/bin/caminos. BENCHES are those of `pantala bench --list`;
# COMPARE_FLAGS="--repeats 7 --share 0.05"; `make compare COMPARE_FLAGS=--help` lists them.
PEERS := SST SST_SC22 CODES BOOKSIM CAMINOS
BENCHES ?= uniform-72 uniform-1056 study-1056
lowered = $(shell echo $(1) | tr 'A-Z_' 'a-z-')

compare: build ## Compare other simulators with Pantala: SST=PATH SST_SC22=PATH CODES=PATH BOOKSIM=PATH CAMINOS=PATH
	PYTHONPATH=tools $(BIN)/python -m compare $(BENCHES) $(COMPARE_FLAGS) \
	  $(foreach peer,$(PEERS),$(if $($(peer)),--$(call lowered,$(peer)) $($(peer)))) \
	  $(if $(SST_SC22_SOURCE),--sst-sc22-source $(SST_SC22_SOURCE))

instructions: build ## Record the instructions per packet-hop that `make test-all` checks (needs valgrind)
	PYTHONPATH=tests $(BIN)/python -m instructions

scenarios: build ## Run the drawn scenarios on 1, 2 and 3 threads and compare them with their recorded results
	PYTHONPATH=tests $(BIN)/python -m scenarios $(SCENARIOS_FLAGS)

# HOURS of all parts together; PARTS of tests/campaign/parts, all of them if none is given.
HOURS ?= 4
campaign: build ## Try what inputs, machine and other processes may do, for HOURS; writes docs/reliability.md
	PYTHONPATH=tests/python:tests:tools $(BIN)/python -m campaign --hours $(HOURS) $(CAMPAIGN_FLAGS) $(PARTS)

estimates: build ## Compare the estimates of time and memory with 30 runs (about 5 minutes)
	PYTHONPATH=tools $(BIN)/python -m estimates $(ESTIMATES_FLAGS)

stages: build ## Count the cost of a packet-hop by stage, on a core with line tables (needs valgrind)
	VIRTUAL_ENV=$(abspath $(VENV)) PIP_NO_INDEX=1 PIP_QUIET=1 $(BIN)/maturin develop --profile profiling
	rm $(VENV)/.core
	PYTHONPATH=tools:tests $(BIN)/python -m stages $(STAGES_FLAGS)

snapshots: build ## Record the plan and the results that tests compare, after a change of either
	PYTHONPATH=tests/python:tests:tools $(BIN)/python tests/python/scenario/test_plan.py
	PYTHONPATH=tests/python:tests:tools $(BIN)/python tests/python/results/test_results_version.py

studies: build ## Write what the documentation shows of studies, from the packs of their runs
	PYTHONPATH=tools $(BIN)/python tools/publish_studies.py

generate: build ## Write the generated files: schemas, Python modules, reference pages
	PYTHONPATH=tools $(BIN)/python -m generate

figure: build ## Draw the README's figure from the run of `make demo`
	$(BIN)/python docs/figure.py $(DEMO_OUT) docs/_static/interference.png

LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
  pyproject.toml requirements/run.in

lock: ## Resolve requirements/dev.txt and run.txt again (needs uv)
	$(LOCK) --upgrade requirements/dev.in -o requirements/dev.txt
	$(LOCK) --upgrade --constraints requirements/dev.txt -o requirements/run.txt

clean: ## Remove build results (.venv, target, caches); runs/ stays
	rm -rf $(VENV) target python/pantala/_core*.so .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Python compiles what a command imports when it is first used.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --no-input --require-hashes --no-compile

$(VENV)/.run: requirements/run.txt requirements/check-system
	@PYTHON="$(PYTHON)" CARGO="$(CARGO)" requirements/check-system
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP_INSTALL) -r requirements/run.txt
	@touch $@

$(VENV)/.tools: $(VENV)/.run requirements/dev.txt
	$(PIP_INSTALL) -r requirements/dev.txt
	@touch $@

$(VENV)/.core: $(VENV)/.run $(RUST_SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) PIP_NO_INDEX=1 PIP_QUIET=1 $(BIN)/maturin develop --release
	@touch $@
