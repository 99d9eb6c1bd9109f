r"""Seconds per resource, which stay a column times a row as long as nobody asks for their cells.

.. math:: \tau_{r,t} = \tau_{r,s} \, \frac{P_{r,s}}{P_{r,t}} \, \frac{F_s}{F_t}

tau_r : s that a resource alone would need, source (index s) and target (t). P_r : supply per second. F : share of the
SMs that the grid uses, 1 beside the SMs. The first factor depends on the kernel alone, the second on the two GPUs
alone, and the third is the same for all resources of the SMs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource

BESIDE_THE_SMS = frozenset({Resource.BYTES_DRAM, Resource.BYTES_LLC, Resource.BYTES_HOST_LINK, Resource.ATOMICS_L2})
"""Resources that a few SMs can use as well as all."""


@dataclass(frozen=True)
class Carried:
    """Seconds of one resource on the targets."""

    source_s: FloatArray
    """(n, 1) s, tau_s."""
    rate_ratio: FloatArray
    """(1, m) 1, P_s / P_t; (n, m) where a rate depends on the kernel; NaN where one is unknown."""
    of_sms: bool
    """Whether the share of the SMs counts."""

    def cells(self, fill_ratio: FloatArray) -> FloatArray:
        """(n, m) s. fill_ratio : (n, m) 1, F_s / F_t."""
        cells = self.source_s * self.rate_ratio
        return cells * fill_ratio if self.of_sms else cells

    def is_alike(self, rate_ratio: FloatArray, *, of_sms: bool) -> bool:
        """Whether it is carried by the same rates, to rounding. rate_ratio : (1, m)."""
        return self.of_sms == of_sms and np.allclose(self.rate_ratio, rate_ratio, rtol=1e-12, atol=0.0, equal_nan=True)


class SecondsByResource(Mapping[Resource, FloatArray]):
    """(n, 1) or (n, m) s of each resource; those that are carried are multiplied when they are asked for."""

    def __init__(self, found: Mapping[Resource, FloatArray | Carried], fill_ratio: FloatArray | None = None) -> None:
        """Seconds, and F_s / F_t of those that are carried, (n, m)."""
        self.found = dict(found)
        self.fill_ratio = np.ones((1, 1)) if fill_ratio is None else fill_ratio

    def __getitem__(self, resource: Resource) -> FloatArray:
        """S of a resource."""
        seconds = self.found[resource]
        if not isinstance(seconds, Carried):
            return seconds
        return seconds.cells(self.fill_ratio)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __or__(self, more: Mapping[Resource, FloatArray | Carried]) -> SecondsByResource:
        """The same, with other seconds of some resources."""
        return SecondsByResource({**self.found, **more}, self.fill_ratio)

    def times(self, resource: Resource, factor: FloatArray) -> SecondsByResource:
        """The same, with the seconds of one resource times a factor. factor : (n, 1), or (n, m) of cells."""
        seconds = self.found[resource]
        if not isinstance(seconds, Carried):
            return self | {resource: seconds * factor}
        if factor.shape[1] == 1:
            return self | {resource: replace(seconds, source_s=seconds.source_s * factor)}
        return self | {resource: replace(seconds, rate_ratio=seconds.rate_ratio * factor)}

    def put(
        self,
        resource: Resource,
        source_s: FloatArray,
        own: NDArray[np.bool_],
        moved: NDArray[np.bool_],
        seconds: FloatArray,
    ) -> SecondsByResource:
        """The same, with other seconds of a resource in some cells; carried as before, that the others keep every bit.

        source_s : (n, 1) s on the source, of all kernels. own : of which of them they are others. moved, seconds :
        (n, m) or (n, 1), cells that have other ones on the target, and s of these.
        """
        unknown = np.full((1, 1), np.nan)
        before = self.found.get(resource, Carried(unknown, unknown, resource not in BESIDE_THE_SMS))
        if not isinstance(before, Carried):
            return self | {resource: np.where(moved, seconds, before)}
        if not moved.all():
            seconds = np.where(moved, seconds, self.get(resource, unknown))
        with quietly():
            ratio = seconds / (source_s * self.fill_ratio if before.of_sms else source_s)
        # Of no amount any ratio is none.
        ratio = np.where(moved | own, np.where(seconds == 0, 0.0, ratio), before.rate_ratio)
        return self | {resource: Carried(source_s, ratio, before.of_sms)}
