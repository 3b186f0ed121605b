# Every target does its own set-up. DATA_DIR, KEY_DIR and PORT are honoured; PYTHON names another interpreter.

# The first of these that runs and has a version we support.
CANDIDATES := $(or $(PYTHON),python3 python3.13 python3.12 python3.11)
SUPPORTED  := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
BIN        := .venv/bin
STAMP      := .venv/installed

# What must not see or make real data: mypy and makemigrations read the settings.
ASIDE := DATA_DIR=.venv/aside/data KEY_DIR=.venv/aside/keys JOURNAL_FILE=.venv/aside/journal.jsonl

.PHONY: help setup run test test-thorough check screens test-browser test-services
.DEFAULT_GOAL := help

help:
	@echo "make run            set up, load the demo once, serve on http://127.0.0.1:$${PORT:-8000}"
	@echo "make test           the default suite; needs no service"
	@echo "make test-thorough  servers that are killed, searched for planted words, or have a command beside them"
	@echo "make check          ruff, format, import order, types, migrations"
	@echo "make test-browser   the pages, in Chromium"
	@echo "make screens        a picture of every page, to docs/screens"
	@echo "make test-services  the suite on PostgreSQL, a Chroma server, Celery and Redis"
	@echo "make setup          only .venv with all packages"

setup: $(STAMP)

$(STAMP): requirements.txt
	@test -w . || { echo "Error: $$PWD cannot be written. Copy the project to a folder of yours and run make there." >&2; exit 1; }
	@for python in $(CANDIDATES); do \
	  if $$python -c '$(SUPPORTED)' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "Error: Python 3.11, 3.12 or 3.13 is needed; $(firstword $(CANDIDATES)) is: $$($(firstword $(CANDIDATES)) --version 2>&1 || true)." >&2; \
	  echo "Install one of them, or name it: make $(or $(MAKECMDGOALS),setup) PYTHON=/path/to/python3.12" >&2; exit 1; \
	fi; \
	if [ ! -x $(BIN)/python ] || ! $(BIN)/python -c '$(SUPPORTED)' 2>/dev/null; then \
	  $$found -m venv --clear .venv || { echo "Error: $$found has no venv. On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }; \
	fi
	@echo "Installing packages into .venv (the first time takes a minute or two)…"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -r requirements.txt || \
	  { echo "Error: packages could not be installed. Is the package index reachable? See above, then run make again." >&2; exit 1; }
	@touch $@

run: $(STAMP)
	@exec $(BIN)/python manage.py serve --migrate --demo

test: $(STAMP)
	@$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

test-thorough: $(STAMP)
	@$(BIN)/python -m pytest -n 2 --dist loadgroup -m thorough $(ARGS)

check: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache
	@$(ASIDE) $(BIN)/mypy
	@$(ASIDE) $(BIN)/python manage.py makemigrations --check --dry-run

test-browser: $(STAMP)
	@sh tests/browser/install.sh
	@$(BIN)/python -m pytest -n 2 --dist loadgroup -m browser $(ARGS)

screens: $(STAMP)
	@sh tests/browser/install.sh
	@$(BIN)/python -m pytest -q -m screens tests/browser/test_screens.py $(ARGS)

test-services: $(STAMP)
	@$(BIN)/python -m tests.on_services $(ARGS)
