"""The table of families and the ladder as text, JSON, CSV and Markdown; the same numbers in each."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.results import or_none
from roofcast.kit.output import dump_json, write_text
from roofcast.kit.table import Table as Layout
from roofcast.kit.table import folded
from roofcast_evaluate.families import ALWAYS_KNOWN, Errors, Row, Table
from roofcast_evaluate.information import Ladder

Cells = tuple[list[str], list[list[str]]]

HEADER = (
    *("family", "error", "noise", "formula", "bandwidth", "FP32", "both", "covered", "worst pair", "width"),
    *("90 % needs", "new programs", "new GPUs", "with floors", "warm caches", "rows", "left out"),
)
MEAN = "mean"
LEGEND = (
    "Errors are exp(mean |ln(forecast / measured)|) - 1 in %; pairs of GPUs and kernels in them weigh the same, and so "
    "do families in the mean (in logarithms). The model was taught without the family; under 'new programs' and 'new "
    "GPUs' without these alone.",
    "Noise: what the ratio of two single runs is off by, where repeats were recorded. Formula: seven constants and the "
    "explained share, the yardstick for forecasts without counters.",
    "Bandwidth: published; FP32: peak at boost; both: their geometric mean. Covered: measured times inside intervals "
    "that claim 90 %; worst pair: of pairs of GPUs with 50 rows or more. Width: median of high / low, and what it "
    "would be if 90 % were to be inside.",
    "With floors, warm caches: with conditions that a user would have to state (--launch-floor of the shortest "
    "measured times on both GPUs; --cache warm). Everything else is made with the file as it is.",
    f"Not left out of any row: {ALWAYS_KNOWN}.",
)  # fmt: skip

LADDER_LEGEND = (
    "Error in %/median of high over low. No stalls: counters without stall reasons; amounts: FLOPs and bytes of the "
    "algorithm, with or without the launch; FLOPs, bytes: only these. Empty: as on the step before."
)


def show_number(value: float | None, form: str = ".1f", factor: float = 100.0) -> str:
    """A number, or a dash."""
    return "–" if value is None or not math.isfinite(value) else f"{factor * value:{form}}"


def error_of(part: Errors | None) -> float | None:
    """The error, where there is a score."""
    return None if part is None else part.error


def formula_of(row: Row) -> float | None:
    """Error of the formula, where nothing was counted."""
    return None if row.yardsticks is None else row.yardsticks.formula


def ratio_cells(table: Table) -> Cells:
    """Header and rows of what the model errs for every unit of the naive ratios' error, without counters."""
    lines = [[name, f"{best:.2f}", f"{both:.2f}", str(n)] for name, best, both, n in table.against_ratios()]
    return ["without counters", "of the best ratio", "of both", "families"], lines


def ratio_notes(table: Table) -> str:
    """In how many families the best ratio and the formula err less, in words."""
    within = [table.within_best_ratio(factor) for factor in (1.0, 1.2, 1.6)]
    behind = table.behind_formula()
    return (
        f"Of {within[0][1]} families without counters {within[0][0]} are no worse than the best ratio in hindsight, "
        f"{within[1][0]} than 1.2 of it, {within[2][0]} than 1.6. "
        f"Worse than the formula beyond the noise of programs and GPUs: {', '.join(behind) or 'none'}."
    )


def cells_of(table: Table) -> Cells:
    """Header and rows of the table of families."""
    lines = [
        [
            row.family,
            *(show_number(v) for v in (row.own.error, row.noise, formula_of(row), row.bandwidth, row.fp32, row.both)),
            *(show_number(v, ".0f") for v in (row.own.coverage, row.own.worst_pair_coverage)),
            *(show_number(v, ".2f", 1.0) for v in (row.own.width, row.own.width_needed)),
            *(show_number(error_of(v)) for v in (row.program, row.gpu, row.floors, row.warm)),
            str(row.rows),
            row.left_out,
        ]
        for row in table.rows
    ]
    lines.append(mean_line(table))
    return list(HEADER), lines


NAIVE_ERRORS: tuple[Callable[[Row], float | None], ...] = (lambda r: r.bandwidth, lambda r: r.fp32, lambda r: r.both)


def mean_claims(table: Table) -> tuple[str, float, float]:
    """Mean coverage in %, and widths as they are and as they should be, in logarithms."""
    count = max(len(table.rows), 1)
    coverage = show_number(sum(r.own.coverage for r in table.rows) / count, ".0f")
    width, needed = (
        math.exp(sum(math.log(w) for w in widths) / count)
        for widths in ([r.own.width for r in table.rows], [r.own.width_needed for r in table.rows])
    )
    return coverage, width, needed


def mean_line(table: Table) -> list[str]:
    """The last row: errors and widths in logarithms, coverage as it is."""
    further: tuple[Callable[[Row], float | None], ...] = (
        lambda r: error_of(r.program), lambda r: error_of(r.gpu),
        # Where nothing can be stated, the forecast is the same.
        lambda r: error_of(r.floors or r.own), lambda r: error_of(r.warm or r.own),
    )  # fmt: skip
    coverage, *widths = mean_claims(table)
    return [
        MEAN, show_number(table.mean(lambda r: r.own.error)), "", "",
        *(show_number(table.mean(of)) for of in NAIVE_ERRORS), coverage, "",
        *(show_number(w, ".2f", 1.0) for w in widths), *(show_number(table.mean(of)) for of in further),
        str(sum(r.rows for r in table.rows)), "each in turn",
    ]  # fmt: skip


TRUST = {
    "hecbench": "CUDA kernels with counters, new programs", "kernel_tuner": "a tuning space with counters",
    "llm_ops": "operators of language models", "vidur": "the same, of another stack", "timm": "whole vision models",
    "gunrock": "graph search", "hashcat": "password hashing", "fft": "FFTs", "miopen": "convolutions between AMD GPUs",
}  # fmt: skip
"""Families that the README names, and how."""


def trust_cells(table: Table) -> Cells:
    """Header and rows of the README: some families and the mean of all, as factors."""

    def show_factors(errors: Sequence[float]) -> list[str]:
        return [f"{1.0 + e:.2f}" for e in errors]

    lines = [
        [TRUST[r.family], *show_factors((r.own.error, r.bandwidth, r.fp32, r.both)),
         show_number(r.own.coverage, ".0f"), show_number(r.own.width, ".1f", 1.0)]
        for r in table.rows if r.family in TRUST
    ]  # fmt: skip
    means = show_factors([table.mean(lambda r: r.own.error), *(table.mean(of) for of in NAIVE_ERRORS)])
    coverage, width, _ = mean_claims(table)
    lines.append([f"all {len(table.rows)} families", *means, coverage, show_number(width, ".1f", 1.0)])
    return ["typical factor off, left out", "ours", "bandwidth", "FP32", "both", "covered of 90 %", "high / low"], lines


def ladder_cells(ladder: Ladder) -> Cells:
    """Header and rows of the ladder: error in % and median width of each family on each step, then their means."""
    steps = [name for name, *_ in ladder.means()]
    by_family: dict[str, dict[str, str]] = {}
    for rung in ladder.rungs:
        by_family.setdefault(rung.family, {})[rung.step] = show_step(rung.errors.error, rung.errors.width)
    by_family[MEAN] = {name: show_step(error, width) for name, error, width in ladder.means()}
    return ["family", *steps], [[family, *(by_step.get(s, "") for s in steps)] for family, by_step in by_family.items()]


def show_step(error: float, width: float) -> str:
    """Error and width."""
    return f"{show_number(error)}/{show_number(width, '.2f', 1.0)}"


def as_text(cells: Cells, width: int, notes: Sequence[str]) -> str:
    """Aligned columns, and what they mean below."""
    header, lines = cells
    right = [k for k, column in enumerate(zip(*lines, strict=True)) if any(c[:1].isdigit() for c in column)]
    table = Layout.of_cells(header, lines, right)
    return "\n".join([*table.lines(width), "", *(folded(note, width) for note in notes)])


def as_markdown(cells: Cells) -> str:
    """A table of a Markdown page."""
    header, lines = cells
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join(f"|{'|'.join(row)}|" for row in rows)


def families_text(table: Table, width: int) -> str:
    """The table with its legend, and below it what prints the forecasts that were scored."""
    commands = [f"{row.family}: {command}" for row in table.rows for command in row.commands]
    scored = ["", "scored, for these and all other pairs of GPUs of the file (with what was left out):", *commands]
    ratios = as_text(ratio_cells(table), width, [ratio_notes(table)]) if table.against_ratios() else ""
    return "\n".join([as_text(cells_of(table), width, LEGEND), "", ratios, *scored])


def ladder_text(ladder: Ladder, width: int) -> str:
    """The ladder, and where knowing more errs more or knowing less is narrower."""
    faults = ladder.faults() or ["nowhere does knowing more err more, or knowing less claim more"]
    return as_text(ladder_cells(ladder), width, [LADDER_LEGEND, *faults])


def family_records(table: Table) -> list[dict[str, Any]]:
    """One object per family."""
    return [
        {
            "family": row.family, "error": or_none(row.own.error), "bandwidth": or_none(row.bandwidth),
            "fp32": or_none(row.fp32), "both": or_none(row.both), "formula": or_none(formula_of(row)),
            "coverage": or_none(row.own.coverage), "worst_pair_coverage": or_none(row.own.worst_pair_coverage),
            "width": or_none(row.own.width), "rows": row.rows, "left_out": row.left_out,
            "width_needed": or_none(row.own.width_needed),
            "error_new_programs": or_none(error_of(row.program)),
            "coverage_new_programs": or_none(row.program.coverage) if row.program else None,
            "error_new_gpus": or_none(error_of(row.gpu)),
            "coverage_new_gpus": or_none(row.gpu.coverage) if row.gpu else None,
            "error_with_floors": or_none(error_of(row.floors)), "error_warm_caches": or_none(error_of(row.warm)),
            "commands": list(row.commands),
        }
        for row in table.rows
    ]  # fmt: skip


def ladder_records(ladder: Ladder) -> list[dict[str, Any]]:
    """One object per family and step."""
    return [
        {
            "family": r.family, "known": r.step, "error": or_none(r.errors.error),
            "coverage": or_none(r.errors.coverage), "width": or_none(r.errors.width),
            "width_needed": or_none(r.errors.width_needed), "rows": r.rows,
        }
        for r in ladder.rungs
    ]  # fmt: skip


def render_cells(
    cells: Cells, records: list[dict[str, Any]], text: Callable[[], str]
) -> dict[str, Callable[[], str]]:  # fmt: skip
    """Format -> function that renders it as text."""
    return {
        "table": text,
        "json": lambda: dump_json(records),
        "md": lambda: as_markdown(cells),
    }


def write_block(path: Path, name: str, content: str) -> None:
    """Renew what stands between ``<!-- name -->`` and ``<!-- /name -->`` of a page.

    Raises
    ------
    RoofcastError : the page has no such block.
    """
    text = path.read_text(encoding="utf-8")
    renewed, count = re.subn(
        rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", lambda m: f"{m[1]}{content}\n{m[2]}", text, flags=re.DOTALL
    )
    if not count:
        raise RoofcastError(f"{one_line(str(path))} has no block <!-- {name} --> to renew")
    write_text(str(path), renewed)
