"""The control-flow graph of one kernel as SVG, coloured by how often each block is executed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from roofcast.core.errors import one_line
from roofcast.sass.blocks import Graph
from roofcast.sass.special import operation_of_subroutine, operations_in_line, stable_name
from roofcast.sass.summary import KernelSummary
from roofcast.sass.work import BlockWork, block_work

WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN, TOP = 168, 46, 26, 30, 24, 66
MOST_BLOCKS = 80
FLOPS = ("flops_fp64", "flops_fp32", "flops_fp16")


def render_graph_svg(kernels: Sequence[KernelSummary]) -> str:
    """The graph of the kernel that executed the most instructions (without counts: of the largest one)."""
    hottest = max(
        (k for k in kernels if has_code(k)),
        key=lambda k: (k.executions.total_threads() if k.executions else -1.0, k.instructions),
        default=None,
    )
    if hottest is None or hottest.cubin is None:
        return svg(320, 60, ["<text x='16' y='34' class='t'>no code to draw</text>"])
    function = hottest.cubin.function(hottest.symbol)
    return "" if function is None else drawing(hottest, block_work(hottest.cubin, function))


def has_code(kernel: KernelSummary) -> bool:
    """Whether a kernel's instructions are known."""
    function = kernel.cubin.function(kernel.symbol) if kernel.cubin is not None else None
    return function is not None and function.instruction_count > 0


def drawing(kernel: KernelSummary, work: BlockWork) -> str:
    """Boxes by rank from top to bottom, edges between them, edges that close loops at the side."""
    graph = work.graph
    threads = kernel.executions.threads.get(graph.function.name) if kernel.executions is not None else None
    entered = work.entered(np.nan_to_num(threads)).tolist() if threads is not None else [0.0] * len(graph.blocks)
    shown = chosen_blocks(work, entered)
    place = positions(graph, shown)
    top = max([1.0, *entered])
    names = operations_in_line(graph, shown)
    parts = [edge for i in shown for edge in edges(graph, i, place)]
    parts += [box(work, i, place[i], entered[i] if threads is not None else None, top, names.get(i, "")) for i in shown]
    width = max(x for x, _ in place.values()) + WIDTH + MARGIN + 40
    height = max(y for _, y in place.values()) + HEIGHT + MARGIN
    title = one_line(kernel.kernel, 90)
    left_out = len(graph.blocks) - len(shown)
    detail = f"{kernel.architecture}, {len(shown)} basic blocks" + (
        f" ({left_out} left out: padding, or rarely executed)" if left_out else ""
    )
    heat = "colour: thread executions (log scale)" if threads is not None else "no execution counts in the file"
    head = [
        f"<text x='{MARGIN}' y='24' class='h'>{escape(title)}</text>",
        f"<text x='{MARGIN}' y='42' class='s'>{escape(detail)}; {heat}</text>",
    ]
    longest = max(7.4 * len(title), 5.6 * (len(detail) + len(heat) + 2)) + 2 * MARGIN
    return svg(max(width, int(longest)), height, head + parts)


def chosen_blocks(work: BlockWork, entered: list[float]) -> list[int]:
    """Blocks to draw, in layout order: without padding, and the most executed ones where there are many."""
    real = np.flatnonzero(~work.is_padding).tolist() or [0]
    ranked = sorted(real, key=lambda i: (-entered[i], i))[:MOST_BLOCKS]
    return sorted({0, *ranked})


def positions(graph: Graph, shown: list[int]) -> dict[int, tuple[int, int]]:
    """Upper left corner of each box: ranks by the longest way from the entry, edges back left out."""
    inside = set(shown)
    rank = dict.fromkeys(shown, 0)
    for i in shown:  # in layout order nearly every edge that closes no loop leads forward
        for j in graph.blocks[i].successors:
            if j in inside and j > i:
                rank[j] = max(rank[j], rank[i] + 1)
    rows: dict[int, list[int]] = {}
    for i in shown:
        rows.setdefault(rank[i], []).append(i)
    return {
        i: (MARGIN + k * (WIDTH + GAP_X), TOP + level * (HEIGHT + GAP_Y))
        for level, members in enumerate(rows[r] for r in sorted(rows))
        for k, i in enumerate(members)
    }


def box(work: BlockWork, number: int, at: tuple[int, int], entered: float | None, top: float, name: str) -> str:
    """One block: number, instructions, FLOPs, executions."""
    x, y = at
    block = work.graph.blocks[number]
    flops = sum(float(work.amount(name, work.static)[number]) for name in FLOPS)
    calls = [operation_of_subroutine(c) or stable_name(c) for c in block.calls]
    label = f"{block.first * 16:#x}"
    extra = name or (f"call {calls[0]}" if calls else "")
    first = f"{label}  {one_line(extra, 16)}".rstrip()
    second = f"{block.end - block.first} inst"
    if flops:
        second += f", {flops:g} FLOP"
    if entered is not None:
        second += f", {short(entered)}×"
    fill = heat_colour(entered, top)
    return (
        f"<g><rect x='{x}' y='{y}' width='{WIDTH}' height='{HEIGHT}' rx='4' fill='{fill}' class='b'/>"
        f"<text x='{x + 8}' y='{y + 19}' class='t'>{escape(first)}</text>"
        f"<text x='{x + 8}' y='{y + 36}' class='s'>{escape(second)}</text></g>"
    )


def short(count: float) -> str:
    """A count in at most six characters.

    >>> short(150992640), short(999.0), short(0)
    ('151M', '999', '0')
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= 0.9995 * size:
            return f"{count / size:.3g}{letter}"
    return f"{count:.3g}"


def heat_colour(entered: float | None, top: float) -> str:
    """White for never, then yellow to orange on a log scale; light enough for black text, and to print."""
    if entered is None or entered <= 0:
        return "#ffffff"
    share = max(0.0, 1 + math.log10(entered / top) / 4)
    red, green, blue = 255, round(246 - 96 * share), round(224 - 160 * share)
    return f"#{red:02x}{green:02x}{blue:02x}"


def edges(graph: Graph, number: int, place: dict[int, tuple[int, int]]) -> list[str]:
    """Lines to the successors of a block; loops close at the right side."""
    x, y = place[number]
    found = []
    for target in graph.blocks[number].successors:
        if target not in place:
            continue
        to_x, to_y = place[target]
        if to_y > y + HEIGHT + GAP_Y and to_x == x:  # around the boxes in between
            b, d, reach = y + HEIGHT - 8.0, to_y + 8.0, x - 20.0
            path = f"M{x} {b:g} C{reach:g} {b + 10:g} {reach:g} {d - 10:g} {x} {d:g}"
            found.append(f"<path d='{path}' class='e' marker-end='url(#a)'/>")
        elif to_y > y:
            a, b = x + WIDTH / 2, float(y + HEIGHT)
            c, d = to_x + WIDTH / 2, float(to_y)
            bend = max(14.0, (d - b) / 3)
            path = f"M{a:g} {b:g} C{a:g} {b + bend:g} {c:g} {d - bend:g} {c:g} {d:g}"
            found.append(f"<path d='{path}' class='e' marker-end='url(#a)'/>")
        else:
            a, b, c, d = float(x + WIDTH), y + HEIGHT / 2, float(to_x + WIDTH), to_y + HEIGHT / 2 - 8
            reach = max(a, c) + 26
            path = f"M{a:g} {b:g} C{reach:g} {b:g} {reach:g} {d:g} {c:g} {d:g}"
            found.append(f"<path d='{path}' class='l' marker-end='url(#r)'/>")
    return found


def svg(width: int, height: int, parts: list[str]) -> str:
    """The document around the parts."""
    style = (
        "text{font-family:Inter,'Segoe UI',Arial,sans-serif;fill:#1a1a1a}.h{font-size:14px;font-weight:600}"
        ".t{font-size:12px;font-weight:600}.s{font-size:11px;fill:#444}.b{stroke:#555;stroke-width:1}"
        ".e{fill:none;stroke:#777;stroke-width:1.2}.l{fill:none;stroke:#0b6e99;stroke-width:1.4}"
    )
    arrow = (
        "<marker id='{0}' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
        "<path d='M0 0L8 4L0 8z' fill='{1}'/></marker>"
    )
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}'>"
        f"<style>{style}</style><defs>{arrow.format('a', '#777')}{arrow.format('r', '#0b6e99')}</defs>"
        f"<rect width='{width}' height='{height}' fill='#ffffff'/>"
    )
    return "\n".join([head, *parts, "</svg>"])
