"""`roofcast gpus`: the catalog."""

from __future__ import annotations

import click

from roofcast.catalog.ask import ASK, gpus
from roofcast.commands import completing, options


@click.command("gpus", epilog=ASK.epilog)
@click.argument("name", nargs=-1, metavar="[NAME]", shell_complete=completing.complete_gpu)
@click.option("--vendor", metavar="VENDOR", help="Only entries of this vendor.")
@click.option("--search", metavar="TEXT", help="Only entries whose name, aliases or architecture contain this.")
@click.option("--validate", metavar="FILE", type=click.Path(), help="Check a TOML file that describes a GPU.")
@click.option("--segment", metavar="SEGMENT", help="Only entries of datacentre, workstation, consumer or mobile.")
@click.option("--since", metavar="YEAR", type=click.IntRange(1990, 2100), help="Only entries launched since a year.")
@click.option("--on-sale", is_flag=True, help="Only entries of the generations that are sold or rented today.")
@click.option("--like", metavar="TEXT", help='What comes nearest to a few words: "HBM3e, 140 GB".')
@click.option("--audit", is_flag=True, help="How wrong estimates are: leave each measured GPU out and estimate it.")
@options.output_options(*options.TABLE_FORMATS)
def command(
    name: tuple[str, ...], vendor: str | None, search: str | None, validate: str | None, segment: str | None,
    since: int | None, on_sale: bool, like: str | None, audit: bool, form: str | None, output: str | None,
) -> None:  # fmt: skip
    """List the catalog, show one entry with the source of every value, or check an entry of your own."""
    from roofcast import catalog
    from roofcast.catalog import show
    from roofcast.commands.typed import typed_command
    from roofcast.kit.output import dump_json, render_json, text_width
    from roofcast.kit.page import Page, deliver_table

    if validate is not None:
        click.echo(show.describe_valid(validate, catalog.load_own(validate)))
        return
    width = text_width(output)
    if audit:
        from roofcast.catalog.audit import AUDIT_NOTE, audit_estimates, render_audit, tabulate_audit

        lines = audit_estimates()
        page = Page("How wrong estimates are", intro=(AUDIT_NOTE,), command=typed_command())
        deliver_table(form, output, tabulate_audit(lines), page, text=lambda: render_audit(lines, width))
        return
    if name:
        match = gpus(" ".join(name)).found
        page = Page(match.processor.name, intro=(*match.notes, *match.processor.notes), command=typed_command())
        deliver_table(
            form, output, show.tabulate_entry(match.processor), page,
            text=lambda: show.render_entry(match, width), json=lambda: dump_json(show.record_entry(match)),
        )  # fmt: skip
        return
    listed = gpus(
        vendor=vendor, search=search, segment=segment, since=since, on_sale=on_sale, like=like
    ).found  # fmt: skip
    table = show.tabulate_processors(listed, width)
    deliver_table(
        form, output, table, Page("GPUs and CPUs", intro=(show.OVERVIEW_NOTE,), command=typed_command()),
        text=lambda: show.render_overview(listed, width), json=lambda: render_json({"processors": table.records()}),
    )  # fmt: skip
