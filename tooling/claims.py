"""``python -m tooling.claims TAG``: a chapter's claims, nothing stored; fails on a red one."""

import os
import sys

from lib.judgement import surprises
from lib.ledger_table import Summary
from tooling import notebooks
from tooling.statements import statement


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
