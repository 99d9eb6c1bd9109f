"""What each later cause of the mechanistic model says of a kernel that shows nothing else."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import model_builders as builders
import roofcast
from cause_builders import STALLS, gpu, ratio, with_rates
from frozen_values import TARGETS, draw_counted, hide_gpus
from roofcast.catalog import find
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import columns_of
from roofcast.core.processor import Kind, Processor, Supply
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.forecasting.forecast import forecast
from roofcast.models.kernel_amounts import amounts_of
from roofcast.models.physics.causes.issue_latency import issue_cycles
from roofcast.models.physics.causes.real_clock import GAIN_MOST, clock_gain
from roofcast.models.physics.model import Mechanistic


def test_the_last_wave_counts_whole_where_blocks_wait() -> None:
    # 80 SMs of 32 blocks hold 2,560: 2,700 blocks take two waves, and one where 90 SMs hold 2,880.
    row = {"time_s": 1e-3, "bytes_dram": 1e6, "grid_blocks": 2850.0, "block_threads": 64.0} | STALLS
    assert ratio(row, gpu(), gpu("target", sm_count=90)) < 0.62
    assert ratio(row, gpu(), gpu("target", sm_count=90), "waves") > 0.9


@pytest.mark.parametrize("blocks", [80.0, 2560.0, 7680.0])
@pytest.mark.parametrize("roof", [{}, {"flops_fp32": 9e9}])
def test_one_more_block_costs_a_block_and_no_wave(blocks: float, roof: dict[str, float]) -> None:
    row = {"time_s": 1e-3, "bytes_dram": 1e6, "block_threads": 64.0} | STALLS | roof
    found = [ratio(row | {"grid_blocks": b}, gpu(sm_count=800), gpu("target")) for b in (blocks, blocks + 1)]
    assert 1.0 <= found[1] / found[0] < 1.13


def test_atomics_on_distinct_addresses_follow_the_sms() -> None:
    # One warp atomic per 16 clocks of 80 SMs for 10 ms at 1.4 GHz.
    row = {"time_s": 1e-2, "bytes_dram": 1e8, "grid_blocks": 1e6, "block_threads": 256.0,
           "atomic_inst_fraction": 0.05, "shared_wavefronts_per_inst": 0.0} | STALLS  # fmt: skip
    row["insts_executed"] = 80 / 16 * 1.4e7 / 0.05
    assert ratio(row, gpu(), gpu("target", sm_count=160)) == pytest.approx(0.5, rel=0.05)
    assert ratio(row, gpu(), gpu("target", sm_count=160), "atomics") > 0.55


def test_measured_atomics_stand_in_place_of_the_rules() -> None:
    row = {"time_s": 1e-2, "bytes_dram": 1e6, "grid_blocks": 1e6, "block_threads": 256.0, "atomic_inst_fraction": 0.05,
           "shared_wavefronts_per_inst": 0.0} | STALLS | {"insts_executed": 80 / 16 * 1.4e7 / 0.05}  # fmt: skip

    def measured(kind: str, per_s: float, name: str = "target") -> Processor:
        return dataclasses.replace(gpu(name), variants={f"atomics_l2:{kind}": Supply(per_s, Kind.MEASURED, "")})

    whole = 80 / 16 * 1.4e9 * 32
    assert ratio(row, gpu(), measured("coalesced", whole)) == pytest.approx(1.0, rel=0.01)
    assert ratio(row, gpu(), measured("coalesced", whole / 3)) == pytest.approx(3.0, rel=0.05)
    one = row | {"insts_executed": 0.75 * 1.4e7 / 0.05, "l2_hit_fraction": 1.0}
    for kind, swaps in (("same_address", 0.0), ("compare_and_swap", 1.0)):
        waits = one | {"atomic_swap_fraction": swaps}
        slow = ratio(waits, measured(kind, 2e9, "source"), measured(kind, 1e9))
        assert slow == pytest.approx(2.0 * ratio(waits, gpu(), gpu("target")), rel=0.05), kind


def test_swaps_that_warps_wait_for_widen_the_interval_and_are_told() -> None:
    row = {"time_s": 1e-2, "bytes_dram": 1e6, "grid_blocks": 1e4, "block_threads": 256.0,
           "atomic_inst_fraction": 0.05} | STALLS | {"insts_executed": 1e7}  # fmt: skip
    found = []
    for swaps in (0.0, 1.0):
        columns = {n: ([v], Origin.COUNTED) for n, v in (row | {"atomic_swap_fraction": swaps}).items()}
        kernels = KernelTable.from_columns({"kernel": ["k"]}, columns)
        found.append(Mechanistic().estimate(kernels, builders.on(gpu(), 1), builders.onto([gpu("t")], 1), Conditions()))
    width = [float(e.time_high_s[0, 0] / e.time_low_s[0, 0]) for e in found]
    assert width[1] > 1.05 * width[0]
    assert [any("compare-and-swap" in n for n in e.notes[0]) for e in found] == [False, True]


@pytest.mark.parametrize(("threads", "gains"), [(2048.0, True), (64.0, False)])
def test_few_threads_do_not_fill_a_faster_memory(threads: float, gains: bool) -> None:
    row = {"time_s": 1e-3, "bytes_dram": 9e8, "grid_blocks": 80.0 * 2, "block_threads": threads / 2} | STALLS
    target = with_rates(gpu("target"), bytes_dram=2e12)
    found = ratio(row, gpu(), target)
    if gains:
        assert found < 0.75
    else:
        assert found > 0.8
        assert found > 1.2 * ratio(row, gpu(), target, "in_flight")


def test_a_stream_that_filled_its_bus_gains_what_the_bus_gains() -> None:
    # A source at its bus's rate says nothing of what more its threads could ask for.
    h100, h200 = (find(name).processor for name in ("H100 SXM5 80GB", "H200 SXM 141GB"))
    row = {"time_s": 1e-3, "bytes_dram": 1e-3 * rate_of(h100), "grid_blocks": 1e5, "block_threads": 256.0,
           "regs_per_thread": 32.0}  # fmt: skip
    assert ratio(row, h100, h200) == pytest.approx(rate_of(h100) / rate_of(h200), rel=0.04)
    # One that reached seven tenths of it may have asked for no more.
    starved = row | {"time_s": 1e-3 / 0.7}
    assert ratio(starved, h100, h200) > ratio(starved, h100, h200, "in_flight")


def rate_of(processor: Processor) -> float:
    """Bytes per second that its DRAM sustains."""
    return processor.supplies[Resource.BYTES_DRAM].per_s


def test_counted_l2_bytes_take_what_l2_needs_and_estimated_ones_less() -> None:
    row = {"time_s": 1e-2, "bytes_dram": 1e8, "bytes_l2": 1.4e10, "grid_blocks": 1e5, "block_threads": 256.0}
    slow_l2 = with_rates(gpu("target"), bytes_l2=1e12)
    assert ratio(row, gpu(), slow_l2) > 1.1 * ratio(row, gpu(), slow_l2, origin=Origin.DERIVED)


def test_scalar_code_follows_the_load_store_rate_and_not_the_arithmetic() -> None:
    # 1.4e9 multiply-adds of 32 lanes load two operands each: 25 ms of the 80 SMs' load/store units.
    row = {"time_s": 2.6e-2, "flops_fp32": 8.96e10, "bytes_dram": 1e7, "regs_per_thread": 32.0,
           "grid_blocks": 1e5, "block_threads": 256.0}  # fmt: skip
    target = with_rates(gpu("target"), flops_fp32=2e13)
    assert ratio(row, gpu(), target) == pytest.approx(1.0, abs=0.05)
    assert ratio(row, gpu(), target, "operands") < 0.9
    tiled = row | {"regs_per_thread": 128.0}
    assert ratio(tiled, gpu(), target) == pytest.approx(ratio(tiled, gpu(), target, "operands"))


def test_half_used_sectors_move_the_limit_to_l2_unless_the_source_was_faster() -> None:
    row = {"time_s": 1e-2, "bytes_dram": 2e9, "bytes_l2": 2e9, "bytes_per_sector_load": 32.0,
           "bytes_per_sector_store": 4.0, "grid_blocks": 1e5, "block_threads": 256.0}  # fmt: skip
    slow_l2 = with_rates(gpu("target"), bytes_l2=2e12)
    here = ratio(row, gpu(), slow_l2, origin=Origin.DERIVED)
    assert here > 1.1 * ratio(row, gpu(), slow_l2, "sectors", origin=Origin.DERIVED)
    quick = row | {"time_s": 2.1e-3}
    assert ratio(quick, gpu(), slow_l2, origin=Origin.DERIVED) == pytest.approx(
        ratio(quick, gpu(), slow_l2, "sectors", origin=Origin.DERIVED)
    )


def test_atomics_at_the_rate_of_one_address_follow_the_clock() -> None:
    # 0.75 atomic instructions per clock for 10 ms at 1.4 GHz.
    row = {"time_s": 1e-2, "bytes_dram": 1e8, "grid_blocks": 1e5, "block_threads": 256.0,
           "atomic_inst_fraction": 0.05, "shared_wavefronts_per_inst": 0.05} | STALLS  # fmt: skip
    row["insts_executed"] = 0.75 * 1.4e7 / 0.05
    target = gpu("target", sm_count=160)
    assert ratio(row, gpu(), target) == pytest.approx(1.0, abs=0.03)
    assert ratio(row, gpu(), target, "atomics") < 0.8


def test_requests_that_l1_serves_do_not_wait_for_a_slower_memory() -> None:
    slow = gpu("target", latency_cycles_dram=1800.0, latency_cycles_l2=600.0)
    row = {"time_s": 1e-2, "bytes_dram": 1e6, "grid_blocks": 40.0, "block_threads": 256.0, "l1_hit_fraction": 0.95}
    assert ratio(row | STALLS, gpu(), slow) < 0.8 * ratio(row | STALLS, gpu(), slow, "l1_hits")


@pytest.mark.parametrize(
    ("queue", "results", "long", "hidden"), [(17.0, 17.0, 1.0, True), (17.0, 17.0, 18.0, False), (34.0, 3.0, 1.0, True)]
)
def test_conversions_fill_few_fp64_units_without_a_flop(
    queue: float, results: float, long: float, hidden: bool
) -> None:  # fmt: skip
    # Waits for the queue that textures share: FP64 work, unless loads (textures are some) take longer. A full queue
    # leaves results little to wait for.
    row = {"time_s": 1e-2, "flops_fp64": 0.0, "bytes_dram": 1e8, "grid_blocks": 1e5, "block_threads": 256.0,
           "warp_latency_cycles_per_inst": 40.0, "stall_tex_throttle_per_inst": queue, "insts_executed": 1e6,
           "stall_short_scoreboard_per_inst": results, "stall_long_scoreboard_per_inst": long}  # fmt: skip
    few, full = with_rates(gpu(), flops_fp64=1.5e11), gpu("target")
    assert (ratio(row, few, full) < 0.5 * ratio(row, few, full, "fp64")) == hidden
    assert ratio(row, full, few) == pytest.approx(ratio(row, full, few, "fp64")), (
        "a source with FP64 units hides nothing"
    )


def test_fp64_code_converts_on_a_target_with_few_fp64_units_only() -> None:
    # One FP64 multiply-add among eleven instructions: 1.5e10 FLOPs take 0.1 s where 1.5e11 are done in a second.
    row = STALLS | {"time_s": 1e-2, "flops_fp64": 1.5e10, "bytes_dram": 1e8, "grid_blocks": 1e5, "block_threads": 256.0,
                    "insts_executed": 11 * 1.5e10 / 64}  # fmt: skip
    few, full = with_rates(gpu("target"), flops_fp64=1.5e11), with_rates(gpu("target"), flops_fp64=9e12)
    found = ratio(row, gpu(), few) / ratio(row, gpu(), few, "conversions")
    assert found == pytest.approx(1.0 + 0.04 * (11 * 0.66 - 1.0), rel=0.02)
    times = [ratio(row, gpu(), with_rates(few, flops_fp32=rate)) for rate in (1e12, 2e12, 4e12, 4e13)]
    assert times == sorted(times, reverse=True), "more FP32 units make the FP64 units no fewer"
    for source, target, insts in ((gpu(), full, 11), (few, gpu("other"), 11), (gpu(), few, np.nan), (gpu(), few, 1e4)):
        changed = row | {"insts_executed": insts * 1.5e10 / 64}
        alike = ratio(changed, source, target) / ratio(changed, source, target, "conversions")
        assert alike == pytest.approx(3.0 if insts > 11 else 1.0, rel=0.02), "as many as FLOPs, twice, at most"


@pytest.mark.parametrize(("hits", "gains"), [(0.1, True), (0.6, False)])
def test_scattered_accesses_hit_a_larger_l2_more_often(hits: float, gains: bool) -> None:
    row = {"time_s": 1e-2, "bytes_dram": 6e9, "l2_hit_fraction": hits, "bytes_per_sector_load": 4.0,
           "grid_blocks": 1e5, "block_threads": 256.0} | STALLS  # fmt: skip
    sizes = [ratio(row, gpu(), gpu("target", l2_bytes=c << 20)) for c in (2, 5, 10, 40, 400)]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[-1] < 0.8) == gains
    stated = row | {"working_set_bytes": 1e6}
    target = gpu("target", l2_bytes=40 << 20)
    assert ratio(stated, gpu(), target) < ratio(stated, gpu(), target, "cache")


WRITES = {"time_s": 1e-3, "bytes_dram": 6e8, "bytes_dram_read": 3e8, "bytes_dram_write": 3e8, "bytes_l2": 6e8,
          "grid_blocks": 1e5, "block_threads": 256.0, "bytes_per_sector_store": 8.0, "l2_hit_fraction": 0.5,
          "l2_read_hit_fraction": 0.0}  # fmt: skip


@pytest.mark.parametrize(("hits", "more"), [(1.0, 1.0), (0.6, 1.8)])
def test_codes_in_the_memory_itself_multiply_writes_of_parts(hits: float, more: float) -> None:
    """A card of a data centre with GDDR fetches what a write changes in part, and moves its code."""
    row = WRITES | {"l2_write_hit_fraction": hits, "time_s": 1e-2}
    plain = gpu("plain", segment="consumer", vendor="NVIDIA")
    coded = gpu("coded", segment="datacentre", vendor="NVIDIA")
    stacked = gpu("stacked", segment="datacentre", vendor="NVIDIA", memory="HBM2")

    def dram_s(source: Processor, target: Processor) -> float:
        table = KernelTable.from_columns({"kernel": ["k"]}, {k: ([v], Origin.COUNTED) for k, v in row.items()})
        found = Mechanistic().estimate(table, builders.on(source, 1), builders.onto([target], 1), Conditions())
        here, there = (s[Resource.BYTES_DRAM] for s in
                       (found.time_s_by_resource_source, found.time_s_by_resource_target))  # fmt: skip
        return float(there[0, 0] / here[0])

    assert dram_s(plain, coded) == pytest.approx(more)
    assert dram_s(coded, plain) == pytest.approx(1.0 / more)
    assert dram_s(coded, stacked) == pytest.approx(1.0 / more)
    assert dram_s(plain, stacked) == dram_s(coded, coded) == 1.0


def test_stores_that_reach_dram_alone_follow_its_random_rate() -> None:
    """Partial sectors that L2 cannot keep until they are whole; where they meet in L2 nothing is scattered."""
    fast = with_rates(gpu("fast"), bytes_dram=1.8e12)
    row = WRITES | STALLS | {"l2_write_hit_fraction": 1.0}
    alone = ratio(row, gpu(), fast)
    met = ratio(row | {"bytes_dram_read": 4.8e8, "bytes_dram_write": 1.2e8}, gpu(), fast)
    assert alone < 0.75 < met
    assert ratio(row, gpu(), fast, "random_dram") == pytest.approx(met, rel=0.1)
    unknown = {k: v for k, v in row.items() if k != "l2_write_hit_fraction"}
    assert ratio(unknown, gpu(), fast) == pytest.approx(ratio(row, gpu(), fast, "random_dram"), rel=0.02)


def test_waits_for_the_constant_cache_follow_the_busiest_sm() -> None:
    row = {"time_s": 1e-2, "bytes_dram": 1e6, "grid_blocks": 320.0, "block_threads": 256.0, "insts_executed": 1e6,
           "warp_latency_cycles_per_inst": 27.0, "stall_imc_miss_per_inst": 27.0}  # fmt: skip
    target = gpu("target", sm_count=160)
    assert ratio(row, gpu(), target) == pytest.approx(0.5, rel=0.02), "2 blocks for 4"
    assert ratio(row, gpu(), target, "constant") > 0.9


@pytest.mark.parametrize(("warp_insts", "lasts"), [(5e4, True), (50.0, False)])
def test_misses_of_the_constant_cache_that_last_cost_hopper_a_quarter(warp_insts: float, lasts: bool) -> None:
    # 320 blocks of 8 warps that wait 27 cycles an instruction: beyond 2500 cycles it is not their first constants.
    row = {"time_s": 1e-2, "bytes_dram": 1e6, "grid_blocks": 320.0, "block_threads": 256.0,
           "insts_executed": warp_insts * 2560, "warp_latency_cycles_per_inst": 27.0,
           "stall_imc_miss_per_inst": 27.0}  # fmt: skip
    hopper, ampere = gpu("hopper", architecture="sm_90"), gpu("ampere", architecture="sm_80")
    expected = 0.26 if lasts else 1.0
    assert ratio(row, ampere, hopper) == pytest.approx(expected, rel=0.03)
    assert ratio(row, hopper, ampere) == pytest.approx(1 / expected, rel=0.03)


@pytest.mark.parametrize("side", ["l1", "l2"])
def test_hits_follow_the_logarithm_of_the_capacity_unless_both_hold_everything(side: str) -> None:
    row = {"time_s": 1e-2, "bytes_dram": 6e7, "grid_blocks": 40.0, "block_threads": 256.0} | STALLS
    row |= {f"{side}_hit_fraction": 0.7}
    here = gpu(l2_bytes=40 << 20, capacity_bytes_l1=192 << 10)
    larger = {"l1": {"capacity_bytes_l1": 1 << 20}, "l2": {"l2_bytes": 400 << 20}}[side]
    smaller = {"l1": {"capacity_bytes_l1": 1 << 15}, "l2": {"l2_bytes": 4 << 20}}[side]
    found = [ratio(row, here, gpu("target", **(larger if more else smaller))) for more in (True, False)]  # type: ignore[arg-type]
    unaware = [ratio(row, here, gpu("target"), "reuse") for _ in found]
    assert found[0] < 0.97 * unaware[0]
    assert found[1] > 1.03 * unaware[1]
    fits = row | {"bytes_dram": 1e6, "l1_hit_fraction": 0.0}
    assert ratio(fits, here, gpu("target", **smaller)) == ratio(fits, here, gpu("target", **smaller), "reuse")  # type: ignore[arg-type]


def test_short_blocks_start_one_per_clock_and_live_for_a_load() -> None:
    # A million blocks of one warp take 104 cycles of each of 80 SMs, one after the other: 0.93 ms at 1.4 GHz.
    row = {"time_s": 0.95e-3, "bytes_dram": 1e6, "grid_blocks": 1e6, "block_threads": 32.0}
    here, there = (gpu(name, compute_capability="8.6", sm_count=sms) for name, sms in (("source", 80), ("target", 320)))
    assert ratio(row, here, there) == pytest.approx(80 / 104, rel=0.06)
    assert ratio(row, here, there, "starts") < 0.65
    here, there = (gpu(name, compute_capability="6.1", sm_count=sms) for name, sms in (("source", 80), ("target", 320)))
    assert ratio(row, here, there) == ratio(row, here, there, "starts")
    # 1024 threads that load 4 bytes each and end: a bus of any width waits for the loads, and for the starts.
    loads = {"time_s": 3e-3, "bytes_dram": 2e9, "grid_blocks": 488281.0, "block_threads": 1024.0}
    here, bus = (
        gpu("source", compute_capability="8.6"),
        with_rates(gpu("target", compute_capability="8.6"), bytes_dram=1e14),
    )
    assert ratio(loads, here, bus) > 1.1 * ratio(loads, here, bus, "starts")


@pytest.mark.parametrize("past", ["sm_35", "sm_52", "sm_61"])
def test_loads_go_past_l1_on_kepler_maxwell_and_gp10x(past: str) -> None:
    volta, maxwell = (gpu(name, architecture=name) for name in ("sm_70", past))
    row = {"time_s": 4e-3, "bytes_l1": 1.2e10, "bytes_l2": 3e9, "grid_blocks": 1e5, "block_threads": 256.0}
    assert ratio(row, volta, maxwell) > 2.0 * ratio(row, volta, gpu("other", architecture="sm_80"))
    assert ratio(row, maxwell, volta) == pytest.approx(1.0, rel=1e-6), "what its L1 would hold nobody counted"
    waits = {"time_s": 1e-2, "bytes_dram": 1e6, "grid_blocks": 40.0, "block_threads": 256.0, "l1_hit_fraction": 0.9}
    assert ratio(waits | STALLS, volta, maxwell) > 2.0


def test_code_of_low_intensity_waits_for_memory_where_no_stalls_were_counted() -> None:
    row = {"time_s": 1e-2, "bytes_dram": 1e9, "bytes_l2": 2e9, "grid_blocks": 1e5, "block_threads": 256.0}
    more = with_rates(gpu("target"), insts_lsu=4 * 1.4e9 * 80)
    low, high = (ratio(row | {"flops_fp32": f}, gpu(), more, "efficiency") for f in (1e7, 2e9))
    assert high < 0.98 * low


def test_dram_keeps_its_own_time_at_another_clock() -> None:
    # One block waits for DRAM alone: half the clock doubles the way to L2, not the memory.
    row = {
        "time_s": 1e-2,
        "bytes_dram": 1e6,
        "grid_blocks": 1.0,
        "block_threads": 32.0,
        "l2_hit_fraction": 0.0,
    } | STALLS
    here, there = builders.on(gpu(), 1), builders.onto([gpu()], 1, builders.CLOCK_HZ / 2)
    found = [
        Mechanistic(without=("floor", *off)).estimate(builders.table([row]), here, there, Conditions()).time_s[0, 0]
        for off in ((), ("dram_time",))
    ]
    assert found[0] == pytest.approx(1e-2 * (0.9 * (200 * 2 + 400) / 600 + 0.1 * 2), rel=0.03)
    assert found[1] == pytest.approx(2e-2, rel=0.02)


def test_a_profiled_kernel_that_no_roof_explains_follows_the_clock_by_even_odds() -> None:
    row = {"time_s": 1e-2, "bytes_dram": 1e5, "grid_blocks": 1e5, "block_threads": 256.0}
    wide = gpu("target", sm_count=240)
    assert ratio(row, gpu(), wide) == pytest.approx(ratio(row, gpu(), wide, "serial") ** 0.5, rel=0.02)


def test_dependent_instructions_follow_each_other_faster_on_later_gpus() -> None:
    kepler, maxwell, later = (gpu(name, architecture=name) for name in ("sm_35", "sm_52", "sm_90"))
    found = issue_cycles(columns_of([kepler, maxwell, later, gpu()]))
    np.testing.assert_array_equal(found, [9.0, 6.0, 4.0, np.nan])
    row = {"time_s": 1e-2, "bytes_dram": 1e6, "grid_blocks": 1e5, "block_threads": 256.0, "insts_executed": 1e4}
    assert ratio(row, kepler, maxwell) < 0.9 * ratio(row, kepler, maxwell, "issue_latency")


def test_a_time_of_several_launches_follows_the_launch_floors() -> None:
    row = {"time_s": 6e-5, "bytes_dram": 1e4}
    assert ratio(row, gpu(), gpu("target"), launch_floor_s=(2e-5, 1e-5)) == pytest.approx(1.0)
    table = builders.table([row])
    both = (builders.on(gpu(), 1), builders.onto([gpu("target")], 1), Conditions(launch_floor_s=(2e-5, 1e-5)))
    assert Mechanistic().estimate(table, *both).time_s[0, 0] == pytest.approx(3e-5, rel=0.1)


def test_the_clock_gain_is_one_below_boost_and_bounded() -> None:
    card = find("RTX 2080 Ti").processor
    at_boost = clock_gain(builders.onto([card], 1, card.clock_hz_boost))
    assert at_boost[0, 0] == GAIN_MOST
    assert clock_gain(builders.onto([card], 1, 0.8 * card.clock_hz_boost))[0, 0] == 1.0
    faster = card.replace(**{Resource.FLOPS_FP32.supply: 2 * card.supplies[Resource.FLOPS_FP32].per_s})
    assert clock_gain(builders.onto([faster], 1, card.clock_hz_boost))[0, 0] == pytest.approx(at_boost[0, 0])


def test_a_shared_memory_pass_moves_128_bytes_on_kepler_too() -> None:
    row = {"time_s": 1e-2, "shared_wavefronts": 1.4e9 * 80 * 0.008, "grid_blocks": 1e5, "block_threads": 256.0}
    wide = with_rates(gpu("target"), bytes_shared=256 * 1.4e9 * 80)
    assert ratio(row | {"insts_executed": 1e6}, gpu(), wide) == pytest.approx(1.0, rel=1e-6)


def test_all_amounts_may_be_absent_but_one() -> None:
    for name in ("atomic_inst_fraction", "shared_wavefronts_per_inst", "bytes_per_sector_load", "working_set_bytes"):
        found = ratio({"time_s": 1e-3, "bytes_dram": 1e8, name: 0.5}, gpu(), gpu("target", sm_count=160))
        assert np.isfinite(found)


@pytest.mark.slow
@pytest.mark.parametrize("counted", [True, False])
def test_hidden_fp64_comes_by_degrees_and_not_at_a_threshold(counted: bool) -> None:
    # A tenth of what decides, more or less: a jump would be the ratio of the FP64 rates, 60.
    few, full = with_rates(gpu(), flops_fp64=1.5e11), with_rates(gpu("target"), flops_fp64=9e12)
    stalls = {"warp_latency_cycles_per_inst": 40.0, "insts_executed": 1e6}
    times = []
    for share in np.linspace(0.05, 0.6, 56):
        row = {"time_s": 1e-2, "bytes_dram": 1e6, "grid_blocks": 1e5, "block_threads": 256.0}
        row |= {"flops_fp64": 1.5e9 * (0.05 if counted else share)}
        row |= stalls | {"stall_math_pipe_throttle_per_inst": 40.0 * share} if counted else {}
        times.append(ratio(row, few, full))
    assert max(times) > 1.5 * min(times)
    assert np.max(np.divide(times[:-1], times[1:])) < 2.0


def test_measured_floors_of_cards_are_additive() -> None:
    """An H200 starts launches 0.4 us sooner than an H100: that much of a short kernel's time, whatever it does."""
    h100, h200 = find("H100 SXM5 80GB").processor, find("H200 SXM 141GB").processor
    assert h100.launch_floor_s is not None
    assert h200.launch_floor_s is not None
    apart = h100.launch_floor_s - h200.launch_floor_s
    table = builders.table([{"time_s": 3e-6, "bytes_dram": 1e5, "grid_blocks": 8, "block_threads": 256}])
    unmeasured = h200.replace(name="unmeasured")
    unmeasured = dataclasses.replace(
        unmeasured, facts={k: v for k, v in unmeasured.facts.items() if k != "launch_floor_s"}
    )
    times = forecast(table, [h100, h200, unmeasured], source=h100, model="mechanistic").estimate.time_s[0]
    assert times[0] - times[1] == pytest.approx(apart, rel=0.3)
    assert times[2] > times[1]


def test_what_a_full_roof_hides_on_the_source_it_hides_on_the_target() -> None:
    """DRAM alone fills the time; what the norm adds for L2 is not there, and half as surely on faster DRAM."""
    source = with_rates(gpu(), bytes_dram=1e12, bytes_l2=2e12)
    target = with_rates(gpu("target"), bytes_dram=1.4e12, bytes_l2=2e12)
    row = {"time_s": 1e-2, "bytes_dram": 1e10, "bytes_l2": 1e10, "grid_blocks": 1e5, "block_threads": 256.0}
    off = ("waves", "starts", "in_flight", "floor")
    full = ratio(row, source, target, *off)
    here, there = ((1 + x**3.3) ** (1 / 3.3) for x in (0.5, 0.7))
    hidden = ((1 - 1 / here) * (1 - 1 / there)) ** 0.5
    assert full == pytest.approx(there * (1 - hidden) / 1.4, rel=1e-3)
    # As much as the norm says is there where the time shows it.
    shown = ratio(row | {"time_s": 1e-2 * here}, source, target, *off)
    assert shown == pytest.approx(there / here / 1.4, rel=1e-3)


def test_no_resource_is_busy_for_longer_than_the_kernel() -> None:
    source, target = with_rates(gpu(), bytes_dram=1e12), with_rates(gpu("target"), bytes_dram=2e12)
    row = {"time_s": 1e-2, "bytes_dram": 1.2e10, "grid_blocks": 1e5, "block_threads": 256.0}
    here, there = builders.on(source, 1), builders.onto([target], 1)
    found = Mechanistic(without=("in_flight",)).estimate(builders.table([row]), here, there, Conditions())
    assert found.time_s_by_resource_source[Resource.BYTES_DRAM][0] <= 1e-2
    assert found.time_s_by_resource_target[Resource.BYTES_DRAM][0, 0] <= 0.5e-2 * (1 + 1e-9)


def test_more_dram_is_no_slower_where_starting_blocks_take_longer() -> None:
    """What the slowest roof hides grows with it, but the whole does too."""
    source = with_rates(gpu(), bytes_dram=1e12, bytes_l2=2e12)
    row = {"time_s": 1e-2, "bytes_dram": 9.9e9, "bytes_l2": 1.5e10, "grid_blocks": 2e6, "block_threads": 32.0}
    faster = [ratio(row, source, with_rates(gpu("target"), bytes_dram=r * 1e12, bytes_l2=2e13)) for r in (1, 2, 4, 8)]
    assert faster == sorted(faster, reverse=True)


HOST_ROW = {"time_s": 4e-4, "bytes_dram": 1e4, "bytes_l2": 1.2e7, "l2_hit_fraction": 1 / 3, "grid_blocks": 4096.0,
            "block_threads": 256.0}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "over_link"),
    [
        ({}, 8e6 - 1e4),
        ({"bytes_dram": 4e6}, np.nan),  # DRAM served half of the misses.
        ({"time_s": 4e-5}, np.nan),  # 200 GB/s are no link's.
        ({"time_s": 4e-2}, np.nan),
        ({"atomic_inst_fraction": 0.1}, np.nan),
        ({"bytes_host_link": 5.0}, 5.0),
    ],
)
def test_misses_that_no_dram_served_are_the_hosts(changed: dict[str, float], over_link: float) -> None:
    found = amounts_of(builders.table([HOST_ROW | changed])).get(Resource.BYTES_HOST_LINK)
    np.testing.assert_allclose(found, [over_link], rtol=1e-12)


def test_what_reads_the_hosts_memory_follows_the_link_and_is_unsure() -> None:
    source = with_rates(gpu(), bytes_host_link=2.2e10, bytes_dram=1e12, bytes_l2=2e12)
    slower = with_rates(gpu("target"), bytes_host_link=1.1e10, bytes_dram=1e12, bytes_l2=2e12)
    assert ratio(HOST_ROW, source, slower) > 1.6
    here, there = builders.on(source, 1), builders.onto([slower], 1)
    width = []
    for row in (HOST_ROW, HOST_ROW | {"bytes_dram": 8e6}):
        found = Mechanistic().estimate(builders.table([row]), here, there, Conditions())
        width.append(found.time_high_s[0, 0] / found.time_low_s[0, 0])
    assert width[0] > 2 * width[1]


@pytest.mark.parametrize("model", ["mechanistic", "hybrid", "van_lanker", "occupancy_efficiency"])
def test_rows_whose_gpu_nobody_knows_change_no_other_row(model: str) -> None:
    table = hide_gpus(draw_counted(47))
    known = np.flatnonzero(np.arange(len(table)) % 3 == 2)
    whole = roofcast.forecast(table, to=TARGETS, model=model).estimate
    alone = roofcast.forecast(table.select(known), to=TARGETS, model=model).estimate
    assert np.isfinite(alone.time_s).any()
    np.testing.assert_allclose(whole.time_s[known], alone.time_s, rtol=1e-12)
    np.testing.assert_allclose(whole.time_high_s[known], alone.time_high_s, rtol=1e-12)
    assert np.isnan(np.delete(whole.time_s, known, axis=0)).all()
