"""A saved forecast (``roofcast forecast ... --format json -o f.json``), read back to compare it with a measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance
from roofcast.core.records import dataclass
from roofcast.ingest.saved_forecasts import load_rows, read_number, read_text


@dataclass(frozen=True)
class SavedForecast:
    """Forecasts of one file for one target, as a table whose times are the forecast ones."""

    kernels: KernelTable
    low_s: FloatArray
    """(n,) lower bound; NaN where there is none."""
    high_s: FloatArray
    coverage: float | None
    target: str
    model: str

    def select(self, rows: Sequence[int]) -> SavedForecast:
        """Some of the kernels."""
        index = np.array(rows, dtype=np.intp)
        return replace(self, kernels=self.kernels.select(index), low_s=self.low_s[index], high_s=self.high_s[index])


def read_two_forecasts(before: str, after: str, target: str | None) -> tuple[SavedForecast, SavedForecast]:
    """Read two saved forecasts of one GPU: the target, else the only one that both have."""
    targets = [dict.fromkeys(read_text(r, "target_gpu") for r in load_rows(path)[0]) for path in (before, after)]
    common = [target] if target else [gpu for gpu in targets[0] if gpu in targets[1]]
    if len(common) != 1:
        names = ", ".join(common) or "none"
        raise RoofcastError(f"GPUs that both forecasts have: {one_line(names, 200)}; name one with --target GPU")
    old, new = (read_saved_forecast(path, common) for path in (before, after))
    if old.target != new.target:
        raise RoofcastError(f"the forecasts are for {old.target} and {new.target}: compare one GPU")
    return old, new


def read_saved_forecast(path: str, measured_on: Sequence[str] = ()) -> SavedForecast:
    """Read a saved forecast; of several targets, the one that was measured on.

    measured_on : GPU names of the measurement, to choose the target by.
    """
    name, (rows, _) = one_line(Path(path).name, 120), load_rows(path)
    target = choose_target(list(dict.fromkeys(read_text(r, "target_gpu") for r in rows)), measured_on, name)
    rows = [r for r in rows if read_text(r, "target_gpu") == target]
    time, low, high = (np.array([read_number(r, k) for r in rows]) for k in ("time_s", "time_low_s", "time_high_s"))
    kernels = KernelTable.from_columns(
        {**{key: [read_text(r, key) for r in rows] for key in ("kernel", "config")}, "gpu": [target] * len(rows)},
        {
            "time_s": (time, Origin.DERIVED),
            "launches": (np.array([read_number(r, "launches") for r in rows]), Origin.COUNTED),
            "launch": (np.array([read_number(r, "launch") for r in rows]), Origin.COUNTED),
        },
        provenance=Provenance(file=Path(path).name, format="forecast"),
    )
    # Rows whose interval claims nothing have none.
    claimed = [c for r in rows if 0 < (c := read_number(r, "coverage")) < 1]
    return SavedForecast(kernels, low, high, claimed[0] if claimed else None, target, read_text(rows[0], "model"))


def choose_target(targets: list[str], measured_on: Sequence[str], name: str) -> str:
    """The target that the measurement ran on; the only one where there is one."""
    if len(targets) == 1:
        return targets[0]
    wanted = {simplify(g) for g in measured_on if g} | {find_catalog_name(g) for g in measured_on if g}
    fitting = [t for t in targets if simplify(t) in wanted or find_catalog_name(t) in wanted]
    if len(fitting) == 1:
        return fitting[0]
    names = one_line(", ".join(targets), 200)
    raise RoofcastError(f"{name} holds forecasts for {names}; name the one to compare with --target GPU")


def find_catalog_name(gpu: str) -> str:
    """Catalog name of a GPU as a file prints it; the plain name where the catalog has none."""
    from roofcast.forecasting.sources import resolve_target

    try:
        return simplify(resolve_target(gpu).processor.name)
    except RoofcastError:
        return simplify(gpu)


def rows_measured_on(target: str, gpus: Sequence[str]) -> list[int]:
    """Rows of a measurement on the target of a forecast; all where it names no GPU, or not this one."""
    names = {simplify(target), find_catalog_name(target)}
    wanted = {gpu for gpu in set(gpus) if names & {simplify(gpu), find_catalog_name(gpu)}}
    return [i for i, gpu in enumerate(gpus) if gpu in wanted] or list(range(len(gpus)))


def simplify(name: str) -> str:
    """A name without case and spacing."""
    return "".join(name.lower().split())
