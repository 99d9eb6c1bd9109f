"""Library operators in the mechanistic model: what is exact, what is monotone, and what is left alone."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import model_builders as builders
from roofcast import catalog
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.forecasting.forecast import forecast
from roofcast.models.operators.levels import TENSOR, VECTOR, LibraryConstants, ProductConstants
from roofcast.models.operators.products import BYTES_PER_SUM, SPLITS, peak_rate, product_s, sustained_rate
from roofcast.models.physics.cause import Subject
from roofcast.models.physics.causes.registry import CAUSES
from roofcast.models.physics.model import Mechanistic
from roofcast.models.power import PRODUCT_REACH
from roofcast.operators.amounts import (
    OperatorAmounts,
    attention_amounts,
    convolution_amounts,
    elementwise_amounts,
    gemm_amounts,
    normalisation_amounts,
    softmax_amounts,
)

FP32, BF16 = Resource.FLOPS_FP32, Resource.FLOPS_TENSOR_BF16
OF_OPERATORS = tuple(cause.name for cause in CAUSES if cause.subject is Subject.OPERATOR)
WITHOUT = Mechanistic(without=OF_OPERATORS)
GPUS = (
    "A100 SXM4 80GB",
    "H100 SXM5 80GB",
    "L40S",
    "RTX 3090",
    "V100 PCIe 32GB",
    "T4",
    "Tesla P4",
    "MI250X",
    "RTX 4090",
)

ROWS: dict[str, tuple[str, OperatorAmounts]] = {
    "product": ("gemm/bf16", gemm_amounts(4096, 4096, 4096, dtype="bf16")),
    "thin": ("torch/linear", gemm_amounts(8, 4096, 4096, dtype="bf16")),
    "vector": ("torch/bmm", gemm_amounts(300, 77, 513, 40, "fp32")),
    "odd": ("torch/bmm", gemm_amounts(300, 77, 513, 40, "bf16")),
    "softmax": ("torch/softmax", softmax_amounts(8192, 1024)),
    "norm": ("aten::layer_norm", normalisation_amounts(8192, 1024, "bf16")),
    "add": ("torch/add", elementwise_amounts(1 << 24, reads=2)),
    "attention": ("attention/causal", attention_amounts(8, 16, 1024, 1024, 128, "bf16", causal=True)),
    "experts": ("moe/fused", gemm_amounts(64, 2048, 1024, 8, "bf16")),
    "solver": ("miopen/ConvHipImplicitGemmV4R1Fwd/F/fp32", convolution_amounts(64, 256, 28, 28, 256, 3, 3, padding=1)),
    "named": ("ampere_sgemm_128x64_tn", gemm_amounts(1000, 500, 700)),
}


def gpu(name: str) -> Processor:
    return catalog.find(name).processor


def table(label: str, found: OperatorAmounts, time_s: float = 1e-3) -> KernelTable:
    rows = KernelTable.from_columns({"kernel": [label]}, {"time_s": ([time_s], Origin.COUNTED)})
    return rows.with_columns(**{k: (v.reshape(1), o) for k, (v, o) in found.columns().items()})


def seconds(
    kernels: KernelTable, source: Processor, targets: list[Processor], model: Mechanistic | None = None,
    conditions: Conditions | None = None,
) -> FloatArray:  # fmt: skip
    here, there = Machines.of([source]), Machines.of(targets)
    here = here.cells(np.zeros(len(kernels), np.intp), np.full(len(kernels), source.clock_hz_boost))
    there = there.cells(there.index[None, :], there.clock_hz[None, :])
    found = (model or Mechanistic()).estimate(kernels, here, there, conditions or Conditions())
    return np.asarray(found.time_s[0])


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("time_s", [2e-6, 3e-5, 1e-3, 5.0])
@pytest.mark.parametrize("floor", [None, (0.0, 0.0), (2.5e-5, 2.5e-5)])
def test_the_source_onto_itself_is_exact(kind: str, time_s: float, floor: tuple[float, float] | None) -> None:
    label, amounts = ROWS[kind]
    for name in GPUS:
        found = seconds(table(label, amounts, time_s), gpu(name), [gpu(name)], None, Conditions(launch_floor_s=floor))
        if floor is None or time_s >= floor[0]:
            assert math.isnan(found[0]) or found[0] == pytest.approx(time_s, rel=1e-12)


def grown(base: Processor, factors: tuple[float, ...]) -> list[Processor]:
    """The processor with more of each supply in turn, and with more L2."""
    more = [
        dataclasses.replace(base, supplies={**base.supplies, r: s.scaled(f)})
        for r, s in base.supplies.items()
        for f in factors
    ]
    return [*more, base.replace(capacity_bytes_l2=(base.capacity_bytes_l2 or 1) * 10)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ROWS)
def test_more_of_any_supply_is_never_slower(kind: str) -> None:
    label, amounts = ROWS[kind]
    for name in ("H100 SXM5 80GB", "L40S", "RTX 3090", "T4", "MI250X"):
        base = gpu(name)
        for source, time_s in (("A100 SXM4 80GB", 1e-5), ("A100 SXM4 80GB", 0.3), ("Tesla P4", 1e-3)):
            found = seconds(table(label, amounts, time_s), gpu(source), [base, *grown(base, (1.3, 50.0))])
            assert (np.isnan(found) == np.isnan(found[0])).all()
            assert np.isnan(found[0]) or (found[1:] <= found[0] * (1 + 1e-12)).all()


@pytest.mark.parametrize("name", ["L40S", "A100 PCIe 40GB", "MI300X"])
def test_a_sustained_rate_that_a_user_raises_is_never_slower(name: str) -> None:
    base = gpu(name)
    raised = [base.replace(flops_per_s_tensor_bf16=base.supplies[BF16].per_s * f) for f in (1.0, 1.1, 3.0)]
    for kind in ("product", "thin", "attention"):
        found = seconds(table(*ROWS[kind]), gpu("A100 SXM4 80GB"), [base, *raised])
        assert (np.diff(found) <= 1e-15).all()


def slow_product_s(m: float, n: float, k: float, batch: float, moved: float, g: Processor, pipe: Resource) -> float:
    """The tile model for one product on one GPU, in plain Python."""
    c: ProductConstants = TENSOR if pipe is BF16 else VECTOR
    size = 2.0 if pipe is BF16 else 4.0
    supply = g.supply(pipe)
    assert supply is not None
    assert g.capacity_bytes_l2 is not None
    peak = max(supply.peak_per_s or 0.0, supply.per_s)
    dram, l2 = g.rate(Resource.BYTES_DRAM), g.rate(Resource.BYTES_L2) * c.l2
    alone = batch > 1 and pipe is FP32
    best = math.inf
    for bm, bn in ((128, 128),) if alone else c.tiles:
        down, across = math.ceil(m / bm), math.ceil(n / bn)
        resident = min(max(1.0, 128 * 128 / (bm * bn)), 4.0)
        efficiency = 1 / (1 + 32 * c.overhead * (1 / bm + 1 / bn))
        one = 2 * bm * bn * k / (peak * c.pipe * efficiency / g.sm_count)
        wide = min(g.sm_count * resident, across)
        tall = min(max(g.sm_count * resident / wide, 1.0), down)
        outgrown = min(max((moved / g.capacity_bytes_l2 - 0.9) / 4, 0), 1)
        again = down * across * batch * bm * bn * k * size * (1 / (tall * bm) + 1 / (wide * bn))
        for split in (1,) if alone else SPLITS:
            x = down * across * batch * split / g.sm_count
            waves = max(math.ceil(x), resident**c.crowding)
            pipe_s = waves * (one / split + c.tile_cycles / g.clock_hz_boost) + c.start_cycles / g.clock_hz_boost
            pipe_s += c.split_s if split > 1 else 0
            panels_s = down * across * batch * k * (bm + bn) * size / l2
            bus = moved + (split * batch * m * n * BYTES_PER_SUM if split > 1 else 0)
            bus_s = max(bus / dram / min(1.0, x * c.lone_sm), again * outgrown * c.rereads / dram)
            best = min(best, math.hypot(pipe_s, panels_s, bus_s))
    measured = g.variants.get(f"{pipe.value}:matmul")
    limit = 2 * batch * m * n * k / (supply.per_s if measured is None else min(supply.per_s, measured.per_s))
    return float((best**c.power_norm + limit**c.power_norm) ** (1 / c.power_norm))


@pytest.mark.parametrize("pipe", [FP32, BF16])
@pytest.mark.parametrize(
    "shape", [(1.0, 4096.0, 4096.0, 1.0), (100.0, 77.0, 5000.0, 3.0), (8192.0,) * 3 + (1.0,), (64.0, 64.0, 64.0, 1e3)]
)
def test_products_against_a_scalar_twin(pipe: Resource, shape: tuple[float, ...]) -> None:
    for name in ("A100 SXM4 80GB", "L40S"):
        machine = Machines.of([gpu(name)])
        m, n, k, batch = shape
        amounts = gemm_amounts(m, n, k, batch, "bf16" if pipe is BF16 else "fp32")
        moved = np.array([[float(amounts.bytes_compulsory)]])
        columns = tuple(np.array([[v]]) for v in shape)
        own = TENSOR if pipe is BF16 else VECTOR
        layer = np.zeros((1, 1), np.bool_)
        found = product_s(columns, moved, pipe, machine, peak_rate(machine, pipe), own, layer)
        assert float(found.item()) == pytest.approx(slow_product_s(m, n, k, batch, moved.item(), gpu(name), pipe))


@pytest.mark.parametrize("name", ["GeForce RTX 4070", "Tesla P40", "RTX A5000", "A10", "GeForce RTX 3060"])
def test_products_keep_within_the_boards_power(name: str) -> None:
    def sustained(**changes: float) -> float:
        made = dataclasses.replace(gpu(name), variants={})
        return float(sustained_rate(Machines.of([made.replace(**changes) if changes else made]), FP32)[0])

    peak, base = gpu(name).supplies[FP32].peak_per_s or 0.0, sustained()
    assert 0.4 * peak < base < 0.95 * peak
    tdp = gpu(name).tdp_w or 0.0
    assert sustained(tdp_w=0.8 * tdp) < base <= sustained(tdp_w=1.2 * tdp)
    assert sustained(tdp_w=100 * tdp) == pytest.approx(PRODUCT_REACH * peak, rel=0.06)
    assert sustained(clock_hz_boost=1.1 * gpu(name).clock_hz_boost) >= base
    assert sustained(sm_count=2 * gpu(name).sm_count) >= base


def test_layers_take_narrow_tiles_before_volta() -> None:
    def ratio(label: str, to: str, size: int) -> float:
        rows = table(label, gemm_amounts(size, size, size, 1, "fp32"), 0.09)
        return float(seconds(rows, gpu("Tesla V100 SXM2 16GB"), [gpu(to)])[0])

    assert ratio("torch/linear", "Tesla P4", 8190) > 1.2 * ratio("torch/mm", "Tesla P4", 8190)
    assert ratio("torch/linear", "Tesla P4", 8192) == ratio("torch/mm", "Tesla P4", 8192)
    assert ratio("torch/linear", "Tesla T4", 8190) == ratio("torch/mm", "Tesla T4", 8190)


def test_hand_written_kernels_and_counted_ones_are_left_alone() -> None:
    _, amounts = ROWS["product"]
    targets = [gpu(n) for n in GPUS]
    for label in ("matmul_tiled", "my_gemm", "gemm_v3(float*, float*)", "pmpp/softmax", "layernorm_forward_kernel3"):
        rows = table(label, amounts)
        np.testing.assert_array_equal(seconds(rows, targets[0], targets), seconds(rows, targets[0], targets, WITHOUT))
    counted = table("ampere_sgemm_128x64_tn", ROWS["vector"][1])
    counted = counted.with_columns(bytes_dram=(np.array([1e7]), Origin.COUNTED))
    np.testing.assert_array_equal(seconds(counted, targets[0], targets), seconds(counted, targets[0], targets, WITHOUT))


def test_a_slow_kernel_keeps_its_slowness_only_where_it_is_the_same_kernel() -> None:
    label, amounts = ROWS["product"]
    source = gpu("A100 SXM4 80GB")
    for target, same in ((gpu("A100 PCIe 40GB"), True), (gpu("H100 SXM5 80GB"), False)):
        fast, slow = (seconds(table(label, amounts, t), source, [target])[0] for t in (6e-4, 1.2e-3))
        assert slow / fast == pytest.approx(2.0, rel=0.01) if same else slow / fast < 1.85


def test_attention_is_not_held_back_by_the_power_limit_of_products() -> None:
    source, target = gpu("A100 SXM4 80GB"), gpu("L40S")
    free = seconds(table(*ROWS["attention"]), source, [target])[0]
    held = seconds(table(*ROWS["attention"]), source, [target], Mechanistic(without=("library_power",)))[0]
    assert free < 0.97 * held


@pytest.mark.parametrize("cause", OF_OPERATORS)
def test_every_cause_can_be_switched_off(cause: str) -> None:
    source = gpu("MI50" if cause == "library_convolutions" else "A100 SXM4 80GB")
    targets = [gpu("H100 SXM5 80GB"), gpu("T4"), gpu("MI250X")]
    changed = [
        (seconds(table(*row), source, targets) != seconds(table(*row), source, targets, Mechanistic(without=(cause,))))
        for row in ROWS.values()
    ]
    assert np.any(changed)
    assert not np.all(changed)


def test_constants_reach_the_model() -> None:
    label, amounts = ROWS["add"]
    slow = LibraryConstants(elementwise=LibraryConstants().softmax)
    pair = gpu("A100 SXM4 80GB"), [gpu("H100 SXM5 80GB")]
    model = Mechanistic(library=slow)
    assert seconds(table(label, amounts), *pair, model)[0] != seconds(table(label, amounts), *pair)[0]


@pytest.mark.parametrize("size", [0.0, -4.0, 1e-300, 1e300, math.inf, math.nan])
def test_shapes_beyond_reason_end_in_a_forecast_or_none(size: float) -> None:
    label, amounts = ROWS["vector"]
    for name in ("shape_m", "shape_k", "shape_batch", "shape_rows", "bytes_compulsory", "flops_fp32"):
        rows = table(label, amounts).with_columns(**{name: (np.array([size]), Origin.DERIVED)})
        found = seconds(rows, gpu("A100 SXM4 80GB"), [gpu(n) for n in GPUS])
        assert (np.isnan(found) | ((found > 0) & np.isfinite(found))).all()


def test_a_reader_is_told_that_another_kernel_may_run() -> None:
    label, amounts = ROWS["product"]
    found = forecast(table(label, amounts), "H100", source="A100 SXM4 80GB", model="mechanistic")
    assert any("another kernel may run" in text for text in found.estimate.assumed[0])


def test_unknown_processors_do_not_count_as_the_same_architecture() -> None:
    one = builders.processor("one", {Resource.BYTES_DRAM: 1e12, FP32: 1e13})
    label, amounts = ROWS["vector"]
    assert seconds(table(label, amounts), one, [one])[0] == pytest.approx(1e-3, rel=1e-12)


def product_ratio(target: str, n: float, k: float) -> float:
    """How much longer a product takes with rows of odd width, over its size."""
    wide, odd = (gemm_amounts(4096, n + more, k, dtype="bf16") for more in (0, 1))
    times = [seconds(table("torch/mm", a, 1e-3), gpu("MI300X"), [gpu(target)])[0] for a in (wide, odd)]
    return float(times[1] / times[0])


def test_odd_widths_cost_nvidia_and_not_amd() -> None:
    assert product_ratio("H100 SXM5 80GB", 4096, 4096) > product_ratio("A100 SXM4 80GB", 4096, 4096) > 1.4
    assert product_ratio("MI250X", 4096, 4096) == pytest.approx(1.0, abs=0.1)


def test_another_vendor_keeps_little_of_a_slow_kernel() -> None:
    label, amounts = ROWS["product"]
    for source, target in (("A100 SXM4 80GB", "MI250X"), ("MI250X", "A100 SXM4 80GB"), ("H100 SXM5 80GB", "MI300X")):
        fast, slow = (seconds(table(label, amounts, t), gpu(source), [gpu(target)])[0] for t in (1e-3, 2e-3))
        assert 1.1 < slow / fast < 1.3


def test_convolutions_keep_most_of_their_slowness_between_vendors() -> None:
    amounts = gemm_amounts(4096, 1024, 4096, dtype="fp32")
    rows = [
        dataclasses.replace(t, numeric={k: v for k, v in t.numeric.items() if not k.startswith("shape")})
        for t in (table("torch/conv2d", amounts, s) for s in (5e-3, 1e-2))
    ]
    fast, slow = (seconds(t, gpu("V100 PCIe 32GB"), [gpu("MI100")])[0] for t in rows)
    assert slow / fast == pytest.approx(2.0**0.75, rel=0.04)


def test_rows_of_small_elements_take_cycles_by_element() -> None:
    rows = normalisation_amounts(65536, 1024, "bf16"), normalisation_amounts(65536, 512, "fp32")
    assert float(rows[0].bytes_compulsory) == pytest.approx(float(rows[1].bytes_compulsory), rel=0.01)
    halves, singles = (
        dataclasses.replace(t, text={**t.text, "precision": np.array([p], dtype=np.object_)})
        for t, p in ((table("aten::layer_norm", r), p) for r, p in zip(rows, ("bf16", "fp32"), strict=True))
    )
    found = [seconds(t, gpu("H100 SXM5 80GB"), [gpu("MI300X")])[0] for t in (halves, singles)]
    assert found[0] > 1.15 * found[1]


def test_launches_take_longer_on_amd() -> None:
    # Cards on which nobody measured a launch.
    one = KernelTable.from_columns({"kernel": ["k"]}, {"time_s": ([2e-6], Origin.COUNTED)})
    there, back = (
        seconds(one, gpu(a), [gpu(b)])[0] for a, b in (("A100 SXM4 40GB", "MI250X"), ("MI250X", "A100 SXM4 40GB"))
    )
    assert there > 2.5e-6
    assert back < 2e-6


def test_decoding_computes_whole_tiles_where_flops_are_scarce() -> None:
    one = attention_amounts(64, 8, 1, 8192, 128, "bf16")
    h100, a100, l40s = (gpu(n) for n in ("H100 SXM5 80GB", "A100 SXM4 80GB", "L40S"))
    found = seconds(table("attention/decode", one, 1e-3), h100, [a100, l40s])
    without = Mechanistic(without=("library_attention",))
    plain = seconds(table("attention/decode", one, 1e-3), h100, [a100, l40s], without)
    assert found[0] > 1.2 * plain[0]
    assert found[1] == pytest.approx(plain[1], rel=0.15)


def test_a_host_takes_what_the_model_of_an_operator_leaves_open() -> None:
    a100, t4 = gpu("A100 SXM4 80GB"), [gpu("T4")]
    small, large = elementwise_amounts(1 << 12), elementwise_amounts(1 << 28)
    assert seconds(table("torch/add", small, 2e-5), a100, t4)[0] < 2 * 2e-5
    assert seconds(table("torch/add", large, 1.6e-3), a100, t4)[0] > 4 * 1.6e-3


def test_a_call_in_fp8_makes_its_operands_first_and_a_kernel_does_not() -> None:
    made = gemm_amounts(16384, 64, 16384, dtype="fp8")
    pair = gpu("H100 SXM5 80GB"), [gpu("L40S")]
    call, kernel = (seconds(table(n, made, 1e-3), *pair)[0] for n in ("gemm/fp8", "nvjet_qqtst_128x64_128x6_1x2_h"))
    assert call != pytest.approx(kernel, rel=0.01)


def test_amds_algorithms_gain_from_matrix_units_only_where_they_use_them() -> None:
    made = convolution_amounts(64, 256, 28, 28, 256, 3, 3, dtype="bf16", padding=1)
    source, targets = gpu("MI50"), [gpu("MI100"), gpu("RX 6800 XT")]
    names = ("miopen/ConvBinWinogradRxSf2x3/F/bf16", "miopen/ConvHipImplicitGemmForwardV4R4Xdlops/F/bf16")
    rows = [
        dataclasses.replace(t, text={**t.text, "precision": np.array(["bf16"], np.object_)})
        for t in (table(name, made, 4e-3) for name in names)
    ]
    (winograd, slow), (matrix, _) = (seconds(t, source, targets) for t in rows)
    assert matrix < 0.6 * winograd < 0.6 * 4e-3 < slow


def test_a_search_finds_desktop_boards_at_idle_clocks() -> None:
    name, made = ROWS["solver"]
    short, long = (
        desktop / server
        for desktop, server in (
            seconds(table(name, made, s), gpu("MI50"), [gpu("RX 6800 XT"), gpu("MI100")]) for s in (5e-4, 5e-2)
        )
    )
    assert 2.3 < short / long < 3.1
    assert seconds(table(name, made, 5e-4), gpu("RX 6800 XT"), [gpu("RX 6800 XT")])[0] == pytest.approx(5e-4, rel=1e-9)


def test_a_gradient_of_few_weights_fills_no_gpu() -> None:
    made = convolution_amounts(512, 8, 28, 28, 8, 3, 3, padding=1)
    few, many = (
        dataclasses.replace(t, text={**t.text, "config": np.array([key], np.object_)})
        for t, key in (
            (table("miopen/ConvOclBwdWrW53/W/fp32", made), "8-28-28-3x3-8-28-28-512-1x1-1x1-1x1-0-NCHW-FP32-W"),
            (table("miopen/ConvOclBwdWrW53/W/fp32", made), "4096-28-28-3x3-512-28-28-1-1x1-1x1-1x1-0-NCHW-FP32-W_g2"),
        )
    )
    pair = gpu("MI50"), [gpu("MI100")]
    assert seconds(few, *pair)[0] > 1.2 * seconds(many, *pair)[0]


@pytest.mark.parametrize("gpu_column", ["A100-SXM4-40GB", ""])
def test_fp32_products_at_several_clocks_are_forecast_like_each_alone(gpu_column: str) -> None:
    """What a GPU supplies is one row then, what follows the clock one for each kernel; unknown GPUs give no time."""
    clocks = (1.20e9, 1.25e9, 1.30e9)
    text = {"kernel": ["aten::mm"] * 3, "gpu": [gpu_column] * 3, "precision": ["fp32"] * 3}
    numbers = {
        "shape_m": (1024, 2048, 3072),
        "shape_n": (1024,) * 3,
        "shape_k": (1024,) * 3,
        "time_s": (1e-3, 2e-3, 3e-3),
    }
    columns = {name: (np.array(v, float), Origin.COUNTED) for name, v in {**numbers, "clock_hz": clocks}.items()}
    rows = KernelTable.from_columns(text, columns)
    targets = [gpu("L40S"), gpu("MI300X")]
    together = forecast(rows, targets).estimate.time_s
    alone = [forecast(rows.select(np.array([i])), targets).estimate.time_s for i in range(3)]
    np.testing.assert_array_equal(together, np.concatenate(alone))
    assert np.isnan(together).all() == (not gpu_column)
