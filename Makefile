# Two commands matter: `make run` and `make test`. Only Python 3.11 or newer is needed.
VENV ?= .venv
PYTHON ?= python3
PORT ?= 8000
HOST ?= 127.0.0.1
.DEFAULT_GOAL := help
.PHONY: help run demo test lint audit bench requirements clean

# The stamps carry a checksum of what they stand for, so that a checkout's file times do not matter.
ifeq ($(origin PY),undefined)
PY := $(VENV)/bin/python
READY := $(VENV)/ready-$(shell cat requirements.txt client/pyproject.toml | cksum | tr -d ' ')
READY_DEV := $(VENV)/ready-dev-$(shell cat requirements-dev.txt client/pyproject.toml | cksum | tr -d ' ')
endif

help:
	@echo "make run    start Stash here (HOST=, PORT=)     make demo   fill it with a believable team (ARGS=--live)"
	@echo "make test   all tests (ARGS=)                   make lint   style, types, layers, settings"
	@echo "make bench  measurements against their floors   make audit  known vulnerabilities (network)"

run: $(READY)
	@$(PY) manage.py serve --prepare --host $(HOST) --port $(PORT)

demo: $(READY)
	@$(PY) manage.py migrate -v 0 && $(PY) manage.py demo $(ARGS)

test: $(READY_DEV)
	@$(PY) tests/run.py $(ARGS)

lint: $(READY_DEV)
	@$(PY) tests/lint.py

audit: $(READY_DEV)
	@grep -v '^-e ' requirements.txt > $(VENV)/audited.txt && $(PY) -m pip_audit --no-deps --disable-pip -r $(VENV)/audited.txt

bench: $(READY_DEV)
	@$(PY) benchmarks/run.py $(ARGS)

requirements: export CUSTOM_COMPILE_COMMAND = make requirements
requirements: $(READY_DEV)
	@for name in requirements requirements-dev; do \
	  $(PY) -m piptools compile -q --strip-extras --no-emit-options --no-emit-index-url --no-emit-find-links \
	    --no-emit-trusted-host $$name.in -o $$name.txt || exit 1; done

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Stash needs Python 3.11 or newer: make PYTHON=...")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/ready-dev-%: | $(VENV)/bin/python
	@echo "Installing what the tests need ..."
	@$(VENV)/bin/python -m pip install -q --disable-pip-version-check -r requirements-dev.txt
	@touch $@

$(VENV)/ready-%: | $(VENV)/bin/python
	@echo "Installing requirements (only when they change) ..."
	@$(VENV)/bin/python -m pip install -q --disable-pip-version-check -r requirements.txt
	@touch $@
