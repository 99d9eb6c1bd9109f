"""Collectives: the links between GPUs tell their times, whatever the GPUs' SMs and memory do."""

from __future__ import annotations

import numpy as np
import pytest

import cause_builders as made
import model_builders as builders
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import columns_of
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.core.timeline import Collective
from roofcast.models.learned.hybrid import Hybrid
from roofcast.models.physics.causes.collectives import (
    ALPHA_STEP_S,
    PEER_RATES,
    SLOT_RATE,
    SPREAD_LEAST,
    peer_rate,
    ring_s,
)

SLOT = made.gpu("slot")
A100 = made.gpu("module", architecture="sm_80", segment="datacentre")
H100 = made.gpu("next", architecture="sm_90", segment="datacentre", sm_count=400)
ROW = {"time_s": 1e-3, "bytes_collective": 1e8, "gpus_collective": 4.0}
REDUCE = {"collective": "all_reduce"}


def test_rates_are_those_of_modules_else_of_the_slot() -> None:
    card = made.gpu("A100 PCIe", architecture="sm_80", segment="datacentre")
    assert peer_rate(columns_of([A100, SLOT, card])).tolist() == [PEER_RATES["sm_80"], SLOT_RATE, SLOT_RATE]


@pytest.mark.parametrize(
    ("kind", "steps", "share"),
    [(Collective.ALL_REDUCE, 6, 1.5), (Collective.ALL_GATHER, 3, 0.75), (Collective.POINT_TO_POINT, 1, 1.0)],
)
def test_a_ring_takes_its_steps_and_its_bytes(kind: Collective, steps: int, share: float) -> None:
    assert float(ring_s(kind, 1e9, 4, 1e11)) == pytest.approx(steps * ALPHA_STEP_S + share * 1e-2)
    assert np.isnan(ring_s(kind, np.nan, 4, 1e11))


def test_the_links_alone_scale_a_collective() -> None:
    before, after = (6 * ALPHA_STEP_S + 1.5e8 / PEER_RATES[a] for a in ("sm_80", "sm_90"))
    assert made.ratio(ROW, A100, H100, text=REDUCE) == pytest.approx(after / before)
    assert made.ratio(ROW, A100, A100, text=REDUCE) == 1.0
    # Without the cause it follows SMs and memory, as any kernel of which only the time is known.
    assert made.ratio(ROW, A100, H100, "collectives", text=REDUCE) != pytest.approx(after / before, rel=0.01)
    assert made.ratio({**ROW, "bytes_dram": 1e8}, A100, H100, text=REDUCE) == pytest.approx(after / before)


def test_what_was_not_recorded_is_half_latency_and_a_network_stays() -> None:
    unknown = {k: v for k, v in ROW.items() if k != "bytes_collective"}
    assert made.ratio(unknown, A100, H100, text=REDUCE) == pytest.approx(0.5 + 0.5 * 300 / 450)
    assert made.ratio({**ROW, "gpus_collective": 16.0}, A100, H100, text=REDUCE) == 1.0
    alone = {"time_s": 1e-3, "bytes_collective": 1e8}
    assert made.ratio(alone, A100, H100, text={"collective": "something else"}) == pytest.approx(
        made.ratio({**alone, "gpus_collective": 8.0}, A100, H100, text={"collective": "broadcast"})
    )


def test_limit_and_interval_are_those_of_links_in_a_table_with_other_kernels() -> None:
    table = KernelTable.from_columns(
        {"kernel": ["reduce", "k"], "collective": ["all_reduce", ""]},
        {k: (np.array([v, v if k == "time_s" else np.nan]), Origin.COUNTED) for k, v in ROW.items()}
        | {k: (np.array([v, v]), Origin.COUNTED) for k, v in {"bytes_dram": 5e8, **made.STALLS}.items()},
    )
    found = Hybrid().estimate(table, builders.on(A100, 2), builders.onto([H100], 2), Conditions())
    links = found.time_s_by_resource_target[Resource.BYTES_HOST_LINK][:, 0]
    assert links[0] > 0
    assert np.isnan(links[1])
    assert np.isnan(found.time_s_by_resource_target[Resource.BYTES_DRAM][0, 0])
    assert found.time_s_by_resource_target[Resource.BYTES_DRAM][1, 0] > 0
    assert found.time_high_s[0, 0] / found.time_s[0, 0] >= SPREAD_LEAST
    assert any("ring" in a for a in found.assumed[0])
    assert not any("ring" in a for a in found.assumed[1])
