# make quickstart      train an agent and measure it
# make play            play in the browser
# make check           lint, types, tests of environments and solver: a minute
# make test            the gate: lint, types, site, JavaScript, all tests but the nightly ones
# make coverage        report which lines no test reaches
# make docs            build the documentation, with the page that plays without a server
# make dist            build and check what is published
# make lowest          test the lower bounds of the dependencies
# make speedrun        train from nothing three times and time it
# make fuzz, make kill-test, make nightly    look for faults for as long as you let them
# make nightly-tests   tests too long for the gate: every preset, all pages, the rest of the browser, fuzz, kills, Ray
# make play-check      replay 100,000 deals in the page's JavaScript
# make audit           look up the pinned versions in a database of known vulnerabilities
# make pins            renew `constraints.txt`
# make kernels         compile the rules and the bots for the page
# make page            bundle the scripts and styles of the page
# make from-nothing    run the targets that the pages name, in fresh environments
# make examples        run `examples/`, each library in its own environment (gigabytes, about an hour)
# TORCH_INDEX=ADDRESS with any of them takes PyTorch from that index, TORCH_INDEX= from PyPI (tools/torch_build.py)
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# Containers often set this variable. Then every process would compile torch's Python files again: starting a run would
# take 15 seconds of CPU, not 5.
unexport PYTHONDONTWRITEBYTECODE

# The editable install links single files: edits take effect at once, and the install is renewed when files are added or
# removed or the dependencies change. Without git (in a source archive) the list is read from the folders.
FOLDERS := $(shell sed -n '/package-dir/,/^$$/s/.* = "\(.*\)"/\1/p' pyproject.toml)
SOURCES := $(sort $(shell git ls-files -co --exclude-standard -- $(FOLDERS) 2>/dev/null || find $(FOLDERS) -type f -not -path '*/__pycache__/*' -not -path '*/node_modules/*'))
KEY := $(shell (echo $(SOURCES); cat pyproject.toml setup.py constraints.txt) | cksum | cut -d' ' -f1)

# The Python versions that pyproject.toml names, and the error for another one or none.
VERSIONS := $(shell sed -n 's/.*:: Python :: \(3\.[0-9]*\)".*/\1/p' pyproject.toml)
NEEDED = Python $(firstword $(VERSIONS)) to $(lastword $(VERSIONS)) is needed, but
NAME_ANOTHER = name another, as in: $(strip make $(MAKECMDGOALS)) PYTHON=python$(lastword $(VERSIONS))

# Warnings and broken references fail the build.
SITE := $(BIN)/sphinx-build -b html -q -W --keep-going -n docs docs/_build/html

.PHONY: quickstart play check test coverage types javascript fast-tests site fuzz speedrun kill-test nightly nightly-tests audit docs dist lowest examples play-check pins from-nothing clean kernels page

quickstart: $(VENV)/.installed-train-$(KEY)
	$(BIN)/german-whist train quickstart

play: $(VENV)/.installed-web-$(KEY)
	$(BIN)/german-whist serve

# For use after every edit.
check: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(MAKE) --no-print-directory -j 2 types fast-tests

# Ends with pytest's ten slowest calls and its summary. GERMAN_WHIST_BROWSER=required fails without Chromium or npm.
test: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(MAKE) --no-print-directory -j 2 types site javascript
	$(BIN)/python -m pytest -n 2 --no-loadscope-reorder --durations=10

# Takes twice as long as the tests alone.
coverage: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m pytest -q -n 2 --no-loadscope-reorder --cov

# Parts of `make check` and `make test`, which run them in parallel.
fast-tests: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m pytest -q -n 2 tests/game tests/solver tests/simulator tests/envs tests/docs/test_reference_pages.py tests/test_public_names.py tests/test_seeds.py

types: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/mypy

# Checks the page's JavaScript and CSS. Without npm or its registry the check is skipped, and fails where
# GERMAN_WHIST_BROWSER=required.
NODE_TOOLS := table/page/node_modules/.bin

javascript:
	@$(MAKE) --silent $(NODE_TOOLS) 2>/dev/null || true
	@if [ -d $(NODE_TOOLS) ]; then $(NODE_TOOLS)/tsc --project table/page && $(NODE_TOOLS)/biome check --log-level=warn; \
	else echo "the JavaScript is not checked: npm cannot install its tools"; [ "$$GERMAN_WHIST_BROWSER" != required ]; fi

$(NODE_TOOLS): table/page/package.json
	npm install --silent --no-package-lock --fetch-retries=1 --prefix table/page
	@touch $@

# Bundles the page's scripts and styles. A test says when this is due; the bundles are checked in, as `*.wasm` are.
BUNDLES := table/bundles
ESBUILD = $(NODE_TOOLS)/esbuild --bundle --minify --format=esm --target=es2022 --outbase=table/page --log-level=warning --outdir=$(BUNDLES)

page: $(NODE_TOOLS)
	rm -rf $(BUNDLES)
	$(ESBUILD) table/page/worker.js table/page/css/style.css
	$(ESBUILD) table/page/js/main.js --splitting "--chunk-names=js/[name]"

# Hides everything in the development environment that `make docs` would not install.
site: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m tests.packaging.only docs $(SITE)

# EXAMPLES=100000 takes hours.
fuzz: $(VENV)/.installed-dev-$(KEY)
	FUZZ_EXAMPLES=$(or $(EXAMPLES),1000) $(BIN)/python -m pytest -q -m nightly tests/fuzz

# RUN=NAME trains a recipe from nothing three times and writes its entry of docs/reference/speedrun.md.
speedrun: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m tools.speedrun $(or $(RUN),quickstart) --machine "$(or $(MACHINE),$(shell uname -m))"
	$(BIN)/python -m tools.reference_pages

# KILLS=N: kills of runs from scratch and with `init`, of one process and two, each; SEED: when.
kill-test: $(VENV)/.installed-dev-$(KEY)
	KILLS=$(or $(KILLS),20) SEED=$(or $(SEED),0) $(BIN)/python -m pytest -q -m nightly tests/kills

# Compares DEALS=N deals (a million) with the reference engine; SEED: which; PRESETS=1: presets only.
nightly: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m tests.nightly_rules --deals $(or $(DEALS),1000000) --seed $(or $(SEED),0)$(if $(PRESETS), --presets)

# DEALS=N: number of deals; SEED: which. Needs node.
play-check: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m tests.table.replay --deals $(or $(DEALS),100000) --seed $(or $(SEED),0)

# The tests marked `nightly`; one starts a Ray cluster on this machine.
nightly-tests: $(VENV)/.installed-dev,ray-$(KEY)
	$(BIN)/python -m pytest -m nightly --durations=10

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

# Needs Debian's `lld`. A test says when this is due; the modules are checked in, as the weights are.
kernels: $(VENV)/.installed-dev-$(KEY)
	$(BIN)/python -m tools.kernels

# Adds missing pins. RENEW="numpy ruff" also renews these, RENEW=all all but torch. Needs the internet, and 10 minutes.
pins: $(VENV)/.installed-dist-$(KEY)
	$(BIN)/python -m tests.packaging.pins $(RENEW)

# Runs the main targets, each in a fresh clone and environment. TARGETS="docs dist" selects some.
from-nothing:
	@for target in $(or $(TARGETS),quickstart check test docs dist fuzz kill-test nightly); do \
		clone=$$(mktemp -d) && git clone --quiet . $$clone && echo "$$ make $$target" && \
		$(MAKE) -C $$clone $$target PYTHON=$(PYTHON) EXAMPLES=10 KILLS=1 DEALS=1000 || exit 1; rm -rf $$clone; \
	done

# ONLY="torch rllib" runs the examples of these libraries.
examples:
	$(PYTHON) examples/run_all.py $(ONLY)

# Each dependency is used by one of them.
LOWEST_TESTS := $(addprefix tests/,agents/policy/test_checkpoint.py cli/test_commands.py envs/rendering \
	envs/test_gymnasium_env.py envs/test_gymnasium_vector_env.py envs/test_library_wrappers.py envs/test_pettingzoo_env.py \
	evaluation/exploitability evaluation/test_match.py solver/test_endgames.py table training/test_train.py)

# SKIP=torch uses the pinned torch, where its lowest version is not available.
lowest: $(VENV)/.installed-dist-$(KEY)
	grep -E '^($(or $(SKIP),none))==' constraints.txt > $(VENV)/pinned.txt || true
	$(BIN)/uv pip compile --quiet --resolution lowest-direct --constraint $(VENV)/pinned.txt pyproject.toml \
		$(patsubst %,--extra %,docs openspiel ray render train web) --output-file $(VENV)/lowest.txt
	$(PYTHON) -m venv --clear .venv-lowest
	.venv-lowest/bin/python tools/torch_build.py $(VENV)/lowest.txt
	.venv-lowest/bin/python -m pip install --quiet --constraint $(VENV)/lowest.txt \
		--config-settings editable_mode=strict --editable ".[docs,openspiel,ray,render,train,web]"
	.venv-lowest/bin/python -m pip install --quiet --constraint constraints.txt pytest hypothesis httpx2
	.venv-lowest/bin/python -m pip check
	.venv-lowest/bin/python -m sphinx -b html -q -W docs .venv-lowest/site
	.venv-lowest/bin/python -m pytest -q $(LOWEST_TESTS)

# --no-compile: Python compiles modules when they are first imported; compiling all of them takes half a minute.
# PYTHONWARNINGS: newer pips show what setuptools says about editable installs.
$(VENV)/.installed-%-$(KEY): | $(BIN)/pip
	@echo "installing german-whist[$*] into $(VENV) ..."
	$(if $(findstring dev,$*)$(findstring train,$*),@$(BIN)/python tools/torch_build.py constraints.txt)
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt \
		--config-settings editable_mode=strict --editable ".[$*]"
	@rm -f $(VENV)/.installed-$*-*
	@touch $@

# pip would refuse a wrong Python, too, but after minutes and in many lines. `venv` installs it last, so an environment
# that it could not complete is made again. pip before 23.3, as in Python 3.12.1, finds no CUDA for the pinned torch.
$(BIN)/pip: VERSION = $(shell ($(PYTHON) -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])') 2>/dev/null)
$(BIN)/pip:
	$(if $(filter $(VERSIONS:=.%),$(VERSION)),,$(error $(NEEDED) $(PYTHON) is $(or $(VERSION),not found): $(NAME_ANOTHER)))
	$(PYTHON) -m venv --upgrade-deps $(VENV)

clean:
	rm -rf $(VENV) table/page/node_modules .venv-lowest .venv-audit build dist docs/_build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
