"""Special functions: division, roots, logarithms ... as compilers expand them, by name and by their marks.

Subroutine names are the compiler's own and stable across versions once ``$__internal_N_`` is stripped. Fast paths in
line are told by the seed instruction and by the subroutine that the same code calls for the hard cases.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from roofcast.sass.blocks import Block, Graph
from roofcast.sass.opcodes import Code

PREFIX = re.compile(r"^(?:\$__internal_\d+_)?\$?(?:.*\$)?(?=_)")
SUBROUTINES: tuple[tuple[str, str], ...] = (
    (r"div.*f64|div_rn_f64", "div.f64"),
    (r"dblrcp|rcp_rn_f64|rcp64", "rcp.f64"),
    (r"drsqrt", "rsqrt.f64"),
    (r"dsqrt|sqrt_rn_f64", "sqrt.f64"),
    (r"div.*f32", "div.f32"),
    (r"rcp.*f32", "rcp.f32"),
    (r"sqrt.*f32", "sqrt.f32"),
    (r"accurate_pow", "pow.f64"),
    (r"trig_reduction.*", "sincos.f64"),
    (r"(?:div|rem)_[su]64", "div.s64"),
    (r"(?:div|rem)_[su]16|(?:div|rem)_[su]32", "div.s32"),
)
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


def operations_in_line(graph: Graph, wanted: Sequence[int] | None = None) -> dict[int, str]:
    """Block number -> special function whose fast path it holds."""
    found: dict[int, str] = {}
    seeds = graph.code.is_one_of("MUFU")
    for number in range(len(graph.blocks)) if wanted is None else wanted:
        block = graph.blocks[number]
        at = np.flatnonzero(seeds[block.first : block.end])
        kinds = [graph.code.special_of(block.first + int(i)) for i in at]
        name = by_marks(graph.code, block)
        if name is None and kinds:
            seed = "rcp64h" if "rcp64h" in kinds else "rsq64h" if "rsq64h" in kinds else kinds[0]
            called = slow_paths_nearby(graph, number)
            name = next((c for c in called if c in SEED_FAMILY.get(seed, ())), SEEDS.get(seed))
            if seed == "rcp" and not graph.code.is_one_of("FFMA", "FMUL", "FADD")[block.first : block.end].any():
                name = "div.s32"  # integer division starts from the same seed, without floating-point steps
        if name is not None:
            found[number] = name
    return found


def by_marks(code: Code, block: Block) -> str | None:
    """The function whose constants stand in a block as immediates."""
    immediates = set((code.low[block.first : block.end] >> np.uint64(32)).tolist())
    return next((name for marks, name in MARKS if marks <= immediates), None)


def slow_paths_nearby(graph: Graph, number: int) -> list[str]:
    """Special functions called within two blocks of a fast path."""
    near, front = [number], [number]
    for _ in range(2):
        front = [t for b in front for t in graph.blocks[b].successors if t not in near]
        near += front
    called = [operation_of_subroutine(c) for b in near for c in graph.blocks[b].calls]
    return [c for c in called if c]
