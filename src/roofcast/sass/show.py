"""What the machine code of kernels does, as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from roofcast.core.errors import one_line
from roofcast.core.markup import escape
from roofcast.core.resource import Resource
from roofcast.core.results import or_none
from roofcast.core.units import format_quantity
from roofcast.kit.output import dump_json
from roofcast.kit.page import Page, Section
from roofcast.kit.palette import BLUE, FAINT, INK, WHITE
from roofcast.kit.quantities import format_percent, in_percent, in_unit
from roofcast.kit.table import Column, Table, folded, show_text
from roofcast.sass.blocks import Graph
from roofcast.sass.code_comparison import Comparison
from roofcast.sass.kernel_summary import KernelSummary, SpecialFunction
from roofcast.sass.special_functions import find_fast_paths, operation_of_subroutine, stable_name
from roofcast.sass.work import BlockWork, block_work

MOST_ROWS = 12
"""Special-function blocks of a kernel that the table lists."""


def render_sass_json(kernels: Sequence[KernelSummary]) -> str:
    """``{"kernels": [...]}``, one object per launch or kernel."""
    return dump_json({"kernels": [make_record(k) for k in kernels]})


def make_record(kernel: KernelSummary) -> dict[str, Any]:
    """One kernel as JSON values."""
    comparison = kernel.comparison
    return {
        "kernel": kernel.kernel, "launch": kernel.launch, "architecture": kernel.architecture,
        "registers": kernel.registers,
        "flops_code": dict(kernel.flops_code) if kernel.has_counts else None,
        "flops_counters": dict(kernel.flops_counters), "phantom_flops_fp16": kernel.phantom_flops_fp16,
        "special": [record_special(s) for s in kernel.special],
        "against": None if comparison is None else record_comparison(comparison),
        "coverage": None if comparison is None else comparison.coverage, "toolkit": kernel.toolkit or None,
        "frame_bytes": kernel.frame_bytes, "shared_bytes": kernel.shared_bytes,
        "weighted_by_executions": kernel.has_counts,
        "flops_code_one_pass": None if kernel.has_counts else dict(kernel.flops_code),
        "flops_per_byte": dict(kernel.flops_per_byte), "flops_per_byte_against": dict(kernel.flops_per_byte_against),
        "mix": {k: {"instructions": n, "executed_fraction": share} for k, (n, share) in kernel.mix.items()},
        "notes": list(kernel.notes),
    }  # fmt: skip


def record_special(special: SpecialFunction) -> dict[str, Any]:
    """One special function as JSON values."""
    return {
        "operation": special.operation, "where": special.where, "source": special.source or None, "path": special.path,
        "executed_fraction": special.executed_fraction, "flops": special.flops, "flops_against": special.flops_against,
    }  # fmt: skip


def record_comparison(found: Comparison) -> dict[str, Any]:
    """The other architecture as JSON values."""
    there = found.there
    return {
        "architecture": f"sm_{there.sm}", "toolkit": ".".join(map(str, there.toolkit)) if there.toolkit else None,
        "registers": there.registers, "frame_bytes": there.frame_bytes, "applied": found.is_applied,
        "flops": dict(found.flops_there),
        "ratios": {k: or_none(v) for k, v in found.ratios.items()},
        "bytes_local_source": found.bytes_local_here, "bytes_local": found.bytes_local_there, "blocks": found.blocks,
        "blocks_matched": found.blocks_matched, "reasons": list(found.reasons),
    }  # fmt: skip


def render_sass(kernels: Sequence[KernelSummary], width: int) -> str:
    """One section per launch or kernel."""
    return folded("\n\n".join("\n".join(render_kernel(k, width)) for k in kernels), width)


def build_sass_page(kernels: Sequence[KernelSummary], command: str = "") -> Page:
    """The same as a page, with the graph of the kernel that executed most."""
    sections = []
    for kernel in kernels:
        comparison = kernel.comparison
        launch = "" if kernel.launch is None else f" (launch {kernel.launch})"
        facts = [*list_facts(kernel), *(f"note: {one_line(note, 300)}" for note in kernel.notes)]
        sections.append(Section(f"{one_line(kernel.kernel, 200)}{launch}", tuple(facts), tabulate_mix(kernel)))
        if kernel.special:
            sections.append(Section("Special functions", table=tabulate_special(kernel)))
        if comparison is not None:
            sections.append(Section("There", tuple(list_reasons(comparison)), tabulate_comparison(kernel, comparison)))
    if any(map(has_code, kernels)):
        sections.append(Section("The kernel that executed most", image=render_graph_svg(kernels).encode()))
    return Page("What the machine code does", sections=tuple(sections), command=command)


def render_kernel(kernel: KernelSummary, width: int) -> Iterator[str]:
    """Lines of one kernel."""
    launch = "" if kernel.launch is None else f"  (launch {kernel.launch})"
    yield f"{one_line(kernel.kernel, max(40, width - 20))}{launch}"
    yield from (f"  {fact}" for fact in list_facts(kernel))
    yield from indent(tabulate_mix(kernel).lines(width - 2))
    if kernel.special:
        left = len(kernel.special) - MOST_ROWS
        yield from indent(tabulate_special(kernel).lines(width - 2))
        if left > 0:
            yield f"  … and {left} more"
    if kernel.comparison is not None:
        yield from indent(tabulate_comparison(kernel, kernel.comparison).lines(width - 2))
        yield from (f"  {line}" for line in list_reasons(kernel.comparison))
    yield from (f"  note: {one_line(note, 300)}" for note in kernel.notes)


def list_facts(kernel: KernelSummary) -> Iterator[str]:
    """What holds for the whole kernel: resources, FLOPs by code and counters, intensity, constant moves."""
    made_by = f", CUDA {kernel.toolkit}" if kernel.toolkit else ""
    if kernel.architecture:
        yield f"{kernel.architecture}{made_by}: {render_resources(kernel)}"
    weight = "executed" if kernel.has_counts else "one pass through the code; no execution counts"
    yield f"FLOPs ({weight}): {render_flops(kernel.flops_code)}"
    if kernel.flops_counters:
        yield f"FLOPs (counters): {render_flops(kernel.flops_counters)}"
    if kernel.flops_per_byte and kernel.comparison is None:
        levels = (f"{Resource(level).label} {value:.3g}" for level, value in kernel.flops_per_byte.items())
        yield f"FLOP per byte: {', '.join(levels)}"
    if kernel.phantom_flops_fp16:
        share = kernel.phantom_flops_fp16 / max(sum(kernel.flops_code.values()), 1.0)
        flops = format_quantity(kernel.phantom_flops_fp16, "FLOP")
        yield f"of these {flops} ({format_percent(share, 1)}) are constant moves through the FP16 pipe, not work"


def indent(lines: Sequence[str]) -> Iterator[str]:
    """A blank line, then the lines moved to the right."""
    yield ""
    yield from (f"  {line}" for line in lines)


def render_resources(kernel: KernelSummary) -> str:
    """Registers, frame, shared memory, size."""
    facts = (
        (kernel.registers, "registers"), (kernel.frame_bytes, "B of local memory per thread"),
        (kernel.shared_bytes, "B of static shared memory"), (kernel.instructions, "instructions"),
    )  # fmt: skip
    return ", ".join(f"{value} {label}" for value, label in facts if value is not None)


def render_flops(flops: Mapping[str, float]) -> str:
    """Amounts of FLOPs, the absent kinds left out."""
    kinds = [f"{k.split('_', 1)[1].replace('_', ' ')} {format_quantity(v, 'FLOP')}" for k, v in flops.items() if v]
    return ", ".join(kinds) or "none"


def tabulate_mix(kernel: KernelSummary) -> Table:
    """Instruction classes."""
    columns = (
        Column("class", lambda r: r[0]), Column("instructions", lambda r: r[1][0] or None, right=True),
        Column("executed", lambda r: r[1][1], in_percent(2)),
    )  # fmt: skip
    return Table(columns, list(kernel.mix.items()))


def tabulate_special(kernel: KernelSummary) -> Table:
    """Special functions, the most executed first."""
    there = f"sm_{kernel.comparison.there.sm}" if kernel.comparison is not None else "there"
    columns = (
        Column("special function", lambda s: s.operation), Column("path", lambda s: s.path),
        Column("executed", lambda s: s.executed_fraction, in_percent(2)),
        Column(f"FLOPs {kernel.architecture}", lambda s: s.flops, in_unit("FLOP")),
        Column(f"FLOPs {there}", lambda s: s.flops_against, in_unit("FLOP")),
        Column("where", lambda s: one_line(f"{s.source}  {s.where}".strip(), 120), flexible=True),
    )  # fmt: skip
    return Table(columns, kernel.special[:MOST_ROWS])


def tabulate_comparison(kernel: KernelSummary, found: Comparison) -> Table:
    """What differs on the other architecture."""
    here, there = found.here, found.there

    rows = [
        ["registers per thread", show_text(here.registers), show_text(there.registers)],
        ["local memory per thread [B]", show_text(here.frame_bytes), show_text(there.frame_bytes)],
    ]
    if found.bytes_local_here is not None:
        rows.append(
            ["local memory traffic", format_quantity(found.bytes_local_here, "B"),
             format_quantity(found.bytes_local_there, "B")]
        )  # fmt: skip
    for name in kernel.flops_code:
        if kernel.flops_code[name] or found.flops_there.get(name):
            mine, theirs = kernel.flops_code[name], found.flops_there.get(name)
            rows.append([name, format_quantity(mine, "FLOP"), format_quantity(theirs, "FLOP")])
    for level, value in kernel.flops_per_byte.items():
        other = kernel.flops_per_byte_against.get(level)
        rows.append(
            [f"FLOP per {Resource(level).label} byte", f"{value:.3g}", "–" if other is None else f"{other:.3g}"]
        )
    return Table.of_cells([" ", f"sm_{here.sm}", f"sm_{there.sm}"], rows, right=(1, 2))


def list_reasons(found: Comparison) -> Iterator[str]:
    """How much was matched, and why the other code differs."""
    if found.coverage is not None:
        verdict = "applied in forecasts" if found.is_applied else "not applied"
        matched = f"{found.blocks_matched} of {found.blocks} blocks matched"
        yield f"{matched}, {format_percent(found.coverage, 1)} of the executed work: {verdict}"
    yield from (f"- {one_line(reason, 300)}" for reason in found.reasons)


WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN, TOP = 168, 46, 26, 30, 24, 66
MOST_BLOCKS = 80
"""Blocks that the drawn graph shows, those that were entered most often."""
FLOPS = ("flops_fp64", "flops_fp32", "flops_fp16")


def render_graph_svg(kernels: Sequence[KernelSummary]) -> str:
    """The graph of the kernel that executed the most instructions (without counts: of the largest one)."""
    hottest = max(
        (k for k in kernels if has_code(k)),
        key=lambda k: (k.executions.total_threads() if k.executions else -1.0, k.instructions),
        default=None,
    )
    if hottest is None or hottest.cubin is None:
        return render_svg(320, 60, ["<text x='16' y='34' class='t'>no code to draw</text>"])
    function = hottest.cubin.function(hottest.symbol)
    return "" if function is None else draw_kernel(hottest, block_work(hottest.cubin, function))


def has_code(kernel: KernelSummary) -> bool:
    """Whether a kernel's instructions are known."""
    function = kernel.cubin.function(kernel.symbol) if kernel.cubin is not None else None
    return function is not None and function.instruction_count > 0


def draw_kernel(kernel: KernelSummary, work: BlockWork) -> str:
    """Boxes by rank from top to bottom, edges between them, edges that close loops at the side."""
    graph = work.graph
    threads = kernel.executions.threads.get(graph.function.name) if kernel.executions is not None else None
    entered = work.entered(np.nan_to_num(threads)).tolist() if threads is not None else [0.0] * len(graph.blocks)
    blocks = choose_blocks(work, entered)
    place = place_blocks(graph, blocks)
    top = max([1.0, *entered])
    names = find_fast_paths(graph, blocks)
    parts = [edge for i in blocks for edge in draw_edges(graph, i, place)]
    parts += [
        draw_block(work, i, place[i], entered[i] if threads is not None else None, top, names.get(i, ""))
        for i in blocks
    ]
    width = max(x for x, _ in place.values()) + WIDTH + MARGIN + 40
    height = max(y for _, y in place.values()) + HEIGHT + MARGIN
    title = one_line(kernel.kernel, 90)
    left_out = len(graph.blocks) - len(blocks)
    detail = f"{kernel.architecture}, {len(blocks)} basic blocks" + (
        f" ({left_out} left out: padding, or rarely executed)" if left_out else ""
    )
    heat = "colour: thread executions (log scale)" if threads is not None else "no execution counts in the file"
    head = [
        f"<text x='{MARGIN}' y='24' class='h'>{escape(title)}</text>",
        f"<text x='{MARGIN}' y='42' class='s'>{escape(detail)}; {heat}</text>",
    ]
    longest = max(7.4 * len(title), 5.6 * (len(detail) + len(heat) + 2)) + 2 * MARGIN
    return render_svg(max(width, int(longest)), height, head + parts)


def choose_blocks(work: BlockWork, entered: list[float]) -> list[int]:
    """Blocks to draw, in layout order: without padding, and the most executed ones where there are many."""
    real = np.flatnonzero(~work.is_padding).tolist() or [0]
    ranked = sorted(real, key=lambda i: (-entered[i], i))[:MOST_BLOCKS]
    return sorted({0, *ranked})


def place_blocks(graph: Graph, shown: list[int]) -> dict[int, tuple[int, int]]:
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


def draw_block(work: BlockWork, number: int, at: tuple[int, int], entered: float | None, top: float, name: str) -> str:
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
        second += f", {shorten(entered)}×"
    fill = choose_colour(entered, top)
    return (
        f"<g><rect x='{x}' y='{y}' width='{WIDTH}' height='{HEIGHT}' rx='4' fill='{fill}' class='b'/>"
        f"<text x='{x + 8}' y='{y + 19}' class='t'>{escape(first)}</text>"
        f"<text x='{x + 8}' y='{y + 36}' class='s'>{escape(second)}</text></g>"
    )


def shorten(count: float) -> str:
    """A count in at most six characters.

    >>> shorten(150992640), shorten(999.0), shorten(0)
    ('151M', '999', '0')
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= 0.9995 * size:
            return f"{count / size:.3g}{letter}"
    return f"{count:.3g}"


def choose_colour(entered: float | None, top: float) -> str:
    """White for never, then yellow to orange on a log scale; light enough for black text, and to print."""
    if entered is None or entered <= 0:
        return WHITE
    share = max(0.0, 1 + math.log10(entered / top) / 4)
    red, green, blue = 255, round(246 - 96 * share), round(224 - 160 * share)
    return f"#{red:02x}{green:02x}{blue:02x}"


def draw_edges(graph: Graph, number: int, place: dict[int, tuple[int, int]]) -> list[str]:
    """Lines to the successors of a block; loops close at the right side."""
    x, y = place[number]
    lines = []
    for target in graph.blocks[number].successors:
        if target not in place:
            continue
        to_x, to_y = place[target]
        if to_y > y + HEIGHT + GAP_Y and to_x == x:  # around the boxes in between
            b, d, reach = y + HEIGHT - 8.0, to_y + 8.0, x - 20.0
            path = f"M{x} {b:g} C{reach:g} {b + 10:g} {reach:g} {d - 10:g} {x} {d:g}"
            lines.append(f"<path d='{path}' class='e' marker-end='url(#a)'/>")
        elif to_y > y:
            a, b = x + WIDTH / 2, float(y + HEIGHT)
            c, d = to_x + WIDTH / 2, float(to_y)
            bend = max(14.0, (d - b) / 3)
            path = f"M{a:g} {b:g} C{a:g} {b + bend:g} {c:g} {d - bend:g} {c:g} {d:g}"
            lines.append(f"<path d='{path}' class='e' marker-end='url(#a)'/>")
        else:
            a, b, c, d = float(x + WIDTH), y + HEIGHT / 2, float(to_x + WIDTH), to_y + HEIGHT / 2 - 8
            reach = max(a, c) + 26
            path = f"M{a:g} {b:g} C{reach:g} {b:g} {reach:g} {d:g} {c:g} {d:g}"
            lines.append(f"<path d='{path}' class='l' marker-end='url(#r)'/>")
    return lines


def render_svg(width: int, height: int, parts: list[str]) -> str:
    """The document around the parts."""
    style = (
        f"text{{font-family:Inter,'Segoe UI',Arial,sans-serif;fill:{INK}}}.h{{font-size:14px;font-weight:600}}"
        f".t{{font-size:12px;font-weight:600}}.s{{font-size:11px}}.b{{stroke:{FAINT};stroke-width:1}}"
        f".e{{fill:none;stroke:{FAINT};stroke-width:1.2}}.l{{fill:none;stroke:{BLUE};stroke-width:1.4}}"
    )
    arrow = (
        "<marker id='{0}' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
        "<path d='M0 0L8 4L0 8z' fill='{1}'/></marker>"
    )
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}'>"
        f"<style>{style}</style><defs>{arrow.format('a', FAINT)}{arrow.format('r', BLUE)}</defs>"
        f"<rect width='{width}' height='{height}' fill='{WHITE}'/>"
    )
    return "\n".join([head, *parts, "</svg>"])
