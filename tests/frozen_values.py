"""Forecasts of drawn kernels and of the tests' own files, kept as numbers: whatever moves them must be meant.

    python tests/frozen_values.py        # write them anew after a change that was meant to move them

The kernels are no measurements: amounts drawn between bounds that real kernels have, a fixed seed, each amount absent
in some of them. Nothing says that these forecasts are good; they say that a change of the code changed them.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import roofcast
import roofcast.torch
from frozen_kinds import (
    draw_calls,
    draw_code,
    draw_convolutions,
    draw_hot,
    draw_implausible,
    draw_row_operators,
)
from roofcast.core.columns import NUMERIC_COLUMNS, Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable, concatenate
from roofcast.core.machines import Machines, columns_of
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.forecasting.clocks import by_itself
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.problem_size import fit_sizes
from roofcast.forecasting.sources import resolve_sources
from roofcast.models.kernel_amounts import amounts_of
from roofcast.models.operators.works import WORKS, WorkAmounts, work_s
from roofcast.models.physics.constants import CONSTANTS
from roofcast.models.physics.host_link import find_copy_factor, find_move_factors
from roofcast.models.published.regressors import Linear, features_of
from roofcast.models.published.van_lanker import Ceilings, ceilings_of

FILE = Path(__file__).with_suffix(".json")
SUMS = FILE.with_name("frozen_sums.json")
SOURCES = ("V100 SXM2 16GB", "A100 SXM4 40GB", "RTX 3080", "H100 SXM5 80GB", "Tesla P100 SXM2 16GB", "MI250X")
TARGETS = ("H100 SXM5 80GB", "A10", "B200", "MI300X", "RTX 4090")
ASKED: dict[str, dict[str, Any]] = {
    "default": {},
    "as profiled": {"conditions": "profiled"},
    "mechanistic, locked and cold": {"model": "mechanistic", "clock": "base", "cache": "cold"},
    "mechanistic, warm": {"model": "mechanistic", "cache": "warm", "launch_floor": (4e-6, 6e-6)},
    "van_lanker": {"model": "van_lanker"},
    "occupancy_efficiency": {"model": "occupancy_efficiency"},
}
"""What is asked of each table."""
ABSENT = 0.25
"""Of the cells of an amount that is not needed."""
ROOFS = {
    Resource.BYTES_DRAM: (0.02, 0.95), Resource.BYTES_L2: (0.02, 0.8), Resource.BYTES_L1: (0.02, 0.7),
    Resource.BYTES_SHARED: (0.001, 0.5), Resource.FLOPS_FP32: (0.001, 0.8), Resource.FLOPS_FP64: (0.0001, 0.6),
    Resource.INSTS_SPECIAL: (0.0001, 0.5),
}  # fmt: skip
"""Resource -> least and most of its peak that a drawn kernel reaches."""
PLAIN = {
    "grid_blocks": (20, 1e5), "block_threads": (32, 1024), "regs_per_thread": (16, 250), "waves_per_sm": (0.1, 60),
    "occupancy_fraction": (0.05, 0.95), "threads_per_inst": (8, 32), "l1_hit_fraction": (0.01, 0.95),
    "l2_hit_fraction": (0.05, 0.99), "ipc_active": (0.05, 3.5), "smem_bytes_per_block": (100, 9e4),
    "working_set_bytes": (1e4, 5e9), "warp_latency_cycles_per_inst": (3, 90), "atomics_l2": (1, 1e6),
    "stall_long_scoreboard_per_inst": (0.1, 60), "stall_short_scoreboard_per_inst": (0.05, 8),
    "stall_barrier_per_inst": (0.01, 5), "stall_wait_per_inst": (1, 4), "stall_mio_throttle_per_inst": (0.01, 6),
    "stall_math_pipe_throttle_per_inst": (0.01, 6), "divergent_branch_fraction": (0.001, 0.4),
    "bytes_per_sector_load": (4, 32), "insts_executed": (1e4, 1e9), "bytes_local": (1, 1e8),
    "l1_load_hit_fraction": (0.01, 0.95), "l2_read_hit_fraction": (0.05, 0.99),
    "shared_conflicts_per_wavefront": (0.01, 0.9),
}  # fmt: skip
"""Column -> bounds, drawn evenly in the logarithm."""
OPERATORS = (
    ("ampere_sgemm_128x64_nn", "fp32"), ("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32", "fp16"),
    ("cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8", "bf16"), ("flash_fwd_kernel", "fp16"),
    ("implicit_convolve_sgemm", "fp32"), ("void at::native::vectorized_elementwise_kernel<4>", "fp32"),
    ("void at::native::reduce_kernel<512, 1>", "fp32"), ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "fp16"),
    ("cutlass_75_tensorop_s1688gemm_tf32_256x128_nt_align4", "tf32"), ("softmax_warp_forward", "fp16"),
)  # fmt: skip
"""Names of library kernels, and the precision that a trace states."""


def draw_counted(seed: int, rows: int = 24) -> KernelTable:
    """Kernels with counters, of several sources."""
    draw = np.random.default_rng(seed)
    names = [SOURCES[i % len(SOURCES)] for i in range(rows)]
    gpus = [roofcast.gpu(n) for n in names]
    seconds = np.exp(draw.uniform(np.log(3e-6), np.log(3e-2), rows))
    numeric: dict[str, tuple[Any, Origin]] = {"time_s": (seconds, Origin.COUNTED)}
    for resource, (low, high) in ROOFS.items():
        share = np.exp(draw.uniform(np.log(low), np.log(high), rows))
        rate = [g.rate(resource) if resource in g.supplies else np.nan for g in gpus]
        numeric[resource.value] = (np.where(draw.random(rows) < ABSENT, np.nan, share * rate * seconds), Origin.COUNTED)
    for name, (low, high) in PLAIN.items():
        value = np.exp(draw.uniform(np.log(low), np.log(high), rows))
        value = np.round(value) if low >= 16 else value
        numeric[name] = (np.where(draw.random(rows) < ABSENT, np.nan, value), Origin.COUNTED)
    caches = draw.choice(["", "cold", "warm"], rows)
    texts = {"kernel": [f"k{i}" for i in range(rows)], "gpu": names, "cache_state": caches.tolist()}
    return KernelTable.from_columns(texts, numeric)


def draw_operators(seed: int, rows: int = 20) -> KernelTable:
    """Library kernels of which names, shapes and a time are known."""
    draw = np.random.default_rng(seed)
    kinds = [OPERATORS[i % len(OPERATORS)] for i in range(rows)]
    m, n, k, b = (np.round(2 ** draw.uniform(low, high, rows)) for low, high in ((4, 13), (5, 13), (5, 13), (0, 5)))
    flops, shapes = 2 * m * n * k * b, {"shape_m": m, "shape_n": n, "shape_k": k, "shape_batch": b}
    numeric: dict[str, tuple[Any, Origin]] = {name: (values, Origin.COUNTED) for name, values in shapes.items()}
    numeric["time_s"] = flops / 2e13 * np.exp(draw.uniform(0, 2, rows)) + 3e-6, Origin.COUNTED
    return KernelTable.from_columns(
        {"kernel": [name for name, _ in kinds], "precision": [p for _, p in kinds],
         "gpu": [SOURCES[i % 4] for i in range(rows)]},
        numeric,
    )  # fmt: skip


def draw_collectives(seed: int, rows: int = 12) -> KernelTable:
    """Collectives of several GPUs, some of unknown size."""
    draw = np.random.default_rng(seed)
    kinds = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "other")
    size = np.round(2 ** draw.uniform(8, 30, rows))
    return KernelTable.from_columns(
        {"kernel": ["nccl"] * rows, "collective": [kinds[i % 6] for i in range(rows)],
         "gpu": [SOURCES[i % 5] for i in range(rows)]},
        {"time_s": (np.asarray(size / 1e11 + 1e-5, np.float64), Origin.COUNTED),
         "bytes_collective": (np.where(draw.random(rows) < ABSENT, np.nan, size), Origin.COUNTED),
         "gpus_collective": (np.exp2(draw.integers(1, 4, rows)).astype(np.float64), Origin.COUNTED)},
    )  # fmt: skip


def draw_all_columns(seed: int, rows: int = 30, *, pages: bool = False, known: float = ABSENT) -> KernelTable:
    """Kernels of which a part of everything was counted that a file may hold.

    pages : of unified memory as well. known : share of the cells that hold a value.
    """
    draw = np.random.default_rng(seed)
    table = draw_counted(seed, rows)
    numeric: dict[str, tuple[Any, Origin]] = {}
    for name, meaning in NUMERIC_COLUMNS.items():
        if name in table.numeric or name.startswith(
            ("launch", "clock_hz", "time", "shape", "host", "capacity", "sm_c")
        ):
            continue
        if ("migrat" in name and not pages) or name in OF_CODE:
            continue
        unit = meaning.split(";")[0]
        share = "fraction" in name or name.endswith(("_per_inst", "_per_wavefront"))
        low, high = (0.01, 0.9) if share else UNITS.get(unit, (1.0, 1e6))
        value = np.exp(draw.uniform(np.log(low), np.log(high), rows))
        numeric[name] = (np.where(draw.random(rows) < 1 - known, np.nan, value), Origin.COUNTED)
    added = table.with_columns(**numeric)
    clocks = draw.choice(["base", "none", ""], rows).tolist()
    return KernelTable.from_columns(
        {**{k: list(v) for k, v in added.text.items()}, "clock_control": clocks},
        {k: (v, added.origin_of(k)) for k, v in added.numeric.items()},
    )


OF_CODE = (
    "bytes_shared_by_groups", "bytes_read_over", "bytes_between_reads", "bytes_l2_stored", "words_constant",
    "data_decide", "bytes_tables", "bytes_l2_tables", "loads_in_turn_tables",
)  # fmt: skip
"""Columns that came after these draws and that no profile has: of source code alone."""
UNITS = {"B": (1e3, 1e8), "1": (1e2, 1e7), "cycles": (0.05, 20.0), "s": (1e-6, 1e-4), "W": (60.0, 250.0)}
"""Unit -> bounds of what is drawn of columns that have no bounds of their own."""


def draw_sizes(seed: int) -> KernelTable:
    """Two kernels at six and two sizes on one GPU, and one of two parameters."""
    draw = np.random.default_rng(seed)
    n = 2.0 ** np.arange(10, 16)
    rows = [("cube", f"N={int(v)}", 2 * v**3, 12 * v**2) for v in n]
    rows += [("two", f"N={int(v)}", 4 * v, 8 * v) for v in n[[1, 4]]]
    rows += [("plane", f"N={int(a)};M={int(b)}", 2 * a * b, 4 * (a + b)) for a in n[:3] * 8 for b in n[2:4] * 8]
    flops, moved = (np.array([float(r[i]) for r in rows]) for i in (2, 3))
    time_s = (flops / 6e12 + moved / 5e11 + 4e-6) * np.exp(draw.normal(0, 0.05, len(rows)))
    numeric = {"time_s": time_s, "flops_fp32": flops, "bytes_dram": moved, "bytes_l2": 3 * moved,
               "l2_hit_fraction": draw.uniform(0.2, 0.8, len(rows))}  # fmt: skip
    return KernelTable.from_columns(
        {"kernel": [r[0] for r in rows], "config": [r[1] for r in rows], "gpu": ["V100 SXM2 16GB"] * len(rows)},
        {k: (v, Origin.COUNTED) for k, v in numeric.items()},
    )


SIZED = ("N=100000", "N=5000", "N=2048, M=4096", "N=30k,M=50k")
"""Sizes asked of them: beyond, between, measured, and of two parameters."""


def draw_several(seed: int, works: int = 6) -> KernelTable:
    """Kernels measured on three GPUs each; counts of some contradict, one ran twice, one on two GPUs alone."""
    draw = np.random.default_rng(seed)
    places = [(w, g) for w in range(works) for g in range(3) if (w, g) != (1, 2)] + [(2, 0), (2, 1), (2, 2)]
    flops, moved = np.exp(draw.uniform(20, 24, works)), np.exp(draw.uniform(16, 20, works))
    gpus = [roofcast.gpu(SOURCES[g]) for _, g in places]
    roofs = [[g.rate(r) for g in gpus] for r in (Resource.FLOPS_FP32, Resource.BYTES_DRAM)]
    which = np.array([w for w, _ in places])
    counted = flops[which] * np.where((which == 3) & (np.arange(len(places)) % 2 == 0), 3.0, 1.0)
    time_s = flops[which] / roofs[0] + moved[which] / roofs[1] + 3e-6 * np.exp(draw.uniform(0, 1, len(places)))
    numeric = {"time_s": time_s * np.exp(draw.normal(0, 0.1, len(places))),
               "flops_fp32": np.where(draw.random(len(places)) < ABSENT, np.nan, counted),
               "bytes_dram": np.where(draw.random(len(places)) < 2 * ABSENT, np.nan, moved[which]),
               "grid_blocks": np.full(len(places), 800.0), "block_threads": np.full(len(places), 256.0)}  # fmt: skip
    return KernelTable.from_columns(
        {"kernel": [f"k{w}" for w, _ in places], "gpu": [SOURCES[g] for _, g in places]},
        {k: (v, Origin.COUNTED) for k, v in numeric.items()},
    )


def list_tables() -> Iterator[tuple[str, KernelTable]]:
    """Drawn tables, then those of the tests' own files."""
    from gate.variants import samples

    yield from ((f"counted {seed}", draw_counted(seed)) for seed in (1, 2))
    yield "operators", draw_operators(3)
    yield "collectives", draw_collectives(4)
    with tempfile.TemporaryDirectory() as folder:
        for name, data in samples().items():
            path = Path(folder) / name
            path.write_bytes(data)
            try:
                yield name, roofcast.read(path)
            except RoofcastError:
                continue


def compute_values(only: str = "") -> dict[str, list[list[float]]]:
    """Case -> [seconds, low, high] of each kernel on each target, kernels first; NaN as -1. only : how tables begin."""
    found = {}
    for name, table in list_tables():
        for how, options in ASKED.items():
            if not name.startswith(only) or (name.startswith("sample") and options):
                continue
            try:
                answer = roofcast.forecast(table, to=TARGETS, **options).estimate
            except RoofcastError:
                continue
            ends = np.stack([answer.time_s, answer.time_low_s, answer.time_high_s], axis=-1).reshape(-1, 3)
            values = np.nan_to_num(ends, nan=-1.0).tolist()
            found[f"{name}: {how}"] = [[float(f"{v:.8g}") for v in row] for row in values]
    return found


FURTHER: dict[str, dict[str, Any]] = {
    **ASKED, "together": {"together": True}, "mechanistic, boost, sustained": {"model": "mechanistic", "clock": "boost",
    "load": "sustained"}, "half": {"coverage": 0.5},
}  # fmt: skip
"""What is asked where one number stands for all values of a key."""
CONDITIONS: dict[str, dict[str, Any]] = {
    f"{clock}, {cache}, {load}, {named}": {"clock": clock, "cache": cache, "load": load, "conditions": named}
    for clock, cache, load, named in (
        ("base", "warm", "burst", "profiled"), ("boost", "cold", "sustained", "production"),
        ("1.1 GHz", "auto", "burst", "production"), ("auto", "warm", "auto", "profiled"),
    )
}  # fmt: skip
OTHERS = ("T4", "A100 PCIe 40GB", "L40S", "MI210", "RTX 3090", "H200 SXM 141GB")
"""Targets of other memory, units and architectures."""
RECORDED = ("resnet50_amp", "transformer_training")


def list_kinds(only: str) -> Iterator[tuple[str, Forecast]]:
    """Forecasts of single kinds of kernels. only : how their names begin."""
    tables = {
        "kind convolutions": draw_convolutions,
        "kind rows": draw_row_operators,
        "kind calls": draw_calls,
        "kind hot": draw_hot,
        "kind implausible": draw_implausible,
        "kind code": draw_code,
    }
    ways: dict[str, dict[str, Any]] = {
        "default": {}, "mechanistic, as profiled": {"model": "mechanistic", "conditions": "profiled"},
        "van_lanker, sustained": {"model": "van_lanker", "load": "sustained"}, "cold": {"cache": "cold"},
        "sustained": {"load": "sustained", "launch_floor": (5e-6, 4e-6)},
    }  # fmt: skip
    to = ("H100 SXM5 80GB", "MI100", "RX 6800 XT", "T4", "L40S", "RTX 3080")
    for seed, (name, draw) in enumerate(tables.items(), 41):
        if name.startswith(only):
            drawn = draw(seed)
            for how, options in ways.items():
                yield f"{name}: {how}", roofcast.forecast(drawn, to=to, **options)
            if name == "kind code":
                yield f"{name}: on a GPU", roofcast.forecast(drawn, to=to, source="A100 SXM4 40GB")
    if "kind unknown".startswith(only):
        for how, options in FURTHER.items():
            yield f"kind unknown: {how}", roofcast.forecast(hide_gpus(draw_counted(47)), to=TARGETS, **options)
    if "kind slots".startswith(only):
        slots = draw_collectives(48, 36)
        gpus = np.array([("A10", "L40S", "A100 SXM4 40GB", "T4")[i % 4] for i in range(36)], np.object_)
        slots = replace(slots, text={**slots.text, "gpu": gpus})
        for how, options in {**ASKED, "cold": {"cache": "cold"}}.items():
            yield f"kind slots: {how}", roofcast.forecast(slots, to=("L40S", "H100 SXM5 80GB", "A10"), **options)


def list_borders(only: str) -> Iterator[tuple[str, Forecast]]:
    """Forecasts of tables whose cells hold what conditions ask about, to the number. only : how their names begin."""
    if "kind borders".startswith(only):
        tables = {
            "much": meet_borders(draw_all_columns(61, 60, known=0.8)),
            "little": meet_borders(draw_all_columns(62, 60)),
            "rows": meet_borders(draw_row_operators(63, 70)),
        }
        ways: dict[str, dict[str, Any]] = {
            **{how: ASKED[how] for how in ("default", "as profiled", "van_lanker")},
            "at the floor": {"launch_floor": (4e-6, 2e-6), "model": "mechanistic"}, "cold": {"cache": "cold"},
        }  # fmt: skip
        for name, table in tables.items():
            for how, options in ways.items():
                yield f"kind borders: {name}, {how}", roofcast.forecast(table, to=TARGETS[:4], **options)


def list_rough_sizes_and_old_targets(only: str) -> Iterator[tuple[str, Forecast]]:
    """Sizes of kernels with nothing but times, and of those whose amounts follow no law; the oldest and newest targets.

    only : as above.
    """
    if "kind old".startswith(only):
        of = draw_all_columns(69, 40, known=0.8)
        for how in ("default", "mechanistic, warm", "van_lanker"):
            asked = roofcast.forecast(of, to=("Tesla K40", "GTX 980", "GTX 1080", "GB200", "Jetson Orin"), **ASKED[how])
            yield f"kind old: {how}", asked
    if "kind sizes".startswith(only):
        drawn = draw_sizes(65)
        alone = replace(drawn, numeric={"time_s": drawn.column("time_s")}, origin={"time_s": drawn.origin_of("time_s")})
        draw = np.random.default_rng(66)
        rough = drawn.with_columns(
            **{k: (v * np.exp(draw.normal(0, 0.3, len(v))), Origin.COUNTED) for k, v in drawn.numeric.items()},
            grid_blocks=(np.round(drawn.column("flops_fp32") / 1e5) + 1.0, Origin.COUNTED),
            working_set_bytes=(drawn.column("bytes_dram"), Origin.COUNTED),
        )
        for name, table in (("times", alone), ("rough", rough)):
            for size in (*SIZED, "N=3000", "N=20000"):
                yield f"kind sizes: {name}, {size}", roofcast.forecast(table, to=TARGETS[:2], size=size)


def meet_borders(table: KernelTable) -> KernelTable:
    """The table with exact zeros, ones and halves in a third of its cells, full waves, and times of launches."""
    draw = np.random.default_rng(64)
    sms = np.array([roofcast.gpu(str(name)).sm_count for name in table.strings("gpu")], np.float64)
    met: dict[str, tuple[Any, Origin]] = {}
    for name in table.numeric:
        values = table.column(name)
        border = draw.choice([0.0, 0.0, 1.0, 0.5], len(values))
        if name == "grid_blocks":
            border = sms * draw.choice([1.0, 2.0, 8.0], len(values))
        elif name == "block_threads":
            border = draw.choice([32.0, 1024.0], len(values))
        elif name == "time_s":
            border = draw.choice([4e-6, 20e-6, 15e-6], len(values))
        share = 0.1 if name == "time_s" else 0.35
        met[name] = (np.where(draw.random(len(values)) < share, border, values), Origin.COUNTED)
    return table.with_columns(**met)


def list_pairs(only: str) -> Iterator[tuple[str, Forecast]]:
    """Forecasts beside own pairs. only : how their names begin."""
    if "kind pairs".startswith(only):
        own, to = draw_several(51, 30), SOURCES[:3]
        for name, asked in (("counted", draw_counted(52, 60)), ("several", draw_several(53, 8)), ("same", own)):
            for model in ("hybrid", "mechanistic"):
                yield f"kind pairs: {name}, {model}", roofcast.forecast(asked, to=to, pairs=own, model=model)
        rows = draw_row_operators(54, 84)
        yield "kind pairs: rows", roofcast.forecast(rows, to=("A100 SXM4 40GB", "L40S"), pairs=measure_twice(rows))


def hide_gpus(table: KernelTable) -> KernelTable:
    """The table with GPUs that nobody knows in every third row, and none in the row after it."""
    names = [("", "Foo 9000", str(name))[i % 3] for i, name in enumerate(table.strings("gpu"))]
    return replace(table, text={**table.text, "gpu": np.array(names, np.object_)})


def measure_twice(rows: KernelTable) -> KernelTable:
    """Rows as if another GPU had run them as well, some faster and some slower."""
    draw = np.random.default_rng(55)
    gpus = ["A100 SXM4 40GB"] * len(rows) + ["L40S"] * len(rows)
    both = concatenate([rows, rows])
    time_s = both.column("time_s") * np.where(np.arange(len(both)) < len(rows), 1.0, draw.uniform(0.4, 3.0, len(both)))
    config = [f"r{i % len(rows)}" for i in range(len(both))]
    text = {**{k: list(v) for k, v in both.text.items()}, "gpu": gpus, "config": config}
    numeric = {**both.numeric, "time_s": time_s}
    return KernelTable.from_columns(text, {k: (v, both.origin_of(k)) for k, v in numeric.items()})


MANY: dict[str, dict[str, Any]] = {
    "default": {}, "as profiled": {"conditions": "profiled"}, "mechanistic, warm": ASKED["mechanistic, warm"],
    "cold and sustained": {"cache": "cold", "load": "sustained"},
}  # fmt: skip
BLOCK = 60
"""Kernels that share a number: few enough that a change of one of them shows."""


def compute_many() -> dict[str, dict[str, float]]:
    """Time and interval of many drawn kernels, a number for each few: where one meets a threshold, it shows."""
    tables = {
        "counted": draw_counted(71, 3000), "half known": draw_all_columns(72, 5000, known=0.5),
        "much known": draw_all_columns(73, 3000, known=0.85), "borders": meet_borders(draw_all_columns(74, 3000)),
        "operators": draw_operators(75, 1500), "rows": draw_row_operators(76, 2100),
        "convolutions": draw_convolutions(77, 1350), "hot": draw_hot(78, 800), "implausible": draw_implausible(79, 400),
        "collectives": draw_collectives(80, 800),
    }  # fmt: skip
    found: dict[str, dict[str, float]] = {}
    for name, table in tables.items():
        for how, options in MANY.items():
            answer = roofcast.forecast(table, to=MANY_TARGETS, **options).estimate
            ends = np.stack([answer.time_s, answer.time_low_s, answer.time_high_s], axis=-1)
            found[f"many {name}: {how}"] = {
                str(at): add_up(ends[at : at + BLOCK].ravel().tolist()) for at in range(0, len(table), BLOCK)
            }
    return found


MANY_TARGETS = ("H100 SXM5 80GB", "A10", "MI300X", "RTX 4090", "Tesla P100 SXM2 16GB", "RX 7900 XTX")


def list_answers(only: str = "") -> Iterator[tuple[str, Forecast]]:
    """Forecasts of which one number per key is kept. only : how their names begin."""
    yield from list_kinds(only)
    yield from list_pairs(only)
    yield from list_borders(only)
    yield from list_rough_sizes_and_old_targets(only)
    tables = {
        "all columns": draw_all_columns(5),
        "pages": draw_all_columns(9, 8, pages=True),
        "operators": draw_operators(6),
        "several": draw_several(7),
    }
    for name, table in tables.items():
        for how, options in FURTHER.items():
            if name.startswith(only):
                yield f"{name}: {how}", roofcast.forecast(table, to=TARGETS[::2], **options)
    if "sizes".startswith(only):
        for seed in (8, 28):
            sizes = draw_sizes(seed)
            yield f"sizes {seed}: as measured", roofcast.forecast(sizes, to=TARGETS[:2])
            for size in SIZED:
                yield f"sizes {seed}: {size}", roofcast.forecast(sizes, to=TARGETS[:2], size=size)
    further = {
        **{f"much known {seed}": draw_all_columns(seed, 40, known=0.85) for seed in (11, 12)},
        **{f"little known {seed}": draw_all_columns(seed, 40, known=0.1) for seed in (13, 14)},
        "more operators": draw_operators(15, 60),
        **{f"more of several {seed}": draw_several(seed, 12) for seed in (16, 17)},
        "counted again": draw_counted(18, 60),
    }
    for name, table in further.items():
        for how, options in {**ASKED, **CONDITIONS}.items():
            if name.startswith(only) and (how not in CONDITIONS or not name.startswith("more")):
                yield f"{name}: {how}", roofcast.forecast(table, to=OTHERS, **options)


def compute_recorded() -> dict[str, dict[str, float]]:
    """The same of models that never ran, and of the kinds of kernels that operators are."""
    found = {}
    for name in RECORDED:
        record = json.loads((Path(__file__).parent / "unmeasured" / f"{name}.json").read_text(encoding="utf-8"))
        for mode, host in (("eager", None), ("eager", 25.0), ("graph", 25.0), ("compile", None)):
            answer = roofcast.torch.forecast(record, to=[*TARGETS, *OTHERS], mode=mode, host_us=host)
            made = answer.found
            assert made.energy is not None
            cells = {"time": made.time_s, "low": made.time_low_s, "high": made.time_high_s, "j": made.energy.energy_j}
            of = {key: add_up(values.ravel().tolist()) for key, values in cells.items()}
            steps = [t.record() for t in answer.totals]
            totals = {f"total.{k}": add_up(v) for k, v in columns_of_records(steps).items()}
            found[f"recorded {name}, {mode}, {host}"] = {**of, **totals}
    gpus = [roofcast.gpu(name) for name in (*TARGETS, *OTHERS)]
    machines = Machines(columns_of(gpus), np.arange(len(gpus))[None, :], np.array([[by_itself(p) for p in gpus]]))
    draw = np.random.default_rng(19)
    moved, elements, rows, channels = (np.exp(draw.uniform(0, np.log(most), (40, 1))) for most in (1e10, 1e9, 1e6, 2e3))
    channels = np.where(draw.random(channels.shape) < 0.5, np.nan, channels)
    waits = np.exp(draw.uniform(0, np.log(1e6), (40, 1))) * (draw.random((40, 1)) < 0.3)
    amounts = WorkAmounts(moved, moved * draw.uniform(0.3, 1.0, moved.shape), elements, rows, waits, channels)
    seconds = {kind: work_s(work, amounts, machines).ravel().tolist() for kind, work in WORKS.items()}
    return {**found, "recorded works": {kind: add_up(values) for kind, values in seconds.items()}}


def compute_sums(only: str = "") -> dict[str, dict[str, float]]:
    r"""Name of an answer -> key of its records -> one number, which every value of the key moves.

    .. math:: \sum_i w_i \, \mathrm{sgn}(v_i) \ln(1 + |v_i| / 10^{-12})

    w : 0.5 to 1.5, by place. Texts count as numbers of their own, lists by their length and by the numbers that
    their texts hold: words may change.
    """
    found = {
        name: {key: add_up(values) for key, values in columns(answer).items()} for name, answer in list_answers(only)
    }
    found |= compute_many() if "many".startswith(only) else {}
    found |= compute_recorded() if "recorded".startswith(only) else {}
    if "kind learned".startswith(only):
        found["kind learned"] = learn_line()
        found["kind learned: bounds"] = {c.name: add_up([c.low, c.value, c.high]) for c in CONSTANTS}
        found["kind learned: fits"] = fit_drawn()
        found["kind learned: moves"] = draw_moves()
        found["kind learned: ceilings"] = draw_ceilings()
    return found


def draw_moves() -> dict[str, float]:
    """Factors of copies and page moves of drawn sizes between GPUs with links of each kind."""
    draw = np.random.default_rng(70)
    moved, time_s = np.exp(draw.uniform(7, 21, 30)), np.exp(draw.uniform(-12, -3, 30))
    staged = draw.random(30) < 0.5
    found = {}
    gpus = [roofcast.gpu(name) for name in ("T4", "V100 SXM2 16GB", "H100 SXM5 80GB", "GH200", "MI300A", "B200")]
    for source in gpus:
        for target in gpus:
            moves = [find_move_factors(source, target, *of) for of in zip(moved.tolist(), time_s.tolist(), strict=True)]
            bounds = [find_move_factors(source, target), find_move_factors(None, target), *moves]
            copies = find_copy_factor(moved, time_s, staged, source, target)
            found[f"{source.name} to {target.name}"] = add_up(
                [*copies.tolist(), *(v for b in bounds for v in (b.low, b.middle, b.high))]
            )
    return found


def draw_ceilings() -> dict[str, float]:
    """The ceilings of a roofline of drawn kernels, each on its own GPU, at its boost clock and at 0.7 of it."""
    found: dict[str, float] = {}
    for name, table in (("counted", draw_counted(67, 36)), ("little", draw_all_columns(68, 36))):
        sources = resolve_sources(table, None)
        machines = Machines.of(sources.processors, sources.index)
        for share in (1.0, 0.7):
            here = machines.cells(machines.index, machines.clock_hz * share)
            made: Ceilings | None = ceilings_of(table, amounts_of(table), here)
            for kind in ("sustained", "theory"):
                assert made is not None
                for key in ("flops", "flops_per_s", "flops_per_s_mix", "flops_per_s_peak"):
                    found[f"{name}, {share}, {kind}: {key}"] = add_up(getattr(made, key).ravel().tolist())
                for key in ("bytes_per_s", "bytes_traversing", "flops_per_byte"):
                    levels = getattr(made, key).items()
                    found |= {f"{name}, {share}, {kind}: {key} {r.value}": add_up(v.tolist()) for r, v in levels}
                made = made.theory
    return found


def fit_drawn() -> dict[str, float]:
    """What laws fitted to two to five drawn sizes say of sizes between and beyond them."""
    draw = np.random.default_rng(59)
    found = {}
    for parameters in (1, 2):
        for points in (2, 3, 5):
            sizes = np.asarray(np.round(np.exp(draw.uniform(2, 9, (points, parameters)))), np.float64)
            values = sizes.prod(axis=1) ** 1.3 * np.exp(draw.normal(0, 0.2, points)) + 50
            for name, made in (("drawn", values), ("same", np.full(points, 7.0)), ("none", values * 0)):
                fit = fit_sizes(sizes, made)
                said = fit.at(np.concatenate([sizes * 1.7, sizes[:1] * 40])).tolist()
                found[f"{name}, {points} of {parameters}"] = add_up([*said, fit.error])
    return found


def learn_line() -> dict[str, float]:
    """What the linear regressor, which needs no library, learns of one table and says of another."""
    learned, asked = draw_all_columns(56, 200), draw_all_columns(57)
    gpus = [roofcast.gpu(name) for name in (*SOURCES, *TARGETS)]
    columns, clock_hz = columns_of(gpus), np.array([by_itself(p) for p in gpus])

    def sides(table: KernelTable, width: int) -> tuple[Machines, Machines]:
        here = np.arange(len(table)) % len(SOURCES)
        there = len(SOURCES) + (here[:, None] + np.arange(width)) % len(TARGETS)
        return Machines(columns, here, clock_hz[here]), Machines(columns, there, clock_hz[there])

    time_s = learned.column("time_s") * np.random.default_rng(58).uniform(0.3, 3.0, len(learned))
    made = Linear().trained(learned, *sides(learned, 1), time_s)
    features = features_of(asked, *sides(asked, 3))
    said = made.estimate(asked, *sides(asked, 3), Conditions())
    return {"time": add_up(said.time_s.ravel().tolist()), "features": add_up(features.ravel().tolist())}


def columns(answer: Forecast) -> dict[str, list[float]]:
    """The values of every key of an answer's records, of the ways from source to target, and of the totals."""
    totals = [
        {"kernels": t.kernels, "time": t.time_s, "low": t.time_low_s, "high": t.time_high_s} for t in answer.totals
    ]
    found = columns_of_records(answer.records())
    found |= {f"total.{key}": values for key, values in columns_of_records(totals).items()}
    way = answer.explain()
    weighed = answer.model == "mechanistic" and len(answer.kernels) <= WEIGHED_MOST
    causes = {f"cause.{c.name}": c.factor.ravel().tolist() for c in way.influences} if weighed else {}
    if len(answer.kernels) <= FRAMED_MOST:
        frame = columns_of_records(answer.to_polars().to_dicts())
        steps = columns_of_records(way.records())
        found["frame"] = [add_up(frame[key]) for key in sorted(frame)]
        found["way"] = [add_up(steps[key]) for key in sorted(steps)]
    return {**found, **causes, "ways": np.nan_to_num(way.levels_s, nan=-1.0).ravel().tolist()}


WEIGHED_MOST = 30
"""Kernels of tables of which each cause is weighed: that takes a forecast without each of them."""
FRAMED_MOST = 24
"""Kernels of tables that are also asked for as a frame."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def columns_of_records(records: Iterable[Mapping[str, Any]]) -> dict[str, list[float]]:
    """The values of every key; texts as numbers, lists by their length and the numbers in them."""
    found: dict[str, list[float]] = {}

    def take(key: str, value: Any) -> None:
        if isinstance(value, dict):
            for inner, v in value.items():
                take(f"{key}.{inner}", v)
        elif isinstance(value, str):
            take(key, zlib.crc32(value.encode()) * 1e-9)
        elif isinstance(value, (list, tuple)):
            take(key, len(value))
            numbers = [float(n) for said in value for n in NUMBER.findall(str(said))]
            take(f"{key}.said", add_up(numbers) if numbers else 0.0)
        else:
            found.setdefault(key, []).append(-1.0 if value is None else float(value))

    for record in records:
        take("", {k: v for k, v in record.items() if k not in ("kernel", "config")})
    return found


def add_up(values: Sequence[float]) -> float:
    """The sum of :func:`compute_sums`."""
    v = np.nan_to_num(np.array(values), nan=-1.0, posinf=1e30, neginf=-1e30)
    weight = 0.5 + np.modf(np.arange(1, len(v) + 1) * 0.6180339887498949)[0]
    return float(f"{weight @ (np.sign(v) * np.log1p(np.abs(v) / 1e-12)):.10g}")


def main() -> int:
    """Write the values anew."""
    lines = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in compute_values().items())
    sums = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in compute_sums().items())
    SUMS.write_text(f"{{\n{sums}\n}}\n", encoding="utf-8")
    FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
