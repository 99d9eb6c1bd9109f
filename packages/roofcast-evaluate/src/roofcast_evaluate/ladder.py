"""The ladder of information: the same kernels with less and less known of them.

Each step keeps what a user has who knows no more: counters without stall reasons; amounts worked out from the
algorithm, with or without the launch; only bytes or only FLOPs; nothing but the time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import KernelTable

ALWAYS = frozenset({
    *("time_s", "time_std_s", "time_total_s", "launch", "launches"),
    *("clock_hz", "clock_hz_dram", "clock_hz_l2", "sm_count", "capacity_bytes_dram"),
})  # fmt: skip
"""What every run tells: the time and the GPU."""

LAUNCH = frozenset({"grid_blocks", "block_threads", "block_threads_x", "regs_per_thread", "smem_bytes_per_block"})
BYTES = frozenset({"bytes_compulsory", "working_set_bytes"})
STALLS = ("stall_", "warp_latency_cycles")
ROW_COLUMNS = frozenset({"config_app"})
"""Further columns that say which rows are pairs."""


def is_flops(name: str) -> bool:
    """Whether a column counts floating-point operations of the algorithm."""
    return name == "flops" or name.startswith("flops_")


def is_stall(name: str) -> bool:
    """Whether a column says what warps wait for."""
    return name.startswith(STALLS) or "stall" in name


@dataclass(frozen=True)
class Rung:
    """What is still known."""

    name: str
    above: tuple[str, ...]
    """Rungs that know all of this and more."""
    keeps: Callable[[str], bool]
    """Whether a numeric column is still there."""
    counted: bool = False
    """Whether profilers' counters, and what else a table has, are still there."""
    precision: bool = True


RUNGS: tuple[Rung, ...] = (
    Rung("as given", (), lambda _: True, counted=True),
    Rung("no stalls", ("as given",), lambda n: not is_stall(n), counted=True),
    Rung("amounts, launch", ("no stalls",), lambda n: is_flops(n) or n in LAUNCH | BYTES),
    Rung("amounts", ("amounts, launch",), lambda n: is_flops(n) or n in BYTES),
    Rung("bytes", ("amounts",), lambda n: n in BYTES, precision=False),
    Rung("FLOPs", ("amounts",), is_flops),
    Rung("time alone", ("bytes", "FLOPs"), lambda _: False, precision=False),
)
"""From everything to nothing."""

NO_STALLS = RUNGS[1].name
BY_NAME = {step.name: step for step in RUNGS}


def drop_columns(kernels: KernelTable, name: str) -> KernelTable:
    """The table as somebody has it who knows no more than a step; the table itself where that is all of it.

    DRAM bytes that were counted stand for those that the algorithm would tell, where the table has no others.
    """
    step = BY_NAME[name]
    numeric, origin = dict(kernels.numeric), dict(kernels.origin)
    if not step.counted and "bytes_compulsory" not in numeric and "bytes_dram" in numeric:
        numeric["bytes_compulsory"], origin["bytes_compulsory"] = numeric["bytes_dram"], origin["bytes_dram"]
    columns = [n for n in numeric if n in ALWAYS or step.keeps(n)]
    if step.counted:
        counters = {n: v for n, v in kernels.counters.items() if step.keeps(n)}
        if len(columns) == len(kernels.numeric) and len(counters) == len(kernels.counters):
            return kernels
        extra, text = kernels.extra, kernels.text
    else:
        counters = {}
        extra = {n: v for n, v in kernels.extra.items() if n in ROW_COLUMNS}
        hidden = {"cache_state"} if step.precision else {"cache_state", "precision"}
        text = {n: v for n, v in kernels.text.items() if n not in hidden}
        text["config"] = number_texts(kernels.strings("config"))
    return dataclasses.replace(
        kernels, numeric={n: numeric[n] for n in columns}, origin={n: origin[n] for n in columns}, text=text,
        counters=counters, extra=extra,
    )  # fmt: skip


def number_texts(values: NDArray[np.object_]) -> NDArray[np.object_]:
    """A number in place of each text, as text: it tells configurations apart, and nothing of their shapes.

    >>> number_texts(np.array(["m=1", "m=2", "m=1"], dtype=object)).tolist()
    ['0', '1', '0']
    """
    seen: dict[str, str] = {}
    return np.array([seen.setdefault(v, str(len(seen))) for v in values], dtype=np.object_)


def steps_of(kernels: KernelTable) -> list[str]:
    """Names of the steps on which a table tells something else than on those that know more, or know nothing."""
    columns = {step.name: told_columns(kernels, step) for step in RUNGS}
    last = RUNGS[-1].name
    return [
        step.name
        for step in RUNGS
        if step.name == last
        or (
            columns[step.name] != columns[last]
            and not any(columns[step.name] == columns[above] for above in step.above)
        )
    ]


def told_columns(kernels: KernelTable, step: Rung) -> tuple[frozenset[str], bool]:
    """Names of the columns that hold anything on a step, and whether the table's own remarks are among them."""
    table = drop_columns(kernels, step.name)
    return frozenset(n for n, v in table.numeric.items() if np.isfinite(v).any()), step.counted
