"""``python -m ledgerbook.claims TAG``: a chapter's claims, nothing stored; fails on a red one."""

import os
import sys

from ledgerbook import notebooks
from ledgerbook.judgement import surprises
from ledgerbook.ledger_table import Summary
from ledgerbook.statements import statement


def main(tag: str) -> int:
    """Execute the chapter's code here and print each surprise; returns the exit status."""
    row = statement(tag)
    code = notebooks.code(notebooks.read(row.chapter))
    closed: list[dict] = []
    Summary.__init__ = lambda self, record: closed.append(record)  # type: ignore[method-assign]
    os.chdir(row.chapter.parent)
    exec(compile(code, tag, "exec"), {"__name__": "__main__"})
    lines = [line for record in closed for line in surprises(record)]
    print("\n".join(lines))
    return 1 if lines or not closed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
