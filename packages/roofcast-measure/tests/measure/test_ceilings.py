"""The whole flow of measuring ceilings on a GPU that exists on paper: what comes out is what its numbers say."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path

import numpy as np
import pytest

from roofcast import catalog
from roofcast.__main__ import main
from roofcast.catalog import entries
from roofcast.catalog.own import load_own, processor_of
from roofcast.core.errors import RoofcastError
from roofcast.core.resource import Resource
from roofcast_measure import cuda_driver
from roofcast_measure.ceilings import comparison, compute, entry, memory, run, tensor
from roofcast_measure.ceilings.bench import Bench
from roofcast_measure.ceilings.cublas import TYPES
from roofcast_measure.ceilings.host import State, host_of, transfer_bytes
from roofcast_measure.ceilings.run import Measured
from roofcast_measure.show import render_ceilings
from roofcast_measure.timing import CEILINGS, CEILINGS_QUICK, Effort
from virtual_gpu import Numbers, VirtualGpu

pytestmark = [pytest.mark.usefixtures("nvrtc"), pytest.mark.slow]
METHOD = 0.012
"""Relative: a microsecond of a batch of a millisecond, the loop's own instructions, 0.1 % of jitter."""


@pytest.fixture(scope="module")
def gpu() -> VirtualGpu:
    return VirtualGpu()


@pytest.fixture(scope="module")
def measured(gpu: VirtualGpu) -> Measured:
    return run.run_ceilings(gpu, gpu, effort=CEILINGS_QUICK)


def expected(n: Numbers) -> dict[str, float]:
    per_s = n.sms * n.clock_hz
    return {
        "flops_fp64:fma": 64 * per_s, "flops_fp64:add_mul": 32 * per_s, "flops_fp32:fma": 128 * per_s,
        "flops_fp32:add_mul": 64 * per_s, "flops_fp16:fma": 512 * per_s, "flops_fp16:add_mul": 256 * per_s,
        "flops_bf16:fma": 512 * per_s, "ops_int32:add": 64 * per_s, "ops_int32:mul": 64 * per_s,
        "ops_int32:mad": 128 * per_s, "insts_special": 0.5 * per_s, "flops_tensor_fp64:mma": 128 * per_s,
        "flops_tensor_tf32:mma": 1024 * per_s, "flops_tensor_fp16:mma": 2048 * per_s,
        "flops_tensor_fp16:fp32_accumulate": 2048 * per_s, "flops_tensor_bf16:mma": 2048 * per_s,
        "ops_tensor_int8:mma": 4096 * per_s, "flops_fp32:matmul_own": 0.5 * 128 * per_s,
        "flops_fp64:matmul_own": 0.5 * 64 * per_s, "flops_fp32:matmul": 0.78 * 256 * per_s,
        **{f"flops_tensor_{t}:matmul": 0.78 * f * per_s
           for t, f in (("fp64", 256), ("tf32", 1024), ("fp16", 2048), ("bf16", 2048))},
        "ops_tensor_int8:matmul": 0.78 * 4096 * per_s, "bytes_l2:read": n.l2, "bytes_l2:read_shared": n.l2_shared,
        "bytes_l2:write": n.l2_write, "atomics_l2:same_address": 32 * n.atomics_same,
        "atomics_l2:same_address_per_lane": n.atomics_same,
        "atomics_l2:compare_and_swap_held": n.atomics_swap / (16 * n.sms),
        "atomics_l2:distinct": n.atomics_distinct, "atomics_l2:coalesced": n.atomics_coalesced,
        "atomics_l2:compare_and_swap": n.atomics_swap, "insts_lsu:shared_atomic": per_s / n.atomics_shared_clocks,
        "insts_lsu:shared_atomic_same": per_s / n.atomics_shared_clocks / 32,
        "clock:fp32": n.clock_hz, "launch_floor:stream": n.stream_s,
        "launch_floor:graph": n.graph_s, "bytes_shared:conflict_2": n.shared_bytes_per_clock * per_s / 2,
        "bytes_shared:conflict_32": n.shared_bytes_per_clock * per_s / 32,
        **{f"bytes_l1:load_{w}": n.l1_bytes_per_clock * per_s for w in ("4b", "8b", "16b")},
        **{f"bytes_shared:load_{w}": n.shared_bytes_per_clock * per_s for w in ("4b", "8b", "16b")},
        **{f"bytes_dram:{k}": v for k, v in n.dram.items()},
        **{f"bytes_host_link:{k}": v for k, v in n.link.items()},
        **{f"latency_cycles:{k}": v for k, v in n.latency.items() if k not in ("fp32", "fp64")},
        "latency_cycles:fp32_fma": n.latency["fp32"], "latency_cycles:fp64_fma": n.latency["fp64"],
    }  # fmt: skip


def test_every_ceiling_is_recovered(gpu: VirtualGpu, measured: Measured) -> None:
    wanted = expected(gpu.n)
    found = {c.quantity: c for c in measured.ceilings}
    assert found.keys() == wanted.keys()
    off = {q: found[q].value / v for q, v in wanted.items() if abs(found[q].value / v - 1) > 2 * METHOD}
    assert not off
    assert all(c.repetitions >= CEILINGS_QUICK.repetitions and 0 <= c.spread < METHOD for c in measured.ceilings)
    assert all(c.method and c.clock_hz == gpu.n.clock_hz for c in measured.ceilings)
    assert measured.failed == ()
    assert (gpu.used, gpu.open_works) == (0, 0), "everything was given back"


@pytest.mark.slow
@pytest.mark.parametrize(("capability", "sms"), [("7.5", 40), ("9.0", 132), ("10.0", 148)])
def test_other_architectures_run_through(capability: str, sms: int) -> None:
    gpu = VirtualGpu(dataclasses.replace(Numbers(), name="Somebody's GPU", capability=capability, sms=sms))
    measured = run.run_ceilings(gpu, gpu, effort=Effort(2, 1e-4, 0.0))
    assert measured.failed == ()
    quantities = {c.quantity for c in measured.ceilings}
    assert ("flops_bf16:fma" in quantities) == (capability != "7.5")
    assert ("flops_tensor_fp16:wgmma" in quantities) == (capability == "9.0")
    assert ("flops_tensor_fp8:mma" in quantities) == (capability in ("8.9", "12.0"))
    assert ("flops_tensor_fp4:block_scaled" in quantities) == (capability == "12.0")
    tcgen05 = {q for q in quantities if q.endswith(":tcgen05")}
    types = ("fp16", "bf16", "tf32", "fp8", "fp4")
    ten = {*(f"flops_tensor_{t}:tcgen05" for t in types), "ops_tensor_int8:tcgen05"}
    assert tcgen05 == (ten if capability == "10.0" else set())
    assert ("flops_tensor_fp8:fp6" in quantities) == (capability in ("10.0", "12.0"))
    text = entry.text_of(measured, "x.toml", None)
    kinds = {i["quantity"] for i in tomllib.loads(text)["measured"]}
    assert tcgen05 <= kinds
    assert ("flops_tensor_fp16:mma" in kinds) == (capability != "10.0"), "mma.sync is no ceiling where tcgen05 is"
    assert ("flops_tensor_fp64:mma" in kinds) == (capability != "7.5"), "but it is for FP64"


@pytest.mark.parametrize(
    ("capability", "kernel", "quantity"),
    [("8.0", "mma_bf16", "flops_tensor_bf16:mma"), ("9.0", "wgmma_fp8", "flops_tensor_fp8:wgmma"),
     ("10.0", "tcgen05_fp4", "flops_tensor_fp4:tcgen05"), ("12.0", "mma_fp4", "flops_tensor_fp4:block_scaled")],
)  # fmt: skip
def test_a_product_that_is_none_has_no_rate(
    monkeypatch: pytest.MonkeyPatch, capability: str, kernel: str, quantity: str
) -> None:
    gpu = VirtualGpu(dataclasses.replace(Numbers(), capability=capability, sms=8, broken=frozenset({kernel})))
    # Only what multiplies matrices, and of that what is broken and its like.
    chosen = [s for s in tensor.steps(gpu.info.sm) if s[0].partition(":")[0] == quantity.partition(":")[0]]
    clock = compute.steps(gpu.info.sm)[0]
    monkeypatch.setattr(run, "plan", lambda _: [clock, *chosen])
    measured = run.run_ceilings(gpu, gpu, effort=Effort(2, 1e-4, 0.0))
    assert measured.get(quantity) is None
    (said,) = measured.failed
    assert said.startswith(f"{quantity}: ")
    assert "differ from the product" in said
    assert f"not measured: {said[:40]}" in render_ceilings(measured, None, 160)
    assert quantity not in entry.text_of(measured, "x.toml", None)
    assert (gpu.used, gpu.open_works) == (0, 0)


def test_a_stream_is_measured_in_the_way_that_moves_most() -> None:
    """Blocks that stay reach 92 % of a copy on an H100; the driver's own copy tells whether ours is the ceiling."""
    gpu = VirtualGpu(dataclasses.replace(Numbers(), dram=scaled(dict(Numbers().dram), 1.7)))
    bench = Bench(gpu, gpu, CEILINGS_QUICK)
    ours, driver = memory.dram(bench, "copy"), memory.by_driver(bench, "memcpy")
    assert ours.value > 0.97 * driver.value
    assert "8 per thread evicted first, a block for each stretch" in ours.method
    slow = VirtualGpu(dataclasses.replace(Numbers(), drifting=1.05))
    assert "blocks that stay" in memory.dram(Bench(slow, slow, CEILINGS_QUICK), "copy").method


def test_bursts_and_sustained_rates_stand_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A power limit that bites after a second: 950 TFLOP/s in short runs of bf16, 672 held on an H100."""
    monkeypatch.setattr("time.sleep", lambda _: None)
    state = State(power_limit_w=400.0, power_limit_default_w=400.0, driver="580.159")
    gpu = VirtualGpu(dataclasses.replace(Numbers(), sustained={"mma_bf16": 0.7}, state=state))
    chosen = [s for s in run.plan(gpu.info.sm) if s[0] in ("clock", "flops_tensor_bf16:mma", "bytes_l2:write")]
    monkeypatch.setattr(run, "plan", lambda _: chosen)
    measured = run.run_ceilings(gpu, gpu, effort=Effort(3, 5e-3, 0.6, 3.0))
    burst, held = (next(c for c in measured.ceilings if c.quantity == "flops_tensor_bf16:mma" and c.load == load)
                   for load in ("burst", "sustained"))  # fmt: skip
    assert burst.value == pytest.approx(2048 * gpu.n.sms * gpu.n.clock_hz, rel=METHOD)
    assert held.value == pytest.approx(0.7 * burst.value, rel=METHOD)
    assert (held.clock_hz, held.power_w) == (0.7 * gpu.n.clock_hz, 400.0)
    assert np.isnan(burst.power_w), "its sensor shows what was before"
    assert [c.load for c in measured.ceilings] == ["", "burst", "burst", "sustained"]
    raw = tomllib.loads(entry.text_of(measured, "x.toml", None))
    assert (raw["driver"], raw["power_limit"]) == ("580.159", "400 W")
    first, second = (i for i in raw["measured"] if i["quantity"] == "flops_tensor_bf16:mma")
    assert (first["load"], first["clock"], first["power"]) == ("sustained", "987 MHz", "400 W")
    assert (second["load"], "clock" in second) == ("burst", False)
    folder = tmp_path / "measurements"
    folder.mkdir()
    (folder / "nvidia-a100-sxm4-80gb.toml").write_text(entry.text_of(measured, "x.toml", None))
    monkeypatch.setattr(entries, "MEASUREMENTS", folder)
    read = entries.with_own_measurements({"key": "nvidia-a100-sxm4-80gb", "clock_boost": "1410 MHz", "measured": []})
    loads = [i["load"] for i in read["measured"] if i["quantity"] == "flops_tensor_bf16:mma"]
    assert loads == ["sustained", "burst"], "a written file is a measurement of the catalog"
    assert read["measured"][0]["source"] == "roofcast measure ceilings, CUDA 12.9, driver 580.159"
    processor = processor_of(raw, "x")
    supply = processor.supplies[Resource.FLOPS_TENSOR_BF16]
    assert supply.per_s == pytest.approx(held.value, rel=1e-4), "forecasts take what is held"


def test_a_load_of_a_full_run_is_held_within_minutes() -> None:
    for sm in (80, 90, 100, 120):
        assert run.expected_s(sm, CEILINGS) < 240
        assert run.expected_s(sm, CEILINGS_QUICK) < 30


def test_an_unsteady_link_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = VirtualGpu()
    # The first call does not count; of the first round of five every second copy takes twice as long.
    slower = iter([1, *[1, 2] * 2, 1, *[1] * 90])
    plain = gpu.transfer_s
    monkeypatch.setattr(gpu, "transfer_s", lambda direction, size: plain(direction, size) * next(slower))
    found = memory.link(Bench(gpu, gpu, CEILINGS_QUICK), "bidirectional")
    assert found.value == pytest.approx(gpu.n.link["bidirectional"], rel=METHOD)
    assert found.spread < 0.01


def test_without_a_library_the_own_product_is_named_so() -> None:
    gpu = VirtualGpu(dataclasses.replace(Numbers(), library_share=None))
    measured = run.run_ceilings(gpu, gpu, effort=Effort(2, 1e-4, 0.0))
    assert not any(c.quantity.endswith(":matmul") for c in measured.ceilings)
    assert measured.get("flops_fp32:matmul_own") is not None
    (said,) = measured.failed
    assert said.startswith("flops_fp32:matmul: cuBLAS is not here")


def test_a_library_that_multiplies_wrong_is_not_timed() -> None:
    gpu = VirtualGpu(dataclasses.replace(Numbers(), broken=frozenset({"library_flops_tensor_bf16:matmul"})))
    bench = Bench(gpu, gpu, CEILINGS_QUICK)
    wrong, right = (next(t for t in TYPES if t.operands == k) for k in ("bf16", "fp16"))
    with pytest.raises(RoofcastError, match=r"cuBLAS 12.9's product differs from NumPy's: not timed"):
        compute.library_product(bench, wrong)
    found = compute.library_product(bench, right)
    assert found is not None
    assert found.value == pytest.approx(0.78 * 2048 * gpu.n.sms * gpu.n.clock_hz, rel=METHOD)


def test_load_is_held_where_clocks_and_power_shall_settle(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    monkeypatch.setattr("roofcast_measure.ceilings.compute.MOST_SIDE", 512)
    gpu = VirtualGpu()
    measured = run.run_ceilings(gpu, gpu, effort=Effort(2, 1e-4, 0.6))
    assert slept
    assert measured.get("flops_fp32:fma").power_w == 301.0  # type: ignore[union-attr]
    assert np.isnan(measured.get("latency_cycles:l2").power_w)  # type: ignore[union-attr]


def test_the_entry_is_a_gpu_for_every_command(
    gpu: VirtualGpu, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cuda_driver, "open_driver", lambda device: gpu)
    path = tmp_path / "my-gpu.toml"
    assert main(["measure", "ceilings", "--quick", "-o", str(path)]) == 0
    out = capsys.readouterr().out
    assert "A100 SXM4 80GB by more than the uncertainty" in out
    assert main(["gpus", "--validate", str(path)]) == 0
    processor = load_own(path).processor
    assert processor.sm_count == 108
    assert processor.capacity_bytes_dram == 80 * 2**30
    for quantity, value in expected(gpu.n).items():
        head, _, kind = quantity.partition(":")
        if head in set(Resource) and kind:
            assert processor.variants[quantity].per_s == pytest.approx(value, rel=2 * METHOD), quantity
    assert processor.rate(Resource.BYTES_DRAM) == pytest.approx(gpu.n.dram["triad"], rel=2 * METHOD)
    assert processor.latency_cycles_l2 == pytest.approx(212, rel=METHOD)
    assert processor.launch_floor_s == pytest.approx(gpu.n.stream_s, rel=METHOD)
    table = tmp_path / "k.csv"
    table.write_text("kernel,gpu,time_s,bytes_dram,bytes_l2,flops_fp32\nk,A100-SXM4-80GB,1e-3,1.5e9,2e9,1e9\n")
    for arguments in (["forecast", str(table), "--to", str(path)], ["roofline", str(table), "--on", str(path)]):
        assert main(arguments) in (0, 2)
    capsys.readouterr()
    assert main(["forecast", str(table), "--to", str(path), "--format", "csv"]) == 0
    assert "(measured)" in capsys.readouterr().out
    raw = tomllib.loads(path.read_text())
    assert all({"method", "source", "spread", "date"} <= i.keys() for i in raw["measured"][:40])


def comparison_of(numbers: Numbers, name: str = "A100 SXM4 80GB") -> list[str]:
    gpu = VirtualGpu(numbers)
    measured = run.run_ceilings(gpu, gpu, effort=Effort(2, 1e-4, 0.0))
    processor = catalog.find(name).processor
    assert render_ceilings(measured, processor, 140)
    return comparison.explanations(comparison.compare(measured, processor), measured, processor)


@pytest.fixture(scope="module")
def usual() -> list[str]:
    """What is said of a GPU that is as it should be."""
    return comparison_of(Numbers())


def scaled(mapping: dict[str, float], factor: float) -> dict[str, float]:
    return {k: v * factor for k, v in mapping.items()}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sms": 54, "state": State(mig=True)}, "54 SMs, the catalog's card has 108: MIG is on"),
        ({"clock_hz": 1.1e9, "state": State(throttled=("thermal",))}, "MHz, not 1410: throttled (thermal)"),
        ({"clock_hz": 1.1e9, "state": State(power_limit_w=250, power_limit_default_w=400)}, "250 W, by default 400 W"),
        ({"clock_hz": 1.1e9}, "it is set (nvidia-smi"),
        ({"link": {"h2d": 6e9, "d2h": 6e9, "bidirectional": 9e9},
          "state": State(pcie_generation=4, pcie_width=4, pcie_generation_most=4, pcie_width_most=16)},
         "PCIe 4.0 x4, the card has 4.0 x16"),
        ({"dram": scaled(dict(Numbers().dram), 0.8)}, "DRAM is up to"),
        ({"dram": scaled(dict(Numbers().dram), 0.8), "peak_bytes_per_s": 1.6e12}, "states 1600 GB/s of 2039"),
        ({"stream_s": 12e-6}, "virtualisation, MPS"),
        ({"l1_bytes_per_clock": 60.0}, "bytes_l1:load_4b, bytes_l1:load_16b"),
    ],
)  # fmt: skip
def test_what_is_off_is_explained(usual: list[str], change: dict[str, object], said: str) -> None:
    assert not any(said in line for line in usual)
    lines = comparison_of(dataclasses.replace(Numbers(), **change))  # type: ignore[arg-type]
    assert any(said in line for line in lines), lines


def test_nobody_is_told_to_take_back_a_lock_that_was_not_set() -> None:
    """An H100 read 1980 MHz under every load while 249 were counted; a card may also be slow under one load alone."""
    gpu = VirtualGpu()
    clock = compute.clock(Bench(gpu, gpu, CEILINGS_QUICK))
    other = dataclasses.replace(clock, quantity="bytes_l2:read", clock_hz=1.41e9)
    processor = catalog.find("A100 SXM4 80GB").processor
    for counted, read, said in ((0.18e9, 1.41e9, "what was counted is wrong"), (1.1e9, 1.1e9, "under other loads")):
        low = dataclasses.replace(clock, value=counted, clock_hz=read)
        measured = Measured(gpu.info, {}, State(), (low, other))
        lines = comparison.explanations(comparison.compare(measured, processor), measured, processor)
        assert any(said in line for line in lines), lines
        assert not any("-rgc" in line for line in lines)


def test_what_an_h100_showed_is_explained_as_it_is() -> None:
    """Copies in a slower way than the driver's are no slow memory, and an instruction's burst is no product's rate."""
    gpu = VirtualGpu()
    plain = dataclasses.replace(compute.clock(Bench(gpu, gpu, CEILINGS_QUICK)), load="burst", clock_hz=1.98e9)
    values = {"clock:fp32": 1.975e9, "bytes_dram:read": 3.04e12, "bytes_dram:copy": 2.77e12, "bytes_dram:init": 2.8e12,
              "bytes_dram:memcpy": 3.01e12, "flops_tensor_bf16:wgmma": 959e12}  # fmt: skip
    ceilings = tuple(dataclasses.replace(plain, quantity=q, value=v) for q, v in values.items())
    info = dataclasses.replace(
        gpu.info, name="H100", compute_capability="9.0", sm_count=132, bytes_per_s_dram_peak=3.35e12
    )
    measured = Measured(info, {}, State(), ceilings)
    processor = catalog.find("H100 SXM5 80GB").processor
    lines = comparison.explanations(comparison.compare(measured, processor), measured, processor)
    assert lines == [
        "bytes_dram:copy reaches 92 % of the driver's own copy: bytes_dram:memcpy is the ceiling of plain copies"
    ]


def test_what_the_power_limit_takes_is_no_fault() -> None:
    gpu = VirtualGpu()
    burst = dataclasses.replace(compute.clock(Bench(gpu, gpu, CEILINGS_QUICK)), quantity="flops_fp32:fma", value=19e12,
                                load="burst")  # fmt: skip
    held = dataclasses.replace(burst, value=14e12, load="sustained")
    processor = catalog.find("A100 SXM4 80GB").processor
    measured = Measured(gpu.info, {}, State(power_limit_w=400.0, power_limit_default_w=400.0), (burst, held))
    rows = comparison.compare(measured, processor)
    assert [np.isnan(r.expected) for r in rows] == [True, False], "the catalog's rates are of long runs"
    lines = comparison.explanations(rows, measured, processor)
    assert any("1 of 1 rates are lower than in bursts, flops_fp32:fma most (74 %): the power limit of 400 W" in x
               for x in lines), lines  # fmt: skip
    both = dataclasses.replace(burst, quantity="flops_tensor_fp64:mma"), dataclasses.replace(
        burst, quantity="flops_tensor_fp64:mma", value=20e12)  # fmt: skip
    (chosen,) = entry.best(both)
    assert chosen.value == 20e12, "the wider of two instructions"


def test_ecc_on_a_card_with_gddr_memory() -> None:
    numbers = dataclasses.replace(
        Numbers(), name="NVIDIA RTX A6000", capability="8.6", sms=84, clock_hz=1.8e9, clock_hz_most=1.8e9,
        threads_per_sm=1536, dram=scaled(dict(Numbers().dram), 0.36), peak_bytes_per_s=768e9, state=State(ecc=True),
    )  # fmt: skip
    assert any("ECC is on" in line for line in comparison_of(numbers, "RTX A6000"))


def test_a_locked_clock_scales_to_boost() -> None:
    numbers = dataclasses.replace(Numbers(), clock_hz=1.0e9, clock_hz_most=1.41e9)
    gpu = VirtualGpu(numbers)
    measured = run.run_ceilings(gpu, gpu, effort=Effort(2, 1e-4, 0.0))
    raw = entry.entry_of(measured, "x", None)
    items = {i["quantity"]: i for i in raw["measured"]}
    assert items["flops_fp32:fma"]["clock"] == "1000 MHz"
    assert items["bytes_dram:triad"]["clock"] is None
    assert "clock:fp32" not in items
    assert any("never exceeded 1000 MHz" in n for n in raw["notes"])


def test_one_failure_leaves_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = VirtualGpu()

    def refuse(direction: str, size_bytes: int) -> float:
        raise RoofcastError("pinned memory is not allowed here")

    monkeypatch.setattr(gpu, "transfer_s", refuse)
    measured = run.run_ceilings(gpu, gpu, effort=Effort(2, 1e-4, 0.0))
    assert len(measured.failed) == 3
    assert measured.get("bytes_dram:triad") is not None
    assert "not measured: bytes_host_link:h2d: pinned memory" in render_ceilings(measured, None, 120)
    assert (gpu.used, gpu.open_works) == (0, 0)
    nothing = dataclasses.replace(Numbers(), dram_size=2**17)
    with pytest.raises(RoofcastError, match="memory is full"):
        transfer_bytes(nothing.dram_size, quick=True)


def test_a_full_device_gives_no_rate_of_a_cache() -> None:
    gpu = VirtualGpu(dataclasses.replace(Numbers(), dram_size=2**29))
    measured = run.run_ceilings(gpu, gpu, effort=Effort(2, 1e-4, 0.0))
    assert measured.get("bytes_dram:triad") is None
    assert any(line.startswith("bytes_dram:triad: too little memory is free") for line in measured.failed)
    assert measured.get("flops_fp64:fma") is not None


def test_a_device_that_is_lost_half_way_keeps_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = VirtualGpu()

    def lost(*_: object) -> None:
        raise RoofcastError("the GPU is lost")

    def advance() -> None:
        done.append(1)
        if len(done) == 8:
            for name in ("prepare", "allocate", "release", "upload", "download", "transfer_s", "stream_floor_s"):
                monkeypatch.setattr(gpu, name, lost)

    done: list[int] = []
    measured = run.run_ceilings(gpu, gpu, effort=Effort(2, 1e-4, 0.0), advance=advance)
    assert len(measured.ceilings) == 8
    assert len(measured.failed) == len(run.plan(80)) - 8
    assert tomllib.loads(entry.text_of(measured, "x.toml", catalog.find("A100 SXM4 80GB").processor))["measured"]


def test_a_stopped_clock_is_no_infinite_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = VirtualGpu()
    running = gpu.time
    monkeypatch.setattr(gpu, "time", lambda work: 0.0 * running(work))
    monkeypatch.setattr("roofcast_measure.ceilings.bench.MOST_ROUNDS", 64)
    measured = run.run_ceilings(gpu, gpu, effort=Effort(2, 1e-4, 0.0))
    assert all(np.isfinite(c.value) for c in measured.ceilings)
    assert any("no usable time" in line for line in measured.failed)


def test_unknown_gpus_take_the_nearest_architecture() -> None:
    assert entry.nearest_architecture(133) == "sm_121" or entry.nearest_architecture(133).startswith("sm_12")
    assert entry.nearest_architecture(90) == "sm_90"
    numbers = dataclasses.replace(Numbers(), name="NVIDIA Next\x1b[31m GPU", capability="9.0")
    gpu = VirtualGpu(numbers)
    gpu.info = dataclasses.replace(gpu.info, bytes_per_s_dram_peak=float("nan"), clock_hz_boost=0.0)
    measured = run.run_ceilings(gpu, gpu, effort=Effort(1, 1e-4, 0.0))
    raw = tomllib.loads(entry.text_of(measured, None, None))
    assert raw["clock_boost"] == "1410 MHz"
    assert "memory_bandwidth" not in raw
    assert "\x1b" not in raw["name"]


def test_without_a_gpu_it_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    if main(["measure", "ceilings", "-o", str(path)]) == 0:
        pytest.skip("this machine has a GPU")
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert not path.exists()


def test_a_driver_of_cuda_gets_its_own_host() -> None:
    assert type(host_of(object())).__name__ == "CudaHost"
    gpu = VirtualGpu()
    assert host_of(gpu) is gpu
