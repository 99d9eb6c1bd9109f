"""Roots that are only compared: ``if (sqrt(x) < r)`` could compare squares (Yang 2020, third step).

Registers stand in the low word: destination in bits 16 to 23, first operand in bits 24 to 31, second in bits 32 to 39
where bits 9 to 11 are 1 and in stores, third in the low byte of the high word. 255 is no register. Established on
compiled kernels of sm_75 .. sm_120 (see tests/sass/test_conditions.py).
"""

from __future__ import annotations

from roofcast.sass.blocks import Graph, direct_targets
from roofcast.sass.opcodes import Code

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
    joins = int(direct_targets(code)[at])
    if not block.first < joins < len(code):
        return False
    steps = code.is_one_of(*ARITHMETIC)[at:joins].nonzero()[0]
    return bool(len(steps)) and only_compared(code, joins, destination(code, at + int(steps[-1])))


def only_compared(code: Code, start: int, register: int) -> bool:
    """Whether a register is compared from an instruction on, and not read by anything else before it is overwritten."""
    names, compared = code.name, False
    for i in range(start, min(start + REACH, len(code))):
        name = str(names[i])
        if register in operands(code, i, name):
            if name not in COMPARISONS:
                return False
            compared = True
        elif writes_register(name) and destination(code, i) == register:
            break
        if name in ("EXIT", "RET") and code.predicate[i] == ALWAYS:
            break
    return compared


def writes_register(name: str) -> bool:
    """Whether an instruction's destination is an ordinary register; the uniform path has its own."""
    return name not in WRITES_NOTHING and not name.startswith(("U", "R2UR", "S2UR", "LDCU"))


def destination(code: Code, i: int) -> int:
    """Register that an instruction writes."""
    return int(code.low[i]) >> 16 & 0xFF


def operands(code: Code, i: int, name: str) -> set[int]:
    """Registers that an instruction reads; those of the uniform path are others."""
    low, high = int(code.low[i]), int(code.high[i])
    if name.startswith("U"):
        return set()
    found = set() if name in NO_FIRST else {low >> 24 & 0xFF}
    if name in THREE_OPERANDS:
        found.add(high & 0xFF)
    if low >> 9 & 7 == ALL_REGISTERS or name in STORES:
        found.add(low >> 32 & 0xFF)
    return found - {NO_REGISTER}
