"""``make sweep GRID=my_grid.toml``: a grid of training runs, resumable, with a progress bar."""

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from lib.real_text.text_sweep import is_text_grid, read_text_grid, run_text_sweep
from lib.sweeps.grid import read_grid
from lib.sweeps.run import run_sweep


def main(argv):
    """Run the grid that ``argv`` names; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tooling sweep", description=__doc__)
    parser.add_argument(
        "grid", help="a TOML file; book/grids/figure_06.toml is a documented example"
    )
    parser.add_argument(
        "--out", type=Path, help="folder for the results (default: _build/sweeps/NAME)"
    )
    arguments = parser.parse_args(argv)
    out = arguments.out or Path("_build/sweeps") / Path(arguments.grid).stem
    try:
        if is_text_grid(arguments.grid):
            read_text_grid(arguments.grid)
            table = run_text_sweep(
                arguments.grid,
                out,
                progress=lambda runs: tqdm(runs, unit="run", dynamic_ncols=True),
            )
        else:
            grid = read_grid(arguments.grid)
            print(f"{grid.num_runs} runs, {sum(1 for _ in grid.blocks())} blocks, into {out}")
            table = run_sweep(
                arguments.grid,
                out,
                progress=lambda blocks: tqdm(blocks, unit="block", dynamic_ncols=True),
            )
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"interrupted; the same command resumes from the blocks in {out}", file=sys.stderr)
        return 130
    print(f"results: {table}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
