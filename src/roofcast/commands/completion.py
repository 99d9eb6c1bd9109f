"""`roofcast completion`: the shell script that completes commands, options, GPU names and formats."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", epilog="\b\nExample (bash):\n  roofcast completion bash >> ~/.bashrc")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the tab-completion script for a shell; append it to the shell's start file."""
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(
        completion(click.get_current_context().find_root().command, {}, "roofcast", "_ROOFCAST_COMPLETE").source()
    )
