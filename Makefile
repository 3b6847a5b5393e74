PYTHON ?= python3

# Environments, each made when a target first needs it, by Python 3.11, pip and make alone.
#   .venv-demo  Loom and what it imports: 150 MB
#   .venv       the above, the tools, and the providers' own libraries (83 MB): 400 MB
#   .venv-all   Loom, the tools of the tests, and what is large or a framework: agent frameworks to
#               compare with, ONNX and the model of recall by meaning: 560 MB
#   .venv-apart     Pydantic AI, mini-swe-agent, smolagents and inspect, for their adapters
#   .venv-docs   what builds the site: 190 MB
#   .venv-examples  Strands Agents, Agent Framework and ADK, for the examples
DEMO := .venv-demo
VENV := .venv
ALL  := .venv-all
APART := .venv-apart
EXAMPLES := .venv-examples
DOCS := .venv-docs
BIN  := $(VENV)/bin

# Tests start many processes that import Loom: each module is compiled once, not by every process.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test test-all test-clients lint bench simulate sweep figures docs build clean

# All that a checkout needs: Loom and loom-bench, both editable, and the tools.
setup: $(VENV)/.installed

# Run the scripted agent in an 8,192-token window. Needs Loom alone.
demo: $(DEMO)/.installed
	$(DEMO)/bin/loom demo

# Run the tests. Those of packages that only `.venv-all` has are
# skipped, and say which package they need.
test: $(VENV)/.installed
	$(BIN)/python -m pytest -q -n 2 --dist loadfile tests

# All tests, and in further environments once more those of what only they have: there a package that
# is missing is a failure.
LARGE := tests/bench/strategies/test_peers.py \
	tests/loom/search/test_semantic.py tests/loom/capabilities/memory/longterm/test_save.py \
	tests/loom/test_public.py tests/loom/adapters/test_langchain*.py
test-all: export PYTHONPATH = $(CURDIR):$(CURDIR)/partitions:$(CURDIR)/paging:$(CURDIR)/benchmarks
test-all: test $(ALL)/.installed $(APART)/.installed $(EXAMPLES)/.installed
	EVERY_PACKAGE=1 $(ALL)/bin/python -m pytest -q -n 2 $(LARGE)
	EVERY_PACKAGE=1 $(APART)/bin/python -m pytest -q -n 2 \
		tests/loom/adapters/test_pydantic*.py tests/loom/adapters/test_models.py \
		tests/loom/adapters/test_inspect_ai.py tests/bench/inspecting
	EVERY_PACKAGE=1 $(EXAMPLES)/bin/python -m pytest -q -n 2 tests/examples/test_loom_*.py

# Real coding agents on the loopback. Needs Node 20 with npm, which install 1 GB of them once.
test-clients: $(VENV)/.installed
	EVERY_PACKAGE=1 $(BIN)/python -m pytest -q tests/serve

# Style, types and the import contracts.
lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy -p benchmarks --exclude benchmarks/loom_bench/
	$(BIN)/lint-imports

# Timings in groups: turn, sync, recall, open and cut. A life of 10,000 steps takes minutes to make.
bench: $(VENV)/.installed
	$(BIN)/python -m pytest -q benchmarks --benchmark-only --timeout=0

# Power cuts, interrupts, damage, renewals and races by the thousand, their counts printed; longer
# property runs than `make test` has time for; then COUNT small faults put into copies of
# the core, each of which a test has to notice. Another SEED chooses other faults.
COUNTING := tests/simulation tests/loom/test_interrupted.py tests/loom/test_damage.py \
	tests/loom/test_weeks.py tests/loom/test_one_writer.py
COUNT ?= 30
SEED  ?= 0
simulate: $(VENV)/.installed
	HYPOTHESIS_PROFILE=simulate $(BIN)/python -m pytest -q -n 2 -rP $(COUNTING)
	HYPOTHESIS_PROFILE=simulate $(BIN)/python -m pytest -q -n 2 tests -m "not shared" \
		$(addprefix --ignore=,$(COUNTING))
	$(BIN)/python -m tests.mutate --count $(COUNT) --seed $(SEED)

# Replay every session of SESSIONS at five windows and count broken laws.
# Without SESSIONS the sweep replays generated ones.
SESSIONS ?=
sweep: $(VENV)/.installed
	$(BIN)/python -m benchmarks sweep $(if $(SESSIONS),--sessions $(SESSIONS))

# Measure the figures that README.md and docs/ state (about a minute) and write them there.
figures: $(VENV)/.installed
	$(BIN)/python -m benchmarks figures

# Build the documentation as a site in site/; a broken link or name is a failure. The theme's notice
# of what follows it is no warning of ours.
docs: $(DOCS)/.installed
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --quiet

# The wheel and the source archive in dist/, the same bytes each time.
build: $(VENV)/.installed
	$(BIN)/python -m hatchling build

clean:
	rm -rf $(DEMO) $(VENV) $(ALL) $(APART) $(EXAMPLES) $(DOCS) site dist .mypy_cache .ruff_cache .hypothesis

# What is installed in each environment; made anew when a pyproject.toml has changed.
$(DEMO)/.installed: WHAT = -e .
$(VENV)/.installed: WHAT = -e ".[serve,mcp]" -e ./benchmarks --group dev
$(ALL)/.installed: WHAT = -e ".[semantic,rocksdb]" -e ./benchmarks --group all
$(APART)/.installed: WHAT = -e . -e ./benchmarks --group apart
$(EXAMPLES)/.installed: WHAT = -e . --group examples
$(DOCS)/.installed: WHAT = --group docs

%/.installed: pyproject.toml benchmarks/pyproject.toml
	test -x $*/bin/python || $(PYTHON) -m venv $*
	$*/bin/python -m pip install -q --upgrade "pip>=25.1"
	$*/bin/python -m pip install -q $(WHAT)
	touch $@
