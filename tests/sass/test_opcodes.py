"""Instructions told from their bits."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from nvdisasm import disassemble, find_nvdisasm, parse_output
from roofcast.core.errors import MissingExtraError
from roofcast.core.resource import Resource
from roofcast.sass.cubin import Cubin, Function
from roofcast.sass.instructions import MEMORY_SPACES, TENSOR, Code, decode, tensor_op
from sass_builders import Build

FP16, BF16, TF32 = Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_TENSOR_BF16, Resource.FLOPS_TENSOR_TF32
INT8, FP64, FP8 = Resource.OPS_TENSOR_INT8, Resource.FLOPS_TENSOR_FP64, Resource.FLOPS_TENSOR_FP8
FP4 = Resource.FLOPS_TENSOR_FP4
TENSOR_CASES = [  # text, architecture, low, high, resource, 2 M N K of one warp instruction
    ("HMMA.884.F32.F32.STEP0", 70, 0x236, 0x5400, FP16, 512),
    ("HMMA.884.F16.F16.STEP0", 70, 0x236, 0x404, FP16, 1024),
    ("HMMA.1688.F32", 75, 0x23C, 0x1018, FP16, 2048),
    ("HMMA.16816.F32", 80, 0x23C, 0x1810, FP16, 4096),
    ("HMMA.16816.F32.BF16", 80, 0x23C, 0x41800, BF16, 4096),
    ("HMMA.1684.F32.TF32", 80, 0x23C, 0x85004, TF32, 1024),
    ("HMMA.1688.F32.TF32", 80, 0x23C, 0x81010, TF32, 2048),
    ("HMMA.SP.16832.F32", 80, 0x23C, 0x5A10, FP16, 8192),
    ("IMMA.8816.S8.S8", 75, 0x237, 0x5418, INT8, 2048),
    ("IMMA.16816.S8.S8", 80, 0x237, 0x405404, INT8, 4096),
    ("IMMA.16832.S8.S8", 80, 0x237, 0x405C00, INT8, 8192),
    ("IMMA.16832.U8.S8", 80, 0x237, 0x404C0C, INT8, 8192),
    ("IMMA.8832.S4.S4", 80, 0x237, 0x385404, INT8, 4096),
    ("IMMA.16864.S4.S4", 80, 0x237, 0x78540C, INT8, 16384),
    ("DMMA.884", 80, 0x23F, 0x0, FP64, 512),
    ("DMMA.16x8x16", 90, 0x23F, 0x3008, FP64, 4096),
    ("QMMA.16832.F32.E4M3.E4M3", 89, 0x27A, 0x2C10, FP8, 8192),
    ("HGMMA.64x8x16.F32", 90, 0x41879F0, 0xFE20008000818, FP16, 4096),
    ("HGMMA.64x256x16.F32", 90, 0x3E00000041879F0, 0xFE20008000818, FP16, 131072),
    ("HGMMA.64x128x16.F32.BF16", 90, 0x1E00000041879F0, 0xFE60008001818, BF16, 65536),
    ("HGMMA.64x64x8.F32.TF32", 90, 0xE00000041879F0, 0xFE20008002818, TF32, 16384),
    ("QGMMA.64x8x32.F32.E5M2.E5M2", 90, 0x9F3, 0x8003818, FP8, 8192),
    ("IGMMA.64x16x32.S8.S8", 90, 0x600000081879F1, 0xFE60008041018, INT8, 16384),
    ("IGMMA.64x64x32.S8.S8", 90, 0x1E00000081879F1, 0xFE60008041018, INT8, 65536),
    ("IGMMA.64x256x32.S8.S8", 90, 0x6600000081879F1, 0xFE60008041018, INT8, 262144),
    ("IGMMA.SP.64x8x64.S8.S8", 90, 0x201C00081879F1, 0xFE60008041218, INT8, 16384),
    ("IGMMA.SP.64x256x64.S8.S8", 90, 0x6809800081879F1, 0xFE60008041218, INT8, 524288),
    ("HGMMA.SP.64x128x16.F32.TF32", 90, 0x1E05800081879F0, 0xFE60008002A18, TF32, 65536),
    ("HGMMA.64x8x8.F32.TF32 with a flag beside N", 90, 0x4000000041879F0, 0xFE20008002818, TF32, 2048),
    ("QGMMA.SP.64x8x64.F32.E4M3.E4M3", 90, 0x4001C00041879F3, 0xFEA0008700A18, FP8, 16384),
    ("IMMA.SP.168128.S4.S4", 80, 0x237, 0x785D0C, INT8, 32768),
    ("QMMA.SP.16864.F32.E4M3.E4M3", 89, 0x27A, 0x1340C, FP8, 16384),
    ("QMMA.SP.16864.F32.E4M3.E4M3", 120, 0x27A, 0x13404, FP8, 16384),
    ("OMMA.SF.16864.F32.E2M1.E2M1.E8", 120, 0x47F, 0x83E0C, FP4, 16384),
    ("OMMA.SF.SP.168128.F32.E2M1.E2M1.UE4M3.4X", 120, 0x47F, 0x53E0C, FP4, 32768),
    ("IGMMA.64x8x32.S8.S8", 90, 0x9F1, 0x8041018, INT8, 8192),
]


def code(low: int, high: int = 0, sm: int = 80) -> Code:
    return Code(np.array([low], np.uint64), np.array([high], np.uint64), sm)


@pytest.mark.parametrize("case", TENSOR_CASES, ids=lambda c: c[0])
def test_tensor_work_follows_shape_and_type_bits(case: tuple[str, int, int, int, Resource, int]) -> None:
    text, sm, low, high, resource, ops = case
    found = code(low, high, sm)
    assert found.name[0] == text.split(".")[0]
    assert tensor_op(found.name[0], low, high, sm) == (resource, ops)
    assert float(found.tensor_ops_per_warp()[resource][0]) == ops


@pytest.mark.parametrize(
    ("number", "sm", "resource", "flops"),
    [
        (0x229, 70, Resource.FLOPS_FP64, 1), (0x228, 70, Resource.FLOPS_FP64, 1), (0x22B, 90, Resource.FLOPS_FP64, 2),
        (0x221, 80, Resource.FLOPS_FP32, 1), (0x823, 80, Resource.FLOPS_FP32, 2), (0x249, 100, Resource.FLOPS_FP32, 4),
        (0x24A, 100, Resource.FLOPS_FP32, 2), (0x230, 75, Resource.FLOPS_FP16, 2), (0x235, 80, Resource.FLOPS_FP16, 4),
    ],
)  # fmt: skip
def test_vector_flops(number: int, sm: int, resource: Resource, flops: int) -> None:
    amounts = {r: float(v[0]) for r, v in code(number | 7 << 12, 0, sm).flops_per_thread().items()}
    assert {r: v for r, v in amounts.items() if v} == {resource: flops}


def test_the_two_numbers_that_change_meaning() -> None:
    assert [str(code(0x236, 0, sm).name[0]) for sm in (70, 75, 90)] == ["HMMA", "HMMA", "VIADD"]
    assert [str(code(0x235, 0, sm).name[0]) for sm in (80, 90, 120)] == ["HFMA2", "HFMA2", "IADD"]


def test_constant_moves_are_told_from_half_precision_work() -> None:
    move = 0x431 | 7 << 12 | 0xFF << 24 | 0x3C003C00 << 32  # HFMA2 R0, -RZ, RZ, 1, 1
    assert bool(code(move, 0xFF).is_phantom[0])
    assert not bool(code(move & ~(0xFF << 24), 0xFF).is_phantom[0])  # a real multiplicand
    assert not bool(code(move, 0x05).is_phantom[0])  # a real addend
    assert not bool(code(move & ~0x1FF | 0x35, 0xFF, 120).is_phantom[0])  # IADD on Blackwell
    assert str(code(move, 0xFF).category()[0]) == "phantom move"


def test_dead_instructions_and_guards() -> None:
    found = Code(np.array([0x7229, 0xF229, 0x0229, 0x9229], np.uint64), np.zeros(4, np.uint64), 80)
    assert found.predicate.tolist() == [7, 15, 0, 9]
    assert found.is_dead.tolist() == [False, True, False, False]


def test_a_cut_instruction_is_ignored() -> None:
    assert len(decode(bytes(16 * 3 + 9), 80)) == 3
    assert len(decode(b"", 80)) == 0


def work_of(text: str) -> int:
    """2 M N K from the shape in an opcode's text; a Volta step is a quarter of what four groups of threads do."""
    shape = next((part for part in text.split(".")[1:] if part[0].isdigit()), "")
    if not shape or text.startswith(("BMMA", "BGMMA", "UTC")):
        return 0
    if "x" in shape:
        m, n, k = map(int, shape.split("x"))
    else:
        m = 16 if shape.startswith("16") else 8
        n, k = 8, int(shape[len(str(m)) + 1 :])
    return 2 * m * n * k // (4 if "GMMA" in text else 1)


ALIASES = {"REDG": "RED", "CGAERRBAR": "ERRBAR", "UCGABAR_ARV": "UCGABAR", "UCGABAR_WAIT": "UCGABAR"}
ALIASES |= dict.fromkeys(("UTCHMMA", "UTCIMMA", "UTCQMMA", "UTCOMMA"), "UTCMMA")
UNTOLD = ("LDSM", "STSM", "LDC", "ULDC", "LDCU", "TEX", "TLD", "TLD4", "SULD", "SUST")
"""Accesses whose text does not name the bytes of a thread in the way of the others."""
WIDTHS = {
    "256": 32.0, "128": 16.0, "F32x4": 16.0, "F16x8": 16.0, "BF16x8": 16.0, "64": 8.0, "F64": 8.0, "S64": 8.0,
    "F32x2": 8.0, "F16x4": 8.0, "BF16x4": 8.0, "U16": 2.0, "S16": 2.0, "U8": 1.0, "S8": 1.0,
}  # fmt: skip
STEMS = ("arithmetic", "control", "memory", "halves", "tensor")
BUILDS = {
    70: (*STEMS, "atomics"), 75: STEMS, 80: (*STEMS, "atomics", "sparse"), 86: STEMS, 89: ("sparse", "tensor"),
    90: (*STEMS, "atomics", "sparse", "hopper"), 100: (*STEMS, "atomics", "sparse", "blackwell"),
    120: (*STEMS, "atomics", "sparse", "consumer"),
}  # fmt: skip
"""Architecture -> files of the corpus that compile for it."""
OWN_FEATURES = ("hopper", "blackwell", "consumer")
"""Files that use what only one architecture has."""


def front_end(stem: str, sm: int) -> str:
    """The architecture that a corpus file is compiled for before it is retargeted."""
    if stem in OWN_FEATURES:
        return f"compute_{sm}a"
    if stem in ("sparse", "atomics"):
        return f"compute_{min(sm, 90)}"
    return "compute_70" if sm < 75 else "compute_75" if sm < 80 else "compute_80" if sm < 89 else "compute_89"


@pytest.mark.slow
@pytest.mark.parametrize("sm", BUILDS)
def test_names_widths_and_guards_agree_with_nvdisasm(corpus: Build, sm: int) -> None:
    try:
        find_nvdisasm()
    except MissingExtraError as error:
        pytest.skip(str(error))
    # One run for all files: starting nvdisasm takes longer than its work.
    code = [(f"{s}:{f.name}", f.code) for s in BUILDS[sm] for f in corpus(s, sm, front_end(s, sm)).functions]
    cubin = Cubin(sm, None, tuple(Function(name, held, is_kernel=True) for name, held in code))
    text = disassemble(cubin)
    compared = 0
    for function in cubin.functions:
        found = decode(function.code, sm)
        for index in range(len(found)):
            told = text.instruction(function.name, index)
            name, *modifiers = told.opcode.split(".")
            mine = str(found.name[index])
            assert mine == ALIASES.get(name, name), told
            if mine in MEMORY_SPACES and name not in UNTOLD:
                expected = next((WIDTHS[m] for m in modifiers if m in WIDTHS), 4.0)
                assert float(found.width_bytes[index]) == expected, told
            if mine in TENSOR:
                ops = tensor_op(mine, int(found.low[index]), int(found.high[index]), sm)[1]
                assert ops == work_of(told.opcode), told
            if name == "MUFU":
                assert found.special_of(index).upper() == modifiers[0], told
            guard = int(found.predicate[index])
            assert bool(told.predicate) == (guard != 7) or name in ("P2R", "R2P", "ELECT"), told
            compared += 1
    assert compared > (300 if sm == 89 else 2000)


def test_fifth_generation_tensor_work_is_absent_not_zero(corpus: Build) -> None:
    from roofcast.sass.carry import find_reached_parts, sum_executed, sum_static
    from roofcast.sass.executions import Executions
    from roofcast.sass.kernel_summary import Input, summarise

    cubin = corpus("blackwell", 100, "compute_100a")
    for kernel in ("fifth_f16", "fifth_nvf4"):
        function = cubin.function(kernel)
        assert function is not None
        assert "tensor" in set(decode(function.code, 100).category())
        ones = np.ones(function.instruction_count)
        done = sum_executed(cubin, Executions({kernel: 32 * ones}, {kernel: ones}, is_complete=True))
        static = sum_static([p for group in find_reached_parts(cubin, kernel).values() for p in group])
        assert not any("tensor" in name for name in (*done, *static))
        assert any("descriptor" in note for note in summarise(Input(kernel, kernel, None, cubin)).notes)
    packed = cubin.function("packed_floats")
    assert packed is not None
    amounts = decode(packed.code, 100).flops_per_thread()
    assert amounts[Resource.FLOPS_FP32].sum() == 4 + 2 + 2


def test_output_of_another_form_is_refused() -> None:
    from roofcast.core.errors import InputError

    for output in (b"", b"{}", b"[1]", b'[{}, [{"sass-instructions": [{"opcode": "NOP"}]}]]'):
        with pytest.raises(InputError, match="nvdisasm"):
            parse_output(output, 2)


def test_the_tools_are_found_or_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import nvdisasm
    from roofcast.sass import toolkit

    monkeypatch.setattr(nvdisasm, "wheel_file", lambda *_: None)
    monkeypatch.setattr(toolkit, "wheel_file", lambda *_: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr("ctypes.CDLL", lambda _: (_ for _ in ()).throw(OSError))
    nvdisasm.find_nvdisasm.cache_clear()
    toolkit.find_jit_link.cache_clear()
    try:
        with pytest.raises(MissingExtraError, match=r"roofcast\[sass\]"):
            nvdisasm.find_nvdisasm()
        with pytest.raises(MissingExtraError, match=r"roofcast\[sass\]"):
            toolkit.find_jit_link()
    finally:
        nvdisasm.find_nvdisasm.cache_clear()
        toolkit.find_jit_link.cache_clear()
