"""Summaries with execution counts from a trace or a histogram instead of a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roofcast.core.errors import InputError, one_line
from roofcast.sass.binaries import read_bytes
from roofcast.sass.summary import (
    ALWAYS_SHOWN,
    Against,
    Input,
    KernelSummary,
    binary_inputs,
    summarise,
    summarise_file,
)
from roofcast.sass.traces import TraceCounts, executions_from, is_counts, kernel_of, read_counts
from roofcast.sass.work import PHANTOM

NO_PLACES = "the counts name no instruction of this code: FLOPs by precision only"
NO_BINARY = "no binary: FLOPs by precision only; give the cubin and --counts for blocks and special functions"


def summarise_with_counts(
    path: str | Path, counts: str | Path | None = None, against: Against | None = None
) -> list[KernelSummary]:
    """Summaries of a file (see :func:`roofcast.sass.summary.summarise_file`), weighted by counts where given.

    path : a binary, a report, or a trace or histogram alone. counts : a trace or histogram of the binary's kernels.

    Raises
    ------
    InputError : the file holds no code and no counts, or the counts are of none of its kernels.
    MissingExtraError : the file is PTX or source and there is no compiler.
    """
    if counts is not None:
        found = read_counts(read_bytes(counts), Path(counts).name)
        return with_binary(found, binary_inputs(read_bytes(path), Path(path).name), Path(path).name, against)
    if str(path) != "-" and Path(path).is_file() and is_text(path):
        data = read_bytes(path)
        if is_counts(data):
            return [without_binary(c, NO_BINARY) for c in read_counts(data, Path(path).name)]
    return summarise_file(path, against)


def is_text(path: str | Path) -> bool:
    """Whether a file can hold counts: no binary of any kind, by its first bytes."""
    with Path(path).open("rb") as file:
        head = file.read(4)
    return head[:2] == b"\x1f\x8b" or head == b"\x28\xb5\x2f\xfd" or (b"\0" not in head and head != b"\x7fELF")


def with_binary(
    found: Sequence[TraceCounts], inputs: Sequence[Input], name: str, against: Against | None
) -> list[KernelSummary]:
    """One summary per counted kernel of a binary.

    Raises
    ------
    InputError : the binary holds none of the kernels that were counted.
    """
    summaries = []
    for number, counts in enumerate(found):
        for cubin in {id(i.cubin): i.cubin for i in inputs}.values():
            kernel = kernel_of(counts, cubin)
            if kernel is None:
                continue
            executions = executions_from(counts, cubin, kernel)
            if executions is None:
                summaries.append(without_binary(counts, NO_PLACES, number))
            else:
                item = Input(counts.kernel or kernel, kernel, number, cubin, executions, notes=counts.notes)
                summaries.append(summarise(item, against))
            break
    if not summaries:
        counted = ", ".join(one_line(c.kernel or "(unnamed)", 60) for c in found[:3])
        raise InputError(f"{one_line(name)}: holds none of the counted kernels ({counted})")
    return summaries


def without_binary(counts: TraceCounts, why: str, launch: int | None = None) -> KernelSummary:
    """What counts alone tell: FLOPs by precision and the mix."""
    flops = counts.flops()
    phantom = flops.pop(PHANTOM, 0.0)
    return KernelSummary(
        kernel=counts.kernel or "(unnamed kernel)", launch=launch, architecture="", toolkit="", registers=None,
        frame_bytes=None, shared_bytes=None, instructions=0,
        mix={name: (0, share) for name, share in counts.mix().items()},
        flops_code={name: flops.get(name, 0.0) for name in dict.fromkeys((*ALWAYS_SHOWN, *flops))}, flops_counters={},
        phantom_flops_fp16=phantom, notes=(*counts.notes, why), is_weighted=True,
    )  # fmt: skip
