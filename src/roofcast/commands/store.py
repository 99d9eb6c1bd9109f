"""`roofcast store`: the embedded store of measurements and forecasts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofcast.commands import completing, options
from roofcast.commands.showing import Bar
from roofcast.commands.typed import typed_command

if TYPE_CHECKING:
    from roofcast.store.adding import Added

EPILOG = """\b
Examples:
  roofcast store add nightly reports/ forecast.json
  roofcast store query nightly --kernel gemm --gpu H100
  roofcast store query --sql "SELECT gpu, count(*) FROM launches GROUP BY gpu"
  roofcast store accuracy nightly
  roofcast forecast store:nightly --to B200"""

database = click.option(
    "--db", "place", metavar="FILE", type=click.Path(path_type=Path),
    help="The store (default: ROOFCAST_STORE, else roofcast/store.duckdb in your data folder).",
)  # fmt: skip


@click.group("store", epilog=EPILOG)
def command() -> None:
    """Keep measurements and forecasts in one file, and see later how good the forecasts were."""


@command.command("add", epilog="\b\nExample:\n  roofcast store add nightly h100.ncu-rep b200.json")
@click.argument("name")
@options.files_argument
@click.option("--strict", is_flag=True, help="Exit with 2 where one file was left out, not only where all were.")
@options.input_format_option
@database
def add(name: str, files: tuple[str, ...], strict: bool, input_format: str | None, place: Path | None) -> None:
    """Store profiles, saved forecasts (JSON) and folders of them under NAME; repeating it goes on where it ended."""
    added = add_with_progress(name, files, place, input_format)
    click.echo(added.summary())
    nothing = not added.added and not added.known
    if added.refused and (strict or nothing):
        click.get_current_context().exit(2)


@command.command("list", epilog="\b\nExample:\n  roofcast store list --format json")
@options.output_options(*options.TABLE_FORMATS)
@database
def list_sets(form: str | None, output: str | None, place: Path | None) -> None:
    """List the sets: files, launches, forecasts, GPUs."""
    from roofcast.store.queries import sets
    from roofcast.store.show import deliver_answer

    deliver_answer(sets(place), form, output, typed_command())


@command.command("query", epilog="\b\nExample:\n  roofcast store query nightly --kernel gemm --gpu H100")
@click.argument("name", required=False)
@click.option("--kernel", "pattern", metavar="REGEX", help="Only kernels whose name matches.")
@click.option(
    "--gpu", metavar="GPU", shell_complete=completing.complete_gpu, help="Only this GPU (of forecasts: target)."
)
@click.option("--forecasts", is_flag=True, help="Forecasts instead of measurements.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Rows at most.")
@click.option("--sql", metavar="SELECT", help="Any SQL on files, launches, origins, forecasts; cannot change anything.")
@options.output_options(*options.TABLE_FORMATS)
@database
def query(
    name: str | None, pattern: str | None, gpu: str | None, forecasts: bool, limit: int, sql: str | None,
    form: str | None, output: str | None, place: Path | None,
) -> None:  # fmt: skip
    """Show what is stored, by simple filters or SQL."""
    from roofcast.store import queries
    from roofcast.store.show import deliver_answer

    answer = queries.ask(sql, path=place) if sql else queries.query(
        name, pattern, gpu, forecasts=forecasts, limit=limit, path=place
    )  # fmt: skip
    deliver_answer(answer, form, output, typed_command())


@command.command("accuracy", epilog="\b\nExample:\n  roofcast store accuracy nightly")
@click.argument("name", required=False)
@options.output_options(*options.TABLE_FORMATS)
@database
def accuracy(name: str | None, form: str | None, output: str | None, place: Path | None) -> None:
    """Compare stored forecasts with what was measured later of the same kernels on the same GPU."""
    from roofcast.store import queries
    from roofcast.store.show import deliver_answer

    scores = queries.accuracy(name, place)
    empty = "no forecast has a later measurement of its kernel and GPU in its set"
    deliver_answer(scores, form, output, typed_command(), empty=empty)


@command.command("remove")
@click.argument("name")
@database
def remove(name: str, place: Path | None) -> None:
    """Remove a set."""
    from roofcast.store import sets

    count = sets.remove(name, place)
    click.echo(f"removed {count} file{'s' * (count != 1)}")


def add_with_progress(name: str, files: Sequence[str], store: Path | None, input_format: str | None) -> Added:
    """Store files; on a terminal a bar shows how many bytes of them are done."""
    from roofcast.store.adding import add_files, expanded, size_of

    def left_out(line: str) -> None:
        click.echo(f"left out: {line}", err=True)

    if not sys.stderr.isatty():
        return add_files(name, files, store, input_format=input_format, refused=left_out)
    listed, bar, before = list(expanded(files)), Bar(), 0
    total = max(sum(map(size_of, listed)), 1)

    def show(file: Path, more: float) -> None:
        bar.step(f"storing {file.name}", (before + more) / total)

    def done(file: Path, size: int) -> None:
        nonlocal before
        before += size
        show(file, 0)

    try:
        return add_files(
            name, listed, store, input_format=input_format, progress=done,
            reached=lambda file, share: show(file, share * size_of(file)),
            refused=lambda line: bar.say(f"left out: {line}"),
        )  # fmt: skip
    finally:
        bar.close()
