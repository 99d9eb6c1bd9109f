"""The boat hull graph as one self-contained HTML page with values under the pointer."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from roofcast.core.errors import one_line
from roofcast.core.units import format_quantity
from roofcast.hulls.show.hull_data import sampled
from roofcast.hulls.show.hull_figure import COLOUR, MARK, POINTS
from roofcast.hulls.show.hull_view import HullView, Panel
from roofcast.kit.figure_file import INK
from roofcast.kit.files import write_text
from roofcast.kit.names import clipped

COLUMNS = 3
DECADES = [10.0**k for k in range(-9, 6)]
DIV = "boat-hull"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Boat hull</title>
<style>
:root {{ --paper: #ffffff; --ink: #222222; --faint: #667; --line: #d8dde3; }}
@media (prefers-color-scheme: dark) {{ :root {{ --paper: #14181d; --ink: #e8eaed; --faint: #9aa4af; --line: #333b45; }} }}
@media print {{
  :root {{ --paper: #ffffff; --ink: #000000; --faint: #444444; --line: #bbbbbb; }}
  .modebar {{ display: none !important; }}
  details > * {{ display: block; }}
  tr {{ break-inside: avoid; }}
}}
body {{ margin: 1.2rem; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }}
h1 {{ font-size: 1.3rem; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; padding: 0.2rem 0.7rem; border-bottom: 1px solid var(--line); }}
p, li, summary {{ color: var(--faint); }}
.scroll {{ overflow-x: auto; }}
</style>
</head>
<body>
<h1>Boat hull: complexity against execution time</h1>
<div role="img" aria-label="Hull and floors of each class and processor; the table below has their ends">{plot}</div>
<details open><summary>Lines at both ends of the axis</summary><div class="scroll"><table>
<thead><tr><th>processor</th><th>class</th><th>part</th><th></th><th>meaning</th><th>left end</th><th>right end</th></tr></thead>
<tbody>{rows}</tbody></table></div></details>
<ul>{notes}</ul>
{command}
<script>
(function () {{
  var plot = document.getElementById("{div}"), dark = matchMedia("(prefers-color-scheme: dark)");
  function paint(isDark) {{
    var ink = isDark ? "#e8eaed" : "{ink}", grid = isDark ? "#333b45" : "#e6e6e6", change = {{"font.color": ink}};
    Object.keys(plot.layout).forEach(function (name) {{
      if (/^[xy]axis/.test(name)) {{ change[name + ".gridcolor"] = grid; change[name + ".linecolor"] = grid; }}
    }});
    Plotly.relayout(plot, change);
    plot.data.forEach(function (trace, at) {{
      if (trace.meta === "ink") {{
        Plotly.restyle(plot, trace.mode === "markers" ? {{"marker.color": ink}} : {{"line.color": ink}}, [at]);
      }}
    }});
  }}
  paint(dark.matches);
  dark.addEventListener("change", function (event) {{ paint(event.matches); }});
  addEventListener("beforeprint", function () {{ paint(false); }});
  addEventListener("afterprint", function () {{ paint(dark.matches); }});
}})();
</script>
</body>
</html>
"""  # noqa: E501
SYMBOLS = ("circle-open", "star-open", "square-open", "triangle-up-open")


def write_hull_html(view: HullView, path: str | Path, command: str = "") -> None:
    """Write the page; it needs no network.

    command : what makes the page again, shown at its end.

    Raises
    ------
    RoofcastError : the file cannot be written.
    """
    import html

    from plotly.subplots import make_subplots

    columns = min(len(view.panels), COLUMNS)
    rows = math.ceil(len(view.panels) / columns)
    heads = [(html.escape(clipped(p.title, 40)), html.escape(clipped(p.subtitle, 56))) for p in view.panels]
    titles = [
        f"<b>{head}</b> ({p.bounds.form})<br><sub>{below}</sub>"
        for p, (head, below) in zip(view.panels, heads, strict=True)
    ]
    figure = make_subplots(rows=rows, cols=columns, subplot_titles=titles, shared_yaxes="all")
    for n, panel in enumerate(view.panels):
        for trace in traces(panel, view, n == 0):
            figure.add_trace(trace, row=n // columns + 1, col=n % columns + 1)
    figure.update_xaxes(type="log", dtick=1, title_text="complexity (operations per application)")
    figure.update_yaxes(type="log", tickvals=DECADES, ticktext=[format_quantity(t, "s", 1) for t in DECADES])
    figure.update_yaxes(title_text="execution time", col=1)
    figure.update_layout(template="plotly_white", height=430 * rows + 90, legend={"orientation": "h", "y": -0.18})
    figure.update_layout(paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", margin={"t": 70, "l": 80})
    plot = figure.to_html(include_plotlyjs=True, full_html=False, div_id=DIV, config={"displaylogo": False})
    made_by = f"<p>Made by <code>{html.escape(command)}</code></p>" if command else ""
    page = PAGE.format(plot=plot, rows=table_rows(view), notes=note_items(view), command=made_by, ink=INK, div=DIV)
    write_text(path, page)


def table_rows(view: HullView) -> str:
    """The lines of all panels as rows of a table: what a screen reader and a printer get."""
    import html

    found = []
    for panel in view.panels:
        b, ends = panel.bounds, view.complexity
        for kind, lines in (("hull", b.hull), ("floor", b.floors)):
            for line in lines:
                times = [format_quantity(b.overhead_s + line.at(f), "s") for f in ends]
                cells = [panel.title, panel.subtitle, kind, line.key, line.meaning, *times]
                found.append("<tr>" + "".join(f"<td>{html.escape(clipped(c, 90))}</td>" for c in cells) + "</tr>")
    return "".join(found)


def note_items(view: HullView) -> str:
    """Notes as list items."""
    import html

    return "".join(f"<li>{html.escape(one_line(n))}</li>" for n in view.notes)


def traces(panel: Panel, view: HullView, legend: bool) -> list[Any]:
    """Floors as a filled band, single lines, the hull, transfers and measured points."""
    import html

    import plotly.graph_objects as go

    xs = sampled(view.complexity)
    bounds = panel.bounds
    low, high = [bounds.low(f) for f in xs], [bounds.high(f) for f in xs]
    band = {"x": xs + xs[::-1], "y": low + high[::-1], "fill": "toself", "fillcolor": "rgba(120,150,180,0.22)"}
    found = [
        go.Scatter(**band, line={"width": 0}, hoverinfo="skip", name="between hull and floors", legendgroup="band",
                   showlegend=legend)
    ]  # fmt: skip
    for dash, lines in (("dot", bounds.floors), ("solid", bounds.hull)):
        found += [
            go.Scatter(
                x=xs, y=[bounds.overhead_s + line.at(f) for f in xs], mode="lines", showlegend=False,
                name=f"{line.key}: {line.meaning}",
                line={"color": COLOUR[line.limit.value], "width": 1, "dash": dash},
            )
            for line in lines
        ]  # fmt: skip
    found.append(
        go.Scatter(
            x=xs, y=low, name="hull", legendgroup="hull", showlegend=legend, line={"color": INK, "width": 3}, meta="ink"
        )
    )
    if panel.transfers:
        total = [t + bounds.transfer_s for t in low]
        found.append(
            go.Scatter(
                x=xs, y=total, name="with transfers", showlegend=legend, line={"color": INK, "dash": "dash"}, meta="ink"
            )
        )
    if panel.mark is not None:
        first, last = panel.mark
        at = math.sqrt(max(first, view.complexity[0]) * max(last, view.complexity[0]))
        ends = [bounds.low(first), bounds.high(last)]
        found.append(
            go.Scatter(x=[at, at], y=ends, mode="lines+markers", name="forecast", legendgroup="mark", showlegend=legend,
                       line={"color": MARK, "width": 4}, marker={"symbol": "line-ew-open", "size": 12})
        )  # fmt: skip
    for n, label in enumerate(view.labels):
        mine = [p for p in panel.points if (p.label or "measured") == label]
        marker = {"symbol": SYMBOLS[n % len(SYMBOLS)], "color": POINTS[n % len(POINTS)], "size": 8}
        found.append(
            go.Scatter(
                x=[p.complexity for p in mine], y=[p.time_s for p in mine], mode="markers", marker=marker,
                meta="ink" if POINTS[n % len(POINTS)] == POINTS[0] else "",
                name=html.escape(label), legendgroup=html.escape(label), showlegend=legend,
            )
        )  # fmt: skip
    return found
