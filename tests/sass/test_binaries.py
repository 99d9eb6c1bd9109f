"""ELF, cubin and fat-binary parsing: what is right is read, what is damaged ends in one line."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast.core.errors import InputError, RoofcastError
from roofcast.core.extras import load_zstd
from roofcast.sass.binaries import choose_cubin, expand_lz4, find_binaries, is_ptx, read_fatbins
from roofcast.sass.cubin import parse_cubin
from roofcast.sass.elf import parse_elf
from sass_builders import container, elf, member, small_cubin


def test_a_cubin_tells_architecture_registers_frame_and_toolkit() -> None:
    cubin = parse_cubin(small_cubin())
    kernel = cubin.function("k")
    assert kernel is not None
    assert (cubin.sm, cubin.toolkit) == (80, (12, 4))
    assert (kernel.registers, kernel.frame_bytes, kernel.is_kernel) == (40, 24, True)
    assert kernel.instruction_count == 8


def test_newer_files_hold_the_architecture_in_the_second_byte() -> None:
    assert parse_cubin(small_cubin(abi=8, flags=0x06006402)).sm == 100


def test_a_stripped_cubin_still_names_its_kernel() -> None:
    cubin = parse_cubin(small_cubin(stripped=True))
    assert [(f.name, f.is_kernel, f.registers) for f in cubin.functions] == [("k", True, 40)]


def test_the_note_of_newer_compilers_names_the_toolkit() -> None:
    note = b"x\0Cuda compilation tools, release 13.1, V13.1.80\0"
    assert parse_cubin(elf([(".note.nv.tkinfo", 7, note, 0, 0)])).toolkit == (13, 1)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not an ELF"),
        (b"\x7fELF", "not an ELF"),
        (small_cubin(flags=0x3D), "sm_61"),
        (small_cubin(machine=62), "another machine"),
        (small_cubin(flags=0xFF), "no known architecture"),
        (b"\x7fELF\x02\x02" + bytes(100), "big-endian"),
    ],
)
def test_other_files_are_refused_in_one_line(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        parse_cubin(data)
    assert "\n" not in str(caught.value)


def test_every_truncation_is_refused_or_harmless() -> None:
    whole = small_cubin()
    for size in range(len(whole)):
        with pytest.raises(InputError):
            parse_cubin(whole[:size])


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes_end_in_one_line(data: bytes) -> None:
    for start in (b"", b"\x7fELF\x02\x01\x01", container(size=300)):
        with pytest.raises(RoofcastError) as caught:
            find_binaries(start + data, "x.bin")
        assert "\n" not in str(caught.value)


def literals(data: bytes) -> bytes:
    """LZ4 without matches."""
    rest = len(data) - 15
    return bytes([0xF0]) + bytes([255]) * (rest // 255) + bytes([rest % 255]) + data


def test_members_of_a_fat_binary_are_expanded() -> None:
    cubin, ptx = small_cubin(), b"\n.version 8.0\n.target sm_80\n.entry k() {}\n"
    packed = load_zstd().compress(cubin)
    lz4 = literals(cubin)
    data = container(
        member(cubin), member(lz4, len(lz4), len(cubin), 0x2011, sm=86),
        member(packed, len(packed), len(cubin), 0x8011, sm=90), member(ptx, kind=1),
    )  # fmt: skip
    found = list(read_fatbins(data))
    assert [(e.is_ptx, e.sm) for e in found] == [(False, 80), (False, 86), (False, 90), (True, 80)]
    assert [e.data[: len(cubin)] == cubin for e in found[:3]] == [True, True, True]
    assert found[3].data == ptx


def test_an_executable_gives_what_its_fat_binaries_hold() -> None:
    section = container(member(small_cubin()))
    host = elf([(".nv_fatbin", 1, section + section, 0, 0)], machine=62)
    assert [b.sm for b in find_binaries(host, "a.out")] == [80, 80]
    with pytest.raises(InputError, match="without embedded GPU code"):
        find_binaries(elf([], machine=62), "a.out")


def test_a_damaged_member_is_left_out_and_a_cut_container_refused() -> None:
    cubin = small_cubin()
    bomb = member(b"\xff" * 64, 64, 2**40, 0x2011)
    broken = member(b"\x28\xb5\x2f\xfd" + b"\xff" * 60, 64, 100, 0x8011)
    assert [e.sm for e in read_fatbins(container(bomb, broken, member(cubin, sm=90)))] == [90]
    with pytest.raises(InputError, match="cut off"):
        list(read_fatbins(container(member(cubin))[:-9]))


@pytest.mark.parametrize(
    ("packed", "size", "expected"),
    [
        (b"\x10a\x01\x00", 5, b"aaaaa"),  # one literal, a match of 4 that overlaps what it writes
        (b"\x41abcd\x04\x00\x00", 9, b"abcdabcda"),
    ],
)
def test_lz4_matches_may_overlap(packed: bytes, size: int, expected: bytes) -> None:
    assert expand_lz4(packed, size) == expected


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80), st.integers(0, 300))
def test_damaged_lz4_raises_value_error(packed: bytes, size: int) -> None:
    with contextlib.suppress(ValueError):
        assert len(expand_lz4(packed, size)) == size


def test_ptx_is_told_by_its_directives() -> None:
    assert is_ptx(b"//\n.version 7.4\n.target sm_70\n")
    assert not is_ptx(b"version 7.4 target sm_70")


def test_code_of_the_same_generation_is_taken_and_missing_code_is_named(tmp_path: Path) -> None:
    data = small_cubin()
    cubin, how = choose_cubin(data, "k.cubin", 86)
    assert (cubin.sm, how) == (80, "cubin for sm_80, which runs on sm_86")
    with pytest.raises(InputError, match="sm_80 only and no PTX"):
        choose_cubin(data, "k.cubin", 90)


def test_thirty_two_bit_files_are_read_too() -> None:
    ident = b"\x7fELF" + bytes([1, 1, 1, 0x33, 7]) + b"\0" * 7
    head = struct.pack("<HHIIIIIHHHHHH", 2, 190, 0x64, 0, 0, 0, 0x460546, 52, 0, 0, 40, 0, 0)
    assert parse_elf(ident + head).machine == 190
