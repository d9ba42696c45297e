"""``python -m ledgerbook.claims TAG``: a chapter's claims, nothing stored; fails on a red one."""

import os
import sys

from ledgerbook import notebooks
from ledgerbook.judgement import surprises
from ledgerbook.statements import statement
from ledgerbook.verdicts import closed_records


def main(tag: str) -> int:
    """Execute the chapter's code here and print each surprise; returns the exit status."""
    row = statement(tag)
    code = notebooks.code(notebooks.read(row.chapter))
    os.chdir(row.chapter.parent)
    closed = closed_records(code, tag)
    lines = [line for record in closed for line in surprises(record)]
    print("\n".join(lines))
    return 1 if lines or not closed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
