"""`roofcast measure`: what a user with a GPU runs once. Each subcommand is one module and one line here."""

from __future__ import annotations

import importlib

import click

EPILOG = """\b
Examples:
  roofcast measure ceilings -o my-gpu.toml
  roofcast measure suite -o suite.csv
  roofcast measure gpp
  roofcast measure gpp --published
  roofcast measure host
  roofcast measure profile -- ./app arguments"""

SUBCOMMANDS = {
    "ceilings": "Measure what the machine can do; write a catalog entry.",
    "suite": "Time the kernel suite and write a kernel table.",
    "gpp": "Run the plasmon-pole kernel through its eight optimisation steps.",
    "host": "Time PyTorch's host per operator; no GPU needed.",
    "profile": "Profile a program with the counters that a forecast needs.",
}
"""Name -> one line for --help; its module is ``measure_<name>``."""


class MeasureGroup(click.Group):
    """A group that imports a subcommand's module only when that subcommand runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the registry."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one subcommand."""
        if cmd_name not in SUBCOMMANDS:
            return None
        command: click.Command = importlib.import_module(f"roofcast_measure.commands.measure_{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands from the registry, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.group("measure", cls=MeasureGroup, epilog=EPILOG)
def command() -> None:
    """Measure this machine: an NVIDIA GPU (its driver and the extra 'cuda'), one of AMD's (hipcc), or the CPU."""
