# The two commands: `make demo` and `make test`; each does all the set-up it needs.

VENV := .venv
RUN := $(VENV)/bin
READY := $(VENV)/.ready
# Most files are never imported, so none is compiled ahead; what is imported is compiled once and kept, or every process would compile it again.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(RUN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable
export HF_HUB_OFFLINE := 1
export DO_NOT_TRACK := 1
export PREFECT_SERVER_ANALYTICS_ENABLED := false

.PHONY: machine setup setup-dev demo test check bench format schemas clean help golden

help:
	@echo "make demo   set up, build the demo dataset, score it under three protocols, write the report"
	@echo "make test   set up, run all tests"
	@echo "make check  lint, types, import contracts"
	@echo "make bench  the figures, one JSON line each"
	@echo "make machine  the desktop that episodes run on, from Debian packages, once"
	@echo "make setup  .venv with deskmill in it"

setup: $(READY)

$(READY): pyproject.toml constraints.txt .ci/debian-packages
	bash .ci/debian-packages python
	python3 -m venv $(VENV)
	$(INSTALL) .
	touch $@

setup-dev: $(VENV)/.ready-dev

$(VENV)/.ready-dev: $(READY)
	bash .ci/debian-packages browser
	bash .ci/debian-packages viewer
	bash .ci/debian-packages machines
	bash .ci/debian-packages ocr
	bash .ci/debian-packages virtual-machines
	$(INSTALL) '.[dev]'
	touch $@

demo: setup
	$(RUN)/deskmill build demo
	$(RUN)/deskmill select demo --protocol random --protocol heuristic --protocol nearest --limit 2000
	@echo "report:"; $(RUN)/deskmill report

machine: setup  ## the machine that episodes run on, made once
	bash .ci/debian-packages machines
	$(RUN)/deskmill machine build

# A worker more than processors, since tests of servers and machines mostly wait. The machines that tests need are made meanwhile.
test: setup-dev
	@DESKMILL_DATA=data $(RUN)/deskmill machine build --kind qemu smoke > /dev/null & \
	$(RUN)/python -m pytest -n $$(($$(nproc) + 1)) --dist worksteal --durations 25; status=$$?; wait; exit $$status

check: setup-dev
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy --num-workers $$(nproc) .
	$(RUN)/lint-imports
	$(RUN)/deskmill validate

bench: setup-dev
	@$(RUN)/python -m tests.bench

golden: setup-dev  ## write the golden files anew, after a meant change
	$(RUN)/python -m tests.flows.golden
	$(RUN)/python -m tests.narrators.golden

format: setup-dev
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .

schemas: setup
	$(RUN)/deskmill validate --schemas

clean:
	rm -rf $(VENV) data
