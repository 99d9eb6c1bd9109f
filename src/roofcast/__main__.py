"""The command line: one place where errors become one line and an exit code."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

import click

from roofcast.commands.group import cli
from roofcast.core.blas import keep_to_one_thread
from roofcast.core.errors import RoofcastError, one_line

GARBAGE = 1_000_000
"""New objects after which circles of them are looked for: more than a table of 100,000 rows makes."""
EXIT_DEFECT, EXIT_USER, EXIT_INTERRUPTED = 1, 2, 130


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    # What stands behind "--" belongs to the program that is profiled.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    debug = "--debug" in arguments[:end]
    arguments = [a for a in arguments[:end] if a != "--debug"] + arguments[end:]
    keep_to_one_thread()
    # Tables make many tuples and no circles: looking for circles every 700 of them costs a tenth of the time.
    gc.set_threshold(GARBAGE)
    try:
        result: Any = cli.main(args=arguments, prog_name="roofcast", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe (head, less) has gone: not an error, but Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except click.exceptions.NoArgsIsHelpError as error:
        # A group alone, without a command: its help, as it stands.
        click.echo(error.format_message(), err=True)
        return EXIT_USER
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the one place where errors become lines
        return fail(*describe(error), debug)
    return result if isinstance(result, int) else 0


def describe(error: BaseException) -> tuple[str, int]:
    """One line and the exit code for an exception."""
    if isinstance(error, click.MissingParameter) and error.ctx is not None:
        return f"{error.format_message().rstrip('.')}; `{error.ctx.command_path} --help` shows examples", EXIT_USER
    if isinstance(error, click.ClickException):
        return error.format_message(), EXIT_USER
    if isinstance(error, (RoofcastError, OSError)):
        return str(error), EXIT_USER
    if isinstance(error, MemoryError):
        return "not enough memory for this input", EXIT_USER
    if isinstance(error, (KeyboardInterrupt, click.exceptions.Abort)):
        # click turns the one into the other.
        return str(error) or str(error.__cause__ or "") or "interrupted", EXIT_INTERRUPTED
    defect = f"{type(error).__name__}: {error}"
    return f"this is a defect of roofcast, please report it ({defect}); --debug shows where", EXIT_DEFECT


def fail(message: str, code: int, debug: bool) -> int:
    """Print one line on standard error (the trace too with --debug) and return the exit code."""
    if debug:
        import traceback

        traceback.print_exc()
    click.echo(f"roofcast: {one_line(message, 2000)}", err=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
