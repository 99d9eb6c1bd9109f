"""`roofcast hull`: from an algorithm's class to its execution time."""

from __future__ import annotations

import click

from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command

EPILOG = """\b
Examples:
  roofcast hull "1024x1024|element -> 256|shared" --on "GTX 470,H100,i7-930"
  roofcast hull "2048x2048|element -> 2048x2048|element" --complexity 1:1000 --on "GTX 470,H100" --transfers -o hull.svg
  roofcast hull "2048x2048|neighbourhood(7x7) -> 2048x2048|element" --complexity 2 --fit 100us
  roofcast hull examples/fast_focus_on_structures.toml
  roofcast hull --from-source stencil.c:jacobi --on "A100,H100"
  roofcast hull "4096x4096|element -> 4096x4096|element" --compare run.ncu-rep --on H100"""

ASSUMED = ("fma", "no-fma", "coalesced", "scattered", "warm", "cold", "threads", "one-thread", "vector", "scalar")


@click.command("hull", epilog=EPILOG)
@click.argument(
    "what", required=False, default="", metavar="[CLASS|FILE.toml]", shell_complete=completing.complete_file
)
@click.option(
    "--on", metavar="PROCESSOR[,...]", shell_complete=completing.complete_gpu,
    help="GPUs and CPUs: catalog names, TOML files, variations in braces.",
)  # fmt: skip
@click.option("--complexity", default="1", show_default=True, metavar="N[:M]",
              help="Operations of one application of the class's function, or a range.")  # fmt: skip
@click.option("--transfers", is_flag=True, help="Input and output cross the bus to and from the processor.")
@click.option("--form", "variant", default="auto", show_default=True,
              type=click.Choice(["auto", "published", "modern", "both"]),
              help="As published, or with caches, atomics and launch; auto: modern for GPUs since 2014.")  # fmt: skip
@click.option("--assume", default="", metavar="WORD[,...]", shell_complete=completing.words(*ASSUMED),
              help="What is known of the code: fma, no-fma, coalesced, scattered, warm, cold; CPUs: threads, "
              "one-thread, vector, scalar. What is left open widens the range.")  # fmt: skip
@click.option("--element", metavar="TYPE", shell_complete=completing.complete_element,
              help="Element type: fp32 (code: as declared), int32, fp64, fp16, bf16, int8, int16, int64.")  # fmt: skip
@click.option("--offset", type=float, metavar="OPS", help="Operations per unit of work beside the function's own.")
@click.option(
    "--size", "sizes", default="", metavar="A=N[,...]", help="Values of size names in the class or in the code."
)
@click.option("--measured", metavar="FILE.csv", type=click.Path(),
              help="Measured points for the graph: complexity, time_s; optional label, processor.")  # fmt: skip
@click.option("--fit", metavar="TIME", help="Which processor first meets this latency (of --on, or of the catalog).")
@click.option("--from-source", "source", metavar="FILE[:FUNCTION]", shell_complete=completing.complete_file,
              help="Classify affine loops in C or Python; with --on, forecast them.")  # fmt: skip
@click.option("--compare", metavar="PROFILE", type=click.Path(),
              help="How far the kernels of a profile are from the class.")  # fmt: skip
@click.option("--from", "origin", metavar="GPU", shell_complete=completing.complete_gpu,
              help="With --compare: GPU of the profile, where it does not say.")  # fmt: skip
@click.option(
    "--kernel",
    "pattern",
    metavar="REGEX",
    shell_complete=completing.complete_kernel,
    help="With --compare: only kernels whose name matches.",
)
@click.option("--measure-here", "here", is_flag=True,
              help="Measure this machine's CPU and primitives of rising complexity beside its hull.")  # fmt: skip
@click.option("--public-data", "public", is_flag=True,
              help="Lay the model beside measured primitives of public data (folder ROOFCAST_DATA).")  # fmt: skip
@click.option("--classes", is_flag=True, help="List the classes.")
@options.output_options("table", "json", "csv")
def command(
    what: str, on: str | None, complexity: str, transfers: bool, variant: str, assume: str, element: str | None,
    offset: float | None, sizes: str, measured: str | None, fit: str | None, source: str | None, compare: str | None,
    origin: str | None, pattern: str | None, here: bool, public: bool, classes: bool, form: str | None,
    output: str | None,
) -> None:  # fmt: skip
    """Forecast an algorithm class, or an application of several stages, before any code exists.

    The class says what the algorithm does to its data: "1024x1024|neighbourhood(7x7) -> 1024x1024|element".
    """
    from roofcast.commands.hull_output import Request, answer
    from roofcast.hulls.show.hull_text import render_registry
    from roofcast.kit.output import text_width

    if classes:
        click.echo(render_registry(text_width(None)))
        return
    said = answer(
        Request(
            what=what, on=on, complexity=complexity, transfers=transfers, form=variant, assume=assume, element=element,
            offset=offset, sizes=sizes, measured=measured, fit=fit, format=form, output=output, source=source,
            compare=compare, origin=origin, pattern=pattern, here=here, public=public,
            command=typed_command(),
        )
    )  # fmt: skip
    if said:
        click.echo(said, err=True)
