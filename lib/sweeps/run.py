"""A grid of runs on Dask: finished blocks are kept, an interrupted sweep resumes, the bytes never
change.

In-process by default; on the cluster that ``DASK_SCHEDULER_ADDRESS`` names, when it is set.  Blocks
come back to this process, which alone writes files, so workers need no shared disk.
"""

import csv
import io
import itertools
import json
import os
import zipfile
from pathlib import Path

import numpy as np

from lib.scan_snap.engine.train import train
from lib.scan_snap.sequence_classes import syn_medium
from lib.scan_snap.sparsity import distinct_entropy, top_distinct
from lib.storage import write_atomically
from lib.sweeps.grid import read_grid
from lib.validation import require

COLUMNS = (
    "queries",
    "eta_z",
    "ratio",
    "seed",
    "entropy",
    "common_share",
    "top_is_frequent",
    "loss",
)
IN_FLIGHT = (
    4  # blocks per thread that are handed out at once: enough to keep it busy, constant memory
)


def run_block(block):
    """Train one ``Block``; returns columns (cells,): eta_z, ratio and what was measured after the
    last step.

    entropy: on distinct tokens; common_share: attention on common tokens; top_is_frequent: share of
    classes whose favourite is the distinct token with the largest probability; loss: mean of the
    last ten batches.
    """
    import torch

    torch.set_num_threads(1)
    classes = syn_medium(block.queries, **block.classes)
    eta_z, ratio = np.array(block.eta_z, dtype=float), np.array(block.ratio, dtype=float)
    run = train(classes, eta_z * ratio, eta_z, seeds=(block.seed,), **block.run)
    attention = run.attention[0, :, -1]
    frequent = block.classes["num_distinct"] - 1
    return {
        "eta_z": eta_z,
        "ratio": ratio,
        "entropy": distinct_entropy(attention, classes),
        "common_share": attention[..., classes.common_tokens].sum(-1).mean(-1),
        "top_is_frequent": (top_distinct(attention, classes) == frequent).mean(-1),
        "loss": run.loss[0, :, -10:].mean(-1).astype(float),
    }


def run_sweep(grid_path, out_dir, progress=lambda blocks: blocks):
    """Run what is missing of a grid in ``out_dir`` and return the path of ``results.csv``.

    progress: wraps the list of missing block names and is iterated once per finished block (tqdm
    fits). Raises ``ValueError`` for a bad grid, and for a folder that holds another grid's blocks.
    """
    grid, out_dir = read_grid(grid_path), Path(out_dir)
    out_dir.mkdir(parents=True, exist_ok=True)
    _claim_folder(grid, out_dir)
    missing = [block for block in grid.blocks() if not _path(out_dir, block).exists()]
    if missing:
        with connect() as client:
            finished = as_finished(client, run_block, missing)
            for _ in progress([block.name for block in missing]):
                block, columns = next(finished)
                write_atomically(_path(out_dir, block), npz_bytes(columns))
    return _write_table(grid, out_dir)


def as_finished(client, function, items):
    """Yield (item, function(item)) as they finish on Dask, never more than a few per thread in
    flight.
    """
    from distributed import as_completed

    waiting = iter(items)
    of_key, running = {}, as_completed(with_results=True)

    def hand_out(count):
        for item in itertools.islice(waiting, count):
            future = client.submit(function, item, pure=False, retries=2)
            of_key[future.key] = item
            running.add(future)

    hand_out(IN_FLIGHT * max(1, sum(client.nthreads().values())))
    for future, result in running:
        yield of_key.pop(future.key), result
        hand_out(1)


def connect():
    """The cluster that the environment names, or threads of this process."""
    from distributed import Client

    address = os.environ.get("DASK_SCHEDULER_ADDRESS")
    if address:
        return Client(address, timeout=20)
    return Client(
        processes=False, n_workers=1, threads_per_worker=os.cpu_count(), dashboard_address=None
    )


def _claim_folder(grid, out_dir):
    marker, text = out_dir / "grid.json", json.dumps(grid.record(), indent=1, sort_keys=True)
    if marker.exists():
        require(
            marker.read_text() == text,
            "out",
            str(out_dir),
            "a folder that holds no other grid's results",
        )
    else:
        write_atomically(marker, text.encode())


def _path(out_dir, block):
    return out_dir / f"{block.name}.npz"


def _write_table(grid, out_dir):
    """All runs as one CSV, in the grid's order; floats at full precision."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for block in grid.blocks():
        with np.load(_path(out_dir, block)) as columns:
            for row in zip(
                *(columns[name].tolist() for name in COLUMNS if name in columns), strict=True
            ):
                table.writerow([block.queries, *row[:2], block.seed, *row[2:]])
    write_atomically(out_dir / "results.csv", text.getvalue().encode())
    return out_dir / "results.csv"


def npz_bytes(arrays):
    """An ``.npz`` archive of named arrays whose bytes depend on the arrays alone: no time
    stamps.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0)), member.getvalue()
            )
    return buffer.getvalue()
