"""Special functions: division, roots, logarithms ... as compilers expand them, by name and by their marks.

Subroutine names are the compiler's own and stable across versions once ``$__internal_N_`` is stripped. Fast paths in
line are told by the seed instruction and by the subroutine that the same code calls for the hard cases.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from roofcast.sass.blocks import Graph, decode_targets
from roofcast.sass.instructions import Code

SUBROUTINES: tuple[tuple[str, str], ...] = (
    (r"div.*f64|div_rn_f64", "div.f64"), (r"dblrcp|rcp_rn_f64|rcp64", "rcp.f64"), (r"drsqrt", "rsqrt.f64"),
    (r"dsqrt|sqrt_rn_f64", "sqrt.f64"), (r"div.*f32", "div.f32"), (r"rcp.*f32", "rcp.f32"), (r"sqrt.*f32", "sqrt.f32"),
    (r"accurate_pow", "pow.f64"), (r"trig_reduction.*", "sincos.f64"), (r"(?:div|rem)_[su]64", "div.s64"),
    (r"(?:div|rem)_[su]16|(?:div|rem)_[su]32", "div.s32"),
)  # fmt: skip
SEEDS = {
    "rcp64h": "rcp.f64", "rsq64h": "rsqrt.f64", "rcp": "rcp.f32", "rsq": "rsqrt.f32", "sqrt": "sqrt.f32",
    "lg2": "log.f32", "ex2": "exp.f32", "sin": "sin.f32", "cos": "cos.f32", "tanh": "tanh.f32",
}  # fmt: skip
SEED_FAMILY = {"rcp64h": ("div.f64", "rcp.f64"), "rsq64h": ("sqrt.f64", "rsqrt.f64"),
               "rcp": ("div.f32", "rcp.f32", "div.s32"), "rsq": ("sqrt.f32",)}  # fmt: skip
# Upper halves of constants that only one expansion uses: ln 2 (log), log2 e (exp), 2 / pi (sine and cosine).
MARKS: tuple[tuple[frozenset[int], str], ...] = (
    (frozenset({0x3FE62E42, 0x43300000}), "log.f64"),
    (frozenset({0x3FF71547}), "exp.f64"),
    (frozenset({0x3FE45F30}), "sincos.f64"),
    (frozenset({0x3F317218}), "log.f32"),
    (frozenset({0x3FB8AA3B}), "exp.f32"),
    (frozenset({0x3F22F983}), "sincos.f32"),
)


def stable_name(symbol: str) -> str:
    """A subroutine's name without the parts that change from build to build.

    >>> stable_name("$__internal_3_$__cuda_sm20_div_rn_f64_full"), stable_name("$_Z1kPd$__internal_accurate_pow")
    ('__cuda_sm20_div_rn_f64_full', '__internal_accurate_pow')
    """
    return symbol.rpartition("$")[2] or symbol


def operation_of_subroutine(symbol: str) -> str | None:
    """Which special function a subroutine is part of; None for ordinary functions.

    >>> operation_of_subroutine("__cuda_sm20_dsqrt_rn_f64_mediumpath_v1"), operation_of_subroutine("_Z4cubef")
    ('sqrt.f64', None)
    """
    name = stable_name(symbol)
    if not name.startswith(("__cuda_", "__internal_")):
        return None
    return next((operation for pattern, operation in SUBROUTINES if re.search(pattern, name)), None)


def find_fast_paths(graph: Graph, wanted: Sequence[int] | None = None) -> dict[int, str]:
    """Block number -> special function whose fast path it holds."""
    names: dict[int, str] = {}
    seeds = graph.code.is_one_of("MUFU")
    for number in range(len(graph.blocks)) if wanted is None else wanted:
        block = graph.blocks[number]
        at = np.flatnonzero(seeds[block.first : block.end])
        kinds = [graph.code.special_of(block.first + int(i)) for i in at]
        # The function whose constants stand in a block as immediates.
        immediates = set((graph.code.low[block.first : block.end] >> np.uint64(32)).tolist())
        name = next((name for marks, name in MARKS if marks <= immediates), None)
        if name is None and kinds:
            seed = "rcp64h" if "rcp64h" in kinds else "rsq64h" if "rsq64h" in kinds else kinds[0]
            called = find_slow_paths(graph, number)
            name = next((c for c in called if c in SEED_FAMILY.get(seed, ())), SEEDS.get(seed))
            if seed == "rcp" and not graph.code.is_one_of("FFMA", "FMUL", "FADD")[block.first : block.end].any():
                name = "div.s32"  # integer division starts from the same seed, without floating-point steps
        if name is not None:
            names[number] = name
    return names


def find_slow_paths(graph: Graph, number: int) -> list[str]:
    """Special functions called within two blocks of a fast path."""
    near, front = [number], [number]
    for _ in range(2):
        front = [t for b in front for t in graph.blocks[b].successors if t not in near]
        near += front
    called = [operation_of_subroutine(c) for b in near for c in graph.blocks[b].calls]
    return [c for c in called if c]


ROOTS = ("sqrt.f64", "sqrt.f32")
COMPARISONS = ("DSETP", "FSETP", "FSET")
ARITHMETIC = ("DFMA", "DMUL", "DADD", "FFMA", "FMUL", "FADD")
STORES = ("STG", "STS", "STL", "ST", "RED", "ATOMS", "ATOMG", "ATOM")
WRITES_NOTHING = (*STORES, "BRA", "BRX", "BSSY", "BSYNC", "EXIT", "RET", "CALL", "BAR", "NOP", *COMPARISONS)
NO_FIRST = ("MOV", "LDC", "LDCU", "S2R", "S2UR", "CS2R", "NOP", "BRA", "BSSY", "BSYNC", "EXIT", "CALL", "BAR", "MUFU")
THREE_OPERANDS = ("FFMA", "DFMA", "HFMA2", "IMAD", "IADD3", "LEA", "LOP3", "SHF", "PRMT", "IDP", "FFMA2")
"""The byte of the third operand means nothing elsewhere. Moves and special functions read the second."""
NO_REGISTER, ALWAYS, ALL_REGISTERS = 255, 7, 1
REACH = 128
"""Instructions behind the root within which its result is looked for."""


def feeds_condition(graph: Graph, number: int, operation: str) -> bool:
    """Whether the root that a block computes is compared and used for nothing else nearby.

    The fast path and the call of the slow path stand between a ``BSSY`` and the point that it names; the last
    arithmetic instruction in between writes the result. Approximate roots have no slow path, cost little, and are not
    looked at.

    graph : the function. number : the block of the root's fast path. operation : its name, such as ``sqrt.f64``.
    """
    if operation not in ROOTS:
        return False
    code, block = graph.code, graph.blocks[number]
    opens = code.is_one_of("BSSY")[block.first : block.end].nonzero()[0]
    if not len(opens):
        return False
    at = block.first + int(opens[-1])
    joins = int(decode_targets(code)[at])
    if not block.first < joins < len(code):
        return False
    steps = code.is_one_of(*ARITHMETIC)[at:joins].nonzero()[0]
    return bool(len(steps)) and is_only_compared(code, joins, read_destination(code, at + int(steps[-1])))


def is_only_compared(code: Code, start: int, register: int) -> bool:
    """Whether a register is compared from an instruction on, and not read by anything else before it is overwritten."""
    names, compared = code.name, False
    for i in range(start, min(start + REACH, len(code))):
        name = str(names[i])
        if register in read_operands(code, i, name):
            if name not in COMPARISONS:
                return False
            compared = True
        elif writes_register(name) and read_destination(code, i) == register:
            break
        if name in ("EXIT", "RET") and code.predicate[i] == ALWAYS:
            break
    return compared


def writes_register(name: str) -> bool:
    """Whether an instruction's destination is an ordinary register; the uniform path has its own."""
    return name not in WRITES_NOTHING and not name.startswith(("U", "R2UR", "S2UR", "LDCU"))


def read_destination(code: Code, i: int) -> int:
    """Register that an instruction writes."""
    return int(code.low[i]) >> 16 & 0xFF


def read_operands(code: Code, i: int, name: str) -> set[int]:
    """Registers that an instruction reads; those of the uniform path are others."""
    low, high = int(code.low[i]), int(code.high[i])
    if name.startswith("U"):
        return set()
    registers = set() if name in NO_FIRST else {low >> 24 & 0xFF}
    if name in THREE_OPERANDS:
        registers.add(high & 0xFF)
    if low >> 9 & 7 == ALL_REGISTERS or name in STORES:
        registers.add(low >> 32 & 0xFF)
    return registers - {NO_REGISTER}
