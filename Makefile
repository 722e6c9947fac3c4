# Two commands: `make quickstart` trains and evaluates a small agent, `make test` runs every check.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# The editable install links single files, so it is renewed when files come or go, or the dependencies change.
MODULES := $(sort $(wildcard api/*.py api/cli/*.py envs/*.py solver/*.py agents/*.py agents/weights/* arena/*.py training/*.py benchmarks/*.py configs/*.py configs/*.yaml configs/rules/*.yaml))
KEY := $(shell (echo $(MODULES); cat pyproject.toml constraints.txt) | cksum | cut -d' ' -f1)

.PHONY: quickstart test docs clean

quickstart: $(VENV)/.installed-train-$(KEY)
	$(BIN)/german-whist train quickstart

test: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest

# The documentation site: a warning or a broken reference fails it.
docs: $(VENV)/.installed-docs-$(KEY)
	$(BIN)/sphinx-build -b html -q -W --keep-going -n docs docs/_build/html
	@echo "documentation: docs/_build/html/index.html"

$(VENV)/.installed-%-$(KEY): | $(BIN)/python
	@echo "installing german-whist[$*] into $(VENV) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		--config-settings editable_mode=strict --editable ".[$*]"
	@rm -f $(VENV)/.installed-$*-*
	@touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) build docs/_build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
