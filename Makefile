# Everything goes through here; a bare `make` lists the targets.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
export OMP_NUM_THREADS ?= 1
# Somebody else's packages on that path would stand before those of the locks.
unexport PYTHONPATH PYTHONHOME
# What one process has compiled, hundreds of others import: Python keeps it, whatever is usual here.
export PYTHONDONTWRITEBYTECODE :=
# Handed over as they were typed: no shell, and no make, reads what is in them.  The export is a line
# of its own, since make 3.81, which macOS has, reads "override export P" as a variable of that name.
override CH := $(value CH)
override P := $(value P)
override GRID := $(value GRID)
override OUT := $(value OUT)
override SEEDS := $(value SEEDS)
override CORPUS := $(value CORPUS)
override CELL := $(value CELL)
override ONLY := $(value ONLY)
override N := $(value N)
override SEED := $(value SEED)
override ALL := $(value ALL)
export CH P GRID OUT SEEDS CORPUS CELL ONLY N SEED ALL

help:
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST) | expand -t 18

# Compares the locks with a copy of those it installed: no clock can mislead it.  A PYTHON that is
# named is the one whose version the environment has; python3 alone takes the one that is there.
ready:
	@$(PYTHON) tooling/install.py $(VENV) $(if $(filter file,$(origin PYTHON)),--kept)

book: ready  ## the pages from what is stored; every chapter executed and compared [ONLY="tag tag"]
	@exec $(PY) -m tooling book $${ONLY:+--only $$ONLY}

pages: ready  ## the pages from what is stored, nothing executed
	@$(PY) -m tooling pages

pdf: ready  ## the pages of the main path as one PDF, where there is Chromium
	@exec $(PY) -m tooling pdf

test: ready  ## style and types, unit tests, and nbval over every chapter; one summary
	@$(PY) -m tooling test

units: ready  ## the project's own tests alone
	@$(PY) -m tooling test units

chapters: ready  ## nbval over every chapter alone
	@$(PY) -m tooling test chapters

lint: ready  ## ruff over code and notebooks, mypy over the packages
	@$(PY) -m ruff format --check --quiet . && $(PY) -m ruff check --quiet .
	@MAKEFLAGS= $(PY) -m mypy

stale: ready  ## the chapters whose code is not what it was when they were stored
	@$(PY) -m tooling stale

chapter: ready  ## one chapter alone: make chapter CH=scan-snap.lemma-05 P="M=200 eta_y=0.5"
	@exec $(PY) -m tooling chapter -- "$$CH" "$$P"

new: ready  ## the skeleton of a listed chapter: make new CH=scan-snap.lemma-42
	@exec $(PY) -m tooling new -- "$$CH"

toc: ready  ## the table of contents, from book/statements.toml
	@$(PY) -m tooling toc

sweep: ready  ## a grid of training runs: make sweep GRID=book/grids/figure_06.toml [OUT=folder] [SEEDS="0 1"] [CORPUS=embedded] [CELL="full, eta 1"]
	@exec $(PY) -m tooling sweep "$$GRID" $${OUT:+--out "$$OUT"} $${SEEDS:+--seeds $$SEEDS} $${CORPUS:+--corpus "$$CORPUS"} $${CELL:+--cell "$$CELL"}

prove: ready  ## the proofs, by Coq's kernel
	@$(PY) -m tooling prove

witness: ready  ## for each edited row a small change that turns it red: make witness [ONLY="tag tag"] [ALL=1]
	@exec $(PY) -m tooling witness $${ONLY:+--only $$ONLY} $${ALL:+--every}

robust: ready  ## every row under other seeds, two threads, at both ends of its parameters [ONLY="-k lemma_05"]
	@OMP_NUM_THREADS=2 exec $(PY) -m pytest --robust -n auto --dist loadfile $$ONLY checks

rows: ready  ## every row alone, as a test: make rows [ONLY="-k lemma_05"]
	@exec $(PY) -m pytest -n auto --dist loadfile $$ONLY checks

mutants: ready  ## small slips in copies of the code, and which no test sees: make mutants [N=20] [SEED=0]
	@exec $(PY) -m tooling mutants $${N:+--number "$$N"} $${SEED:+--seed "$$SEED"}

bench: ready  ## benchmarks, each beside its baseline in the same process
	@$(PY) -m benchmarks

next: ready  ## pages, and the tests of ledgerbook, with the newest versions of the tools; it may fail
	@$(PY) -m tooling next

lock: ready  ## requirements.lock and cuda.lock from requirements.txt
	@$(PY) -m tooling lock

clean:
	rm -rf $(VENV) _build *.egg-info .pytest_cache .ruff_cache .mypy_cache

.PHONY: help ready stale units chapters rows book pages pdf test lint chapter new toc sweep prove witness robust mutants bench next lock clean
