"""Teach the levels of operators that nobody timed: ``python tools/teach.py teach_unmeasured [--write]``.

Every family of operator times is left out in turn, and the others teach what libraries usually take: errors and spreads
are those of the family left out. ``--write`` writes ``models/operators/unmeasured.json``, taught by all of them.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable, as_text, split_configuration
from roofcast.core.machines import Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.version import VERSION
from roofcast.forecasting.clocks import by_itself
from roofcast.forecasting.sources import resolve_target
from roofcast.kit.output import write_text
from roofcast.kit.quantities import format_percent
from roofcast.models.operators.unmeasured import FILE, LARGE_S, Levels, floor_s, needs_of, spread_key
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import CODES, find_operators
from roofcast.operators.recorded_blocks import with_shapes_of_blocks
from roofcast.operators.recorded_operators import SQUARES
from roofcast_evaluate.cases import evenly
from roofcast_evaluate.datasets import DATASETS, load
from roofcast_evaluate.scores import weighted_quantile

FAMILIES = ("neusight", "llm_ops_gemm", "llm_ops_attention", "llm_ops_moe", "vidur_llm_ops", "deepbench",
            "eleuther_gemm", "llmcompass", "miopen_conv")  # fmt: skip
ROWS_MOST = 400
"""Rows of a family per kernel and GPU, evenly spread."""
SHRINK = 1.0
"""An architecture's own level counts as if so many GPUs stood at the usual one."""
HELD = 0.9
LEAST_WAY = 0.1
"""No way from a forecast to an end of its interval is shorter, as a logarithm."""


@dataclass(frozen=True)
class Taught:
    """Rows of one family, each with the logarithm of what it took over its model."""

    family: str
    kind: NDArray[np.object_]
    gpu: NDArray[np.object_]
    architecture: NDArray[np.object_]
    ratio: FloatArray
    """ln((T - a) / M)"""
    need_s: FloatArray
    floor_s: FloatArray
    time_s: FloatArray


def implicit_product(
    images: FloatArray, positions: FloatArray, channels_out: FloatArray, channels_in: FloatArray, window: FloatArray,
    groups: FloatArray,
) -> dict[str, FloatArray]:  # fmt: skip
    """Columns of a convolution as the product that it is: ``shape_m``, ``shape_n``, ``shape_k``, ``shape_batch``.

    positions : of the result, per image. channels_in, channels_out : of all groups. window : elements.

    >>> {k: float(v) for k, v in implicit_product(*map(np.asarray, (8.0, 49.0, 64.0, 32.0, 9.0, 1.0))).items()}
    {'shape_m': 392.0, 'shape_n': 64.0, 'shape_k': 288.0, 'shape_batch': 1.0}
    """
    return {
        "shape_m": images * positions, "shape_n": channels_out / groups, "shape_k": channels_in / groups * window,
        "shape_batch": groups * 1.0,
    }  # fmt: skip


def read_family(dataset: str) -> Taught:
    """The rows of a family that are library operators, sampled."""
    _, kernels = load(dataset)
    family = DATASETS[dataset].family or dataset
    if dataset == "miopen_conv":
        kernels = best_solvers(kernels)
    else:
        kernels = kernels.select(evenly(kernels.strings("kernel") + "\x00" + kernels.strings("gpu"), ROWS_MOST))
    if dataset in ("miopen_conv", "deepbench"):
        kernels = with_implicit_products(kernels)
    kernels = with_shapes_of_blocks(kernels)[0]
    rows = find_operators(kernels)
    if rows is None:
        raise RoofcastError(f"{dataset}: no library operators")
    code = rows.code
    if dataset == "miopen_conv":
        code = np.full(len(kernels), CODES.index(Operation.CONVOLUTION), dtype=np.int8)
    known = (code >= 0) & (kernels.column("bytes_compulsory") > 0) & (kernels.column("time_s") > 0)
    gpus = known_gpus(kernels)
    index = np.array([gpus.get(str(g), (-1, None))[0] for g in kernels.strings("gpu")], dtype=np.intp)
    chosen = np.flatnonzero(known & (index >= 0))
    kernels, index = kernels.select(chosen), index[chosen]
    rows = dataclasses.replace(rows, **{f.name: getattr(rows, f.name)[chosen] for f in dataclasses.fields(rows)})
    processors = [p for _, p in sorted(gpus.values(), key=lambda v: v[0]) if p is not None]
    clock = np.array([by_itself(p) for p in processors])
    machines = Machines(columns_of(processors), index[:, None], clock[index][:, None])
    need = needs_of(kernels, rows, [CODES[c] for c in code[chosen]], machines)
    floor, time = floor_s(machines)[:, 0], kernels.column("time_s")
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(np.maximum(time - floor, 0.1 * time) / need.time_s[:, 0])
    names, architectures = as_text([p.name for p in processors]), as_text([p.architecture for p in processors])
    good = np.isfinite(ratio)
    made = Taught(family, need.kind, names[index], architectures[index], ratio, need.time_s[:, 0], floor, time)
    return select(made, good)


def select(rows: Taught, chosen: NDArray[Any]) -> Taught:
    """Some of the rows."""
    fields = [f.name for f in dataclasses.fields(rows) if f.name != "family"]
    return dataclasses.replace(rows, **{name: getattr(rows, name)[chosen] for name in fields})


def known_gpus(kernels: KernelTable) -> dict[str, tuple[int, Processor | None]]:
    """GPU as written -> position and catalog entry."""
    found: dict[str, tuple[int, Processor | None]] = {}
    for text in dict.fromkeys(str(g) for g in kernels.strings("gpu")):
        try:
            found[text] = (len([v for v in found.values() if v[1]]), resolve_target(text).processor)
        except RoofcastError:
            found[text] = (-1, None)
    return found


def with_implicit_products(kernels: KernelTable) -> KernelTable:
    """The table with the products that its convolutions are, from the sizes in its configurations or columns."""
    if "h_out" in kernels.extra:
        n, positions, out, into, window, groups, stride, size = (
            np.asarray(v, dtype=np.float64) for v in (
                kernels.extra["n"], kernels.extra["h_out"].astype(float) * kernels.extra["w_out"].astype(float),
                kernels.extra["k_out"], kernels.extra["c_in"],
                kernels.extra["r"].astype(float) * kernels.extra["s"].astype(float), kernels.extra["groups"],
                kernels.extra["stride_h"], kernels.extra["r"],
            )
        )  # fmt: skip
    else:
        texts = [split_configuration(str(c)) for c in kernels.strings("config")]
        w, h, into, n, out, s, r, pw, ph, hs, vs = (
            np.array([float(t.get(name) or np.nan) for t in texts])
            for name in ("W", "H", "C", "N", "K", "S", "R", "pw", "ph", "hs", "vs")
        )
        positions = np.floor((h + 2 * ph - r) / vs + 1) * np.floor((w + 2 * pw - s) / hs + 1)
        window, groups, stride, size = r * s, np.ones(len(n)), np.maximum(hs, vs), r
    squares = (window == 9) & (size == 3) & (stride == 1) & (groups == 1)
    columns = implicit_product(n, positions, out, into, window, groups)
    made = kernels.with_columns(**{k: (v, Origin.DERIVED) for k, v in columns.items()})
    return dataclasses.replace(made, extra={**made.extra, SQUARES: squares.astype(np.float64)})


def best_solvers(kernels: KernelTable) -> KernelTable:
    """Of several algorithms for one convolution the fastest, which a library takes."""
    best: dict[tuple[str, str], int] = {}
    time = kernels.column("time_s")
    for i, key in enumerate(zip(kernels.strings("config"), kernels.strings("gpu"), strict=True)):
        if time[i] > 0 and (key not in best or time[i] < time[best[key]]):
            best[key] = i
    return kernels.select(sorted(best.values()))


def teach(families: Sequence[Taught]) -> Levels:
    """Levels from some families: medians per GPU, every GPU of a family and every family the same."""
    usual: dict[str, float] = {}
    own: dict[str, dict[str, float]] = {}
    kinds = sorted({str(k) for f in families for k in f.kind}, key=lambda k: (k.startswith("convolution"), k))
    for kind in kinds:
        medians: list[tuple[str, str, float]] = []
        for f in families:
            for gpu in dict.fromkeys(f.gpu[f.kind == kind].tolist()):
                rows = (f.kind == kind) & (f.gpu == gpu) & (f.need_s > LARGE_S)
                if rows.sum() >= 5:
                    medians.append((f.family, str(f.architecture[rows][0]), float(np.median(f.ratio[rows]))))
        if not medians:
            continue
        # One vendor's libraries are written by other people than another's: AMD's stand beside NVIDIA's usual level.
        ours = [m for m in medians if not m[1].startswith("gfx")]
        product = usual.get(kind.replace("convolution", "gemm"))
        if not ours and product is not None:
            usual[kind] = product
        else:
            by_family = [
                np.mean([m for n, _, m in ours or medians if n == name]) for name in {m[0] for m in ours or medians}
            ]
            usual[kind] = float(np.mean(by_family))
        own[kind] = {}
        for architecture in sorted({m[1] for m in medians}):
            beside = [m - usual[kind] for _, a, m in medians if a == architecture]
            own[kind][architecture] = float(np.sum(beside) / (len(beside) + SHRINK))
    return Levels(usual, own, {}, 0.0)


def forecast_s(rows: Taught, levels: Levels) -> FloatArray:
    """Seconds by the levels."""
    level = np.array([levels.of(str(k), str(a)) for k, a in zip(rows.kind, rows.architecture, strict=True)])
    return np.asarray(rows.floor_s + rows.need_s * np.exp(level))


def errors_left_out(families: Sequence[Taught]) -> list[tuple[str, str, FloatArray]]:
    """Family, kind, ln(forecast / measured) of its rows by levels that the other families taught."""
    found = []
    for family in dict.fromkeys(f.family for f in families):
        levels = teach([f for f in families if f.family != family])
        for rows in (f for f in families if f.family == family):
            error = np.log(forecast_s(rows, levels) / rows.time_s)
            for kind in dict.fromkeys(rows.kind.tolist()):
                amd = np.array([a.startswith("gfx") for a in rows.architecture])
                for of_amd, small in itertools.product((False, True), repeat=2):
                    part = error[(rows.kind == kind) & (amd == of_amd) & ((rows.need_s <= LARGE_S) == small)]
                    found += [(family, spread_key(str(kind), of_amd, small), part)] if len(part) >= 5 else []
    return found


def spreads_of(errors: Iterable[tuple[str, str, FloatArray]]) -> dict[str, tuple[float, float]]:
    """Kind -> how far below and above the forecast 90 % of the measured times lie, every family the same."""
    by_kind: dict[str, list[FloatArray]] = {}
    for _, kind, error in errors:
        by_kind.setdefault(kind, []).append(error)
    found = {}
    for kind, parts in by_kind.items():
        values = np.concatenate(parts)
        weight = np.concatenate([np.full(len(p), 1.0 / len(p)) for p in parts])
        above, below = (max(weighted_quantile(way, weight, (1 + HELD) / 2), LEAST_WAY) for way in (values, -values))
        found[kind] = (above, below)
    return found


def main(arguments: Sequence[str]) -> None:
    """Print errors per family and kind; write the levels."""
    families = [read_family(name) for name in FAMILIES]
    errors = errors_left_out(families)
    rows: list[Mapping[str, Any]] = []
    for family, kind, error in errors:
        typical = float(np.exp(np.mean(np.abs(error))) - 1)
        rows.append({"family": family, "kind": kind, "rows": len(error), "error": round(typical, 3),
                     "median_ratio": round(float(np.exp(np.median(error))), 3)})  # fmt: skip
        sys.stdout.write(
            f"{family:10} {kind:40} {len(error):6} {format_percent(typical, 1):>8} {rows[-1]['median_ratio']:6.2f}\n"
        )
    spread = spreads_of(errors)
    sys.stdout.write(
        "".join(f"{k:40} 90 % from 1/{np.exp(v[0]):.2f} to {np.exp(v[1]):.2f}\n" for k, v in spread.items())
    )
    if "--write" in arguments:
        levels = teach(families)
        before = json.loads(FILE.read_text(encoding="utf-8"))
        content = {
            "usual": {k: round(v, 4) for k, v in levels.usual.items()},
            "of_architecture": {k: {a: round(x, 4) for a, x in v.items()} for k, v in levels.of_architecture.items()},
            "spread": {k: [round(v[0], 3), round(v[1], 3)] for k, v in spread.items()},
            "spread_total": before["spread_total"],
            "provenance": {
                "made_by": "python tools/teach.py teach_unmeasured --write", "roofcast": VERSION,
                "data": {name: DATASETS[name].sha256 for name in FAMILIES}, "errors_with_the_family_left_out": rows,
                "whole_models": before["provenance"]["whole_models"],
            },
        }  # fmt: skip
        write_text(FILE, json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
