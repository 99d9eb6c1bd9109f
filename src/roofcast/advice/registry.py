"""The registry of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from roofcast.advice import arithmetic, execution, neighbours
from roofcast.advice import memory_traffic as memory
from roofcast.advice.case import Case, Symptom
from roofcast.core.records import dataclass
from roofcast.operators.kernel_names import is_compiled_by_vendor


@dataclass(frozen=True, slots=True)
class Rule:
    """One piece of advice."""

    title: str
    find: Callable[[Case], Iterator[Symptom]]
    by_caller: str | None = None
    """What who only calls the kernel can do about it; '' where that is the cure anyway, None where nothing."""


RULES: dict[str, Rule] = {
    "long-latency": Rule("divisions and other long-latency functions", arithmetic.long_latency),
    "root-in-condition": Rule("roots that are only compared", arithmetic.root_in_condition),
    "special-pipe": Rule("special functions", arithmetic.special_pipe),
    "low-fma": Rule("multiplications and additions not fused", arithmetic.low_fma),
    "fp64-in-fp32": Rule("FP64 in FP32 code", arithmetic.fp64_in_fp32),
    "few-fp64-units": Rule("FP64 on a GPU with few FP64 units", arithmetic.few_fp64_units, ""),
    "tensor-unused": Rule(
        "tensor cores unused",
        arithmetic.tensor_unused,
        "let the library use them: allow TF32, or call it with FP16 or BF16 where that is accurate enough",
    ),
    "tensor-padding": Rule("unaligned tensor-core sizes", arithmetic.tensor_padding, ""),
    "divergence": Rule("idle lanes", execution.divergence),
    "occupancy": Rule("low occupancy", execution.low_occupancy),
    "overhead": Rule("instructions without arithmetic", execution.overhead),
    "idle-roofs": Rule("idle units", execution.idle_roofs),
    "small-grid": Rule("fewer blocks than SMs", execution.small_grid, "a larger batch, or run other kernels beside it"),
    "tail": Rule("last wave partly filled", execution.tail, "another batch or size, so that blocks fill whole waves"),
    "barriers": Rule("waiting at barriers", execution.barriers),
    "launch-bound": Rule("launch-bound", execution.launch_bound, ""),
    "uncoalesced": Rule("uncoalesced accesses", memory.uncoalesced),
    "partial-sectors": Rule("partly used sectors", memory.partial_sectors),
    "bank-conflicts": Rule("shared-memory bank conflicts", memory.bank_conflicts),
    "shared-pressure": Rule("shared memory asked all the time", memory.shared_pressure),
    "l1-pressure": Rule("L1 asked all the time", memory.l1_pressure),
    "spills": Rule("local memory", memory.spills),
    "little-reuse": Rule("little reuse in L2", memory.little_reuse),
    "thread-reuse": Rule("no reuse between terms", memory.thread_reuse),
    "cache-blocking": Rule("loops not blocked for the caches", memory.cache_blocking),
    "no-tiling": Rule("no tiling", memory.no_tiling),
    "atomics": Rule("atomics", memory.atomics),
    "fuse-next": Rule("fusion with the kernel after it", neighbours.written_for_next),
    "fuse-last": Rule("fusion with the kernel before it", neighbours.read_from_last),
}


def find_symptoms(case: Case) -> Iterator[tuple[str, Symptom]]:
    """What all rules find, by the name of the rule; of kernels that a vendor compiled what their caller can change."""
    names = case.kernels.strings("kernel")
    vendor = {n: is_compiled_by_vendor(n) for n in {str(names[i]) for i in case.rows}}
    for name, rule in RULES.items():
        for symptom in rule.find(case):
            changed = (symptom.row, symptom.beside) if symptom.beside >= 0 else (symptom.row,)
            if not any(vendor[str(names[row])] for row in changed):
                yield name, symptom
            elif rule.by_caller is not None:
                yield name, replace(symptom, remedy=rule.by_caller or symptom.remedy)
