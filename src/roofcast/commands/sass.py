"""`roofcast sass`: what the machine code does."""

from __future__ import annotations

import click

from roofcast.commands import completing, options

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
@options.output_options("table", "json", "svg")
@click.option(
    "--kernel",
    "pattern",
    metavar="REGEX",
    shell_complete=completing.complete_kernel,
    help="Only kernels whose name matches.",
)
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
    from roofcast.kit.output import chosen_format, deliver, text_width
    from roofcast.sass.counted import summarise_with_counts
    from roofcast.sass.sass_graph import render_graph_svg
    from roofcast.sass.selection import other_side, selected
    from roofcast.sass.show import render_sass, render_sass_json

    kernels = selected(summarise_with_counts(file, counts, other_side(against, file)), pattern, top)
    texts = {
        "table": lambda: render_sass(kernels, text_width(output)),
        "json": lambda: render_sass_json(kernels),
        "svg": lambda: render_graph_svg(kernels),
    }
    deliver(chosen_format(form, output), output, texts)
