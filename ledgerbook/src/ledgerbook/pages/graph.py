"""The dependency graph of the statements as an SVG that needs no JavaScript, and as a list."""

import re
import textwrap
from pathlib import Path

import networkx as nx
from docutils import nodes

from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import statement, statements
from ledgerbook.ledger.ledger_table import SYMBOLS
from ledgerbook.pages.ledger_page import standing_of
from ledgerbook.pages.parts import chip, link, places, slip
from ledgerbook.project import markup
from ledgerbook.project.project import current
from ledgerbook.references.anchors import page as page_of
from ledgerbook.references.targets import address

STYLE = Path(__file__).parents[1] / "static/book.css"
RULE = r"^(?:\.statement-graph[^{]*\{[^}]*\}|.*\{ --status: .*\})$"  # of boxes, and their colours
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 152, 66, 22, 36, 16
LANES, LANE = 5, 3  # arrows beside each other between two boxes, and how far apart they run
# Where this book's fonts are not, letters may be wider.
ELSEWHERE = "svg text.number { font-size: 11px; }\nsvg text.words { font-size: 9px; }"
COLUMNS, NARROW = 4, 2  # boxes beside each other, and on a phone
FITS = 20  # characters of a name on one line of a box
MIDDLE, LINE = 22, 16  # of a name: where its only line stands in a box, and from line to line


def layout(graph, columns=COLUMNS):
    """Layers by longest path, at most ``columns`` wide, ordered by the mean place of what they
    use.
    """
    rows, place = [], {}
    for layer in nx.topological_generations(graph):
        mean = {
            node: sum(place[p] for p in graph.predecessors(node)) / max(1, graph.in_degree(node))
            for node in layer
        }
        ordered = sorted(layer, key=lambda node: (mean[node], list(statements()).index(node)))
        for start in range(0, len(ordered), columns):
            chunk = ordered[start : start + columns]
            rows.append(chunk)
            place |= {node: (index + 0.5) / len(chunk) for index, node in enumerate(chunk)}
    widest = max(len(row) for row in rows)
    return {
        node: (
            MARGIN + (place_in_row + (widest - len(row)) / 2) * (WIDTH + GAP_X),
            MARGIN + number * (HEIGHT + GAP_Y),
        )
        for number, row in enumerate(rows)
        for place_in_row, node in enumerate(row)
    }


def page(ledger, docname):
    """The graphs of all papers as seen from a page, each followed by the same content as a list."""
    records = {row["tag"]: row for row in ledger["statements"]}
    return "\n\n".join(
        f"## {title}\n\n{svg(paper, records, docname)}\n"
        f"{svg(paper, records, docname, columns=NARROW)}\n\n"
        f"{listing(paper, records, docname, ledger['errata'])}"
        for paper, title in current().settings.papers.items()
        if any(row["paper"] == paper for row in records.values())
    )


def svg(paper, records, docname=None, style=None, columns=COLUMNS):
    """One paper's graph, as wide as so many boxes; nodes link to their chapters as seen from a
    page, borders show the strength of evidence; with a style of its own no page need be around it.
    """
    own = [row.tag for row in statements().values() if row.paper == paper]
    graph = collect.dependencies().subgraph(own)
    spots = layout(graph, columns)
    right, low = (max(places) for places in zip(*spots.values(), strict=True))
    return markup.render(
        "graph.svg.jinja",
        name=paper if columns == COLUMNS else f"{paper}-narrow",
        width_class="wide" if columns == COLUMNS else "narrow",
        prefix="" if columns == COLUMNS else "narrow-",
        title=current().settings.papers[paper],
        width=right + WIDTH + MARGIN,
        height=low + HEIGHT + MARGIN,
        edges=[curve(way) for way in ways(graph, spots)],
        nodes=[_node(statement(tag), spots[tag], records[tag], docname) for tag in sorted(graph)],
        box=(WIDTH, HEIGHT),
        style=style,
    )


def pictures(ledger):
    """Each paper's graph as a file to be shown elsewhere, with its style, by its place in the book.

    One is kept, and made anew by every build, where the companion has it, as for its README.
    """
    rules = "\n".join(re.findall(RULE, STYLE.read_text(), re.MULTILINE))
    records = {row["tag"]: row for row in ledger["statements"]}
    for paper in current().settings.papers:
        file = current().book / f"graph_{paper}.svg"
        if file.exists():
            yield file, svg(paper, records, style=f"{rules}\n{ELSEWHERE}") + "\n"


def ways(graph, spots):
    """The points of each arrow, below a box that is used and above one that uses it.

    Between the two an arrow passes every row in a gap between boxes, and arrows of one box keep to
    one lane of it: a line that ran under a box would seem to come out of it.
    """
    rows = {}
    for x, y in spots.values():
        rows.setdefault(y, []).append(x)
    for start, end in sorted(nx.transitive_reduction(graph).edges):
        (x1, y1), (x2, y2) = spots[start], spots[end]
        lane = (list(spots).index(start) % LANES - LANES // 2) * LANE
        way, at, wanted = [(x1 + WIDTH / 2, y1 + HEIGHT)], x1 + WIDTH / 2, x2 + WIDTH / 2
        for y in sorted(rows):
            if y1 < y < y2:
                far = lambda x, at=at, wanted=wanted: abs(x - at) + 1.1 * abs(x - wanted)
                at = min(_gaps(rows[y]), key=far)
                way += [(at + lane, y), (at + lane, y + HEIGHT)]
        yield [*way, (wanted, y2 - 1)]


def _gaps(lefts):
    """The middles of the gaps of a row, and of the room beside it."""
    ordered = sorted(lefts)
    return [ordered[0] - GAP_X / 2, *(left + WIDTH + GAP_X / 2 for left in ordered)]


def curve(way):
    """Points as SVG path data: straight past a row, bent between two."""
    (x, y), *others = way
    path = f"M{x:.0f} {y:.0f}"
    for to_x, to_y in others:
        bend = (to_y - y) / 2
        between = f"{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} "
        path += f"V{to_y:.0f}" if to_x == x else f"C{between}{to_x:.0f} {to_y:.0f}"
        x, y = to_x, to_y
    return path


def _node(row, spot, record, docname):
    """What the template says about a statement."""
    symbol = SYMBOLS[record["status"]]
    linked = row.written and docname
    return {
        "x": spot[0],
        "y": spot[1],
        "lines": _lines(f"{symbol} {row.number}"),
        "id": address("node", row.tag),
        "title": row.name,
        "status": record["status"] if row.written else "not written yet",
        "evidence": record["strength"] or "no evidence",
        "kind": nodes.make_id(record["status"]),
        "href": page_of(row.docname, docname) if linked else None,
    }


def _lines(name):
    """A name with the heights of its lines in the box, two where one would be wider than it."""
    lines = textwrap.wrap(name, FITS)
    first = MIDDLE - LINE * (len(lines) - 1) / 2
    return [(first + LINE * place, line) for place, line in enumerate(lines)]


def listing(paper, records, docname, errata):
    """The same graph as a list, for narrow windows and screen readers; each entry with links to its
    rows in the ledger and to its errata.
    """
    lines = []
    for row in statements().values():
        if row.paper == paper:
            record = records[row.tag]
            uses = ", ".join(statement(use).number for use in row.uses) or "nothing"
            words = f"{chip(record['status'])} {standing_of(record)}"
            slips = [slip(erratum["id"]) for erratum in errata if erratum["tag"] == row.tag]
            beside = ", ".join([*places(row.tag, docname, "ledger"), *slips])
            named = link(row, docname, row.name)
            lines.append(f"- {named} — {words}; uses {uses}" + (f" ({beside})" if beside else ""))
    return "\n".join(lines)
