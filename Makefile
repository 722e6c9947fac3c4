# `make quickstart` trains an agent and measures it, `make play` opens a table in the browser, `make test` runs every
# check, `make check` those of a minute, `make coverage` says which lines no test reaches, `make docs` builds the site with the
# page that plays without a server, `make dist` builds and checks what is published, `make lowest` tries the lower bounds of the
# dependencies, `make fuzz`, `make kill-test` and `make nightly` attack it for as long as they may,
# `make nightly-tests` runs the tests that are too long for `make test`,
# `make play-check` replays 100,000 deals in the JavaScript of the page,
# `make audit` looks the pinned versions up in a data base of known vulnerabilities,
# `make pins` renews `constraints.txt`, `make from-nothing` tries the targets that the pages name in environments made for them,
# `make examples` runs `examples/`, each library in an environment of its own (gigabytes, about an hour).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# Containers often set this variable. Every process would compile torch again: 15 seconds of CPU to start a run, not 5.
unexport PYTHONDONTWRITEBYTECODE

# The editable install links single files: an edit shows at once, and the install is renewed when files come or go,
# or the dependencies change. Without git (a source archive) the list comes from the folders.
FOLDERS := $(shell sed -n '/package-dir/,/^$$/s/.* = "\(.*\)"/\1/p' pyproject.toml)
SOURCES := $(sort $(shell git ls-files -co --exclude-standard -- $(FOLDERS) 2>/dev/null || find $(FOLDERS) -type f -not -path '*/__pycache__/*'))
KEY := $(shell (echo $(SOURCES); cat pyproject.toml setup.py constraints.txt) | cksum | cut -d' ' -f1)

# The versions of Python that pyproject.toml names, and what to say of another, or of none.
VERSIONS := $(shell sed -n 's/.*:: Python :: \(3\.[0-9]*\)".*/\1/p' pyproject.toml)
NEEDED = Python $(firstword $(VERSIONS)) to $(lastword $(VERSIONS)) is needed, but
NAME_ANOTHER = name another, as in: $(strip make $(MAKECMDGOALS)) PYTHON=python$(lastword $(VERSIONS))

# A warning or a broken reference fails the site.
SITE := $(BIN)/sphinx-build -b html -q -W --keep-going -n docs docs/_build/html

.PHONY: quickstart play check test coverage types javascript fast-tests site fuzz kill-test nightly nightly-tests audit docs dist lowest examples play-check pins from-nothing clean

quickstart: $(VENV)/.installed-train-$(KEY)
	$(BIN)/german-whist train quickstart

play: $(VENV)/.installed-web-$(KEY)
	$(BIN)/german-whist serve

# For every edit: lint, types, and the tests of the rules, environments, solver and public names.
check: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(MAKE) --no-print-directory -j 2 types fast-tests

test: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(MAKE) --no-print-directory -j 2 types site javascript
	$(BIN)/python -m pytest -n 2 --no-loadscope-reorder --durations=10

# Which lines no test reaches; it takes twice the time of the tests alone.
coverage: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m pytest -q -n 2 --no-loadscope-reorder --cov

# Parts of `make check` and `make test`, which run them side by side.
fast-tests: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m pytest -q -n 2 tests/envs tests/solver tests/test_public_names.py tests/test_seeds.py

types: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/mypy

# The types of the page's JavaScript. npm is needed for nothing else, and nothing of it is installed with the package.
TYPESCRIPT := $(VENV)/typescript-5.9.3

javascript: $(if $(shell command -v npm),$(TYPESCRIPT))
	$(if $(shell command -v npm),$(TYPESCRIPT)/node_modules/.bin/tsc --project table/page,@echo "the JavaScript is not checked: npm is not installed")

$(TYPESCRIPT): | $(BIN)/python
	npm install --silent --no-save --prefix $@ typescript@$(@:$(VENV)/typescript-%=%)

# With what `make docs` installs, and nothing else of the developers' environment.
site: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m tests.packaging.only docs $(SITE)

# EXAMPLES=100000 fuzzes for hours.
fuzz: $(VENV)/.installed-dev-$(KEY)
	FUZZ_EXAMPLES=$(or $(EXAMPLES),1000) $(BIN)/python -m pytest -q tests/fuzz

# KILLS=100 kills each trainer a hundred times, SEED=1 at other moments.
kill-test: $(VENV)/.installed-dev-$(KEY)
	KILLS=$(or $(KILLS),20) SEED=$(or $(SEED),0) $(BIN)/python -m pytest -q -m nightly tests/kills

# A million deals against the reference, all of presets with PRESETS=1; stopped, it goes on where it was.
nightly: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m tests.nightly_rules --deals $(or $(DEALS),1000000) --seed $(or $(SEED),0) \
		$(if $(PRESETS),--presets) --progress .nightly-rules.json

# DEALS=1000000 replays more, SEED=1 others. Needs node.
play-check: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m tests.table.replay --deals $(or $(DEALS),100000) --seed $(or $(SEED),0)

# The tests that are marked nightly, some of them on a Ray cluster of this machine.
nightly-tests: $(VENV)/.installed-dev,ray-$(KEY)
	$(BIN)/python -m pytest -m nightly

# Needs the internet.
audit:
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	.venv-audit/bin/pip-audit --requirement constraints.txt --no-deps --disable-pip

docs: $(VENV)/.installed-docs-$(KEY)
	$(SITE)
	$(BIN)/python -m german_whist.table.bundle docs/_build/html/play
	@echo "documentation: docs/_build/html/index.html"

dist: $(VENV)/.installed-dist-$(KEY)
	$(BIN)/python -m tests.packaging.dist_check

# Adds the pins that are missing. RENEW="numpy ruff" renews some, RENEW=all all but torch. Needs the internet, and 10 minutes.
pins: $(VENV)/.installed-dist-$(KEY)
	$(BIN)/python -m tests.packaging.pins $(RENEW)

# Runs each target that README and CONTRIBUTING name in a fresh clone and environment; TARGETS="docs play" some of them.
from-nothing:
	$(PYTHON) -m tests.packaging.targets --python $(PYTHON) $(TARGETS)

# ONLY="torch rllib" runs those of some libraries.
examples:
	$(PYTHON) examples/run_all.py $(ONLY)

# SKIP=torch takes the pinned torch, where its lowest version is not to be had.
lowest:
	$(PYTHON) -m tests.packaging.lowest $(if $(SKIP),--skip $(SKIP))

# Python compiles the modules that are imported, once; compiling all of them takes half a minute.
$(VENV)/.installed-%-$(KEY): | $(BIN)/python
	@echo "installing german-whist[$*] into $(VENV) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt \
		--config-settings editable_mode=strict --editable ".[$*]"
	@rm -f $(VENV)/.installed-$*-*
	@touch $@

# pip would refuse another Python too, in many lines and after minutes.
$(BIN)/python: VERSION = $(shell ($(PYTHON) -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])') 2>/dev/null)
$(BIN)/python:
	$(if $(filter $(VERSIONS:=.%),$(VERSION)),,$(error $(NEEDED) $(PYTHON) is $(or $(VERSION),not found): $(NAME_ANOTHER)))
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) .venv-lowest .venv-audit build dist docs/_build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
