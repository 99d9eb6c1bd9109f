r"""Access patterns that use parts of the sectors they move.

.. math:: \tau_{L2}' = x \, \tau_{L2}, \quad x = \tfrac{1}{2} (32 / b_l + 32 / b_s)

x : B moved per byte asked for, half of them loads and half stores. b_l, b_s : B of a sector that a load or store uses.

Reason: caches move whole sectors of 32 bytes (NVIDIA, CUDA C++ Best Practices Guide, coalesced access), and bytes that
only the algorithm names do not have the unused ones in them. Not where the source was faster than that: then the
pattern's name promises worse than it does.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, finite_or
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.kernel_inputs import CONSISTENT
from roofcast.models.physics.stages import ROOFS, Pair, Roofs


def sector_excess(bytes_per_sector_load: Values, bytes_per_sector_store: Values) -> FloatArray:
    """Bytes x that move per byte asked for (the equation above); unknown bytes count as 32.

    bytes_per_sector_load, bytes_per_sector_store : (...) B. b_l and b_s.

    >>> float(sector_excess(32.0, 4.0)), float(sector_excess(np.nan, np.nan))
    (4.5, 1.0)
    """
    load, store = (
        finite_or(32.0 / np.asarray(b, dtype=np.float64), 1.0) for b in (bytes_per_sector_load, bytes_per_sector_store)
    )
    return np.asarray(0.5 * (load + store))


def move_whole_sectors(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs with the L2 bytes that the algorithm names in whole sectors."""
    k, seconds = pair.k, roofs.source.get(Resource.BYTES_L2)
    if seconds is None:
        return roofs
    excess = sector_excess(k.bytes_per_sector, k.bytes_per_sector_store)
    if not (named := (k.bytes_counted == 0) & (excess > 1.0)).any():
        return roofs
    with quietly():
        possible = named & (seconds * excess <= CONSISTENT * pair.execution_s)
    return roofs.changed(Resource.BYTES_L2, np.where(possible, excess, 1.0))


CAUSE = Cause(
    name="sectors",
    sentence="access patterns that use parts of the sectors they move",
    when="bytes of the algorithm, known use of sectors, a source slow enough for it",
    corrects="strided and transposing kernels, limited by L2",
    taught_by="micro16 19.0 to 16.7 %",
    acts=(at(ROOFS, move_whole_sectors),),
    properties=(Property.L2,),
)
