"""What the subcommands of `roofcast measure` share: progress, and the catalog's entry of the device."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofcast.commands.showing import Bar

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast_measure.driver import DeviceInfo


@contextmanager
def progress(total: int) -> Iterator[tuple[Callable[[str], None], Callable[[], None]]]:
    """(show what is being done, one step further): a bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield (lambda _: None), (lambda: None)
        return
    bar, doing, done = Bar(0.0), "", 0

    def show(text: str) -> None:
        nonlocal doing
        doing = text
        bar.step(doing, done / max(total, 1))

    def advance() -> None:
        nonlocal done
        done += 1
        bar.step(doing, done / max(total, 1))

    try:
        yield show, advance
    finally:
        bar.close()


@contextmanager
def reserved(output: str | None) -> Iterator[Path | None]:
    """The file to write to, renamed into place when all went well: a bad name shows before minutes of measuring."""
    from roofcast.kit.output import replacing, written

    if output is None:
        yield None
        return
    with replacing(output) as path:
        yield path
    click.echo(written(output), err=True)


def reported(info: DeviceInfo, without: str = "only the memory's roof is checked") -> Processor | None:
    """The catalog's entry of a device, whose roofs no measurement may exceed; None, with a line, where it has none."""
    from roofcast import catalog
    from roofcast.core.errors import UnknownProcessorError, one_line

    try:
        match = catalog.find(
            info.name, compute_capability=info.compute_capability, sm_count=info.sm_count,
            memory_bytes=info.capacity_bytes_dram,
        )  # fmt: skip
    except UnknownProcessorError:
        name = one_line(info.name, 60)
        click.echo(f"{name} is not in the catalog: {without}", err=True)
        return None
    return match.processor
