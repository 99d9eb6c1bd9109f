"""ELF files made by hand, so that machine code can be tested without any compiler."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.sass.binaries import FATBIN_MAGIC
from roofcast.sass.cubin import Cubin
from roofcast.sass.sass_amounts import SassAmounts, apply_facts, launch_facts, read_given, sm_of

Build = Callable[..., Cubin]
COUNTS = ("thread_inst_executed_true", "inst_executed")
GPU = "device__attribute_display_name"
LOADED_AT = 0x7F00_0000_0000


def elf(
    sections: list[tuple[str, int, bytes, int, int]],
    *,
    machine: int = 190,
    flags: int = 0x500550,
    abi: int = 7,
    version: int = 0x7C,
    symbols: list[tuple[str, int, int, int, int]] | None = None,
) -> bytes:
    """An ELF-64 file. sections: (name, type, content, link, info), numbered from 1;
    symbols: (name, kind, section, value, size)."""
    rows = list(sections)
    if symbols is not None:
        names = b"\0"
        table = struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
        for name, kind, section, value, size in symbols:
            table += struct.pack("<IBBHQQ", len(names), kind, 0, section, value, size)
            names += name.encode() + b"\0"
        rows += [(".symtab", 2, table, len(rows) + 2, 0), (".strtab", 3, names, 0, 0)]
    rows.append((".shstrtab", 3, b"", 0, 0))
    labels = b"\0"
    offsets = []
    for name, *_ in rows:
        offsets.append(len(labels))
        labels += name.encode() + b"\0"
    rows[-1] = (".shstrtab", 3, labels, 0, 0)
    body, headers = b"", struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    for (_, kind, content, link, info), label in zip(rows, offsets, strict=True):
        headers += struct.pack("<IIQQQQIIQQ", label, kind, 0, 0, 64 + len(body), len(content), link, info, 1, 0)
        body += content + b"\0" * (-len(content) % 16)
    ident = b"\x7fELF" + bytes([2, 1, 1, 0x33, abi]) + b"\0" * 7
    head = struct.pack(
        "<HHIQQQIHHHHHH", 2, machine, version, 0, 0, 64 + len(body), flags, 64, 0, 0, 64, len(rows) + 1, len(rows)
    )
    return ident + head + body + headers


def member(
    payload: bytes, packed: int = 0, expanded: int = 0, flags: int = 0x11, *, sm: int = 80, kind: int = 2,
    size: int | None = None,
) -> bytes:  # fmt: skip
    """A cubin (kind 2) or PTX (1) of a fat binary; ``size`` where it claims another one."""
    padded = payload + b"\0" * (-len(payload) % 8)
    head = struct.pack("<HHIQIIII", kind, 0x101, 72, len(padded) if size is None else size, packed, 0, 0, sm)
    return head + struct.pack("<QQQQQ", 0, flags, 0, expanded, 0) + padded


def container(*members: bytes, size: int | None = None) -> bytes:
    """A fat binary."""
    body = b"".join(members)
    return struct.pack("<IHHQ", FATBIN_MAGIC, 1, 16, len(body) if size is None else size) + body


def attribute(number: int, *words: int) -> bytes:
    """One record of ``.nv.info``."""
    payload = struct.pack(f"<{len(words)}I", *words)
    return struct.pack("<BBH", 4, number, len(payload)) + payload


def small_cubin(code: bytes = b"", *, stripped: bool = False, **header: int) -> bytes:
    """A cubin with one kernel ``k`` of 40 registers and a frame of 24 bytes."""
    code = code or struct.pack("<QQ", 0x000000000000794D, 0x03800000) * 8
    sections = [
        (".text.k", 1, code, 0, 40 << 24),
        (".nv.constant0.k", 1, b"\0" * 352, 0, 1),
        (".nv.info", 0x70000000, attribute(0x2F, 1, 40) + attribute(0x11, 1, 24), 0, 0),
    ]
    symbols = None if stripped else [("k", 2, 1, 0, len(code))]
    return elf(sections, symbols=symbols, **header)


@dataclass
class Launch:
    """One launch of a report made by hand."""

    kernel: str
    threads: Sequence[float] = ()
    """Executions of each instruction; none: not collected."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    gpu: str = "NVIDIA A100-SXM4-40GB"


def report_with_code(cubin: bytes, launches: Sequence[Launch], strings: Sequence[str] = ()) -> bytes:
    """An Nsight Compute report that embeds one binary; ``launches`` ran its functions."""
    from roofcast.ingest.ncu.container import CLASSES

    def framed(content: bytes) -> bytes:
        return struct.pack("<I", len(content)) + content

    def part(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2]) + varint(len(content)) + content

    names = list(dict.fromkeys([*strings, *(m for run in launches for m in run.metrics), *COUNTS, GPU]))
    results = []
    for run in launches:
        result = CLASSES["ProfileResult"](mangled=run.kernel.encode(), function=run.kernel.encode())
        result.grid.x, result.grid.y, result.grid.z = 64, 1, 1
        result.block.x, result.block.y, result.block.z = 128, 1, 1
        result.metric.add(name=names.index(GPU)).value.text = run.gpu.encode()
        for name, value in run.metrics.items():
            result.metric.add(name=names.index(name)).value.double = value
        for name, column in zip(COUNTS, (run.threads, [t / 32 for t in run.threads]), strict=True):
            metric = result.metric.add(name=names.index(name)) if run.threads else None
            for index, value in enumerate(column):
                pair = CLASSES["Instance"]()
                pair.correlation.uint64 = LOADED_AT + 16 * index
                pair.value.double = value
                metric.instance.append(pair.SerializeToString())  # type: ignore[union-attr]  # there where threads are
        results.append(framed(result.SerializeToString()))
    payload = framed(b"\x08\x01" + part(4, cubin)) + b"".join(results)
    header = CLASSES["BlockHeader"](sources=1, results=len(results), payload_bytes=len(payload))
    header.strings.text.extend(n.encode() for n in names)
    return b"NVR\0" + framed(b"") + framed(header.SerializeToString()) + payload


def varint(value: int) -> bytes:
    """A variable-length number of a message."""
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def apply_sass(
    kernels: KernelTable, path: Path, targets: Sequence[Processor], *, target_sass: Path | None = None,
    rows: Sequence[int] | None = None,
) -> SassAmounts:  # fmt: skip
    """What the code embedded in a report adds to a table that was read from it. rows : those of this report."""
    launch = kernels.column("launch")
    numbers = {i: i if np.isnan(launch[i]) else int(launch[i]) for i in (range(len(kernels)) if rows is None else rows)}
    sms = sorted({sm for sm in map(sm_of, targets) if sm is not None})
    given = read_given(target_sass) if target_sass is not None else None
    found = launch_facts(path, list(numbers.values()), sms, given)
    return apply_facts(kernels, {row: found[i] for row, i in numbers.items()}, targets)
