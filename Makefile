# Targets others rely on: demo, test, check, bench, soak. Each may be run again at any time.
PYTHON ?= python3
PORT ?= 8000
ENV := .venv/bin
BOOTSTRAP := $(PYTHON) tools/bootstrap.py

.PHONY: help demo test check bench soak lock clean python

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: python ## a live fleet in the browser, from a fresh clone; Ctrl-C stops all of it
	@$(BOOTSTRAP) runtime words frontend
	@exec $(ENV)/python manage.py demo --port $(PORT) $(if $(filter 0,$(FLEET)),,--fleet)

test: python ## everything: lint, types, unit, law, system and browser tests
	@$(BOOTSTRAP) dev words frontend browser broker
	@$(ENV)/python -m tools.run_tests test

check: python ## lint, types, unit and law tests but the long ones; starts no services
	@$(BOOTSTRAP) dev words frontend
	@$(ENV)/python -m tools.run_tests check

bench: python ## every figure of docs/benchmarks.md, written by the run itself
	@$(BOOTSTRAP) peers words frontend browser broker
	@$(ENV)/python -m tests.bench

soak: python ## the long runs
	@$(BOOTSTRAP) dev words frontend broker
	@$(ENV)/python -m tests.field --draws 300 --jobs 2 --strict
	@$(ENV)/python -m tests.bench.hostile
	@$(ENV)/python -m tests.bench.soak

lock: python ## pin the dependencies again (hashes, no host names)
	@$(BOOTSTRAP) dev
	@$(ENV)/python tools/lock.py

clean: ## remove what the other targets made
	rm -rf .venv .stamps var webui/static/dist webui/static/words locale/*/LC_MESSAGES/*.mo webui/frontend/node_modules

python:
	@command -v $(PYTHON) >/dev/null || { echo "hydratwin: no '$(PYTHON)' on this machine: install Python 3.11 or newer, or name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "hydratwin: $$($(PYTHON) --version 2>&1) is too old: install Python 3.11 or newer, or name one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 2; }
