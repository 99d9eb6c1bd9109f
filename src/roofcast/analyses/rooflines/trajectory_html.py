"""Trajectories as HTML tables; every name in them is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from roofcast.analyses.rooflines.trajectory import Trajectory
from roofcast.analyses.rooflines.trajectory_places import cells_of
from roofcast.analyses.rooflines.trajectory_text import columns_of

MAX_TABLES = 40


def trajectory_tables(trajectories: Sequence[Trajectory]) -> str:
    """One table per kernel, those with most time first; '' without trajectories."""
    if not trajectories:
        return ""
    shown = trajectories[:MAX_TABLES]
    parts = ['<section class="versions" aria-label="versions of each kernel"><h2>Versions</h2>']
    parts += [table_of(t) for t in shown]
    if len(shown) < len(trajectories):
        parts.append(f"<p>and {len(trajectories) - len(shown)} more kernels with several versions</p>")
    return "".join([*parts, "</section>"])


def table_of(trajectory: Trajectory) -> str:
    """One kernel; columns that no version has are left out."""
    cells = [columns_of(v) for v in trajectory.versions]
    names = [name for name in cells[0] if any(c[name] != "–" for c in cells)]
    head = "".join(f'<th scope="col">{escape(n)}</th>' for n in names)
    rows = ["<tr>" + "".join(f"<td>{escape(c[n])}</td>" for n in names) + "</tr>" for c in cells]
    title = f"{trajectory.name} on {trajectory.gpu}"
    moved = "".join(f"<p>{escape(v.label)}: {escape('; '.join(v.moved))}</p>" for v in trajectory.versions if v.moved)
    return scrolling(title, head, "".join(rows)) + moved + places_of(trajectory)


def scrolling(title: str, head: str, rows: str, kind: str = "") -> str:
    """A table that scrolls by keyboard as well where the page is narrow."""
    table = f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="scrolls {kind}" tabindex="0" role="region" aria-label="{escape(title)}, scrolls">{table}</div>'


def places_of(trajectory: Trajectory) -> str:
    """Where the warps were sampled; '' where the reports do not say."""
    if not trajectory.places:
        return ""
    labels = [v.label for v in trajectory.versions]
    titles = ["where", *(f"samples {n}" for n in labels), *(f"executed {n}" for n in labels), "waits for"]
    head = "".join(f'<th scope="col">{escape(t)}</th>' for t in titles)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(c)}</td>" for c in cells_of(change)) + "</tr>" for change in trajectory.places
    )
    title = "warps sampled and warp instructions executed, by source line or special function"
    return scrolling(title, head, rows, "places")
