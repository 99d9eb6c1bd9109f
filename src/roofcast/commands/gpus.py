"""`roofcast gpus`: the catalog."""

from __future__ import annotations

import click

from roofcast.commands import completing, options

EPILOG = """\b
Examples:
  roofcast gpus --search hopper
  roofcast gpus "NVIDIA H100 PCIe"
  roofcast gpus --validate my-gpu.toml"""
FORMATS = ("table", "json", "csv")


@click.command("gpus", epilog=EPILOG)
@click.argument("name", nargs=-1, metavar="[NAME]", shell_complete=completing.complete_gpu)
@click.option(
    "--vendor", metavar="VENDOR", shell_complete=completing.complete_vendor, help="Only entries of this vendor."
)
@click.option("--search", metavar="TEXT", help="Only entries whose name, aliases or architecture contain this.")
@click.option("--validate", metavar="FILE", type=click.Path(), help="Check a TOML file that describes a GPU.")
@options.output_options(*FORMATS)
def command(
    name: tuple[str, ...], vendor: str | None, search: str | None, validate: str | None, form: str | None,
    output: str | None,
) -> None:  # fmt: skip
    """List the catalog, show one entry with the source of every value, or check an entry of your own."""
    from functools import partial

    from roofcast import catalog
    from roofcast.catalog import show as gpus
    from roofcast.kit import output as out

    if validate is not None:
        click.echo(gpus.describe_valid(validate, catalog.load_own(validate)))
        return
    width = out.text_width(output)
    if name:
        match = catalog.parse_target(" ".join(name))
        texts = {f: partial(gpus.render_entry, match, f, width) for f in FORMATS}
    else:
        listed = gpus.select_processors(catalog.processors(), vendor, search)
        texts = {f: partial(gpus.render_overview, listed, f, width) for f in FORMATS}
    out.deliver(out.chosen_format(form, output), output, texts)
