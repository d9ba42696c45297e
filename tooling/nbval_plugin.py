"""pytest plugin on top of nbval: numbers are compared as numbers, and what nbval lacks is checked.

nbval compares text exactly.  Here the ledger's rows are compared by their own tolerances, other
text by its words, with each printed number free by one unit of its last digit.
"""

import atexit
import functools
import math
import os
import re
import shutil
import tempfile

import nbval.kernel
import pytest
from jupyter_client.manager import KernelManager
from nbval.plugin import IPyNbCell, IPyNbFile, get_sanitize_patterns

from lib.ledger_table import MIME
from tooling.fingerprint import closure
from tooling.notebooks import joined_streams
from tooling.worker import QUIET

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w])")
SKIPPED = ("stderr", "image/png", "execution_count")
exact_compare, collect_cells = IPyNbCell.compare_outputs, IPyNbFile.collect


def numbers_agree(one, other):
    """Whether two printed numbers differ by at most a unit of the last printed digit; integers not
    at all.
    """
    if one == other:
        return True
    digits = max(_last_digit(one), _last_digit(other))
    return (
        digits is not None and digits < math.inf and abs(float(one) - float(other)) <= 1.01 * digits
    )


def _last_digit(text):
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.0 if not decimals and not exponent else 10.0 ** (int(exponent or 0) - decimals)


def texts_agree(one, other):
    """Same words, and numbers that agree."""
    if NUMBER.sub("#", one).split() != NUMBER.sub("#", other).split():
        return False
    return all(map(numbers_agree, NUMBER.findall(one), NUMBER.findall(other)))


def row_difference(stored, computed):
    """Why a computed ledger row is not the stored one within the row's tolerance, or ``None``."""
    loose = ("observed", "margin", "bound")
    for key in stored.keys() | computed.keys():
        if key not in loose and stored.get(key) != computed.get(key):
            return (
                f"claim {stored['id']}: {key}: stored {stored.get(key)!r}, computed"
                f" {computed.get(key)!r}"
            )
    for key in ("observed", "bound"):
        if not values_agree(stored[key], computed[key], stored["rtol"], stored["atol"]):
            return (
                f"claim {stored['id']}: {key}: stored {stored[key]!r}, computed {computed[key]!r}, "
                f"tolerance rtol {stored['rtol']:g}, atol {stored['atol']:g}"
            )
    return None


def values_agree(one, other, rtol, atol):
    """Numbers within tolerance, lists entry by entry, everything else equal."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            values_agree(a, b, rtol, atol) for a, b in zip(one, other, strict=True)
        )
    if any(isinstance(value, (bool, str, type(None))) for value in (one, other)):
        return one == other
    return math.isclose(one, other, rel_tol=rtol, abs_tol=atol)


def ledger_difference(stored, computed):
    """The first difference between two ledger outputs, or ``None``."""
    rows, others = _rows(stored), _rows(computed)
    if [row["id"] for row in rows] != [row["id"] for row in others]:
        return (
            f"ledger rows: stored {[row['id'] for row in rows]}, computed"
            f" {[row['id'] for row in others]}"
        )
    return next(filter(None, map(row_difference, rows, others)), None)


def _rows(output):
    if "rows" in output:
        return output["rows"]
    record = output["closed"]
    return record["claims"] + [
        c
        for h in record["hypotheses"]
        if h["control"]
        for c in [h["control"], *h.get("further_controls", ())]
    ]


def compare_outputs(cell, computed, stored, skip_compare=None):
    """nbval's comparison with tolerance; falls back to nbval's own report when something
    differs.
    """
    computed, stored = joined_streams(computed), joined_streams(stored)
    if len(computed) != len(stored):
        return exact_compare(cell, computed, stored, skip_compare)
    for new, old in zip(computed, stored, strict=True):
        new_data, old_data = new.get("data", {}), old.get("data", {})
        if MIME in old_data and MIME in new_data:
            if difference := ledger_difference(old_data[MIME], new_data[MIME]):
                cell.comparison_traceback = [f"{cell.colors.FAIL}{difference}{cell.colors.ENDC}"]
                return False
            continue
        if new.get("output_type") != old.get("output_type") or new_data.keys() != old_data.keys():
            return exact_compare(cell, computed, stored, skip_compare)
        pairs = [(old_data[key], new_data[key]) for key in old_data if key not in SKIPPED] + [
            (old.get("text", ""), new.get("text", ""))
        ]
        if new.get("name") != "stderr" and not all(
            texts_agree(cell.sanitize(a), cell.sanitize(b)) for a, b in pairs
        ):
            return exact_compare(cell, [new], [old], skip_compare)
    return True


def pytest_configure(config):
    """Put the tolerant comparison in nbval's place, and refuse a sanitize file that nbval
    half-reads.
    """
    IPyNbCell.compare_outputs, IPyNbFile.collect = compare_outputs, collect
    nbval.kernel.KernelManager = private_kernel_manager
    os.environ.update(QUIET)
    file = config.getoption("nbval_sanitize_with", None)
    if file:
        with open(file, encoding="utf-8") as handle:
            check_sanitize_file(handle.read())


def check_sanitize_file(text):
    """Raise ``pytest.UsageError`` if nbval would silently drop a rule."""
    rules = sum(line.startswith("regex:") for line in text.splitlines())
    parsed = len(get_sanitize_patterns(text))
    if rules != parsed:
        raise pytest.UsageError(
            f"sanitize file: {rules} rules, but nbval reads {parsed}: 'replace: ' needs its"
            " trailing space"
        )


class ExecutionItem(pytest.Item):
    """The stored notebook was executed whole and in order, and left its ledger row."""

    def runtest(self):
        from tooling import notebooks

        if problem := notebooks.execution_problem(notebooks.read(self.path)):
            pytest.fail(f"{self.path.name}: {problem}", pytrace=False)

    def reportinfo(self):
        return self.path, 0, f"{self.path.name}: stored execution"


class NotValidatedItem(pytest.Item):
    """Says, as a skipped test, that a notebook's numbers belong to a text that this machine does
    not have.
    """

    def runtest(self):
        pytest.skip(
            "not validated here: the embedded text of this Python is not the one of the stored run;"
            " cells are executed, outputs not compared"
        )


@functools.cache
def same_embedded_text():
    """Whether this Python's embedded text is the one that the stored notebooks were run on."""
    from lib.real_text import corpus

    return corpus.comparable(corpus.load("embedded"))


def collect(file):
    """The check of the stored execution, then nbval's cells."""
    yield ExecutionItem.from_parent(file, name="stored execution")
    cells = list(collect_cells(file))
    reads_text = any(
        path.name == "corpus.py" for path in closure("\n".join(cell.cell.source for cell in cells))
    )
    if reads_text and not same_embedded_text():
        yield NotValidatedItem.from_parent(file, name="not validated here")
        for cell in cells:
            cell.options["check"] = False
    yield from cells


def private_kernel_manager(**options):
    """A kernel manager on IPC sockets in a folder of its own: parallel kernels on TCP ports
    race.
    """
    private = tempfile.mkdtemp(prefix="k")
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    return KernelManager(transport="ipc", ip=f"{private}/k", **options)
