"""From two file names to a comparison."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from roofcast.analyses.comparing.matched import Comparison, compared
from roofcast.analyses.comparing.saved import SavedForecast, is_saved_forecast, read_saved_forecast
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.matching import rows_matching
from roofcast.reading import read


def compare_files(
    before: str, after: str, target: str | None = None, pattern: str | None = None, input_format: str | None = None
) -> Comparison:
    """Compare two profiles, or a saved forecast with a profile.

    target : of a saved forecast for several GPUs, the one that was measured.
    pattern : regular expression of kernel names.

    Raises
    ------
    RoofcastError : a file that cannot be read, no kernel left, or a saved forecast on the wrong side.
    """
    if is_saved_forecast(after):
        raise RoofcastError("AFTER is a saved forecast: give the forecast first, then the measurement")
    if before == after == "-":
        raise RoofcastError("standard input can be only one of the two files")
    measured = kept(read(after, input_format), pattern, after)
    names = shown(before), shown(after)
    if target and not is_saved_forecast(before):
        raise RoofcastError(
            "--target says which GPU of a saved forecast was measured; BEFORE is a profile: leave it out"
        )
    if not is_saved_forecast(before):
        return compared(kept(read(before, input_format), pattern, before), measured, names)
    gpus = [target] if target else list(dict.fromkeys(str(g) for g in measured.strings("gpu")))
    saved = only(read_saved_forecast(before, gpus), pattern, before)
    return compared(saved.kernels, measured, names, saved)


def shown(path: str) -> str:
    """A file's name without its folder, for display."""
    return one_line(Path(path).name, 120) if path != "-" else "standard input"


def rows_of(kernels: KernelTable, pattern: str | None, path: str) -> list[int]:
    """Rows whose kernel name matches."""
    return rows_matching([str(name) for name in kernels.strings("kernel")], pattern or "", f" of {shown(path)}")


def kept(kernels: KernelTable, pattern: str | None, path: str) -> KernelTable:
    """Kernels whose name matches."""
    return kernels if pattern is None else kernels.select(rows_of(kernels, pattern, path))


def only(saved: SavedForecast, pattern: str | None, path: str) -> SavedForecast:
    """Forecasts of the kernels whose name matches."""
    if pattern is None:
        return saved
    rows = np.array(rows_of(saved.kernels, pattern, path), dtype=np.intp)
    return dataclasses.replace(
        saved, kernels=saved.kernels.select(rows), low_s=saved.low_s[rows], high_s=saved.high_s[rows]
    )
