"""Waterfall: the way from the source's seconds to the target's, property by property; the sum is exact."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.extras import require_polars
from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import PROPERTIES, Property
from roofcast.core.records import dataclass
from roofcast.core.units import format_quantity
from roofcast.kit.names import short_name
from roofcast.kit.quantities import format_change
from roofcast.kit.returned import MAX_ROWS, show_html
from roofcast.kit.table import Table

if TYPE_CHECKING:
    import polars


ROUNDING = 1e-12
"""Share of the longest time below which a step is rounding."""
INFLUENCE_LEAST = 0.01
"""A cause that changes a forecast by less than this share is not named."""


@dataclass(frozen=True)
class Influence:
    """What one cause of the model does to the forecasts of n kernels on m targets."""

    name: str
    sentence: str
    properties: tuple[Property, ...]
    """The properties of a GPU that it is about."""
    factor: FloatArray
    """(n, m) forecast over the forecast without it; NaN where there is none."""


@dataclass(frozen=True, repr=False)
class Waterfall:
    """Levels between source and target of n kernels on m targets."""

    levels_s: FloatArray
    """(n, m, properties + 1) s: the source's seconds, then the seconds after each of
    :data:`~roofcast.core.properties.PROPERTIES`; the last is the forecast. NaN where there is no forecast."""
    kernels: tuple[str, ...] = ()
    """Name of each kernel, where the forecast gave them."""
    targets: tuple[str, ...] = ()
    weigh: Callable[[], tuple[Influence, ...]] | None = field(default=None, compare=False)
    """Weighs the causes of the model when asked to: as many forecasts as it has causes."""

    @cached_property
    def influences(self) -> tuple[Influence, ...]:
        """What each cause of the model does to these forecasts; none where the model has no causes."""
        return () if self.weigh is None else self.weigh()

    def causes_behind(self, changed: Property, i: int, j: int = 0) -> dict[str, float]:
        """Causes behind a property that changes: name -> forecast of kernel i on target j over the one without it.

        The largest first; without those that hardly change it.
        """
        factors = {name: float(factor[i, j]) for name, factor in self.factors_of.get(changed, ())}
        weights = {name: abs(math.log(f)) for name, f in factors.items() if f > 0}
        names = [name for name, w in weights.items() if w >= INFLUENCE_LEAST]
        return {name: factors[name] for name in sorted(names, key=lambda name: -weights[name])}

    @cached_property
    def factors_of(self) -> dict[Property, list[tuple[str, FloatArray]]]:
        """Causes behind each property, with their factors."""
        by_property: dict[Property, list[tuple[str, FloatArray]]] = {}
        for cause in self.influences:
            for changed in cause.properties:
                by_property.setdefault(changed, []).append((cause.name, cause.factor))
        return by_property

    @cached_property
    def steps_s(self) -> FloatArray:
        """(n, m, properties) s that each property adds; negative where it saves."""
        return np.diff(self.levels_s, axis=-1)

    def of(self, i: int, j: int = 0) -> dict[Property, float]:
        """Seconds that each property adds to kernel i on target j, without those that add nothing.

        The sum is the forecast minus the source's seconds.
        """
        steps = self.steps_s[i, j]
        changes = zip(PROPERTIES, steps, strict=True)
        least = ROUNDING * np.nanmax(self.levels_s[i, j], initial=0.0)
        return {changed: float(s) for changed, s in changes if abs(s) > least}

    def select(self, rows: NDArray[np.intp]) -> Waterfall:
        """The given kernels, in the given order."""
        names = tuple(self.kernels[i] for i in rows.tolist()) if self.kernels else ()
        return Waterfall(self.levels_s[rows], names, self.targets)

    def records(self) -> Iterator[dict[str, Any]]:
        """One dict per kernel, target and property that adds anything: ``kernel, target, cause, seconds``."""
        n, m = self.levels_s.shape[:2]
        for i in range(n):
            for j in range(m):
                for changed, seconds in self.of(i, j).items():
                    yield {
                        "kernel": self.kernels[i] if self.kernels else str(i),
                        "target": self.targets[j] if self.targets else str(j),
                        "cause": changed.value,
                        "seconds": seconds,
                    }

    def to_polars(self) -> polars.DataFrame:
        """:meth:`records` as a table."""
        require_polars("a Polars frame")
        import polars as pl

        schema = {"kernel": pl.String, "target": pl.String, "cause": pl.String, "seconds": pl.Float64}
        return pl.DataFrame(list(self.records()), schema=schema)

    def __repr__(self) -> str:
        n, m = self.levels_s.shape[:2]
        return f"<Waterfall of {n} kernel{'s' * (n != 1)} on {m} target{'s' * (m != 1)}>"

    def __str__(self) -> str:
        """Aligned text, a line per cause."""
        header, rows, note = self.tabulate_cells()
        blocks = []
        for row in rows:
            steps = [[name, cell] for name, cell in zip(header[2:], row[2:], strict=True) if cell]
            lines = Table.of_cells(("cause", "seconds"), steps, right=(1,)).lines(80)[2:]
            blocks.append("\n".join([f"{row[0]} on {row[1]}", *lines]))
        return "\n\n".join([*blocks, note] if note else blocks)

    def _repr_html_(self) -> str:
        """The same as a table, a column per cause."""
        header, rows, note = self.tabulate_cells()
        return show_html(Table.of_cells(header, rows, right=range(2, len(header))), note)

    def tabulate_cells(self) -> tuple[list[str], list[list[str]], str]:
        """Header, a row per kernel and target (measured, what each cause adds, forecast), and what is left out."""
        n, m = self.levels_s.shape[:2]
        pairs = [divmod(k, m) for k in range(min(n * m, MAX_ROWS))]
        steps = [self.of(i, j) for i, j in pairs]
        causes = [c for c in PROPERTIES if any(c in s for s in steps)]
        rows = []
        for (i, j), changes in zip(pairs, steps, strict=True):
            kernel = short_name(self.kernels[i]) if self.kernels else f"kernel {i}"
            target = self.targets[j] if self.targets else f"target {j}"
            ends = [format_quantity(float(self.levels_s[i, j, k]), "s") for k in (0, -1)]
            moved = [format_change(changes[c]) if c in changes else "" for c in causes]
            rows.append([kernel, target, ends[0], *moved, ends[1]])
        left = n * m - len(rows)
        header = ["kernel", "target", "measured", *(c.label for c in causes), "forecast"]
        return header, rows, f"{left} more rows: .to_polars() has all" if left else ""


Explainer = Callable[[NDArray[np.intp], FloatArray], Waterfall]
"""(rows, their (r, m) forecasts) -> how each came about."""
