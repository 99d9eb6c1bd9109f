"""The command group: it knows its commands by name and imports one only when it runs."""

from __future__ import annotations

import importlib
from pathlib import Path

import click

from roofcast.commands.registry import FIRST_LOOK, find_command, list_commands, list_groups
from roofcast.commands.typed import remember
from roofcast.core.errors import one_line
from roofcast.core.joined_parts import OFFERED, name_install

FILE_ALONE = "FILE"
EPILOG = """\b
Examples:
  roofcast profile.ncu-rep                                   what it is, and what to do with it
  roofcast forecast profile.ncu-rep --to "H100 SXM5 80GB,B200"
  roofcast explain "FP32 -> load/store"

\b
Exit codes: 0 done; 2 you can fix it (one line says how); 1 a defect of roofcast.
Tab completion: roofcast completion --help"""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports a module only when its command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the registry."""
        return list(list_commands())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and keep the words for the pages that say which command made them."""
        remember(ctx, args)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if (known := find_command(cmd_name)) is None:
            return None
        module = known[0]
        if not module:
            from roofcast.commands.asked import make_command

            return make_command(cmd_name)
        command: click.Command = importlib.import_module(module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by what they are for, without importing them, and what installs others."""
        known = list_commands()
        widest = max(map(len, known))
        sections = {title: {n: line for n, (_, line) in commands.items()} for title, commands in list_groups().items()}
        sections["Not installed"] = {n: name_install(extra) for n, extra in OFFERED.items() if n not in known}
        for title, lines in sections.items():
            if lines:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(widest), line) for name, line in lines.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command; a file alone is looked at; a misspelled command names the nearest."""
        if not args or find_command(args[0]) is not None:
            return super().resolve_command(ctx, args)
        if is_input(args[0]):
            return FILE_ALONE, importlib.import_module(FIRST_LOOK[0]).command, args
        if not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], list_commands(), 1)
            if "." in args[0] or "/" in args[0]:
                raise click.UsageError(f"no file and no command {one_line(args[0], 120)!r}")
            hint = f"did you mean {near[0]!r}?" if near else f"commands: {', '.join(list_commands())}"
            raise click.UsageError(f"no command {one_line(args[0], 60)!r}; {hint}")
        return super().resolve_command(ctx, args)


def is_input(word: str) -> bool:
    """Whether the first word is a profile and not a command: something that is there, or a kernel of a file of code."""
    if word == "-" or word.startswith("store:") or Path(word).exists():
        return True
    if ":" not in word:
        return False
    from roofcast.reading import NAMED

    return (kernel := NAMED.fullmatch(word)) is not None and Path(kernel["file"]).exists()


def print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the version and stop."""
    if value and not ctx.resilient_parsing:
        from roofcast.core.version import VERSION

        click.echo(f"roofcast {VERSION}")
        ctx.exit()


@click.group(
    cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=print_version, help="Show the version."
)
@click.option("--debug", is_flag=True, help="Show the Python trace of an error.")
def cli(debug: bool) -> None:
    """How long will this kernel take on a GPU that you do not have?

    roofcast reads one profile from a GPU that you have and forecasts seconds, an interval and the
    limiting resource on any other GPU of its catalog, or on one that does not exist yet.
    """
