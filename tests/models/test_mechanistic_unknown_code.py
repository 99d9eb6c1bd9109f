"""What the mechanistic model says of code of which nothing was counted, and of blocks as a whole."""

from __future__ import annotations

import dataclasses

import pytest

import model_builders as builders
from cause_builders import STALLS, gpu, ratio, with_rates
from roofcast.catalog import find
from roofcast.core.columns import Origin
from roofcast.core.machines import columns_of
from roofcast.core.processor import Domain, Processor
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.models.physics.causes.l2_time import own_time_of_l2
from roofcast.models.physics.causes.latency import FAR_L2, l2_latency
from roofcast.models.physics.model import Mechanistic

ALGORITHM = Origin.DERIVED
SHAPE = {"grid_blocks": 1e5, "block_threads": 256.0}


def with_pipes(made: Processor) -> Processor:
    """A GPU with 64 FP32 and 64 integer lanes, four schedulers and a narrow-pass rate per SM."""
    per_sm = made.clock_hz_boost * made.sm_count
    return with_rates(made, flops_fp32=128 * per_sm, ops_int32=64 * per_sm, insts_issued=4 * per_sm, insts_lsu=per_sm)


def test_unknown_code_follows_arithmetic_and_accesses_by_half_each() -> None:
    row = {"time_s": 1e-2, "bytes_compulsory": 1e6} | SHAPE
    source, per_sm = with_pipes(gpu()), gpu().clock_hz_boost * gpu().sm_count
    target = with_rates(with_pipes(gpu("target")), flops_fp32=256 * per_sm)
    # Twice the FP32 lanes leave 136 issue slots of 128 a clock where 100 floats took 64 lanes: 1.47 times as fast.
    found = ratio(row, source, target, "waves", origin=ALGORITHM)
    assert found == pytest.approx((1 / 1.470588) ** (0.5 * 0.8), rel=0.03)
    assert ratio(row, source, target, "mix", origin=ALGORITHM) == pytest.approx(1.0, abs=0.01)


def test_counted_instructions_are_not_taken_for_a_usual_mix() -> None:
    row = {"time_s": 1e-2, "bytes_dram": 1e6, "insts_executed": 1e6} | SHAPE
    source, per_sm = with_pipes(gpu()), gpu().clock_hz_boost * gpu().sm_count
    target = with_rates(with_pipes(gpu("target")), flops_fp32=256 * per_sm)
    assert ratio(row, source, target) == pytest.approx(ratio(row, source, target, "mix"))


@pytest.mark.parametrize(("more", "gains"), [({}, True), ({"smem_bytes_per_block": 2048.0}, False)])
def test_half_of_the_operands_from_global_memory_are_the_same_for_a_warp(more: dict[str, float], gains: bool) -> None:
    # 8.96e10 FLOPs load 2.8e9 operands: 59 ms of 68 SMs with half a pass per clock.
    row = {"time_s": 6.5e-2, "flops_fp32": 8.96e10, "bytes_compulsory": 1e7, "regs_per_thread": 32.0} | SHAPE | more
    turing, ampere = find("RTX 2080 Ti").processor, find("RTX 3080").processor
    wide = ratio(row | {"block_threads_x": 32.0}, turing, ampere, "mix", origin=ALGORITHM)
    found = ratio(row, turing, ampere, "mix", origin=ALGORITHM)
    assert (found < 0.85 * wide) if gains else found == pytest.approx(wide, rel=0.05)


def test_a_librarys_tensor_work_is_no_usual_mix() -> None:
    row = {"time_s": 1e-2, "bytes_compulsory": 1e6, "flops_tensor_fp16": 1e9} | SHAPE
    source, per_sm = with_pipes(gpu()), gpu().clock_hz_boost * gpu().sm_count
    target = with_rates(with_pipes(gpu("target")), flops_fp32=256 * per_sm)
    assert ratio(row, source, target, origin=ALGORITHM) == pytest.approx(
        ratio(row, source, target, "mix", origin=ALGORITHM)
    )


def test_a_histogram_that_counts_one_element_per_clock_follows_the_clock() -> None:
    # 1.4e7 elements of 4 bytes in 10 ms at 1.4 GHz.
    row = {"time_s": 1e-2, "bytes_compulsory": 5.6e7} | SHAPE
    small = with_pipes(gpu("target", sm_count=20))
    text = {"kernel": "Simple Histogram"}
    assert ratio(row, with_pipes(gpu()), small, origin=ALGORITHM, text=text) == pytest.approx(1.0, abs=0.01)
    assert ratio(row, with_pipes(gpu()), small, "atomics", origin=ALGORITHM, text=text) > 1.5
    assert ratio(row, with_pipes(gpu()), small, origin=ALGORITHM, text={"kernel": "transpose"}) > 1.5
    faster = row | {"bytes_compulsory": 5.6e8}
    assert ratio(faster, with_pipes(gpu()), small, origin=ALGORITHM, text=text) > 1.5


@pytest.mark.parametrize(("blocks", "sms", "expected"), [(8.0, 10, 1.0), (8.0, 4, 2.0), (8.0, 3, 3.0), (8.0, 160, 1.0)])
def test_few_blocks_neither_gain_from_more_sms_nor_lose_with_fewer(blocks: float, sms: int, expected: float) -> None:
    row = {"time_s": 1e-2, "bytes_compulsory": 1e6, "grid_blocks": blocks, "block_threads": 512.0}
    found = ratio(row, with_pipes(gpu()), with_pipes(gpu("target", sm_count=sms)), "waves", origin=ALGORITHM)
    assert found == pytest.approx(expected**0.8, rel=0.08)


def test_blocks_that_join_their_values_wait_for_their_steps() -> None:
    # 16,384 blocks of 256, eight to each of 80 SMs: 25.6 waves of 600 + 8 x 150 cycles at 1.4 GHz.
    row = {"time_s": 3.5e-5, "bytes_compulsory": 1.6e7, "grid_blocks": 16384.0, "block_threads": 256.0,
           "smem_bytes_per_block": 1024.0}  # fmt: skip
    fast = with_rates(gpu("target"), bytes_dram=8e12, bytes_l2=3e13)
    assert ratio(row, gpu(), fast, origin=ALGORITHM) > 0.9
    assert ratio(row, gpu(), fast, "trees", origin=ALGORITHM) < 0.9
    for other in ({"smem_bytes_per_block": 4096.0}, {"time_s": 1.5e-5}, {"grid_blocks": 64.0}):
        found = ratio(row | other, gpu(), fast, origin=ALGORITHM)
        assert found == pytest.approx(ratio(row | other, gpu(), fast, "trees", origin=ALGORITHM)), other


def with_own_clock_of_l2(processor: Processor) -> Processor:
    supplies = dict(processor.supplies)
    old = supplies[Resource.BYTES_L2]
    supplies[Resource.BYTES_L2] = dataclasses.replace(old, domain=Domain.L2, clock_hz=None)
    return dataclasses.replace(processor, supplies=supplies)


def test_an_l2_of_its_own_clock_keeps_its_time_below_boost() -> None:
    # One block waits for L2 alone; half the clock doubles the way through the SM, 30 of 200 cycles.
    row = {"time_s": 1e-2, "bytes_dram": 1e6, "grid_blocks": 1.0, "block_threads": 32.0, "l2_hit_fraction": 1.0}
    plain = gpu(latency_cycles_l1=30.0, latency_cycles_l2=200.0)
    for made, expected in ((with_own_clock_of_l2(plain), 0.9 * (1 + 30 / 200) + 0.1 * 2), (plain, 2.0)):
        here, there = builders.on(made, 1), builders.onto([made], 1, builders.CLOCK_HZ / 2)
        model = Mechanistic(without=("floor",))
        found = model.estimate(builders.table([row | STALLS]), here, there, Conditions()).time_s[0, 0]
        assert found == pytest.approx(expected * 1e-2, rel=0.02)
    real = [find(name).processor for name in ("A100-SXM4-40GB", "H100 PCIe", "H100-SXM5-80GB", "GH200 96GB")]
    assert (own_time_of_l2(columns_of(real)) > 0).tolist() == [False, False, True, True]


def test_atomics_on_one_address_follow_the_clock_of_l2() -> None:
    # 0.75 atomic instructions per clock for 10 ms at 1.4 GHz.
    row = {"time_s": 1e-2, "bytes_dram": 1e6, "insts_executed": 1e8, "atomic_inst_fraction": 0.105,
           "grid_blocks": 1e4, "block_threads": 256.0, "warp_latency_cycles_per_inst": 40.0,
           "stall_long_scoreboard_per_inst": 36.0, "l2_hit_fraction": 1.0}  # fmt: skip
    plain = gpu(latency_cycles_l1=30.0, latency_cycles_l2=200.0)
    for made, expected in ((with_own_clock_of_l2(plain), 1 + 30 / 200), (plain, 2.0)):
        here, there = builders.on(made, 1), builders.onto([made], 1, builders.CLOCK_HZ / 2)
        found = Mechanistic(without=("floor",)).estimate(builders.table([row]), here, there, Conditions())
        assert found.time_s[0, 0] == pytest.approx(expected * 1e-2, rel=0.03)


def test_the_mean_l2_latency_takes_each_gpus_own_far_half() -> None:
    made = gpu(latency_cycles_l2=200.0)
    two = dataclasses.replace(made, l2_partitions=2)
    known = dataclasses.replace(two, latency_cycles_l2_far=500.0)
    one = dataclasses.replace(made, latency_cycles_l2_far=500.0)
    found = l2_latency(columns_of([made, two, known, one, find("A100-SXM4-40GB").processor]))
    assert found.tolist() == pytest.approx([200.0, 200 * FAR_L2, 350.0, 200.0, (213 + 409.5) / 2])
