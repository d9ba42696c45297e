# Everything goes through here; a bare `make` lists the targets.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
READY  := $(VENV)/.ready
export OMP_NUM_THREADS ?= 1

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST) | expand -t 18

$(READY): requirements.txt requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 11) <= v[:2] <= (3, 13) else f"Python {v[0]}.{v[1]} found, 3.11 to 3.13 needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --requirement requirements.txt --constraint requirements.lock
	$(PY) -m pip install --quiet --no-deps --editable .
	@touch $@

book: $(READY)  ## execute what changed, collect the ledger, build the pages
	@$(PY) -m tooling book

test: $(READY)  ## unit tests, then nbval over every chapter
	@$(PY) -m pytest tests
	@$(PY) -m pytest -p tooling.nbval_plugin --nbval --nbval-current-env --nbval-sanitize-with tests/sanitize.cfg \
	  --nbval-cell-timeout 600 -n auto --dist loadfile book

chapter: $(READY)  ## one chapter alone: make chapter CH=scan-snap.lemma-05 P="M=200 eta_y=0.5"
	@$(PY) -m tooling chapter "$(CH)" "$(P)"

new: $(READY)  ## the skeleton of a listed chapter: make new CH=scan-snap.lemma-42
	@$(PY) -m tooling new "$(CH)"

sweep: $(READY)  ## a grid of training runs: make sweep GRID=book/grids/figure_06.toml
	@$(PY) -m tooling sweep "$(GRID)"

serve: $(READY)  ## the built pages at http://127.0.0.1:8000/
	@$(PY) -m tooling serve

bench: $(READY)  ## benchmarks, each beside its baseline in the same process
	@$(PY) -m benchmarks

doctor: $(READY)  ## what is here, what is missing
	@$(PY) -m tooling doctor

clean:  ## remove the environment and everything built
	rm -rf $(VENV) _build *.egg-info .pytest_cache

.PHONY: help book test chapter new sweep serve bench doctor clean
