# The environment is made in VENV by PYTHON, and renewed when that is due, by tools/install.py. TORCH_INDEX=ADDRESS takes
# PyTorch from that index, TORCH_INDEX= from PyPI (tools/torch_build.py).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest

# Containers often set this variable. Then every process would compile torch's Python files again: starting a run would
# take 15 seconds of CPU, not 5.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: quickstart play check test coverage fast-tests types javascript page site docs fuzz kill-test nightly play-check \
	nightly-tests speedrun kernels audit dist pins lowest from-nothing examples clean

# Train an agent and measure it.
quickstart: install-train
	$(BIN)/german-whist train quickstart
	@echo "play against it: make play AGENT=runs/quickstart"

# Play in the browser; AGENT=runs/quickstart against that agent.
play: install-web
	$(BIN)/german-whist serve $(addprefix --agent ,$(AGENT))

# After every edit: lint, types, tests of environments and solver, in a minute.
check: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(MAKE) --no-print-directory -j 2 types fast-tests

# The gate: lint, types, site, JavaScript, all tests but the nightly ones. GERMAN_WHIST_BROWSER=required fails without
# Chromium or npm.
test: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(MAKE) --no-print-directory -j 2 types site javascript
	$(PYTEST) -n 2 --no-loadscope-reorder --durations=10

# Lines that no test reaches, in twice the time of the tests.
coverage: install-dev
	$(PYTEST) -q -n 2 --no-loadscope-reorder --cov

fast-tests: install-dev
	$(PYTEST) -q -n 2 tests/game tests/solver tests/simulator tests/envs tests/docs/test_reference_pages.py \
		tests/test_public_names.py tests/test_seeds.py

types: install-dev
	$(BIN)/mypy

# Types and style of the page's JavaScript and CSS. Without npm or its registry the check is skipped.
NODE_TOOLS := table/page/node_modules/.bin

javascript:
	@$(MAKE) --silent $(NODE_TOOLS) 2>/dev/null || true
	@if [ -d $(NODE_TOOLS) ]; then $(NODE_TOOLS)/tsc --project table/page && $(NODE_TOOLS)/biome check --log-level=warn; \
	else echo "the JavaScript is not checked: npm cannot install its tools"; [ "$$GERMAN_WHIST_BROWSER" != required ]; fi

$(NODE_TOOLS): table/page/package.json
	npm install --silent --no-package-lock --fetch-retries=1 --prefix table/page
	@touch $@

# Bundle the page's scripts and styles, which are checked in. A test says when this is due.
BUNDLES := table/bundles
ESBUILD = $(NODE_TOOLS)/esbuild --bundle --minify --format=esm --target=es2022 --outbase=table/page --log-level=warning --outdir=$(BUNDLES)

page: $(NODE_TOOLS)
	rm -rf $(BUNDLES)
	$(ESBUILD) table/page/worker.js table/page/css/style.css
	$(ESBUILD) table/page/js/main.js --splitting "--chunk-names=js/[name]"

# Compile the rules and the bots for the page, which are checked in. A test says when this is due. Needs Debian's `lld`.
kernels: install-dev
	$(BIN)/python -m tools.kernels

# Warnings and broken references fail the build.
SITE := $(BIN)/sphinx-build -b html -q -W --keep-going -n docs docs/_build/html

# The documentation, with the page that plays without a server.
docs: install-docs
	$(SITE)
	$(BIN)/python -m german_whist.table.bundle docs/_build/html/play
	@echo "documentation: docs/_build/html/index.html"

# Hides everything in the development environment that `make docs` would not install.
site: install-dev
	$(BIN)/python -m tests.packaging.only docs $(SITE)

# Random and mutated inputs; EXAMPLES=100000 takes hours.
fuzz: install-dev
	FUZZ_EXAMPLES=$(or $(EXAMPLES),1000) $(PYTEST) -q -m nightly tests/fuzz

# KILLS=N: kills of runs from scratch and with `init`, of one process and two, each; SEED: when.
kill-test: install-dev
	KILLS=$(or $(KILLS),20) SEED=$(or $(SEED),0) $(PYTEST) -q -m nightly tests/kills

# Compare DEALS=N deals (a million) with the reference engine; SEED: which; PRESETS=1: presets only.
nightly: install-dev
	$(BIN)/python -m tests.nightly_rules --deals $(or $(DEALS),1000000) --seed $(or $(SEED),0)$(if $(PRESETS), --presets)

# Replay DEALS=N deals in the page's JavaScript; SEED: which. Needs node.
play-check: install-dev
	$(BIN)/python -m tests.table.replay --deals $(or $(DEALS),100000) --seed $(or $(SEED),0)

# The tests marked `nightly`: every preset, all pages, the rest of the browser, fuzz, kills, a Ray cluster on this machine.
nightly-tests: install-dev,ray
	$(PYTEST) -m nightly --durations=10

# Train the recipe RUN=NAME from nothing three times, and write its entry of docs/reference/speedrun.md.
speedrun: install-dev
	$(BIN)/python -m tools.speedrun $(or $(RUN),quickstart) --machine "$(or $(MACHINE),$(shell uname -m))"
	$(BIN)/python -m tools.reference_pages

# Run `examples/`, each library in its own environment (gigabytes, about an hour). ONLY="torch rllib" selects some.
examples:
	$(PYTHON) examples/run_all.py $(ONLY)

# Look up the pinned versions in a database of known vulnerabilities. Needs the internet.
audit:
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	.venv-audit/bin/pip-audit --requirement constraints.txt --no-deps --disable-pip

# Build and check what is published.
dist: install-dist
	$(BIN)/python -m tests.packaging.dist_check

# Add missing pins to `constraints.txt`. RENEW="numpy ruff" also renews these, RENEW=all all but torch. Needs the internet
# and 10 minutes.
pins: install-dist
	$(BIN)/python -m tests.packaging.pins $(RENEW)

# Test the lower bounds of the dependencies: each is used by one of these tests. SKIP=torch uses the pinned torch.
LOWEST_TESTS := $(addprefix tests/,agents/policy/test_checkpoint.py cli/test_commands.py envs/rendering \
	envs/test_gymnasium_env.py envs/test_gymnasium_vector_env.py envs/test_library_wrappers.py envs/test_pettingzoo_env.py \
	evaluation/exploitability evaluation/test_match.py solver/test_endgames.py table training/test_train.py)

lowest: install-dist
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

# Run the targets that the pages name, each in a fresh clone and environment. TARGETS="docs dist" selects some.
from-nothing:
	@for target in $(or $(TARGETS),quickstart check test docs dist fuzz kill-test nightly); do \
		clone=$$(mktemp -d) && git clone --quiet . $$clone && echo "$$ make $$target" && \
		$(MAKE) -C $$clone $$target PYTHON=$(PYTHON) EXAMPLES=10 KILLS=1 DEALS=1000 || exit 1; rm -rf $$clone; \
	done

install-%:
	@$(if $(wildcard $(BIN)/pip),$(BIN)/python,$(PYTHON)) tools/install.py $(VENV) $*

clean:
	rm -rf $(VENV) table/page/node_modules .venv-lowest .venv-audit build dist docs/_build *.egg-info .mypy_cache \
		.ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
