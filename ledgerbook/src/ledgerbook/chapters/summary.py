"""What stands open in a chapter: its sentence, its question, its words before the first fold."""

import math
import re
from collections.abc import Iterator

from nbformat import NotebookNode

# What a page folds.
EVIDENCE = ("Walk", "Proof", "Check", "Control", "Exercises", "Where it sits", "Provenance")
WORDS_A_MINUTE = 120  # slow reading, formulas included
MINUTES_A_FIGURE = 1
_DIRECTIVE = re.compile(r"^(:{3,})\{[\w-]+\}.*?^\1\s*$", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"^\|.*\|$", re.MULTILINE)
_FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)
_WORD = re.compile(r"\w[\w'’.-]*")
_CHOICE = re.compile(r"\*\*\(([a-z])\)\*\*")


def open_cells(notebook: NotebookNode) -> Iterator[NotebookNode]:
    """The cells before the first heading of the evidence, which the page folds."""
    for cell in notebook.cells:
        first = cell.source.partition("\n")[0]
        if cell.cell_type == "markdown" and first.removeprefix("## ").strip() in EVIDENCE:
            return
        yield cell


def sections(notebook: NotebookNode) -> dict[str, str]:
    """Heading to Markdown of the open layer; the text below the title under the key ""."""
    cells = [cell.source for cell in open_cells(notebook) if cell.cell_type == "markdown"]
    parts = re.split(r"^#{1,2} (.*)$", "\n\n".join(cells), flags=re.MULTILINE)
    named = dict(zip(parts[3::2], parts[4::2], strict=True))
    return {"": parts[2] if len(parts) > 2 else ""} | named


def words(markdown: str) -> int:
    """Words of a text: a formula is one, a table and a directive with all in it are none."""
    text = _FORMULA.sub(" formula ", _TABLE.sub(" ", _DIRECTIVE.sub(" ", markdown)))
    return len(_WORD.findall(re.sub(r"\]\([^)]*\)", "]", text)))


def figures(notebook: NotebookNode) -> list[int]:
    """For each figure of the open layer: how many words of the page stand before it."""
    before, found = 0, []
    for cell in open_cells(notebook):
        if cell.cell_type == "markdown":
            before += words(cell.source)
        elif any("image/png" in output.get("data", {}) for output in cell.outputs):
            found.append(before)
    return found


def minutes(notebook: NotebookNode) -> int:
    """How long the open layer takes to read."""
    text = sum(words(text) for text in sections(notebook).values())
    return math.ceil(text / WORDS_A_MINUTE + MINUTES_A_FIGURE * len(figures(notebook)))


def sentence(notebook: NotebookNode) -> str:
    """The one sentence below the title."""
    found = re.search(
        r"(?<!\*)\*(?!\*)(.+?)(?<!\*)\*\s*$", sections(notebook)[""], re.M | re.DOTALL
    )
    return " ".join(found.group(1).split()) if found else ""


def question(notebook: NotebookNode) -> tuple[str, str, str] | None:
    """(question, its answer, the letters of the right choices, "" where it has none)."""
    text = sections(notebook).get("Predict")
    if text is None:
        return None
    asked, _, folded = text.partition(":::{dropdown}")
    answer = folded.partition("\n")[2].rpartition(":::")[0].strip()
    right = re.match(r"\*\*\(([a-z])\)\*\*(?: and \*\*\(([a-z])\)\*\*)?", answer)
    return asked.strip(), answer, "".join(filter(None, right.groups())) if right else ""


def choices(asked: str) -> list[str]:
    """The letters that a question offers, in order."""
    return list(dict.fromkeys(_CHOICE.findall(asked)))
