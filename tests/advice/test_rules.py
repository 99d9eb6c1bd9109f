"""Each rule speaks on a kernel made for it, is silent on a clean one, and says nothing without evidence."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import roofcast
from roofcast.advice import arithmetic, execution, memory_traffic
from roofcast.advice.case import Case, SpecialShare, Symptom
from roofcast.advice.ranking import Advice, advise, leave_waiting, lost_times
from roofcast.advice.registry import RULES, find_symptoms
from roofcast.advice.show import record_advice
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable, concatenate
from roofcast.core.resource import Resource
from roofcast.forecasting.forecast import forecast
from roofcast.models.registry import FORECASTERS

GPU = "Tesla V100 SXM2 32GB"
CLEAN: dict[str, float] = {
    "time_s": 1e-3, "clock_hz": 1.53e9, "grid_blocks": 8000, "block_threads": 256, "regs_per_thread": 32,
    "smem_bytes_per_block": 0, "threads_per_inst": 32, "occupancy_fraction": 0.95, "flops_fp32": 1e9, "flops_fp64": 0,
    "insts_fp32_add": 0, "insts_fp32_mul": 0, "insts_fp32_fma": 5e8, "bytes_l1": 9e8, "bytes_l2": 8e8,
    "bytes_dram": 7e8, "bytes_shared": 0, "shared_wavefronts": 0, "shared_bank_conflicts": 0, "bytes_local": 0,
    "sectors_uncoalesced": 0, "insts_executed": 5e7, "insts_issued": 5e7, "insts_special": 0, "insts_tensor": 0,
    "insts_lsu": 5e6, "atomics_l2": 0, "warp_latency_cycles_per_inst": 20, "stall_long_scoreboard_per_inst": 15,
    "stall_short_scoreboard_per_inst": 0, "stall_barrier_per_inst": 0, "flops_phantom_fp16": 0,
}  # fmt: skip

SICK: dict[str, dict[str, float | str]] = {
    "special-pipe": {"insts_special": 2e7},
    "low-fma": {"flops_fp64": 4e9, "insts_fp64_add": 1.5e9, "insts_fp64_mul": 1.5e9, "insts_fp64_fma": 5e8},
    "fp64-in-fp32": {"flops_fp64": 1e9, "flops_fp32": 8e9, "insts_fp32_fma": 4e9},
    "few-fp64-units": {"flops_fp64": 1e9, "gpu": "Tesla T4", "clock_hz": 1.5e9, "time_s": 5e-3},
    "tensor-unused": {"gpu": "A100 SXM4 40GB", "flops_fp32": 1e10, "insts_fp32_fma": 5e9},
    "tensor-padding": {"insts_tensor": 1e6, "flops_tensor_fp16": 1e10, "shape_n": 30522},
    "divergence": {"threads_per_inst": 8, "insts_issued": 3e8, "insts_executed": 3e8},
    "occupancy": {"regs_per_thread": 128, "occupancy_fraction": 0.24},
    "small-grid": {"grid_blocks": 40},
    "tail": {"grid_blocks": 700},
    "barriers": {"stall_barrier_per_inst": 12, "stall_long_scoreboard_per_inst": 5},
    "launch-bound": {"time_s": 3e-6, "bytes_dram": 1e5, "bytes_l2": 1e5, "bytes_l1": 1e5, "flops_fp32": 1e5,
                     "insts_fp32_fma": 5e4, "insts_executed": 1e4, "insts_issued": 1e4, "insts_lsu": 1e3},
    "uncoalesced": {"sectors_uncoalesced": 1.5e8, "bytes_l1": 6e9, "bytes_l2": 2e9, "insts_lsu": 5e7},
    "partial-sectors": {"bytes_per_sector_load": 8},
    "bank-conflicts": {"shared_wavefronts": 8e7, "shared_bank_conflicts": 6e7, "bytes_shared": 8e7 * 128},
    "overhead": {"insts_thread": 2e9, "insts_issued": 3e8, "insts_executed": 3e8},
    "idle-roofs": {"time_s": 1e-2},
    "shared-pressure": {"bytes_shared": 1e10, "shared_wavefronts": 8e7},
    "l1-pressure": {"bytes_l1": 1e10, "bytes_l2": 2e9, "insts_lsu": 8e7},
    "spills": {"bytes_local": 5e9, "bytes_l1": 8e9, "bytes_l2": 2e9, "insts_lsu": 5e7},
    "little-reuse": {"bytes_compulsory": 1e8, "working_set_bytes": 3e6},
    "thread-reuse": {"time_s": 1.0, "bytes_dram": 3e11, "bytes_l2": 4e11, "bytes_l1": 5e11, "grid_blocks": 1e8,
                     "insts_executed": 8e10, "insts_issued": 8e10},
    "cache-blocking": {"time_s": 1.0, "bytes_dram": 3e11, "bytes_l2": 4e11, "bytes_l1": 5e11, "insts_executed": 8e10,
                       "insts_issued": 8e10},
    "no-tiling": {"bytes_l1": 1e10, "bytes_l2": 2e9, "insts_lsu": 8e7},
    "atomics": {"atomics_l2": 1e6},
}  # fmt: skip


def launch(changes: Mapping[str, float | str]) -> KernelTable:
    numbers = CLEAN | {k: v for k, v in changes.items() if not isinstance(v, str)}
    text = {"kernel": "step", "gpu": GPU} | {k: v for k, v in changes.items() if isinstance(v, str)}
    return KernelTable.from_columns(
        {k: [v] for k, v in text.items()}, {k: ([float(v)], Origin.COUNTED) for k, v in numbers.items()}
    )


def rules_of(advice: Advice) -> set[str]:
    return {f.rule for f in advice.findings}


def symptoms(rule: str, kernels: KernelTable, special: Mapping[int, tuple[SpecialShare, ...]] | None = None) -> int:
    found = forecast(kernels, str(kernels.strings("gpu")[0]))
    return len(list(RULES[rule].find(Case(found.kernels, found, special or {}))))


def test_every_rule_has_a_kernel_made_for_it() -> None:
    own = {"long-latency", "root-in-condition", "fuse-next", "fuse-last"}
    assert set(SICK) | own == set(RULES), "these have tests of their own"


@pytest.mark.parametrize("rule", SICK)
def test_the_rule_finds_its_kernel(rule: str) -> None:
    assert symptoms(rule, launch(SICK[rule])) == 1


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_is_silent_on_a_clean_kernel(rule: str) -> None:
    assert symptoms(rule, launch({})) == 0


@pytest.mark.parametrize("rule", RULES)
def test_nothing_is_said_without_evidence(rule: str) -> None:
    bare = KernelTable.from_columns({"kernel": ["sgemm"], "gpu": [GPU]}, {"time_s": ([1.0], Origin.COUNTED)})
    assert symptoms(rule, bare) == 0


VENDOR = "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)"


@pytest.mark.parametrize("rule", ["occupancy", "uncoalesced", "no-tiling", "small-grid", "tail", "launch-bound"])
def test_of_compiled_code_what_its_caller_can_change_is_advised(rule: str) -> None:
    """Nobody caps the registers of a kernel of cuBLAS; who calls it chooses sizes, types and graphs."""
    said: list[dict[str, str]] = []
    for name in ("step", VENDOR):
        found = forecast(launch(SICK[rule] | {"kernel": name}), GPU)
        said.append({r: s.remedy for r, s in find_symptoms(Case(found.kernels, found, {}))})
    mine, theirs = said
    assert rule in mine
    assert (rule in theirs) is (rule in ("small-grid", "tail", "launch-bound"))
    if rule == "small-grid":
        assert "larger batch" in theirs[rule]


def test_no_rule_reads_a_name() -> None:
    for module in (arithmetic, execution, memory_traffic):
        assert "strings(" not in inspect.getsource(module), module.__name__


def test_fp64_functions_are_seen_by_their_seeds_where_no_code_is_at_hand() -> None:
    divides = {"flops_fp64": 4e9, "flops_fp32": 0, "insts_fp32_fma": 0, "insts_special": 2e6, "insts_executed": 5e7}
    assert symptoms("special-pipe", launch(divides)) == 1
    assert symptoms("special-pipe", launch(divides | {"flops_fp32": 5e9})) == 0, "they may be FP32's"
    assert symptoms("special-pipe", launch(divides), {0: (SpecialShare("div.f64", "", 0.6, 0.5),)}) == 0


def test_a_few_strided_loads_count_where_warps_wait_for_data() -> None:
    found = advise(launch({"bytes_per_sector_load": 30})).findings
    (one,) = [f for f in found if f.rule == "partial-sectors"]
    assert one.basis == "bound"
    assert one.saved_s == pytest.approx(one.time_s * 15 / 20 * 2 / 32)
    calm = {"bytes_per_sector_load": 30, "stall_long_scoreboard_per_inst": 2}
    assert symptoms("partial-sectors", launch(calm)) == 0


def test_nothing_below_a_thousandth_of_the_time_is_proposed() -> None:
    small, large = launch(SICK["small-grid"]), launch({"time_s": 0.6})
    assert "small-grid" in rules_of(advise(concatenate([small, launch({"time_s": 0.4})])))
    assert "small-grid" not in rules_of(advise(concatenate([small, large])))


def test_long_latency_functions_come_from_the_code() -> None:
    kernels = launch({"flops_fp64": 1e9, "insts_special": 1e6, "insts_executed": 5e7})
    special = {
        0: (SpecialShare("div.f64", "step+0x10..0x80", 0.6, 0.5), SpecialShare("pow.f64", "pow", 0.1, 0.1, True))
    }
    assert symptoms("long-latency", kernels, special) == 1
    found = forecast(kernels, GPU)
    symptom = next(RULES["long-latency"].find(Case(found.kernels, found, special)))
    # 26 instructions for each of 1e6 special-function instructions bound what the blocks can be: 52 of 70 %.
    assert symptom.what.startswith("up to 52 %")
    assert symptom.relief["insts_per_s_issued"] == pytest.approx(1 / (1 - 0.52 / 2))  # half of which reciprocals save
    assert symptom.where == "step+0x10..0x80"


def test_roots_that_are_only_compared_come_from_the_code() -> None:
    kernels = launch({"flops_fp64": 1e9, "insts_special": 1e6, "insts_executed": 5e7})
    compared = SpecialShare("sqrt.f64", "step+0x10..0x80", 0.3, 0.5, is_condition=True)
    stored = SpecialShare("sqrt.f64", "step+0x200..0x280", 0.3, 0.5)
    assert symptoms("root-in-condition", kernels, {0: (stored,)}) == 0
    assert symptoms("root-in-condition", kernels, {0: (compared, stored)}) == 1
    found = forecast(kernels, GPU)
    symptom = next(RULES["root-in-condition"].find(Case(found.kernels, found, {0: (compared, stored)})))
    # Half of the 52 % that 1e6 special-function instructions can take.
    assert symptom.what.startswith("up to 26 %")
    assert symptom.where == "step+0x10..0x80"


@pytest.mark.slow
@pytest.mark.parametrize("model", FORECASTERS)
def test_gains_are_possible_and_ranked(model: str) -> None:
    tables = [launch(change | {"kernel": f"k{n}", "gpu": GPU}) for n, change in enumerate(SICK.values())]
    advice = Advice((), ())
    for kernels in tables:
        advice = advise(kernels, model=model)
        for found in advice.findings:
            assert found.evidence
            assert found.remedy
            if found.basis == "none":
                assert math.isnan(found.time_if_fixed_s)
            else:
                assert 0 < found.saved_s < found.time_s
        saved = [f.saved_s if f.saved_s > 0 else 0.0 for f in advice.findings]
        assert saved == sorted(saved, reverse=True)


def test_a_relief_is_what_fewer_bytes_would_give() -> None:
    """The published model's own answer for an eighth of the L1 bytes, asked the direct way."""
    sick = launch(SICK["no-tiling"])
    finding = next(f for f in advise(sick, model="van_lanker").findings if f.rule == "no-tiling")
    share = 7 / 8
    gpu = forecast(sick, GPU).targets[0]
    relieved = (Resource.BYTES_L1, Resource.BYTES_L2, Resource.INSTS_LSU)
    faster = gpu.replace(**{r.supply: gpu.rate(r) / (1 - share) for r in relieved})
    direct = forecast(sick, faster, model="van_lanker").estimate.time_s[0, 0]
    assert finding.time_if_fixed_s == pytest.approx(direct, rel=1e-12)
    assert finding.time_s == pytest.approx(forecast(sick, gpu, model="van_lanker").time_total_s[0, 0], rel=1e-12)


def test_launches_of_one_kernel_are_one_finding() -> None:
    one = launch(SICK["small-grid"])
    many = one.select([0, 0, 0])
    found = [f for f in advise(many).findings if f.rule == "small-grid"]
    assert [(f.launches, round(f.time_s, 9)) for f in found] == [(3, 3e-3)]
    assert found[0].saved_s == pytest.approx(3e-3 * 0.5)


def test_advice_changes_with_the_gpu() -> None:
    kernels = launch(
        {"flops_fp64": 4e9, "insts_fp64_add": 0, "insts_fp64_mul": 0, "insts_fp64_fma": 2e9, "flops_fp32": 0}
    )
    assert "few-fp64-units" not in rules_of(advise(kernels))
    assert "few-fp64-units" in rules_of(advise(kernels, "GeForce RTX 4090"))
    small = launch({"grid_blocks": 100})
    assert "small-grid" not in rules_of(advise(small))
    assert "small-grid" in rules_of(advise(small, "H100 SXM5 80GB"))


@pytest.mark.slow
def test_absurd_numbers_do_no_harm() -> None:
    random = np.random.default_rng(7)
    for _ in range(40):
        values = {k: float(random.choice([0, -1, 1e300, math.inf, math.nan, 1, 1e9])) for k in CLEAN}
        with np.errstate(all="ignore"):
            advice = advise(launch(values))
        assert all(f.saved_s > 0 or f.basis == "none" for f in advice.findings)


def test_empty_and_unknown_give_no_advice() -> None:
    assert advise(launch({}).select([])).findings == ()
    unknown = advise(launch({"gpu": "no such GPU"}))
    assert unknown.findings == ()
    assert math.isnan(unknown.time_s)
    assert record_advice(unknown)["time_s"] is None
    assert advise(launch({"gpu": "no such GPU"}), GPU).findings == ()


def test_an_instruction_that_is_gone_is_not_waited_for() -> None:
    """More than the model gives for the pipe, less than the whole time in the ratio of the instructions."""
    sick = launch({"time_s": 1e-2, **SICK["overhead"], "insts_issued": 3e9, "insts_executed": 3e9, "insts_thread": 9e10,
                   "flops_fp32": 4e10, "insts_fp32_fma": 2e10})  # fmt: skip
    finding = next(f for f in advise(sick).findings if f.rule == "overhead")
    gpu = forecast(sick, GPU).targets[0]
    factor = finding.relief[Resource.INSTS_ISSUED.supply]
    faster = gpu.replace(**{Resource.INSTS_ISSUED.supply: gpu.rate(Resource.INSTS_ISSUED) * factor})
    modelled = forecast(sick, faster).estimate.time_s[0, 0]
    assert finding.time_s / factor <= finding.time_if_fixed_s < modelled
    # Several results per thread take registers: at worst half of the resident blocks.
    assert finding.saved_low_s == -finding.lost_s < 0 < finding.saved_s <= finding.saved_high_s


def test_what_waits_says_so_only_where_nothing_else_does() -> None:
    waits = advise(launch(SICK["idle-roofs"])).findings
    assert [f.basis for f in waits if f.rule == "idle-roofs"] == ["bound"]
    spills = launch({**SICK["spills"], "time_s": 2e-2, "bytes_local": 5e10, "bytes_l1": 8e10, "bytes_l2": 2e10})
    assert "idle-roofs" not in rules_of(advise(spills))


def test_spills_are_found_without_a_counter_of_l1() -> None:
    told = {"bytes_local": 5e9, "bytes_l2": 6e9, "bytes_dram": 5e9, "time_s": 2e-2, "bytes_l1": math.nan}
    found = next(f for f in advise(launch(told)).findings if f.rule == "spills")
    assert Resource.BYTES_DRAM.supply in found.relief
    assert "L2 traffic" in found.what  # L2 moves more than the local accesses: they are a part of it
    assert found.relief[Resource.BYTES_L2.supply] == pytest.approx(6.0)
    kept = next(f for f in advise(launch(told | {"bytes_l2": 4e9})).findings if f.rule == "spills")
    assert "L2 and local traffic" in kept.what
    assert Resource.BYTES_DRAM.supply not in kept.relief


def test_what_holds_more_may_cost_resident_blocks() -> None:
    """The loss is what the model says with half of them; a kernel with one resident block has none to lose."""
    kernels = launch(SICK["overhead"])
    case = Case(kernels, forecast(kernels, GPU))
    symptom = Symptom(0, "", (), "", holds=2.0)
    blocks = int(case.resident_blocks[0])
    fewer = forecast(kernels, roofcast.gpu(GPU).replace(max_blocks_per_sm=blocks // 2)).estimate.time_s[0, 0]
    lost = lost_times(case, [symptom], None, None)[0, 2.0]
    assert lost == pytest.approx(fewer - case.time_s[0])
    assert lost_times(case, [Symptom(0, "", (), "")], None, None) == {}
    single = launch({**SICK["overhead"], "smem_bytes_per_block": 90_000.0})
    assert lost_times(Case(single, forecast(single, GPU)), [symptom], None, None) == {}


@given(
    found=st.floats(0.1, 1.0), busiest=st.floats(0.0, 1.0), less=st.floats(0.0, 1.0), more=st.floats(0.0, 1.0),
)  # fmt: skip
def test_less_waiting_is_never_slower(found: float, busiest: float, less: float, more: float) -> None:
    less, more = sorted((less, more))
    with_less, with_more = (float(leave_waiting(found, 1.0, busiest, w)) for w in (less, more))
    assert 0 <= with_more <= with_less <= found * (1 + 1e-9)


def test_a_short_kernel_saves_its_launch_at_most() -> None:
    floor = roofcast.gpu(GPU).launch_floor_s
    assert floor
    found = next(f for f in advise(launch(SICK["launch-bound"])).findings if f.rule == "launch-bound")
    assert found.basis == "bound"
    assert found.saved_s == pytest.approx(floor)
    shorter = advise(launch({**SICK["launch-bound"], "time_s": 0.9 * floor})).findings
    assert [f.basis for f in shorter if f.rule == "launch-bound"] == ["none"]
