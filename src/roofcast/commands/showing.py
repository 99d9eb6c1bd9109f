"""What stands on a terminal beside the answer: progress that vanishes when it is done, and what cannot be true."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from roofcast.core.errors import one_line

if TYPE_CHECKING:
    from roofcast.applications.recorded import Progress
    from roofcast.core.kernel_table import KernelTable

PATIENCE_S = 2.0
"""s that a command may take before it shows a bar."""
REDRAW_S = 0.1
"""s between two pictures of the bar."""
BAR_COLUMNS = 30
"""Characters of the bar."""
CLEAR = "\r\x1b[2K"
"""Back to the first column, and nothing there."""


def warn_implausible(kernels: KernelTable) -> None:
    """One red line where something in a profile cannot be true."""
    from roofcast.forecasting.plausible import summarise_implausible

    text = summarise_implausible(kernels)
    if text:
        click.secho(text, fg="red", err=True)


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """What to tell about progress; None where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = Bar()
    try:
        yield bar.step
    finally:
        bar.close()


class Bar:
    """One bar at a time, on one line that vanishes; it is drawn once the work has taken a while."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self.begins = time.monotonic() + patience_s
        self.drawn = 0.0

    def step(self, doing: str, share: float) -> None:
        """Something is done to this share."""
        now = time.monotonic()
        if now < max(self.begins, self.drawn + REDRAW_S):
            return
        self.drawn = now
        from roofcast.kit.quantities import format_percent

        width = shutil.get_terminal_size().columns
        full = round(BAR_COLUMNS * min(max(share, 0.0), 1.0))
        tail = f" {'━' * full}{'┈' * (BAR_COLUMNS - full)} {format_percent(share, 0):>5}"
        sys.stderr.write(f"{CLEAR}{one_line(doing, max(width - len(tail) - 1, 8))}{tail}")
        sys.stderr.flush()

    def say(self, line: str) -> None:
        """A line that stays."""
        self.close()
        click.echo(line, err=True)

    def close(self) -> None:
        """Remove the bar."""
        if self.drawn:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()
