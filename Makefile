PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test lint bench simulate sweep clean

# Run the scripted agent in an 8,192-token window.
demo: $(STAMP)
	$(BIN)/loom demo

# Run the tests (about ten minutes on two cores).
test: $(STAMP)
	$(BIN)/python -m pytest -q -n 2 tests

# Style, types and the import contracts.
lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Timings of ingest, turn, cut, renewal, render, page-in and reopen.
bench: $(STAMP)
	$(BIN)/python -m pytest -q benchmarks --benchmark-only

# Longer property runs than `make test` has time for.
simulate: $(STAMP)
	HYPOTHESIS_PROFILE=simulate $(BIN)/python -m pytest -q -n 2 tests -m "not shared"

# Replay every session of SESSIONS at five windows and count broken laws.
# Without SESSIONS the sweep replays generated ones.
SESSIONS ?=
sweep: $(STAMP)
	$(BIN)/python -m benchmarks sweep $(if $(SESSIONS),--sessions $(SESSIONS))

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -q -e . --group dev
	touch $(STAMP)
