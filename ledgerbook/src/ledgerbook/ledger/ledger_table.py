"""How ledger rows look: cells, Markdown tables, and the objects that a notebook displays."""

import re

MIME = "application/vnd.ledgerbook+json"
# A status is told by a symbol as well as by a colour.
SYMBOLS = {
    "holds": "✓",
    "holds under extra conditions": "◐",
    "holds as corrected": "✎",
    "does not hold": "✗",
    "not checked": "○",
    "replicated": "✓",
    "partly replicated": "◐",
    "not replicated": "✗",
    "an assumption": "◇",
    "a definition": "◇",
    "answered": "◉",
}
RELATIONS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
UNSAFE = re.compile(r"(?<!\\)((?:\\\\)*)([|<{])")  # behind no backslash, or behind pairs of them
HEADER = ["row", "claim", "observed", "bound", "margin", "evidence", "verdict"]


def verdict(row):
    """A row in one line: what was observed and what was wanted."""
    return (
        f"{row['id']}: {row['claim']}: observed {show_value(row['observed'])}, wanted"
        f" {row['relation']} {show_value(row['bound'])}"
    )


def show_value(value):
    """A value with three significant digits at most; yes and no for booleans."""
    if value is None:
        return "not finite"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "[" + ", ".join(map(show_value, value)) + "]"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def typeset(text):
    """A bound or a value as it is set: ``<= 1e-12`` is ≤ 10⁻¹², ``== yes`` is yes."""
    relation, blank, bound = text.partition(" ")
    if relation in RELATIONS:
        text = RELATIONS[relation] + blank + bound
    text = re.sub(r"^= (?![-\d])", "", text)
    return re.sub(r"(?<![\w.])(-?)(\d[\d.]*)(?:e([-+]?\d+))?(?!\w)", _number, text)


def _number(found):
    sign, digits, power = found.groups()
    sign = "−" * bool(sign)
    if not power:
        return sign + digits
    raised = f"10{str(int(power)).translate(RAISED)}"
    return sign + (raised if digits == "1" else f"{digits}·{raised}")


def table_cell(text):
    """Text made safe for a Markdown table: no bar in a formula, no tag, role or bar elsewhere."""
    parts = text.replace("\n", " ").split("$")
    closed = len(parts) - 1  # an odd dollar at the end opens no formula
    for number, part in enumerate(parts):
        if number % 2 == 1 and number < closed:
            parts[number] = re.sub(r"(?<!\\)\|", r"\\mid ", part.replace("\\|", "\\Vert "))
        else:
            parts[number] = _words(part)
    return "$".join(parts)


def _words(text):
    """Outside code, where a backslash would be printed, nothing starts a tag, a role, a cell."""
    pieces = re.split(r"(`[^`]*`)", text)
    pieces[::2] = [UNSAFE.sub(r"\1\\\2", piece) for piece in pieces[::2]]
    pieces[1::2] = [re.sub(r"(?<!\\)\|", r"\\|", piece) for piece in pieces[1::2]]
    return "".join(pieces)


def printed_word(standing):
    """What a row says that takes the statement's own words."""
    return "as printed" if standing == "read" else "as established"


def row_cells(role, row, printed="as printed"):
    """The readable cells of a row: what, claim, observed, bound, margin, evidence, verdict."""
    mark = "✓ holds" if row["passed"] else "✗ fails"
    if row.get("subject"):
        mark = "✓ met" if row["passed"] else "○ not met"
    words = row.get("label", printed if row["as_printed"] else "")
    note = f" *({words})*" if words else ""
    note += f" *(if {table_cell(row['condition'])})*" if row.get("condition") else ""
    margin_text = "" if row["margin"] is None else show_value(float(row["margin"]))
    return [
        role,
        table_cell(row["claim"]) + note,
        table_cell(show_value(row["observed"])),
        f"{table_cell(row['relation'])} {table_cell(show_value(row['bound']))}",
        margin_text,
        row["strength"],
        mark,
    ]


def markdown_table(header, rows):
    """A Markdown table from lists of cells."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


class Rows:
    """Rows for display: a table for people, JSON for machines; pairs of a role and a record."""

    def __init__(self, rows, tag, standing="read"):
        self.rows, self.tag, self.printed = rows, tag, printed_word(standing)

    def __repr__(self):
        return "\n".join(
            f"[{'ok' if row['passed'] else 'FAILS'}] {role} {verdict(row)}"
            for role, row in self.rows
        )

    def _repr_mimebundle_(self, include=None, exclude=None):
        cells = [row_cells(f"{role} `{row['id']}`", row, self.printed) for role, row in self.rows]
        return {
            "text/plain": repr(self),
            "text/markdown": markdown_table(HEADER, cells),
            MIME: {"tag": self.tag, "rows": [row for _, row in self.rows]},
        }


class Summary:
    """A closed statement: counts, and a machine-readable copy."""

    def __init__(self, record):
        self.record = record

    def __repr__(self):
        claims, hypotheses, errata = map(self.record.get, ("claims", "hypotheses", "errata"))
        held = sum(row["passed"] for row in claims)
        word = printed_word(self.record["standing"])
        printed = sum(row["as_printed"] and not row["passed"] for row in claims)
        controlled = sum(h["control"] is not None for h in hypotheses)
        return (
            f"{self.record['tag']}: {held} of {len(claims)} claims hold, {printed} fail {word},"
            f" {controlled} of {len(hypotheses)} hypotheses have a control, {len(errata)} errata"
        )

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), MIME: {"closed": self.record}}
