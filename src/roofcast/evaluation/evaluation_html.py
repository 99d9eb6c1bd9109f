"""An evaluation as one self-contained page: scores, worst kernels with their causes, remarks, pictures."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

from roofcast.core.errors import one_line
from roofcast.evaluation.plots import drawn
from roofcast.evaluation.reporting import HEADER, Evaluation, table_lines
from roofcast.evaluation.worst import worst_kernels
from roofcast.kit.page import render_document

STYLE = """
:root { color-scheme: light dark; --ink: #1c2126; --paper: #ffffff; --line: #dfe3e6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --paper: #14181d; --line: #333b45; } }
@media print { :root { --ink: #000000; --paper: #ffffff; --line: #bbbbbb; } tr, img { break-inside: avoid; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 24px auto; max-width: 1240px; padding: 0 16px; }
h1 { font-size: 21px; } h2 { font-size: 16px; margin-top: 28px; } code { overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; background: #ffffff; border-radius: 6px; }
table { border-collapse: collapse; font-size: 12.5px; }
th, td { padding: 3px 9px; border-bottom: 1px solid var(--line); }
td { text-align: right; } td.word, th { text-align: left; vertical-align: top; } tr.mean td { font-weight: 650; }
.scroll { overflow-x: auto; } li { margin: 2px 0; }
"""
WORST = 15
WORDS = 3
"""Columns of names at the left of the scores."""


def render_evaluation_html(found: Evaluation, worst: int | None = None, command: str = "") -> str:
    """The page; the same evaluation gives the same text.

    worst : kernels to list per model.
    command : what makes the page again, shown at its end.
    """
    first = found.results[0]
    name = one_line(f"{first.dataset}, {first.experiment}", 120)
    title = escape(name)
    parts = [f"<h1>{title}</h1>", scores(found), *(worst_table(found, worst or WORST))]
    if found.remarks:
        parts += ["<h2>Remarks</h2>", listed(found.remarks)]
    image = base64.b64encode(drawn(found.results, "svg")).decode()
    parts += ["<h2>Pictures</h2>", f'<img alt="{title}: pictures" src="data:image/svg+xml;base64,{image}">']
    if command:
        parts.append(f"<p>Made by <code>{escape(command)}</code></p>")
    body = "<body>\n" + "\n".join(parts) + "\n</body>"
    return render_document(name, body, STYLE, images="data:")


def scores(found: Evaluation) -> str:
    """The table of scores in percent."""
    rows = [f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in HEADER)}</tr>"]
    for line in table_lines(found.results):
        kind = ' class="mean"' if line[1] == "mean" else ""
        cells = (
            f"<td{' class=' + chr(34) + 'word' + chr(34) if i < WORDS else ''}>{escape(c)}</td>"
            for i, c in enumerate(line)
        )
        rows.append(f"<tr{kind}>{''.join(cells)}</tr>")
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def worst_table(found: Evaluation, count: int) -> list[str]:
    """Per model, the kernels with most of the error and what is known of why."""
    parts = []
    for result in found.results:
        if result.outcome is None or not len(result.outcome):
            continue
        rows = ["<tr><th>points of the mean</th><th>forecast / measured</th><th>kernel</th><th>why</th></tr>"]
        for w in worst_kernels(result.outcome, result.cases, count):
            why = escape("; ".join(w.causes))
            name = escape(w.kernel)
            rows.append(
                f'<tr><td>{w.points:.2f}</td><td>{w.ratio:.2f}</td><td class="word">{name}</td>'
                f'<td class="word">{why}</td></tr>'
            )
        parts.append(f"<h2>{escape(result.model)}: kernels with most of the error</h2>")
        parts.append(f'<div class="scroll"><table>{"".join(rows)}</table></div>')
    return parts


def listed(lines: Sequence[str]) -> str:
    """Remarks as a list."""
    return f"<ul>{''.join(f'<li>{escape(one_line(line, 400))}</li>' for line in lines)}</ul>"
