"""Instructions told from their bits."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from roofcast.core.resource import Resource
from roofcast.errors import MissingExtraError
from roofcast.sass.disassembly import disassemble, find_nvdisasm, parse_output
from roofcast.sass.opcodes import MEMORY_SPACES, TENSOR, Code, decode
from roofcast.sass.tensor import tensor_op
from sass_builders import Build

FP16, BF16, TF32 = Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_TENSOR_BF16, Resource.FLOPS_TENSOR_TF32
INT8, FP64, FP8 = Resource.OPS_TENSOR_INT8, Resource.FLOPS_TENSOR_FP64, Resource.FLOPS_TENSOR_FP8
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
    shape = next(part for part in text.split(".") if part[0].isdigit())
    if "x" in shape:
        m, n, k = map(int, shape.split("x"))
    else:
        m = 16 if shape.startswith("16") else 8
        n, k = 8, int(shape[len(str(m)) + 1 :])
    return 2 * m * n * k


@pytest.mark.parametrize("sm", [70, 75, 80, 86, 90, 100, 120])
def test_names_widths_and_guards_agree_with_nvdisasm(corpus: Build, sm: int) -> None:
    try:
        find_nvdisasm()
    except MissingExtraError as error:
        pytest.skip(str(error))
    fronts = ["compute_70"] if sm < 75 else ["compute_75"]
    fronts += ["compute_89"] if sm >= 89 else ["compute_80"] if sm >= 80 else []
    compared = 0
    for stem in ("arithmetic", "control", "memory", "halves", "tensor"):
        cubin = corpus(stem, sm, fronts[-1])
        text = disassemble(cubin)
        for function in cubin.functions:
            found = decode(function.code, sm)
            for index in range(len(found)):
                told = text.instruction(function.name, index)
                name, *modifiers = told.opcode.split(".")
                assert found.name[index] == {"REDG": "RED"}.get(name, name), told
                if name in MEMORY_SPACES and name not in ("LDSM", "LDC", "ULDC", "LDCU"):
                    wide = {"128": 16.0, "64": 8.0, "F64": 8.0, "U16": 2.0, "S16": 2.0, "U8": 1.0, "S8": 1.0}
                    expected = next((wide[m] for m in modifiers if m in wide), 4.0)
                    assert float(found.width_bytes[index]) == expected, told
                if name in TENSOR:
                    ops = tensor_op(name, int(found.low[index]), int(found.high[index]), sm)[1]
                    assert ops == work_of(told.opcode), told
                if name == "MUFU":
                    assert found.special_of(index).upper() == modifiers[0], told
                guard = int(found.predicate[index])
                assert bool(told.predicate) == (guard != 7) or name in ("P2R", "R2P"), told
                compared += 1
    assert compared > 2000


def test_output_of_another_form_is_refused() -> None:
    from roofcast.errors import InputError

    for output in (b"", b"{}", b"[1]", b'[{}, [{"sass-instructions": [{"opcode": "NOP"}]}]]'):
        with pytest.raises(InputError, match="nvdisasm"):
            parse_output(output, 2)


def test_the_tools_are_found_or_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from roofcast.sass import disassembly, retarget

    monkeypatch.setattr(disassembly, "wheel_file", lambda *_: None)
    monkeypatch.setattr(retarget, "wheel_file", lambda *_: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr("ctypes.CDLL", lambda _: (_ for _ in ()).throw(OSError))
    disassembly.find_nvdisasm.cache_clear()
    retarget.find_jit_link.cache_clear()
    try:
        with pytest.raises(MissingExtraError, match=r"roofcast\[sass\]"):
            disassembly.find_nvdisasm()
        with pytest.raises(MissingExtraError, match=r"roofcast\[sass\]"):
            retarget.find_jit_link()
    finally:
        disassembly.find_nvdisasm.cache_clear()
        retarget.find_jit_link.cache_clear()
