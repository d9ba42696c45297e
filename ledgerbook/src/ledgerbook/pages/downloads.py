"""All rows of the ledger as one table for machines, beside the ledger itself.

Every row has a number there, C1, C2, ..., in the ledger's own order: first the claims of a
statement, then the controls of its hypotheses.
"""

import csv
import io
from typing import Any

from ledgerbook.ledger.judgement import rows_of

COLUMNS = "kind strength observed relation bound rtol atol passed as_printed claim".split()


def table(ledger: dict[str, Any]) -> str:
    """All rows as comma-separated values, numbered."""
    out = io.StringIO()
    names = ["number", "statement", "row", *COLUMNS]
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    rows = ((one["tag"], row) for one in ledger["statements"] for row in rows_of(one))
    for count, (tag, row) in enumerate(rows, 1):
        said = {"number": f"C{count}", "statement": tag, "row": row["id"]}
        writer.writerow(said | {name: row.get(name) for name in COLUMNS})
    return out.getvalue()
