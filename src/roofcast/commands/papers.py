"""`roofcast papers`: what the papers print, and what roofcast computes."""

from __future__ import annotations

import sys

import click

from roofcast.commands import options

EPILOG = """\b
Examples:
  roofcast papers
  roofcast papers yang nugteren -o papers.html
  roofcast papers -o docs/papers.md"""


@click.command("papers", epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.output_options(*options.TABLE_FORMATS, "md")
def command(names: tuple[str, ...], form: str | None, output: str | None) -> None:
    """Compute what the four papers print (van_lanker, yang, srivastava, nugteren), item by item, without a GPU.

    Each row has the command that prints it. What needs files of the authors or a GPU says so.
    """
    from roofcast.core.version import VERSION
    from roofcast.evaluation import papers
    from roofcast.kit.output import chosen_format, deliver, dump_json, text_width
    from roofcast.kit.page import render_page
    from roofcast.kit.table import Table

    shows = sys.stderr.isatty()
    found = papers.compare_papers(names, (lambda name: click.echo(f"{name} ...", err=True)) if shows else None)
    records = [papers.record(c) for c in found]
    texts = {
        "table": lambda: papers.render_papers(found, text_width(output)),
        "json": lambda: dump_json({"roofcast": VERSION, "papers": records}),
        "md": lambda: papers.render_document(found),
        "html": lambda: render_page(papers.make_page(found)),
    }
    chosen = "md" if output and output.endswith(".md") and not form else chosen_format(form, output)
    deliver(chosen, output, texts, rows=lambda: Table.of_records(records))
