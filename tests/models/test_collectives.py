"""Collectives: the links between GPUs tell their times, whatever the GPUs' SMs and memory do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cause_builders as made
import model_builders as builders
from roofcast.catalog.finding import find
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import columns_of
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.core.timeline import Collective
from roofcast.models.learned.hybrid import Hybrid
from roofcast.models.physics.causes.collectives import (
    SLOT_RATE,
    SPREAD_LEAST,
    SPREAD_WIRE,
    SPREAD_WIRE_SLOTS,
    links_of,
    peer_rate,
    switch_adds,
)
from roofcast.models.physics.link_times import (
    FLOOR_S,
    LL,
    NODE_GPUS,
    OWN_STEPS,
    SIMPLE,
    SWITCH_SHARE,
    across_nodes_s,
    collective_s,
)

SLOT = made.gpu("slot")
A100 = made.gpu("module", architecture="sm_80", bytes_per_s_peer=300e9)
H100 = made.gpu("next", architecture="sm_90", bytes_per_s_peer=450e9, sm_count=400)
ROW = {"time_s": 1e-3, "bytes_collective": 1e8, "gpus_collective": 4.0}
REDUCE = {"collective": "all_reduce"}


def test_rates_are_those_of_modules_else_of_the_slot() -> None:
    card = made.gpu("card", architecture="sm_80", bytes_per_s_peer=300e9, peer_bridge_gpus=2)
    assert peer_rate(columns_of([A100, SLOT, card])).tolist() == [300e9, SLOT_RATE, SLOT_RATE]


@pytest.mark.parametrize(
    ("name", "per_s"), [("H800 SXM5", 200e9), ("A800 SXM4 80GB", 200e9), ("H100 SXM5 80GB", 450e9), ("MI300X", 448e9)]
)
def test_the_catalog_tells_the_links_of_modules(name: str, per_s: float) -> None:
    assert peer_rate(columns_of([find(name).processor])).tolist() == [per_s]


@pytest.mark.parametrize("name", ["H100 NVL", "A100 PCIe 80GB", "A30", "L40S"])
def test_cards_whose_bridge_nobody_knows_go_over_the_slot(name: str) -> None:
    card = find(name).processor
    assert peer_rate(columns_of([card])).tolist() == [card.rate(Resource.BYTES_HOST_LINK)]


def test_modules_hang_on_a_switch_that_adds_from_hopper_on() -> None:
    card = made.gpu("card", architecture="sm_90", bytes_per_s_peer=300e9, peer_bridge_gpus=2)
    assert switch_adds(columns_of([A100, H100, SLOT, card])).tolist() == [0.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("kind", "steps"),
    [(Collective.ALL_REDUCE, 6), (Collective.ALL_GATHER, 3), (Collective.REDUCE_SCATTER, 3)],
)
def test_a_ring_takes_its_steps_and_its_bytes(kind: Collective, steps: int) -> None:
    time, wire = collective_s(kind, 1e9, 4, 1e11)
    sent = (steps + OWN_STEPS) / 4 * 1e-2 / SIMPLE.share
    assert float(time) == pytest.approx(FLOOR_S + SIMPLE.start_s + steps * SIMPLE.step_s + sent)
    assert float(wire) == pytest.approx(sent / float(time))
    short, wire = collective_s(kind, 8.0, 4, 1e11)
    assert float(short) == pytest.approx(FLOOR_S + steps * LL.step_s, rel=1e-3)
    assert float(wire) < 1e-3
    assert np.isnan(collective_s(kind, np.nan, 4, 1e11)[0])


def test_one_gpu_sends_to_another_without_a_copy_of_its_own() -> None:
    time, _ = collective_s(Collective.POINT_TO_POINT, 1e9, 2, 1e11)
    assert float(time) == pytest.approx(FLOOR_S + SIMPLE.start_s + SIMPLE.step_s + 1e-2 / SIMPLE.share)


def test_a_switch_adds_for_a_node_and_for_sums_alone() -> None:
    ring, added = (float(collective_s(Collective.ALL_REDUCE, 1e9, 8, 450e9, adds)[0]) for adds in (0.0, 1.0))
    assert added == pytest.approx(FLOOR_S + SIMPLE.start_s + 1.75e9 / 450e9 / SWITCH_SHARE)
    assert added < ring
    for kind, gpus in ((Collective.ALL_REDUCE, 4), (Collective.ALL_GATHER, 8)):
        assert collective_s(kind, 1e9, gpus, 450e9, 1.0)[0] == collective_s(kind, 1e9, gpus, 450e9)[0]


def test_more_bytes_more_gpus_and_slower_links_never_take_less() -> None:
    volume = np.geomspace(1, 1e11, 400)
    for kind in (Collective.ALL_REDUCE, Collective.ALL_GATHER, Collective.POINT_TO_POINT):
        for adds in (0.0, 1.0):
            time, wire = collective_s(kind, volume[:, None], 8, np.array([2e9, 32e9, 450e9, 900e9]), adds)
            assert (np.diff(time, axis=0) >= 0).all()
            assert (np.diff(time, axis=1) <= 0).all()
            assert ((wire >= 0) & (wire <= 1)).all()
    gpus = np.arange(2.0, NODE_GPUS + 1)
    assert (np.diff(collective_s(Collective.ALL_GATHER, volume[:, None], gpus, 1e11)[0], axis=1) > 0).all()


def test_latency_takes_cycles_and_bytes_do_not() -> None:
    for kind in (Collective.ALL_REDUCE, Collective.ALL_GATHER):
        slow, fast = (float(collective_s(kind, 8.0, 4, 1e13, clock_hz=f)[0]) for f in (1e9, 2e9))
        assert slow == pytest.approx(2 * fast, rel=1e-3)
        slow, fast = (float(collective_s(kind, 1e13, 4, 1e11, clock_hz=f)[0]) for f in (1e9, 2e9))
        assert slow == pytest.approx(fast, rel=1e-3)
        # A clock that nobody knows is that of the GPUs that taught the times.
        assert collective_s(kind, 8.0, 4, 1e11, clock_hz=np.nan)[0] == collective_s(kind, 8.0, 4, 1e11)[0]


def test_the_links_alone_scale_a_collective() -> None:
    before, after = (
        float(collective_s(Collective.ALL_REDUCE, 1e8, 4, rate, clock_hz=A100.clock_hz_boost)[0])
        for rate in (300e9, 450e9)
    )
    assert made.ratio(ROW, A100, H100, text=REDUCE) == pytest.approx(after / before)
    assert made.ratio(ROW, A100, A100, text=REDUCE) == 1.0
    # Without the cause it follows SMs and memory, as any kernel of which only the time is known.
    assert made.ratio(ROW, A100, H100, "collectives", text=REDUCE) != pytest.approx(after / before, rel=0.01)
    assert made.ratio({**ROW, "bytes_dram": 1e8}, A100, H100, text=REDUCE) == pytest.approx(after / before)


@pytest.mark.parametrize(("gpus", "doubt"), [(2.0, 1.0), (4.0, 8**0.5), (8.0, 4.0)])
def test_the_tree_of_a_host_is_unknown_to_who_comes_from_modules(gpus: float, doubt: float) -> None:
    row = {"time_s": 1e-2, "bytes_collective": 1e9, "gpus_collective": gpus}
    table = builders.table([row], {"collective": ["all_reduce"]})
    found = Hybrid().estimate(table, builders.on(A100, 1), builders.onto([SLOT, A100], 1), Conditions())
    width = found.time_high_s[0] / found.time_s[0]
    assert width == pytest.approx([SPREAD_WIRE_SLOTS * doubt, SPREAD_WIRE], rel=0.01)
    least = 1e-2 * 300e9 / SLOT_RATE
    assert found.time_s[0, 0] == pytest.approx(least * doubt, rel=0.01)
    # The fastest host has every pair at the link's rate.
    assert found.time_low_s[0, 0] == pytest.approx(least / SPREAD_WIRE_SLOTS, rel=0.01)
    within = Hybrid().estimate(table, builders.on(SLOT, 1), builders.onto([SLOT], 1), Conditions())
    assert within.time_s[0, 0] == pytest.approx(1e-2)


def widths_and_times(rows: list[tuple[dict[str, float], Processor, Processor]]) -> list[tuple[float, float]]:
    """Upper over lower end, and s, of an all-reduce each."""
    found = []
    for given, source, target in rows:
        table = builders.table([given], {"collective": ["all_reduce"]})
        of = Hybrid().estimate(table, builders.on(source, 1), builders.onto([target], 1), Conditions())
        found.append((float(of.time_high_s[0, 0] / of.time_low_s[0, 0]), float(of.time_s[0, 0])))
    return found


def test_an_unknown_tree_widens_and_teaches_nothing_of_modules() -> None:
    row = {"time_s": 1e-2, "bytes_collective": 1e9, "gpus_collective": 8.0}
    unsized = {**row, "bytes_collective": np.nan}
    slow = {**row, "time_s": 1.0}
    stated = replace(SLOT, bytes_per_s_slot=12e9)
    onto_slots, without_size, from_slots, from_slower, known = widths_and_times(
        [(row, A100, SLOT), (unsized, A100, SLOT), (row, SLOT, A100), (slow, SLOT, A100), (row, A100, stated)]
    )
    assert without_size[0] >= onto_slots[0] > 4 * known[0]
    law, _ = links_of(A100).time_s(Collective.ALL_REDUCE, 1e9, 8)
    assert from_slots[1] == pytest.approx(law.item(), rel=1e-6)
    assert from_slower[1] == pytest.approx(from_slots[1])
    assert from_slots[0] == pytest.approx(known[0], rel=0.1)


def test_what_was_not_recorded_explains_the_time() -> None:
    links, unknown = links_of(A100), {k: v for k, v in ROW.items() if k != "bytes_collective"}
    law, _ = links.time_s(Collective.ALL_REDUCE, ROW["bytes_collective"], ROW["gpus_collective"])
    sized, unsized = ({**row, "time_s": law.item()} for row in (ROW, unknown))
    assert made.ratio(unsized, A100, H100, text=REDUCE) == pytest.approx(made.ratio(sized, A100, H100, text=REDUCE))
    # What is shorter than any launch has no bytes, and follows the clock.
    short = made.ratio({**unknown, "time_s": 1e-7}, A100, H100, text=REDUCE)
    assert short == pytest.approx(A100.clock_hz_boost / H100.clock_hz_boost)
    alone = {"time_s": 1e-3, "bytes_collective": 1e8}
    assert made.ratio(alone, A100, H100, text={"collective": "something else"}) == pytest.approx(
        made.ratio({**alone, "gpus_collective": 8.0}, A100, H100, text={"collective": "broadcast"})
    )


@pytest.mark.parametrize("kind", [k for k in Collective if k is not Collective.NONE])
@pytest.mark.parametrize(("gpus", "name"), [(2, "A100 SXM4 80GB"), (8, "H100 SXM5 80GB"), (8, "L40S")])
def test_a_time_tells_its_volume(kind: Collective, gpus: int, name: str) -> None:
    links, volume = links_of(find(name).processor), np.geomspace(1e5, 1e10, 30)
    time, wire = links.time_s(kind, volume, gpus)
    told = links.explain_volume(kind, time, gpus)
    assert told[wire > 0] == pytest.approx(volume[wire > 0], rel=1e-6)


def test_beyond_a_node_the_network_decides_where_it_is_stated() -> None:
    far = {**ROW, "gpus_collective": 16.0}
    assert made.ratio(far, A100, H100, text=REDUCE) == 1.0
    slow, fast = (replace(H100, bytes_per_s_network=rate) for rate in (25e9, 50e9))
    law, _ = links_of(fast).time_s(Collective.ALL_REDUCE, ROW["bytes_collective"], 16)
    assert made.ratio(far, A100, fast, text=REDUCE) * ROW["time_s"] == pytest.approx(law.item())
    assert made.ratio(far, replace(H100, bytes_per_s_network=50e9), slow, text=REDUCE) == pytest.approx(
        links_of(slow).time_s(Collective.ALL_REDUCE, 1e8, 16)[0].item() / law.item()
    )
    whole = replace(H100, node_gpus=72)
    assert links_of(whole).time_s(Collective.ALL_REDUCE, 1e8, 16)[0].item() < law.item()


@pytest.mark.parametrize("kind", [k for k in Collective if k is not Collective.NONE])
def test_nodes_and_bytes_cost_and_rates_help(kind: Collective) -> None:
    def seconds(volume: float, gpus: int, network: float) -> float:
        return across_nodes_s(kind, volume, gpus, 8, 450e9, network)[0].item()

    base = seconds(1e9, 16, 50e9)
    assert 0 < base < seconds(2e9, 16, 50e9)
    assert seconds(1e9, 16, 100e9) < base
    assert seconds(1e9, 64, 50e9) >= base


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
    assert SPREAD_WIRE * (1 - 1e-9) <= found.time_high_s[0, 0] / found.time_s[0, 0] <= SPREAD_LEAST
    assert any("ring" in a for a in found.assumed[0])
    assert not any("ring" in a for a in found.assumed[1])


def test_cards_that_share_the_host_get_less_the_more_they_are() -> None:
    card = find("L40S").processor
    peers, through = (links_of(replace(card, slots_share_host=n)) for n in (0, 1))
    assert peers.unknown_tree == through.unknown_tree == 0
    two, four, eight = (
        (through.time_s(Collective.ALL_GATHER, 1e9, n)[0] / peers.time_s(Collective.ALL_GATHER, 1e9, n)[0]).item()
        for n in (2, 4, 8)
    )
    assert two == 1
    assert four == pytest.approx(4, rel=0.01)
    assert eight == pytest.approx(16, rel=0.01)
    # Modules have links of their own, whatever their host.
    module = find("H100 SXM5 80GB").processor
    assert links_of(replace(module, slots_share_host=1)).through_host == 0
