# Two commands do everything: `make demo` shows scores moving, `make test` proves that it works.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Each command and each worker of the tests would compile all modules again where the environment forbids to keep what was compiled.
unexport PYTHONDONTWRITEBYTECODE
export RAG_SIDECAR_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/rag-sidecar

.PHONY: demo stack test test-fast test-long chaos soak bench lint site parts lock docs dashboards dashboards-preview clean

demo: $(VENV)/.demo
	@$(BIN)/rag-sidecar demo

# The services of compose.yaml without containers (Grafana apart), until Ctrl-C: open http://localhost:8000 and turn the knobs.
stack: $(VENV)/.dev
	@$(BIN)/python -m tests.parts kafka collector compose prometheus alertmanager phoenix
	@$(BIN)/python -m tests.stack

# What needs no real part runs side by side, and so do files of tests on real parts, but for those that load the machine.
HERMETIC = $(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist worksteal -m "not real and not alone and not long"
REAL = $(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "real and not alone and not long"
ALONE = $(BIN)/python -m pytest -q -m "alone and not long"

# Three tiers: what needs no real part (a quarter of an hour on two cores), all that a change needs to land, and what takes hours.
test-fast: lint
	$(HERMETIC)

test: lint parts
	$(HERMETIC)
	$(REAL)
	$(ALONE)

test-long: lint parts chaos soak
	$(BIN)/python -m tests.parts control-plane
	$(BIN)/python -m pytest -q -m long tests/real
	$(BIN)/python -m tests.fuzz --inputs 200000
	$(BIN)/python -m benchmarks.throughput

# Replicas are killed, added and removed, the broker is restarted and the results topic cut off while numbered requests pass: none is lost, none gets a poorer result.
chaos: $(VENV)/.dev parts
	$(BIN)/python -m tests.chaos --seconds 600 --rate 8 --kills 20 --scalings 20 --broker-restarts 3 --exporter-pauses 6
	$(BIN)/python -m tests.chaos --seconds 300 --rate 32 --kills 10 --scalings 10 --broker-restarts 2 --exporter-pauses 3 --settle-seconds 900
	$(BIN)/python -m tests.chaos --seconds 300 --rate 8 --kills 10 --scalings 10 --broker-restarts 1 --exporter-pauses 2 --repartition --encodings otlp_proto otlp_json
	$(BIN)/python -m pytest -q -m long tests/chaos

# A day of changing services, models and variants in minutes: memory, series, descriptors and tasks stay flat.
soak: $(VENV)/.dev
	$(BIN)/python -m tests.soak --traces 43200

# The tables of benchmarks/README.md that want a machine with nothing else on it; about a quarter of an hour.
bench: $(VENV)/.dev parts
	$(BIN)/python -m benchmarks.throughput
	$(BIN)/python -m benchmarks.overload
	$(BIN)/python -m benchmarks.scale

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml sidecar exporters
	$(BIN)/python -m docs.generate --check
	$(BIN)/python -m dashboards.generate --check
	$(BIN)/mkdocs build --strict --site-dir $(or $(TMPDIR),/tmp)/rag-sidecar-site

# The documentation as a site, in site/.
site: $(VENV)/.dev
	$(BIN)/mkdocs build --strict

parts: $(VENV)/.dev
	$(BIN)/python -m tests.parts

docs dashboards: $(VENV)/.dev
	$(BIN)/python -m dashboards.generate
	$(BIN)/python -m docs.generate

# Pictures of the dashboards in docs/img, from a real Prometheus and five minutes of the demo's traffic. Needs Chromium.
dashboards-preview: $(VENV)/.dev
	$(BIN)/python -m dashboards.preview

# One lock with hashes for each way to install; pip refuses anything else.
COMPILE = $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links pyproject.toml
lock: | $(VENV)/bin/python
	$(BIN)/python -m pip install -q 'uv>=0.9'
	$(COMPILE) -o requirements.lock
	$(COMPILE) --extra demo -o requirements-demo.lock
	$(COMPILE) --extra export -o requirements-export.lock
	$(COMPILE) --extra dev -o requirements-dev.lock
	$(patsubst pyproject.toml,examples/frameworks/requirements.in,$(COMPILE)) -o examples/frameworks/requirements.lock
	for part in mlserver phoenix; do $(patsubst pyproject.toml,tests/parts/locks/$$part.in,$(COMPILE)) -o tests/parts/locks/$$part.lock || exit; done
	$(patsubst pyproject.toml,tests/parts/locks/wheels.in,$(COMPILE)) --no-deps -o tests/parts/locks/wheels.lock
	echo 'setuptools>=77' | $(patsubst pyproject.toml,-,$(COMPILE)) -o requirements-build.lock

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rag-sidecar needs Python 3.11 or newer: set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: requirements-demo.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q --require-hashes -r requirements-demo.lock
	$(BIN)/python -m pip install -q --no-deps -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install -q --no-deps -e .
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) build dist site *.egg-info
