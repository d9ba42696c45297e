"""The dependency graph of the statements as an SVG that needs no JavaScript, and as a list."""

import os
from html import escape

import networkx as nx

from tooling.pages import SYMBOLS, link, marked
from tooling.statements import PAPERS, statement, statements

# Fill colours by status; each node also carries the status' symbol and words.
FILLS = {"✓": "#cfe8dc", "◐": "#fbe6b3", "✎": "#cfe0f5", "✗": "#f6cdbf", "○": "#ececec"}
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 138, 46, 16, 40, 12


def dependencies(paper):
    """Directed graph of one paper's statements, an edge from what is used to what uses it."""
    graph = nx.DiGraph()
    rows = [row for row in statements().values() if row.paper == paper]
    graph.add_nodes_from(row.tag for row in rows)
    graph.add_edges_from(
        (use, row.tag) for row in rows for use in row.uses if statement(use).paper == paper
    )
    if not nx.is_directed_acyclic_graph(graph):
        raise ValueError(f"statements.toml: circular uses: {nx.find_cycle(graph)}")
    return graph


def layout(graph, columns=5):
    """Layers by longest path, at most ``columns`` wide, ordered by the mean place of what they
    use.
    """
    rows = []
    place = {}
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


def svg(paper, statuses, docname):
    """One paper's graph; nodes link to their chapters."""
    graph = dependencies(paper)
    spots = layout(graph)
    width = max(x for x, _ in spots.values()) + WIDTH + MARGIN
    height = max(y for _, y in spots.values()) + HEIGHT + MARGIN
    edges = "".join(
        _edge(spots[a], spots[b], f"arrow-{paper}") for a, b in nx.transitive_reduction(graph).edges
    )
    boxes = "".join(
        _node(statement(tag), spots[tag], statuses.get(tag, "not checked"), docname)
        for tag in graph
    )
    return (
        '<div class="graph-scroll" tabindex="0" role="group" aria-label="Dependency graph:'
        f' {escape(PAPERS[paper])}"><svg class="statement-graph" xmlns="http://www.w3.org/2000/svg"'
        f' viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
        f' aria-label="Statements of {escape(PAPERS[paper])}; arrows point from what is used to'
        ' what uses it. The same content, with every use, is in the list below."><defs><marker'
        f' id="arrow-{paper}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6"'
        ' orient="auto"><path d="M0 0L8 4L0 8z"'
        f' class="arrowhead"/></marker></defs>{edges}{boxes}</svg></div>'
    )


def _edge(start, end, arrow):
    x1, y1, x2, y2 = start[0] + WIDTH / 2, start[1] + HEIGHT, end[0] + WIDTH / 2, end[1] - 1
    bend = (y2 - y1) / 2
    return (
        f'<path class="edge" d="M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f}'
        f' {y2 - bend:.0f} {x2:.0f} {y2:.0f}" marker-end="url(#{arrow})"/>'
    )


def _node(row, spot, status, docname):
    x, y = spot
    symbol = SYMBOLS[status]
    number = row.number.replace(" and Remark ", ", R")
    words = status if row.written else "not written yet"
    box = (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="6"'
        f' fill="{FILLS[symbol]}"/><text x="{x + WIDTH / 2:.0f}" y="{y + 19:.0f}"'
        f' class="number">{symbol} {escape(number)}</text><text x="{x + WIDTH / 2:.0f}"'
        f' y="{y + 35:.0f}" class="words">{escape(words)}</text><title>{escape(row.number)}:'
        f" {escape(row.title)} — {escape(words)}</title>"
    )
    if not row.written:
        return f"<g>{box}</g>"
    href = os.path.relpath(row.docname, os.path.dirname(docname)) + ".html"
    return f'<a href="{escape(href)}">{box}</a>'


def listing(paper, statuses, docname):
    """The same graph as a list, for narrow windows and screen readers."""
    lines = []
    for row in statements().values():
        if row.paper == paper:
            uses = ", ".join(statement(use).number for use in row.uses) or "nothing"
            words = marked(statuses.get(row.tag, "not checked"))
            lines.append(
                f"- {link(row, docname, f'{row.number}: {row.title}')} — {words}; uses {uses}"
            )
    return "\n".join(lines)
