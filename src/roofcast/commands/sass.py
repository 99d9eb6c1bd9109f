"""`roofcast sass`: what the machine code does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofcast.commands import completing, options
from roofcast.core.errors import InputError, RoofcastError, one_line

if TYPE_CHECKING:
    from roofcast.sass.kernel_summary import Against, KernelSummary

EPILOG = """\b
Examples:
  roofcast sass run.ncu-rep --against H100
  roofcast sass kernels.cubin --against other.cubin --format json
  roofcast sass kernels.cubin --counts kernel-1.traceg
  roofcast sass run.ncu-rep -o cfg.svg"""


@click.command("sass", epilog=EPILOG)
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option(
    "--against",
    metavar="CUBIN|GPU",
    shell_complete=completing.complete_gpu_or_file,
    help="Binary, or GPU to retarget the embedded PTX to.",
)
@click.option(
    "--counts",
    metavar="TRACE",
    type=click.Path(),
    help="How often the binary's instructions ran: an Accel-Sim kernel trace or an NVBit opcode histogram.",
)
@options.output_options(*options.TABLE_FORMATS, "svg")
@options.kernel_option
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", help="Only the N kernels with most executed instructions."
)
def command(
    file: str, against: str | None, counts: str | None, form: str | None, output: str | None, top: int | None,
    pattern: str | None,
) -> None:  # fmt: skip
    """Show instruction mix, special functions and FLOPs of a cubin, fatbin, executable, PTX, .ncu-rep or trace.

    With --against, blocks are matched and the work is recounted for the other architecture.
    """
    from roofcast.commands.typed import typed_command
    from roofcast.kit.output import chosen_format, deliver, text_width
    from roofcast.kit.page import render_page
    from roofcast.kit.table import Table
    from roofcast.sass.kernel_summary import summarise_with_counts
    from roofcast.sass.show import build_sass_page, make_record, render_graph_svg, render_sass, render_sass_json

    kernels = select_kernels(summarise_with_counts(file, counts, find_other_side(against)), pattern, top)
    texts = {
        "table": lambda: render_sass(kernels, text_width(output)),
        "json": lambda: render_sass_json(kernels),
        "html": lambda: render_page(build_sass_page(kernels, typed_command())),
        "svg": lambda: render_graph_svg(kernels),
    }
    deliver(chosen_format(form, output), output, texts, rows=lambda: Table.of_records(map(make_record, kernels)))


def find_other_side(text: str | None) -> Against | None:
    """What ``--against`` names: a binary (an existing file that is no catalog entry) or a GPU."""
    from roofcast.catalog import parse_target
    from roofcast.sass.binaries import find_binaries, read_bytes
    from roofcast.sass.cubin import parse_cubin
    from roofcast.sass.kernel_summary import Against

    if text is None:
        return None
    if Path(text).is_file() and not text.lower().endswith(".toml"):
        data = read_bytes(text)
        binaries = find_binaries(data, Path(text).name)
        try:
            versions = [parse_cubin(b.data).sm for b in binaries if not b.is_ptx]
        except InputError as error:
            raise InputError(f"{one_line(text)}: {error}") from None
        if len(set(versions)) == 1:
            return Against(versions[0], data, Path(text).name)
        kinds = ", ".join(f"sm_{v}" for v in sorted(set(versions))) or "PTX only"
        raise InputError(f"{one_line(text)}: holds {kinds}; give a cubin of one architecture, or name a GPU")
    if re.fullmatch(r"sm_\d+", text):
        return Against(int(text[3:]))
    processor = parse_target(text).processor
    architecture = processor.architecture
    if not re.fullmatch(r"sm_\d+", architecture) or int(architecture[3:]) < 70:
        raise InputError(f"--against {one_line(text)}: {processor.name} does not run machine code of Volta or newer")
    return Against(int(architecture[3:]))


def select_kernels(kernels: Sequence[KernelSummary], pattern: str | None, top: int | None) -> list[KernelSummary]:
    """Kernels whose name matches, at most ``top`` of them: the most executed ones, in file order."""
    from roofcast.core.kernel_table import rows_matching

    if not kernels:
        raise RoofcastError("the file holds no kernel")
    symbols = [k.symbol for k in kernels]
    matching = [kernels[i] for i in rows_matching([k.kernel for k in kernels], pattern or "", also=symbols)]
    if top is None or len(matching) <= top:
        return matching

    def weight(k: KernelSummary) -> tuple[float, int]:
        return (k.executions.total_threads() if k.executions else 0.0, k.instructions)

    longest = {id(k) for k in sorted(matching, key=weight, reverse=True)[:top]}
    return [k for k in matching if id(k) in longest]
