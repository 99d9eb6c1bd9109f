"""`roofcast hull`: from an algorithm's class to its execution time."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command
from roofcast.core.errors import RoofcastError
from roofcast.core.extras import import_extra
from roofcast_hull.ask import ASK, hull

if TYPE_CHECKING:
    from roofcast.kit.output import Render
    from roofcast_hull.asking import HullAnswer, HullQuestion
    from roofcast_hull.graph import HullView


ASSUMED = ("fma", "no-fma", "coalesced", "scattered", "warm", "cold", "threads", "one-thread", "vector", "scalar")


@click.command("hull", epilog=ASK.epilog)
@click.argument(
    "what", required=False, default="", metavar="[CLASS|FILE.toml]", shell_complete=completing.complete_file
)
@click.option(
    "--on", metavar="PROCESSOR[,...]", shell_complete=completing.complete_gpu,
    help="GPUs and CPUs: catalog names, TOML files, variations in braces.",
)  # fmt: skip
@click.option("--complexity", default="", metavar="N[:M]",
              help="Operations of one application of the class's function, or a range; 2 for a product of "
              "matrices, else 1.")  # fmt: skip
@click.option("--transfers", is_flag=True, help="Input and output cross the bus to and from the processor.")
@click.option("--form", "variant", default="auto", show_default=True,
              type=click.Choice(["auto", "published", "modern", "both"]),
              help="As published, or with caches, atomics and launch; auto: modern for GPUs since 2014.")  # fmt: skip
@click.option("--assume", default="", metavar="WORD[,...]",
              help="What is known of the code: fma, no-fma, coalesced, scattered, warm, cold; CPUs: threads, "
              "one-thread, vector, scalar. What is left open widens the range.")  # fmt: skip
@click.option("--element", metavar="TYPE",
              help="Element type: fp32 (code: as declared), int32, fp64, fp16, bf16, int8, int16, int64.")  # fmt: skip
@click.option("--offset", type=float, metavar="OPS", help="Operations per unit of work beside the function's own.")
@click.option(
    "--size",
    "sizes",
    metavar="A=N[,...]",
    multiple=True,
    callback=options.join_lists,
    help="Values of size names in the class or in the code.",
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
@click.option("--kernel", "pattern", metavar="REGEX", help="With --compare: only kernels whose name matches.")
@click.option("--measure-here", "here", is_flag=True,
              help="Measure this machine's CPU and primitives of rising complexity beside its hull.")  # fmt: skip
@click.option("--public-data", "public", is_flag=True,
              help="Lay the model beside measured primitives of public data (folder ROOFCAST_DATA).")  # fmt: skip
@click.option("--roofline", is_flag=True,
              help="With an application and -o FILE.svg: its stages on a roofline, beside their times.")  # fmt: skip
@click.option("--classes", is_flag=True, help="List the classes.")
@options.output_options("table", "json", "csv", "parquet")
def command(
    what: str, on: str | None, complexity: str, transfers: bool, variant: str, assume: str, element: str | None,
    offset: float | None, sizes: str, measured: str | None, fit: str | None, source: str | None, compare: str | None,
    origin: str | None, pattern: str | None, here: bool, public: bool, roofline: bool, classes: bool, form: str | None,
    output: str | None,
) -> None:  # fmt: skip
    """Forecast an algorithm class, or an application of several stages, before any code exists.

    The class says what the algorithm does to its data: "1024x1024|neighbourhood(7x7) -> 1024x1024|element".
    """
    if classes:
        from roofcast.kit.output import text_width
        from roofcast_hull.show import render_registry

        click.echo(render_registry(text_width(None)))
        return

    asked: Any = {
        "what": what, "on": on, "complexity": complexity, "transfers": transfers, "form": variant, "assume": assume,
        "element": element, "offset": offset, "sizes": sizes or "", "measured": measured, "fit": fit, "source": source,
        "compare": compare, "origin": origin, "kernel": pattern,
    }  # fmt: skip
    if here and not source:
        from roofcast_hull.asking import HullQuestion

        answer = answer_here(HullQuestion(**asked))
    elif public and not source:
        answer = answer_public()
    else:
        answer = hull(**asked).found
    message = deliver_answer(answer, form, output, roofline=roofline)
    if message:
        click.echo(message, err=True)


def deliver_answer(found: HullAnswer, form: str | None, output: str | None, *, roofline: bool = False) -> str | None:
    """Print, write or draw an answer; the line that says where a file went."""
    from roofcast.kit.output import chosen_format, deliver, text_width, written
    from roofcast_hull.asking import PICTURES

    if output and found.draw is not None and Path(output).suffix.lower() in PICTURES:
        found.save(output, roofline=roofline, command=typed_command())
        return written(output)
    texts: dict[str, Render] = {
        "table": lambda: found.text(text_width(output)), "json": found.json, "csv": found.csv,
    }  # fmt: skip
    deliver(chosen_format(form, output), output, texts, {"parquet": found.rows.write_parquet})
    return None


def answer_here(question: HullQuestion) -> HullAnswer:
    """Measure this machine's CPU, then draw or print model and measurement side by side."""
    from roofcast_hull import show
    from roofcast_hull.asking import HullAnswer
    from roofcast_hull.graph import Point, make_view
    from roofcast_hull.hull import find_bounds
    from roofcast_hull.this_machine import check_codes, choose_class, take_faster

    cpu = import_extra("roofcast_measure.host_cpu", "measure", "--measure-here")
    algorithm = choose_class(question.what, question.names)
    with cpu.compiled() as probe:
        before = cpu.measure_cpu(probe)
        measured = cpu.measure_primitives(probe, algorithm.inputs[0].elements)
        processor = take_faster(before, cpu.measure_cpu(probe))
    bounds = find_bounds(algorithm, processor, question.settings)
    checked = check_codes(bounds, measured)

    def draw(_: str) -> HullView:
        points = [Point(c.complexity, c.measured_s, c.meaning) for c in checked]
        low, high = min(p.complexity for p in points), max(p.complexity for p in points)
        return make_view([(str(algorithm), bounds)], (float(low) / 2, 4.0 * high), points=points)

    return HullAnswer(
        lambda width: show.render_checked(processor, checked, width),
        partial(show.tabulate_checked, bounds.processor, checked),
        as_csv=lambda: show.render_checked_csv(processor.name, checked), draw=draw,
    )  # fmt: skip


def answer_public() -> HullAnswer:
    """The model beside public measurements: all primitives on all GPUs."""
    from roofcast_hull import show
    from roofcast_hull.asking import HullAnswer
    from roofcast_hull.public_data import compare_public

    datasets = import_extra("roofcast_evaluate.datasets", "evaluate", "--public-data")
    rows = compare_public(lambda dataset: datasets.load(dataset)[1])
    if not rows:
        raise RoofcastError("no public measurements found: set ROOFCAST_DATA to the folder of the data sets")
    return HullAnswer(partial(show.render_public, rows), partial(show.tabulate_public, rows))
