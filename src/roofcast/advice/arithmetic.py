"""Advice on arithmetic: long-latency functions, fused operations, precisions, tensor cores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roofcast.advice.case import Case, SpecialShare, Symptom, amount
from roofcast.advice.memory_traffic import lowered
from roofcast.core.resource import Resource
from roofcast.kit.quantities import format_percent

LEAST_SPECIAL, LEAST_FUSABLE, LEAST_PIPE, LEAST_CONDITION = 0.05, 0.1, 0.2, 0.01
"""Shares below which nothing is said, ours: of instructions, of fusable ones, of the time (p-norm of resources: a pipe
at a fifth of the time adds under 1 % to it) and of roots. What the model answers decides; these only save asking it."""
FP64_SLIP_SHARE, FP64_BUSY = 0.25, 0.05
FEW_FP64 = 1 / 16
"""1; FP64 FLOPs over FP32 ones up to which they look like a slip of the type, and not like the kernel's purpose."""
MATRIX_FMA_FRACTION = 0.9
"""A matrix product is fused multiply-adds alone; a tenth is left for its epilogue (0.58 in GPP, Yang 2020)."""
PIPES = {"fp64": Resource.FLOPS_FP64, "fp32": Resource.FLOPS_FP32}
NAMED_OPERATIONS, NAMED_PLACES = 4, 3
INSTS_PER_SPECIAL, FP64_FLOPS_PER_SPECIAL = 26.0, 12.0
"""What an FP64 division costs per special-function instruction: differences between two profiles of one kernel whose
divisions became multiplications (NCAR GPU workshop, miniWeather on V100, reports MW_Baseline and MW_DivToMult)."""
INSTS_IN_LINE = 14.0
"""Instructions of an FP64 division, reciprocal or root in line, per special-function instruction (its seed): 15, 10, 15
by the machine code of sm_70 to sm_90 (NVRTC 12.9), for kernels whose own code is not at hand."""
LEAST_EXPANDED, AVOIDABLE = 0.2, 0.5
"""Share of the instructions from which FP64 functions are told, and what reciprocals, squares and hoisting save:
two divisions by one number become one reciprocal and two products (12 of 30 instructions), a compared root nothing.
What replaces a function is waited for as well: no more of the waiting leaves."""
LINE = re.compile(r":\d+$")
FULL_ALIGNMENT = 8
"""Elements of 16 bits in the widest access, 16 bytes."""
SIXTEEN_BITS = (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_TENSOR_BF16)
TENSOR_FOR = {
    Resource.FLOPS_FP32: (Resource.FLOPS_TENSOR_TF32, "TF32"),
    Resource.FLOPS_FP16: (Resource.FLOPS_TENSOR_FP16, "FP16"),
    Resource.FLOPS_FP64: (Resource.FLOPS_TENSOR_FP64, "FP64"),
}


def long_latency(case: Case) -> Iterator[Symptom]:
    """Divisions, roots, powers ... by the machine code and its execution counts."""
    for i in case:
        functions = case.special.get(i, ())
        executed, flops = bounded(case, i, functions)
        if executed < LEAST_SPECIAL:
            continue
        by_name: dict[str, float] = {}
        for s in functions:
            by_name[s.operation] = by_name.get(s.operation, 0.0) + s.executed_fraction
        ranked = sorted(by_name.items(), key=lambda item: -item[1])
        named = ", ".join(f"{name} {format_percent(share)}" for name, share in ranked[:NAMED_OPERATIONS] if share > 0)
        relief = lowered(AVOIDABLE * executed, Resource.INSTS_ISSUED)
        for precision, pipe in ((".f64", Resource.FLOPS_FP64), (".f32", Resource.FLOPS_FP32)):
            share = sum(s.flops_fraction for s in functions if s.operation.endswith(precision))
            share = min(share, flops) if pipe is Resource.FLOPS_FP64 else share
            relief |= lowered(AVOIDABLE * min(share, 1.0), pipe) if share > 0 else {}
        relief |= lowered(AVOIDABLE, Resource.INSTS_SPECIAL)
        yield Symptom(
            i, f"up to {format_percent(executed)} of the executed instructions serve {ranked[0][0]} and other "
               f"such functions",
            (f"blocks of the machine code that hold them, by executed instructions: {named}",),
            remedy_for(ranked[0][0]), relief, where=places_of(functions), waiting=AVOIDABLE * executed,
        )  # fmt: skip


def root_in_condition(case: Case) -> Iterator[Symptom]:
    """A root, as in an absolute value, whose result is compared and used for nothing else (Yang 2020, step 3)."""
    for i in case:
        every = case.special.get(i, ())
        roots = [s for s in every if s.is_condition]
        share = sum(s.executed_fraction for s in roots)
        # Blocks that hold the root hold other work too: its part is bounded as for all special functions together.
        executed, flops = bounded(case, i, every)
        whole = sum(s.executed_fraction for s in every)
        share *= min(executed / whole, 1.0) if whole > 0 else 0.0
        if share < LEAST_CONDITION:
            continue
        relief = lowered(min(share, 0.95), Resource.INSTS_ISSUED)
        for precision, pipe in ((".f64", Resource.FLOPS_FP64), (".f32", Resource.FLOPS_FP32)):
            part = min(sum(s.flops_fraction for s in roots if s.operation.endswith(precision)), flops)
            relief |= lowered(min(part, 0.95), pipe) if part > 0 else {}
        worst = max(roots, key=lambda s: s.executed_fraction)
        yield Symptom(
            i, f"up to {format_percent(share)} of the executed instructions take roots that are only compared",
            (f"machine code: the result of {worst.operation} is read by comparisons and by nothing else",),
            "compare squares: x*x + y*y < r*r, not sqrt(x*x + y*y) or the absolute value of a complex number < r",
            relief, where=places_of(roots), waiting=min(share, 0.95),
        )  # fmt: skip


def places_of(found: Sequence[SpecialShare]) -> str:
    """The source lines that execute most of these functions; where no lines are recorded, the code that does."""
    order = sorted(found, key=lambda s: -s.executed_fraction)
    lines = list(dict.fromkeys(s.where for s in order if LINE.search(s.where)))
    return ", ".join(lines[:NAMED_PLACES]) or order[0].where


def bounded(case: Case, row: int, found: Sequence[SpecialShare]) -> tuple[float, float]:
    """Shares of the executed instructions and of the FP64 FLOPs that these functions can be.

    Blocks that hold a function hold other work too; the number of special-function instructions bounds its part.
    """
    executed = min(sum(s.executed_fraction for s in found), 1.0)
    special, warps, flops = (case.get(c, row) for c in ("insts_special", "insts_executed", "flops_fp64"))
    exact = sum(s.executed_fraction for s in found if s.is_subroutine)
    if not (special >= 0 and warps > 0):
        return executed, 1.0
    work = FP64_FLOPS_PER_SPECIAL * case.warp_size(row) * special / flops if flops > 0 else 1.0
    return min(executed, max(INSTS_PER_SPECIAL * special / warps, exact)), min(work, 1.0)


def remedy_for(operation: str) -> str:
    """What to try against one function."""
    kind = operation.partition(".")[0]
    if operation in ("div.s32", "div.u32", "div.s64", "div.u64"):
        return "avoid integer divisions by run-time values: strength-reduce the index, pass shapes as constants"
    return {
        "div": "multiply by the reciprocal, computed once outside the loop; divide by constants at compile time",
        "pow": "write small integer powers as products; use exp2 and log2 where the domain allows",
        "sqrt": "compare squares rather than roots; use the reciprocal root",
    }.get(kind, "hoist it out of the loop, tabulate it, or use the fast variant where its error is acceptable")


def special_pipe(case: Case) -> Iterator[Symptom]:
    """The special-function pipe takes a large share, where no machine code tells more."""
    for i in case:
        busy = case.busy_fraction(Resource.INSTS_SPECIAL, i)
        if i in case.special:
            continue
        if (symptom := fp64_functions(case, i)) is not None:
            yield symptom
        if not busy >= LEAST_PIPE:
            continue
        yield Symptom(
            i, f"special functions (divisions, roots, exponentials) alone need {format_percent(busy)} of the time",
            (f"{amount(case.get('insts_special', i))} special-function instructions",),
            "multiply by reciprocals, hoist functions out of loops, use fast variants; "
            "`roofcast sass` names them where the report holds the code",
            lowered(0.9, Resource.INSTS_SPECIAL),
        )  # fmt: skip


def fp64_functions(case: Case, row: int) -> Symptom | None:
    """FP64 divisions and roots by their seeds: no unit computes them, each is a sequence of FP64 instructions."""
    special, executed, flops = (case.get(c, row) for c in ("insts_special", "insts_executed", "flops_fp64"))
    if not (special > 0 and executed > 0 and flops > 0) or case.get("flops_fp32", row) > flops:
        return None
    share = min(INSTS_IN_LINE * special / executed, 1.0)
    if share < LEAST_EXPANDED:
        return None
    work = min(FP64_FLOPS_PER_SPECIAL * case.warp_size(row) * special / flops, 1.0)
    relief = lowered(AVOIDABLE * share, Resource.INSTS_ISSUED) | lowered(AVOIDABLE * work, Resource.FLOPS_FP64)
    return Symptom(
        row, f"up to {format_percent(share)} of the executed instructions serve FP64 divisions, roots and the like",
        (f"{amount(special)} special-function instructions in FP64 code; each starts about {INSTS_IN_LINE:.0f}",),
        "multiply by reciprocals, compare squares rather than roots or absolute values, hoist what does not change; "
        f"`roofcast sass` names them where the report holds the code (forecast for {format_percent(AVOIDABLE)} fewer)",
        relief | lowered(AVOIDABLE, Resource.INSTS_SPECIAL), waiting=AVOIDABLE * share,
    )  # fmt: skip


def low_fma(case: Case) -> Iterator[Symptom]:
    """Multiplications and additions that could be fused."""
    for i in case:
        for name, pipe in PIPES.items():
            add, mul, fma = (case.get(f"insts_{name}_{kind}", i) for kind in ("add", "mul", "fma"))
            total = add + mul + fma
            fusable = min(add, mul) / total if total > 0 else 0.0
            busy = case.busy_fraction(pipe, i)
            if not fusable >= LEAST_FUSABLE or not busy >= LEAST_PIPE:
                continue
            relief = lowered(fusable, pipe)
            executed = case.get("insts_executed", i)
            if executed > 0:
                relief |= lowered(min(min(add, mul) / case.warp_size(i) / executed, 0.9), Resource.INSTS_ISSUED)
            yield Symptom(
                i, f"{format_percent(fma / total)} of the {pipe.label} instructions are fused multiply-adds; up to "
                f"{format_percent(fusable)} of them could be saved",
                (f"{pipe.label}: {amount(add)} additions, {amount(mul)} multiplications, {amount(fma)} fused; the "
                 f"pipe alone needs {format_percent(busy)} of the time on {case.target.name}",),
                "allow contraction (no -fmad=false), factor sums of products, evaluate polynomials by Horner's rule",
                relief,
            )  # fmt: skip


def fp64_in_fp32(case: Case) -> Iterator[Symptom]:
    """A little FP64 in FP32 code: a literal without suffix, or a call of the double version."""
    for i in case:
        double, single = case.get("flops_fp64", i), case.get("flops_fp32", i)
        busy = case.busy_fraction(Resource.FLOPS_FP64, i)
        if 0 < double <= FP64_SLIP_SHARE * single and busy >= FP64_BUSY:
            yield Symptom(
                i, f"{format_percent(double / (double + single))} of the FLOPs of this FP32 kernel are FP64",
                (f"FP64 {amount(double, 'FLOP')} and FP32 {amount(single, 'FLOP')}; FP64 alone needs "
                 f"{format_percent(busy)} of the time on {case.target.name}",),
                "write literals as 1.0f, call the float versions of functions",
                lowered(0.98, Resource.FLOPS_FP64),
            )  # fmt: skip


def few_fp64_units(case: Case) -> Iterator[Symptom]:
    """FP64 work on a GPU that has few units for it."""
    double, single = case.target.rate(Resource.FLOPS_FP64), case.target.rate(Resource.FLOPS_FP32)
    if not 0 < double <= FEW_FP64 * single:
        return
    for i in case:
        busy = case.busy_fraction(Resource.FLOPS_FP64, i)
        work, other = case.get("flops_fp64", i), case.get("flops_fp32", i)
        if busy >= LEAST_PIPE and work > 0 and not work <= FP64_SLIP_SHARE * other:
            yield Symptom(
                i, f"FP64 work on {case.target.name}, which has {single / double:.0f} times fewer FP64 than FP32 units",
                (f"{amount(work, 'FLOP')} of FP64 need {format_percent(busy)} of the time there",),
                "compute in FP32 where the accuracy allows (compensated sums, mixed-precision refinement), or choose "
                "a GPU with FP64 units",
                lowered(1 - double / single, Resource.FLOPS_FP64),
            )  # fmt: skip


def tensor_unused(case: Case) -> Iterator[Symptom]:
    """Matrix-like arithmetic on the vector pipes, with the tensor cores idle."""
    for i in case:
        tensor = case.get("insts_tensor", i)
        if tensor != 0:
            continue
        for pipe, (unit, name) in TENSOR_FOR.items():
            precision = pipe.value.removeprefix("flops_")
            add, mul, fma = (case.get(f"insts_{precision}_{kind}", i) for kind in ("add", "mul", "fma"))
            work, busy = case.get(pipe.value, i), case.busy_fraction(pipe, i)
            faster = case.target.rate(unit) / case.target.rate(pipe)
            if not (work > 0 and fma >= MATRIX_FMA_FRACTION * (add + mul + fma) > 0 and faster > 1.2):
                continue
            if not busy >= LEAST_PIPE:
                continue
            yield Symptom(
                i, f"{format_percent(fma / (add + mul + fma))} fused multiply-adds in {pipe.label}, the "
                   f"tensor cores are idle",
                (f"{amount(work, 'FLOP')} of {pipe.label}, 0 tensor instructions; {name} tensor cores of "
                 f"{case.target.name} are {faster:.1f} times faster",),
                f"if this is a matrix product and {name} is accurate enough: a library, or tensor-core instructions",
                {pipe.supply: faster},
            )  # fmt: skip


def tensor_padding(case: Case) -> Iterator[Symptom]:
    """Sixteen-bit products whose rows do not begin at 16-byte boundaries, by their shapes."""
    for i in case:
        work = sum(v for r in SIXTEEN_BITS if (v := case.get(r.value, i)) > 0)
        odd = [f"{d} = {size:.0f}" for d in "nk" if (size := case.get(f"shape_{d}", i)) > 0 and size % FULL_ALIGNMENT]
        if work > 0 and odd:
            yield Symptom(
                i, f"rows of {' and '.join(odd)} elements do not begin at 16-byte boundaries",
                (f"{amount(work, 'FLOP')} on the tensor pipes; {', '.join(odd)}",),
                "pad the leading dimensions to multiples of 8 elements (16 for FP8 and INT8)",
            )  # fmt: skip
