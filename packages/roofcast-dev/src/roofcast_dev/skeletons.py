"""`roofcast-dev new KIND NAME`: the skeleton of a GPU, a cause, a format or a question, and what is left to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from roofcast_dev.checkout import HERE, Checkout, Refused

EXAMPLES = """\b
Examples:
  roofcast-dev new gpu "RTX 5070 Ti" --like "RTX 5080"
  roofcast-dev new cause write_cost --after dram_time
  roofcast-dev new format my-profiler --folder tables
  roofcast-dev new ask weigh --room weighing
"""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
def main() -> None:
    """For who adds to roofcast: run it in a checkout."""


@main.group(epilog=EXAMPLES)
@click.option("--checkout", type=click.Path(file_okay=False, path_type=Path), default=HERE, help="Another checkout.")
@click.pass_context
def new(context: click.Context, checkout: Path) -> None:
    """Write a skeleton with its test, green before anything of it is changed."""
    context.obj = Checkout(checkout)


def tell(checkout: Checkout, left: str) -> None:
    """What was written, and what is left."""
    click.echo("wrote\n" + "\n".join(f"  {line}" for line in checkout.written) + f"\nleft to do\n{indent(left)}")


def indent(text: str) -> str:
    """Each line by two spaces."""
    return "\n".join(f"  {line}" for line in text.strip().split("\n"))


@new.command()
@click.argument("name")
@click.option("--like", required=True, metavar="GPU", help="A relative in the catalog, best of the same architecture.")
@click.pass_obj
def gpu(checkout: Checkout, name: str, like: str) -> None:
    """Write the catalog entry of a GPU, NAME as its vendor prints it."""
    from roofcast_dev.new_gpu import write_gpu

    answer(checkout, lambda: write_gpu(checkout, name, like))


@new.command()
@click.argument("name")
@click.option("--after", required=True, metavar="CAUSE", help="The cause behind which it acts.")
@click.pass_obj
def cause(checkout: Checkout, name: str, after: str) -> None:
    """Write a cause of the mechanistic model."""
    from roofcast_dev.new_cause import write_cause

    answer(checkout, lambda: write_cause(checkout, name, after))


@new.command("format")
@click.argument("key")
@click.option("--folder", default="tables", show_default=True, help="Of src/roofcast/ingest.")
@click.pass_obj
def file_format(checkout: Checkout, key: str, folder: str) -> None:
    """Write the reader of a file format, KEY as --input-format takes it."""
    from roofcast_dev.new_reader import write_reader

    answer(checkout, lambda: write_reader(checkout, key, folder))


@new.command()
@click.argument("name")
@click.option("--room", required=True, help="Folder of src/roofcast that answers it.")
@click.pass_obj
def ask(checkout: Checkout, name: str, room: str) -> None:
    """Write a question: a command, a function of Python, a tab of the page."""
    from roofcast_dev.new_ask import write_ask

    answer(checkout, lambda: write_ask(checkout, name, room))


def answer(checkout: Checkout, write: Callable[[], str]) -> None:
    """Write, and say so; what is refused is one line and exit code 2."""
    try:
        left = write()
    except Refused as error:
        click.echo(f"error: {error}", err=True)
        raise SystemExit(2) from None
    tell(checkout, left)
