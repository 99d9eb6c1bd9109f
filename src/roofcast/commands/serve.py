"""`roofcast serve`: the page."""

from __future__ import annotations

import click

from roofcast.commands import options

EPILOG = """\b
Examples:
  roofcast serve
  roofcast serve run.ncu-rep --open
  roofcast serve --port 8080"""


@click.command("serve", epilog=EPILOG)
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True), metavar="[FILE...]")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port (default: a free one).")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; the page has no login.")
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="NAME", help="Host name that may be asked for.")
@click.option("--max-upload", default="256MB", show_default=True, metavar="SIZE", help="Largest profile to take.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in a browser.")
@options.input_format_option
def command(
    files: tuple[str, ...], port: int, host: str, allow_hosts: tuple[str, ...], max_upload: str, open_browser: bool,
    input_format: str | None,
) -> None:  # fmt: skip
    """Serve a page on this machine: drop a profile, choose GPUs, move their numbers, download the result."""
    from pathlib import Path

    from roofcast.commands.reading import read_profiles
    from roofcast.core.units import parse_quantity
    from roofcast.ingest.timelines import is_timeline
    from roofcast.web.guard import Limits
    from roofcast.web.keeping import Profile
    from roofcast.web.server import serve

    limits = Limits(upload_bytes=int(parse_quantity(max_upload, "B")))
    profiles = []
    for file in files:
        kernels, place = read_profiles([file], input_format), Path(file)
        if place.exists():
            run = is_timeline(file, input_format)
            profiles.append(Profile(place.resolve().name, kernels, path=place.resolve(), run=run))
        else:
            profiles.append(Profile(file if file != "-" else "standard input", kernels))
    serve(profiles, host=host, port=port, allow_hosts=allow_hosts, open_browser=open_browser, limits=limits)
