"""What an instruction is, told from its bits: no disassembler, no licence, any architecture since Volta.

An instruction has 16 bytes. The low 9 bits are the operation, bits 9 to 11 the form of its operands, bits 12 to 15 the
guard predicate; widths, shapes and types stand at fixed places of the upper half. Checked on 165,248 instructions of
sm_70 .. sm_121 against nvdisasm (see tests/sass/test_opcodes.py).

Tensor instructions do 2 M N K operations per warp, told from their shape, type and sparsity bits. Sparse ones (``.SP``)
count their full K, as vendors do. Shapes that stand in a descriptor instead of the instruction (tcgen05 on sm_100)
cannot be told from the code; they count nothing here.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from roofcast.core.records import dataclass
from roofcast.core.resource import Resource

Words = NDArray[np.uint64]
Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]

NAMES: dict[int, str] = {
    0x01: "PMTRIG", 0x02: "MOV", 0x03: "P2R", 0x04: "R2P", 0x05: "CS2R", 0x06: "VOTE", 0x07: "SEL", 0x08: "FSEL",
    0x09: "FMNMX", 0x0A: "FSET", 0x0B: "FSETP", 0x0C: "ISETP", 0x0F: "VIMNMX3", 0x10: "IADD3", 0x11: "LEA",
    0x12: "LOP3", 0x13: "IABS", 0x14: "VABSDIFF", 0x15: "VABSDIFF4", 0x16: "PRMT", 0x17: "IMNMX", 0x19: "SHF",
    0x1A: "SGXT", 0x1B: "BMSK", 0x1C: "PLOP3", 0x20: "FMUL", 0x21: "FADD", 0x22: "FSWZADD", 0x23: "FFMA", 0x24: "IMAD",
    0x25: "IMAD", 0x26: "IDP", 0x27: "IMAD", 0x28: "DMUL", 0x29: "DADD", 0x2A: "DSETP", 0x2B: "DFMA", 0x2D: "PREEXIT",
    0x2E: "ACQBULK", 0x2F: "ELECT", 0x30: "HADD2", 0x31: "HFMA2", 0x32: "HMUL2", 0x33: "HSET2", 0x34: "HSETP2",
    0x35: "HFMA2", 0x36: "VIADD", 0x37: "IMMA", 0x39: "I2IP", 0x3A: "MOVM", 0x3B: "LDSM", 0x3C: "HMMA", 0x3D: "BMMA",
    0x3E: "F2FP", 0x3F: "DMMA", 0x40: "HMNMX2", 0x44: "STSM", 0x45: "I2FP", 0x46: "VIADDMNMX", 0x48: "VIMNMX",
    0x49: "FFMA2", 0x4A: "FMUL2", 0x4B: "FADD2", 0x4C: "UVIRTCOUNT", 0x55: "UFFMA", 0x5A: "UI2F", 0x76: "FMNMX3",
    0x7A: "QMMA", 0x7F: "OMMA", 0x82: "UMOV", 0x86: "VOTEU", 0x87: "USEL", 0x8C: "UISETP", 0x90: "UIADD3", 0x91: "ULEA",
    0x92: "ULOP3", 0x96: "UPRMT", 0x99: "USHF", 0x9C: "UPLOP3", 0xA4: "UIMAD", 0xA5: "UIMAD", 0xB9: "ULDC",
    0xBD: "UFLO", 0xBF: "UPOPC", 0xCA: "R2UR", 0xCC: "CREDUX", 0x100: "FLO", 0x101: "BREV", 0x102: "FCHK", 0x104: "F2F",
    0x105: "F2I", 0x106: "I2F", 0x107: "FRND", 0x108: "MUFU", 0x109: "POPC", 0x110: "F2F", 0x111: "F2I", 0x112: "I2F",
    0x113: "FRND", 0x118: "NOP", 0x119: "S2R", 0x11A: "DEPBAR", 0x11B: "ENDCOLLECTIVE", 0x11C: "B2R", 0x11D: "BAR",
    0x141: "BSYNC", 0x142: "BREAK", 0x143: "CALL", 0x144: "CALL", 0x145: "BSSY", 0x146: "YIELD", 0x147: "BRA",
    0x148: "WARPSYNC", 0x149: "BRX", 0x14D: "EXIT", 0x14E: "LEPC", 0x150: "RET", 0x155: "BMOV", 0x15C: "BPT",
    0x15D: "NANOSLEEP", 0x160: "TEX", 0x161: "TEX", 0x163: "TLD4", 0x166: "TLD", 0x16C: "TXD", 0x16F: "TXQ",
    0x17E: "LDG", 0x17F: "STG", 0x180: "LD", 0x181: "LDG", 0x182: "LDC", 0x183: "LDL", 0x184: "LDS", 0x185: "ST",
    0x186: "STG", 0x187: "STL", 0x188: "STS", 0x189: "SHFL", 0x18A: "ATOM", 0x18B: "ATOM", 0x18C: "ATOMS",
    0x18D: "ATOMS", 0x18E: "RED", 0x18F: "CCTL", 0x192: "MEMBAR", 0x199: "SULD", 0x19D: "SUST", 0x19F: "SURED",
    0x1A1: "MATCH", 0x1A2: "ATOM", 0x1A3: "ATOMG", 0x1A5: "LDGMC", 0x1A6: "RED", 0x1A7: "SYNCS", 0x1A8: "ATOMG",
    0x1A9: "ATOMG", 0x1AA: "QSPC", 0x1AB: "ERRBAR", 0x1AC: "LDCU", 0x1AE: "LDGSTS", 0x1AF: "LDGDEPBAR", 0x1B1: "SYNCS",
    0x1B2: "SYNCS", 0x1B4: "UTMALDG", 0x1B5: "UTMASTG", 0x1B6: "UTMAREDG", 0x1B7: "UTMACMDFLUSH", 0x1B8: "UTMAPF",
    0x1B9: "UTMACCTL", 0x1BA: "UBLKCP", 0x1BB: "UBLKRED", 0x1BC: "UBLKPF", 0x1BD: "STAS", 0x1BE: "REDAS", 0x1C2: "R2UR",
    0x1C3: "S2UR", 0x1C4: "REDUX", 0x1C5: "WARPGROUP", 0x1C6: "FENCE", 0x1C7: "UCGABAR", 0x1E3: "UTCATOMSWS",
    0x1E6: "UTCSHIFT", 0x1E7: "UTCCP", 0x1E9: "UTCBAR", 0x1EA: "UTCMMA", 0x1ED: "STTM", 0x1EE: "LDTM", 0x1F0: "HGMMA",
    0x1F1: "IGMMA", 0x1F2: "BGMMA", 0x1F3: "QGMMA",
}  # fmt: skip
"""Low 9 bits -> operation; some depend on the architecture (:func:`name_overrides`).

``UTCMMA`` stands for UTCHMMA, UTCIMMA, UTCQMMA and UTCOMMA, ``UCGABAR`` for its arrival and its wait.
"""

MUFU = {0: "cos", 1: "sin", 2: "ex2", 3: "lg2", 4: "rcp", 5: "rsq", 6: "rcp64h", 7: "rsq64h", 8: "sqrt", 9: "tanh"}
TENSOR = ("HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA", "HGMMA", "IGMMA", "BGMMA", "QGMMA", "UTCMMA")
DESCRIBED = ("UTCMMA",)
"""Tensor instructions whose shape stands in a descriptor that only the running program holds."""
WIDTH_BYTES = np.array([1, 1, 2, 2, 4, 8, 16, 16], dtype=np.float64)
"""Bytes per thread by the width field of loads and stores: U8, S8, U16, S16, 32, 64, 128."""
WIDE = (0x17E, 0x17F)
"""Loads and stores of 256 bits (sm_100 and newer)."""
INTEGER_ATOMICS = np.array([4, 4, 8, 4, 16, 8, 8, 4], dtype=np.float64)
"""Bytes by the type field of atomics: U32, S32, U64, FP32, 128 bits, FP64 (two numbers)."""
FP32_OR_S64 = 3
"""The type that is S64 in minima and maxima."""
FLOAT_ATOMICS = np.array([[4, 8, 16, 4, 8, 16, 4, 4], [4, 4, 8, 16, 4, 4, 4, 8]], dtype=np.float64)
"""The same where floating-point atomics have numbers of their own (sm_90 and newer): FP16 x 2, 4, 8, BF16 x 2, 4, 8;
and with the next bit set FP32 x 1, 2, 4, FP64."""
FLOAT_ATOMIC_NUMBERS = (0x1A2, 0x1A3, 0x1A6)

FLOPS_PER_THREAD: dict[str, tuple[Resource, int]] = {
    "DADD": (Resource.FLOPS_FP64, 1), "DMUL": (Resource.FLOPS_FP64, 1), "DFMA": (Resource.FLOPS_FP64, 2),
    "FADD": (Resource.FLOPS_FP32, 1), "FMUL": (Resource.FLOPS_FP32, 1), "FFMA": (Resource.FLOPS_FP32, 2),
    "FADD2": (Resource.FLOPS_FP32, 2), "FMUL2": (Resource.FLOPS_FP32, 2), "FFMA2": (Resource.FLOPS_FP32, 4),
    "HADD2": (Resource.FLOPS_FP16, 2), "HMUL2": (Resource.FLOPS_FP16, 2), "HFMA2": (Resource.FLOPS_FP16, 4),
}  # fmt: skip
"""Operation -> pipe and FLOPs per thread. Packed BF16 counts with FP16, as the hardware counters do."""

MEMORY_SPACES: dict[str, str] = {
    "LDG": "global", "STG": "global", "LD": "generic", "ST": "generic", "LDL": "local", "STL": "local",
    "LDS": "shared", "STS": "shared", "LDSM": "shared", "ATOM": "generic", "ATOMG": "global", "RED": "global",
    "ATOMS": "shared", "LDGSTS": "global", "LDC": "constant", "ULDC": "constant", "LDCU": "constant",
    "TEX": "texture", "TLD": "texture", "TLD4": "texture", "TXD": "texture", "SULD": "surface", "SUST": "surface",
    "SURED": "surface", "STSM": "shared", "STAS": "shared", "REDAS": "shared", "LDGMC": "global",
}  # fmt: skip

CATEGORIES: dict[str, str] = {
    **dict.fromkeys(FLOPS_PER_THREAD, "floating point"),
    **dict.fromkeys(("FMNMX", "FMNMX3", "FSEL", "FSET", "FSETP", "FSWZADD", "FCHK", "DSETP", "HSET2", "HSETP2",
                     "HMNMX2"), "floating-point select"),
    **dict.fromkeys(("UFFMA",), "floating point, uniform"),
    **dict.fromkeys(TENSOR, "tensor"),
    "MUFU": "special function",
    **dict.fromkeys(("F2F", "F2I", "I2F", "I2FP", "F2FP", "FRND", "I2IP", "UI2F"), "conversion"),
    **{name: f"memory: {space}" for name, space in MEMORY_SPACES.items()},
    **dict.fromkeys(("UBLKCP", "UBLKRED", "UBLKPF", "UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF", "UTMACCTL"),
                    "memory: bulk"),
    **dict.fromkeys(("UTCCP", "UTCSHIFT", "UTCATOMSWS", "LDTM", "STTM"), "memory: tensor"),
    **dict.fromkeys(("SHFL", "VOTE", "VOTEU", "MATCH", "REDUX", "CREDUX", "ELECT"), "warp exchange"),
    **dict.fromkeys(("BAR", "DEPBAR", "MEMBAR", "ERRBAR", "LDGDEPBAR", "CCTL", "WARPGROUP", "B2R", "SYNCS",
                     "FENCE", "UCGABAR", "UTCBAR", "UTMACMDFLUSH", "ACQBULK", "PREEXIT"), "synchronisation"),
    **dict.fromkeys(("BRA", "BRX", "CALL", "RET", "EXIT", "BSSY", "BSYNC", "BREAK", "BMOV", "WARPSYNC",
                     "YIELD", "BPT", "LEPC", "NANOSLEEP", "ENDCOLLECTIVE", "PMTRIG", "UVIRTCOUNT"), "control"),
    **dict.fromkeys(("MOV", "SEL", "UMOV", "USEL", "CS2R", "S2R", "S2UR", "R2UR", "P2R", "R2P", "PRMT", "UPRMT",
                     "MOVM"), "move"),
    "NOP": "no operation",
}  # fmt: skip
"""Operation -> class for the instruction mix; what is not listed works on integers, bits and predicates."""
FOUR_BYTES = ("TEX", "TLD", "TLD4", "TXD", "SULD", "SUST", "SURED", "STAS", "REDAS", "LDGMC")
"""Accesses whose width is not told by the instruction, or not by a known field: counted as 4 bytes per thread."""
INTEGER = "integer"
UNKNOWN = "unknown"

RZ = np.uint64(255)


def u64(value: int) -> np.uint64:
    """A constant that NumPy does not promote."""
    return np.uint64(value)


def name_overrides(sm: int) -> dict[int, str]:
    """The operations whose number means something else on some architectures."""
    overrides = {}
    if sm < 80:
        overrides[0x36] = "HMMA"  # 8x8x4 in steps, Volta; later the number is an integer addition
    if sm >= 100:
        overrides[0x35] = "IADD"
    return overrides


@lru_cache(maxsize=64)
def names_for(sm: int) -> NDArray[np.object_]:
    """(512,) operation names of one architecture; ``OP_xxx`` where the number is not known."""
    known = NAMES | name_overrides(sm)
    table = np.empty(512, dtype=np.object_)
    table[:] = [known.get(i, f"OP_{i:03X}") for i in range(512)]
    return table


@lru_cache(maxsize=512)
def numbers_of(sm: int, names: tuple[str, ...]) -> Masks:
    """(512,) which operation numbers have one of these names."""
    return np.isin(names_for(sm).astype(str), names)


@lru_cache(maxsize=64)
def flop_tables(sm: int) -> dict[Resource, Floats]:
    """Resource -> (512,) FLOPs per thread by operation number."""
    tables: dict[Resource, Floats] = {}
    for number, name in enumerate(names_for(sm)):
        resource, flops = FLOPS_PER_THREAD.get(name, (None, 0))
        if resource is not None:
            tables.setdefault(resource, np.zeros(512))[number] = flops
    return tables


@dataclass(frozen=True)
class Code:
    """Instructions as columns, one row each."""

    low: Words
    """(n,) first 8 bytes."""
    high: Words
    sm: int

    def __len__(self) -> int:
        return len(self.low)

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """(n,) low 9 bits."""
        return (self.low & u64(0x1FF)).astype(np.int64)

    @cached_property
    def name(self) -> NDArray[np.object_]:
        """(n,) operation."""
        result: NDArray[np.object_] = names_for(self.sm)[self.number]
        return result

    @cached_property
    def predicate(self) -> NDArray[np.int64]:
        """(n,) guard: 0 .. 6 are P0 .. P6, 7 always, plus 8 where negated (15: never)."""
        return ((self.low >> u64(12)) & u64(15)).astype(np.int64)

    def is_one_of(self, *names: str) -> Masks:
        """(n,) whether the operation is one of these."""
        result: Masks = numbers_of(self.sm, names)[self.number]
        return result

    @cached_property
    def is_dead(self) -> Masks:
        """(n,) instructions that never execute (``@!PT``)."""
        never: Masks = self.predicate == 15
        return never

    @cached_property
    def is_phantom(self) -> Masks:
        """(n,) ``HFMA2 R, -RZ, RZ, imm, imm``: constants moved by the half-precision pipe, counted as FLOPs."""
        form = self.low & u64(0xFFF)
        is_immediate = (form == u64(0x431)) | ((form == u64(0x435)) & (self.sm < 100))
        mask: Masks = is_immediate & (((self.low >> u64(24)) & RZ) == RZ) & ((self.high & RZ) == RZ)
        return mask

    @cached_property
    def width_bytes(self) -> Floats:
        """(n,) bytes per thread of a memory instruction; 0 for every other one."""
        spaces = self.is_one_of(*MEMORY_SPACES)
        width = WIDTH_BYTES[((self.high >> u64(9)) & u64(7)).astype(np.int64)]
        width = np.where(self.is_one_of("ATOMG", "ATOM", "RED", "ATOMS"), self.atomic_bytes(), width)
        # Four 8x8 matrices of 16-bit elements per warp: 16 bytes per lane; the field counts matrices (1, 2, 4).
        matrices = 4.0 * 2.0 ** ((self.high >> u64(8)) & u64(3)).astype(np.float64)
        width = np.where(self.is_one_of("LDSM", "STSM"), matrices, width)
        width = np.where(self.is_one_of(*FOUR_BYTES), 4.0, width)
        width = np.where(np.isin(self.number, WIDE), 32.0, width)
        return np.where(spaces, width, 0.0)

    def atomic_bytes(self) -> Floats:
        """(n,) operand width of atomics, whose field holds a type."""
        kind = ((self.high >> u64(9)) & u64(7)).astype(np.int64)
        is_single = ((self.high >> u64(12)) & u64(1)).astype(np.int64)
        is_extreme = np.isin((self.high >> u64(23)) & u64(7), (1, 2))  # MIN, MAX: of integers
        width = np.where((kind == FP32_OR_S64) & is_extreme, 8.0, INTEGER_ATOMICS[kind])
        return np.where(np.isin(self.number, FLOAT_ATOMIC_NUMBERS), FLOAT_ATOMICS[is_single, kind], width)

    def flops_per_thread(self) -> dict[Resource, Floats]:
        """Resource -> (n,) vector FLOPs of one execution by one thread, phantom moves included."""
        return {r: table[self.number] for r, table in flop_tables(self.sm).items()}

    def tensor_ops_per_warp(self) -> dict[Resource, Floats]:
        """Resource -> (n,) tensor operations of one execution by one warp, from shape and type bits."""
        # Resource -> (n,) operations of one execution by one warp.
        amounts: dict[Resource, Floats] = {}
        names = self.name
        for index in np.flatnonzero(self.is_one_of(*TENSOR)):
            resource, ops = tensor_op(str(names[index]), int(self.low[index]), int(self.high[index]), self.sm)
            if ops:
                amounts.setdefault(resource, np.zeros(len(self)))[index] = ops
        return amounts

    def special_of(self, index: int) -> str:
        """Which function of the special function unit an instruction computes: ``rcp``, ``sin`` ..."""
        return MUFU.get(int((self.high[index] >> u64(10)) & u64(15)), "?")

    def category(self) -> NDArray[np.object_]:
        """(n,) class of each instruction for the instruction mix."""
        names = names_for(self.sm)
        table = np.empty(512, dtype=np.object_)
        table[:] = [UNKNOWN if n.startswith("OP_") else CATEGORIES.get(n, INTEGER) for n in names]
        result: NDArray[np.object_] = table[self.number]
        result[self.is_phantom] = "phantom move"
        return result


def decode(code: bytes, sm: int) -> Code:
    """Instructions of a stretch of machine code; an incomplete last one is ignored.

    code : bytes of a ``.text`` section. sm : architecture.
    """
    words = np.frombuffer(code, dtype="<u8", count=len(code) // 16 * 2).reshape(-1, 2)
    return Code(np.ascontiguousarray(words[:, 0]), np.ascontiguousarray(words[:, 1]), sm)


# Bits of the upper half, as (bit 14, bit 11) for HMMA: 16x8xK.
HMMA_K = {(0, 0): 8, (0, 1): 16, (1, 0): 4, (1, 1): 32}
# IMMA: (bit 22, bit 21, bit 11) -> M, K.
IMMA_MK = {
    (0, 0, 0): (8, 16), (0, 0, 1): (8, 32), (0, 1, 0): (8, 32), (0, 1, 1): (8, 32),
    (1, 0, 0): (16, 16), (1, 0, 1): (16, 32), (1, 1, 0): (16, 64), (1, 1, 1): (16, 128),
}  # fmt: skip
HGMMA_TYPE = {
    0: (Resource.FLOPS_TENSOR_FP16, 16),
    1: (Resource.FLOPS_TENSOR_BF16, 16),
    2: (Resource.FLOPS_TENSOR_TF32, 8),
    3: (Resource.FLOPS_TENSOR_FP16, 16),
}


IGMMA_N = (8, 16, 24, *range(32, 257, 16))
"""N by a third of its field, which also tells dense, sparse and binary apart."""


def bits(word: int, *positions: int) -> tuple[int, ...]:
    """Single bits of a word."""
    return tuple(word >> p & 1 for p in positions)


def tensor_op(name: str, low: int, high: int, sm: int) -> tuple[Resource, int]:
    """Resource and operations per warp of one tensor instruction."""
    if name == "HMMA":
        return hmma(low, high, sm)
    if name == "IMMA":
        m, k = IMMA_MK[bits(high, 22, 21, 11)]  # type: ignore[index]  # three bits are always one of the eight keys
        return Resource.OPS_TENSOR_INT8, 2 * m * 8 * k
    if name == "DMMA":
        m, k = ((8, 4), (16, 4), (16, 8), (16, 16))[high >> 12 & 3]
        return Resource.FLOPS_TENSOR_FP64, 2 * m * 8 * k
    if name == "QMMA":
        return Resource.FLOPS_TENSOR_FP8, 2 * 16 * 8 * (64 if high >> 16 & 1 else 32 if high >> 11 & 1 else 16)
    if name == "OMMA":
        return Resource.FLOPS_TENSOR_FP4, 2 * 16 * 8 * (128 if high >> 16 & 1 else 64)
    if name in ("HGMMA", "IGMMA", "QGMMA"):
        return warp_group(name, low, high)
    # BMMA, BGMMA: binary operations are no arithmetic of any supply; UTCMMA: the descriptor holds the shape.
    return Resource.OPS_TENSOR_INT8, 0


def hmma(low: int, high: int, sm: int) -> tuple[Resource, int]:
    """Half-precision family: 16x8xK, or Volta's 8x8x4 in two (FP16 sums) or four steps (FP32 sums)."""
    if low & 0x1FF == 0x36 and sm < 80:
        has_wide_sums = bool(high >> 12 & 1)
        return Resource.FLOPS_TENSOR_FP16, 512 if has_wide_sums else 1024
    kind = Resource.FLOPS_TENSOR_FP16
    if high >> 19 & 1:
        kind = Resource.FLOPS_TENSOR_TF32
    elif high >> 18 & 1:
        kind = Resource.FLOPS_TENSOR_BF16
    return kind, 2 * 16 * 8 * HMMA_K[bits(high, 14, 11)]  # type: ignore[index]  # two bits are always a key


def warp_group(name: str, low: int, high: int) -> tuple[Resource, int]:
    """Hopper's 64xNxK by a group of four warps; each warp's share."""
    n = ((low >> 53 & 0x1F) + 1) * 8
    kind, k = HGMMA_TYPE[high >> 12 & 3]
    if name == "IGMMA":
        kind, k = Resource.OPS_TENSOR_INT8, 32
        n = IGMMA_N[min((low >> 53 & 0x3F) // 3, len(IGMMA_N) - 1)]
    elif name == "QGMMA":
        kind, k = Resource.FLOPS_TENSOR_FP8, 32
    if high >> 9 & 1:
        k *= 2
    return kind, 2 * 64 * n * k // 4
