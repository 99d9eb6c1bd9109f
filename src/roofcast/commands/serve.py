"""`roofcast serve`: the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from roofcast.commands import options
from roofcast.web.guard import Limits

if TYPE_CHECKING:
    from roofcast.web.keeping import Profile

AUTH = re.compile(r"[A-Za-z0-9_-]{12,}")
EPILOG = """\b
Examples:
  roofcast serve
  roofcast serve run.ncu-rep --open
  roofcast serve --port 8080
  roofcast serve runs/*.ncu-rep --auth new --read-only   # for a team: the link that it prints holds the word
  roofcast serve --host 0.0.0.0 --auth new --proxy --allow-host forecasts.example   # behind a reverse proxy"""


@click.command("serve", epilog=EPILOG)
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True), metavar="[FILE...]")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port (default: a free one).")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; see --auth.")
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="NAME", help="Host name that may be asked for.")
@click.option(
    "--max-upload",
    default=f"{Limits().upload_bytes / 1e6:.0f}MB",
    show_default=True,
    metavar="SIZE",
    help="Largest profile to take.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in a browser.")
@click.option(
    "--auth",
    metavar="WORD",
    envvar="ROOFCAST_AUTH",
    default="",
    help="Ask visitors for this word (ROOFCAST_AUTH; new: make one).",
)
@click.option(
    "--proxy", is_flag=True, help="A reverse proxy stands before it: believe its X-Forwarded-Host and -Proto."
)
@click.option("--read-only", is_flag=True, help="Visitors may neither drop nor remove files.")
@options.input_format_option
def command(
    files: tuple[str, ...], port: int, host: str, allow_hosts: tuple[str, ...], max_upload: str, open_browser: bool,
    auth: str, proxy: bool, read_only: bool, input_format: str | None,
) -> None:  # fmt: skip
    """Serve a page on this machine: drop a profile, choose GPUs, move their numbers, download the result."""
    import secrets

    from roofcast.core.errors import InputError
    from roofcast.core.extras import require_server
    from roofcast.core.units import parse_quantity
    from roofcast.web.server import Access, serve

    require_server()
    word = secrets.token_urlsafe(24) if auth == "new" else auth
    if word and not AUTH.fullmatch(word):
        raise InputError("--auth: give 12 or more of letters, digits, - and _ (or `--auth new`)")
    limits = Limits(upload_bytes=int(parse_quantity(max_upload, "B")))
    profiles = [take_profile(file, input_format) for file in files]
    serve(profiles, host=host, port=port, allow_hosts=allow_hosts, open_browser=open_browser, limits=limits,
          access=Access(word, proxy, read_only))  # fmt: skip


def take_profile(file: str, input_format: str | None) -> Profile:
    """What the page has from the start; standard input becomes a file, since every tab reads it again."""
    import shutil
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from roofcast.commands.reading import read_profiles
    from roofcast.core.joined_parts import KERNELS, MEASURED
    from roofcast.reading import open_input
    from roofcast.store.set_names import is_stored
    from roofcast.web.file_kinds import name_kind
    from roofcast.web.keeping import NO_KERNELS, Profile

    folder, source = None, file if is_stored(file) else str(Path(file).resolve())
    if file == "-":
        folder = TemporaryDirectory(prefix="roofcast-")
        source = str(Path(folder.name) / file)
        with open_input(file) as given, Path(source).open("wb") as out:
            shutil.copyfileobj(given, out)
    kind = KERNELS if is_stored(source) else name_kind(source, input_format)
    kernels = read_profiles([source], input_format) if kind in MEASURED else NO_KERNELS
    name = "standard input" if folder else file if is_stored(file) else Path(source).name
    return Profile(name, kernels, folder, source, kind, input_format)
