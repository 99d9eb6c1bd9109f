"""Binaries that were damaged or made to do harm: a result or one line, in bounded time and memory."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import roofcast
from roofcast.core.errors import InputError, RoofcastError
from roofcast.core.extras import load_zstd
from roofcast.sass.binaries import find_binaries
from roofcast.sass.executions import Executions
from roofcast.sass.kernel_summary import Against, Input, read_binary, summarise
from roofcast.sass.show import render_graph_svg, render_sass, render_sass_json
from sass_builders import Build, Launch, container, elf, member, report_with_code, small_cubin

ROUNDS = 250


def damaged(data: bytes, dice: random.Random) -> bytes:
    """A copy with random bytes, a cut, a repeated stretch, or impossible numbers in the section table."""
    raw = bytearray(data)
    kind = dice.randrange(5)
    if kind == 0:
        for _ in range(dice.choice((1, 5, 50, 1000))):
            raw[dice.randrange(len(raw))] = dice.randrange(256)
    elif kind == 1:
        del raw[dice.randrange(len(raw)) :]
    elif kind == 2:
        here, there, size = dice.randrange(len(raw)), dice.randrange(len(raw)), dice.randrange(1, 4000)
        raw[here : here + size] = raw[there : there + size]
    elif kind == 3:
        start, here = dice.randrange(len(raw)), dice.randrange(1, 2000)
        raw[start : start + here] = bytes(dice.randrange(1, 2000))
    else:
        table, count = struct.unpack_from("<Q", raw, 40)[0], struct.unpack_from("<H", raw, 60)[0]
        for _ in range(dice.choice((1, 3, 8))):
            at = table + dice.randrange(max(count, 1)) * 64 + dice.choice((0, 4, 24, 32, 40, 44, 56))
            if at + 8 <= len(raw):
                struct.pack_into("<Q", raw, at, dice.choice((0, 1, 2**63, 2**64 - 1, dice.randrange(2**32))))
    return bytes(raw)


def look_at_everything(data: bytes, other: bytes) -> str:
    """Read, count, match, draw: as `roofcast sass` does, with made-up counts; returns what is printed."""
    summaries = []
    for item in read_binary(data, "x.cubin")[:4]:
        function = item.cubin.function(item.symbol)
        counts = None
        if function is not None:
            size = function.instruction_count
            counts = Executions({item.symbol: np.full(size, 64.0)}, {item.symbol: np.full(size, 2.0)}, is_complete=True)
        item.cubin.source_lines(item.symbol)
        item.cubin.ptx_lines(item.symbol)
        weighted = Input(item.kernel, item.symbol, 0, item.cubin, counts)
        summaries += [summarise(weighted), summarise(item, Against(item.cubin.sm, other, "y"))]
    render_sass_json(summaries)
    render_graph_svg(summaries)
    return render_sass(summaries, 120)


def outcome(work: Callable[[], object]) -> bool:
    """Whether it succeeds; its error must be one line."""
    try:
        work()
    except RoofcastError as error:
        assert "\n" not in str(error)  # noqa: PT017 - nothing raised is fine as well
        return False
    return True


def test_damaged_binaries_made_by_hand() -> None:
    dice = random.Random(5)
    whole = small_cubin()
    done = [outcome(partial(look_at_everything, damaged(whole, dice), whole)) for _ in range(ROUNDS)]
    assert 0 < sum(done) < ROUNDS


@pytest.mark.slow
@pytest.mark.parametrize(("stem", "sm"), [("control", 80), ("memory", 100), ("arithmetic", 90)])
def test_damaged_real_binaries(corpus: Build, stem: str, sm: int) -> None:
    cubin = corpus(stem, sm)
    assert cubin.elf is not None
    whole, dice = cubin.elf.data, random.Random(sm)
    done = [outcome(partial(look_at_everything, damaged(whole, dice), whole)) for _ in range(40)]
    assert 0 < sum(done) < 40


@pytest.mark.slow
def test_damaged_reports_with_code(tmp_path: Path) -> None:
    metrics = {"gpu__time_duration.sum": 20e3, "dram__bytes.sum": 4e6}
    whole = report_with_code(small_cubin(), [Launch("k", [64.0] * 8, metrics)])
    dice, path = random.Random(7), tmp_path / "run.ncu-rep"
    done = 0
    for _ in range(80):
        path.write_bytes(damaged(whole, dice))
        done += outcome(lambda: list(roofcast.forecast(roofcast.read(path), "H100 SXM5 80GB").records()))
    assert 0 < done < 80


BOMB = load_zstd().compress(bytes(2**26))
RUNS = bytes([0x1F, 65, 1, 0]) + b"\xff" * 4000 + b"\0"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (container(*[member(BOMB, len(BOMB), 2**26, 0x8000)] * 8), "more than 256 MiB"),
        (container(member(BOMB, len(BOMB), 100, 0x8000)), "without readable members"),
        (container(member(BOMB, len(BOMB), 2**63, 0x8000)), "without readable members"),
        (container(member(RUNS, len(RUNS), 2**27, 0x2000)), "without readable members"),
        (container(member(b"abc", size=2**63)), "without readable members"),
        (container(member(b"abc"), size=2**40), "cut off"),
        (container() * 20_000, "without readable members"),
        (container(*[member(b"")] * 10_000), ""),
    ],
)
def test_bombs_are_refused_before_they_are_expanded(data: bytes, words: str) -> None:
    start = time.process_time()
    if words:
        with pytest.raises(InputError, match=words):
            find_binaries(data, "f.fatbin")
    else:
        assert len(find_binaries(data, "f.fatbin")) <= 4096
    assert time.process_time() - start < 5


def test_code_that_calls_itself_and_branches_in_circles_ends() -> None:
    branch = 0x947 | 7 << 12 | (2**30 - 4) << 34  # to itself
    call = 0x943 | 7 << 12
    code = struct.pack("<8Q", call, 0, branch, 0xE << 20, call, 0, branch, 0xE << 20)
    relocations = b"".join(struct.pack("<QQ", 16 * i, 1 << 32 | 1) for i in (0, 2))
    data = elf(
        [
            (".text.k", 1, code, 0, 40 << 24),
            (".nv.constant0.k", 1, b"\0" * 8, 0, 1),
            (".rel.text.k", 9, relocations, 0, 1),
        ],
        symbols=[("k", 2, 1, 0, len(code))],
    )
    assert "k" in look_at_everything(data, data)


@pytest.mark.slow
def test_many_functions_take_time_linear_in_their_number() -> None:
    code = struct.pack("<QQ", 0x94D | 7 << 12, 0) * 8

    def seconds(count: int) -> float:
        sections = [(f".text.f{i}", 1, code, 0, 0) for i in range(count)]
        sections += [(f".nv.info.f{i}", 0x70000000, b"", 0, 0) for i in range(count)]
        data = elf(sections, symbols=[(f"f{i}", 2, i + 1, 0, len(code)) for i in range(count)])
        start = time.process_time()
        assert len(roofcast_cubin(data)) == count
        return time.process_time() - start

    # The least of several: what the collector has to do in a large process is no part of it.
    few, many = (min(seconds(count) for _ in range(4)) for count in (500, 4000))
    assert many < 40 * max(few, 0.01)


def roofcast_cubin(data: bytes) -> tuple[object, ...]:
    from roofcast.sass.cubin import parse_cubin

    return parse_cubin(data).functions
