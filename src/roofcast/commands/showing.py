"""What stands on a terminal beside the answer: progress that vanishes when it is done, and what cannot be true."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress

    from roofcast.core.kernel_table import KernelTable

PATIENCE_S = 2.0

Step = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done, in [0, 1]."""


def warn_implausible(kernels: KernelTable) -> None:
    """One red line where something in a profile cannot be true."""
    from roofcast.forecasting.plausible import summarise_implausible

    text = summarise_implausible(kernels)
    if text:
        click.secho(text, fg="red", err=True)


@contextmanager
def progress_bar() -> Iterator[Step | None]:
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
    """One bar at a time."""

    def __init__(self) -> None:
        self.begun = time.monotonic()
        self.doing = ""
        self.shown: Progress | None = None

    def step(self, doing: str, share: float) -> None:
        """Something is done to this share."""
        if self.shown is None:
            if time.monotonic() - self.begun < PATIENCE_S:
                return
            from rich.console import Console
            from rich.progress import Progress

            self.shown = Progress(console=Console(stderr=True), transient=True)
            self.shown.start()
        if doing != self.doing:
            for task in self.shown.task_ids:
                self.shown.remove_task(task)
            self.shown.add_task(doing.replace("[", "("), total=1.0)
            self.doing = doing
        self.shown.update(self.shown.task_ids[-1], completed=share)

    def close(self) -> None:
        """Remove the bar."""
        if self.shown is not None:
            self.shown.stop()
