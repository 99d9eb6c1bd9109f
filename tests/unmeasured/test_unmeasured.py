"""Models that no GPU ever ran: operators from shapes, seconds from usual levels; and profiles of PyTorch in one line.

The lists of operators are made by ``python tools/record_models.py --samples``; what needs PyTorch itself is skipped
where it is not installed.
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from roofcast.__main__ import main
from roofcast.core.errors import MissingExtraError, RoofcastError
from roofcast.kit.returned import Answer
from roofcast.models.operators.unmeasured import FILE, load_levels
from roofcast.operators.kernel_names import Operation
from roofcast.operators.recorded_operators import read_operators
from roofcast.reports.ask import Forecasted
from roofcast.reports.unmeasured_models import record_model
from roofcast.torch.profiling import Run
from roofcast_evaluate.datasets import DATASETS

HERE = Path(__file__).parent
LISTS = sorted(HERE.glob("*.json"))
NAMES = [p.stem for p in LISTS]
RESNET = HERE / "resnet50_amp.json"


def step_s(path: Path, gpu: str) -> float:
    """Forecast seconds of a step."""
    return float(roofcast.torch.forecast(path.read_text(), to=gpu).total.time_s)


@pytest.mark.parametrize("path", LISTS, ids=NAMES)
def test_a_list_is_forecast_without_pytorch_and_says_that_no_time_was_measured(path: Path, tmp_path: Path) -> None:
    before = set(sys.modules)
    answer = roofcast.torch.forecast(json.loads(path.read_text()), to="B200,A100-SXM4-80GB,Instinct MI300X")
    assert "torch" not in set(sys.modules) - before
    assert isinstance(answer, Answer)
    assert len(answer.totals) == 3
    for t in answer.totals:
        assert 0 < t.time_low_outer_s <= t.time_low_s < t.time_s < t.time_high_s <= t.time_high_outer_s
        assert math.isnan(t.speedup)
    assert all(r.source_time_s is None and "no time measured" in r.notes[0] for r in answer)
    assert all(0 < r.time_low_s <= r.time_s < r.time_high_s for r in answer)
    assert "no time measured" in str(answer)
    assert answer.to_polars().height == len(answer)
    answer.report(str(tmp_path / "m.html"))
    answer.plot(str(tmp_path / "m.svg"))
    assert "no time measured" in (tmp_path / "m.html").read_text()
    total = sum(r.time_total_s for r in answer if r.target_gpu == "B200")
    assert answer.total.time_s >= total * (1 - 1e-12)


def test_a_residual_network_has_its_published_work() -> None:
    """4.09 GMAC per image of 224 x 224 (torchvision)."""
    found = read_operators(RESNET.read_text())
    table = found.table
    flops = sum(np.nansum(table.column(c) * table.launches) for c in ("flops_tensor_fp16", "flops_fp16"))
    assert flops == pytest.approx(64 * 2 * 4.09e9, rel=0.02)
    assert {Operation.CONVOLUTION, Operation.NORMALISATION, Operation.GEMM} <= set(found.operation)
    assert not [n for n in found.notes if "formula" in n]


def test_attention_counts_its_products_whatever_kernel_traces_it() -> None:
    found = read_operators((HERE / "transformer_training.json").read_text())
    names = [str(n) for n in found.table.strings("kernel")]
    assert any("attention" in n for n in names)
    assert {o for n, o in zip(names, found.operation, strict=True) if "attention" in n} == {Operation.ATTENTION}


@pytest.mark.parametrize("path", LISTS, ids=NAMES)
@pytest.mark.parametrize("change", ["dram=9TB/s", "sm=160", "clock=2.2GHz", "tensor_fp16=1500TFLOP/s", "l2=100MB"])
def test_more_supply_is_never_slower(path: Path, change: str) -> None:
    assert step_s(path, f"H100 SXM5 80GB{{{change}}}") <= step_s(path, "H100 SXM5 80GB") * (1 + 1e-9)


def test_generations_are_in_order_and_a_missing_pipe_is_the_wider_one() -> None:
    times = [step_s(RESNET, g) for g in ("B200", "H100 SXM5 80GB", "A100-SXM4-80GB", "V100", "GTX 1080 Ti")]
    assert times == sorted(times)
    transformer = HERE / "transformer_training.json"
    half = json.loads(transformer.read_text().replace("bfloat16", "float16"))
    # Turing has no tensor pipes for bf16: its products run at the FP32 rate.
    assert step_s(transformer, "Tesla T4") > 2 * float(roofcast.torch.forecast(half, to="Tesla T4").total.time_s)


def entry(name: str, shapes: list[list[int]], out: list[int], **more: Any) -> dict[str, Any]:
    """A recorded operator on FP32 tensors."""
    types = [more.get("type", "float32")] * len(shapes)
    strides = more.get("strides", [[]] * len(shapes))
    return {"name": f"aten::{name}", "shapes": shapes, "types": types, "strides": strides,
            "arguments": more.get("arguments", [""] * len(shapes)), "outputs": [out], "output_types": types[:1],
            "count": 1}  # fmt: skip


def device_s(entries: list[dict[str, Any]], gpu: str = "H100 SXM5 80GB", **switches: bool) -> float:
    """Forecast seconds of the device."""
    given = {"roofcast_operators": 1, "operators": entries, "switches": switches}
    return float(roofcast.torch.forecast(given, to=gpu).total.device_time_s)


def convolution(kind: str) -> dict[str, Any]:
    """64 images of 56 x 56 with 64 channels, windows of 3 x 3."""
    arguments = ["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"]
    shapes: list[list[int]] = [[64, 64, 56, 56], [64, 64, 3, 3], *([[]] * 7)]
    return entry("convolution", shapes, [64, 64, 56, 56], type=kind, arguments=arguments)


def test_a_convolution_is_its_layout_changes_and_its_product() -> None:
    """Measured on an H100 (hopper_torch): 98 us in half, of which 55 in layouts; 354 in strict FP32, 162 in TF32."""
    names = [r.kernel for r in roofcast.torch.forecast(
        {"roofcast_operators": 1, "operators": [convolution("float16")]}, to="H100 SXM5 80GB")]  # fmt: skip
    assert sum("layout" in n for n in names) == 3
    cases: list[tuple[str, dict[str, Any], float]] = [
        ("float16", {}, 98e-6), ("float32", {"tf32_convolutions": False}, 354e-6), ("float32", {}, 162e-6),
    ]  # fmt: skip
    for kind, switches, measured in cases:
        assert device_s([convolution(kind)], **switches) == pytest.approx(measured, rel=0.25)


def test_switches_decide_which_pipe_multiplies() -> None:
    product = entry("mm", [[4096, 4096], [4096, 4096]], [4096, 4096])
    assert device_s([product], tf32_products=True) < device_s([product]) / 4


def test_odd_rows_keep_products_from_wide_loads() -> None:
    """A vocabulary of 50,257 took 6.6 ms on an H100, one of 50,264 a fifth."""
    odd, even = (entry("mm", [[8192, 768], [768, n]], [8192, n], type="bfloat16") for n in (50257, 50264))
    assert device_s([odd]) > 3 * device_s([even])


def test_odd_rows_slow_the_pipes_and_not_the_bus() -> None:
    """Attention in windows of 7 x 7 moves its bytes: public steps of such networks on three GPUs."""
    odd, even = (entry("bmm", [[262144, n, 32], [262144, 32, n]], [262144, n, n], type="float16") for n in (49, 48))
    assert device_s([odd], "RTX 4090") < 2.2 * device_s([even], "RTX 4090")


def test_gathers_touch_rows_and_not_the_table() -> None:
    small, large = (entry("embedding", [[rows, 64], [8192]], [8192, 64]) for rows in (10_000, 4_000_000))
    assert device_s([large]) == pytest.approx(device_s([small]))


def test_broadcast_additions_pass_by_elements() -> None:
    shape, bias = [64, 256, 56, 56], [1, 256, 1, 1]
    plain, wide = (entry("add", [shape, other], shape, type="float16") for other in (shape, bias))
    assert device_s([wide]) > 1.2 * device_s([plain])


def test_norms_copy_what_does_not_lie_in_order() -> None:
    """87 copies were recorded in a step of an MLP mixer on an H100: 24 of its own and 62 of its norms."""
    shape, steps = [64, 196, 768], [[196 * 768, 1, 196], []]
    given = {"type": "bfloat16", "strides": steps}
    names = {
        name: [r.kernel for r in roofcast.torch.forecast(
            {"roofcast_operators": 1, "operators": [one]}, to="H100 SXM5 80GB")]
        for name, one in {
            "transposed": entry("native_layer_norm", [shape, [768]], shape, **given),
            "in order": entry("native_layer_norm", [shape, [768]], shape, type="bfloat16"),
        }.items()
    }  # fmt: skip
    assert sum("copy of an input" in n for n in names["transposed"]) == 1
    assert not any("copy" in n for n in names["in order"])
    assert len(names["transposed"]) == len(names["in order"]) + 1


def test_batches_of_small_products_take_small_tiles_on_hopper() -> None:
    """Measured on an H100: 12 us of 4,096 products of 16 x 16 x 16, 197 of 32,768 of 27 x 27 x 64 (2.2 ms in tiles of
    128 x 128, which cuBLAS took on an A100)."""
    for batch, m, k, measured in ((4096, 16, 16, 12e-6), (32768, 27, 64, 197e-6)):
        product = entry("bmm", [[batch, m, k], [batch, k, m]], [batch, m, m])
        assert measured / 2 < device_s([product]) < 2 * measured
        assert device_s([product], "A100 SXM4 80GB") > 5 * device_s([product])


@pytest.mark.parametrize(
    ("name", "across", "along", "times"),
    [("sum", [[1024, 2, 65536], [], []], [[1024, 65536, 2], [], []], (2.5, 60.0)),
     ("cumsum", [[8192, 8192], []], [[8192, 8192], []], (1 / 8.5, 1 / 6.5))],
)  # fmt: skip
def test_reductions_across_the_lines_of_memory_have_no_rows_and_scans_are_slow_there(
    name: str, across: list[list[int]], along: list[list[int]], times: tuple[float, float]
) -> None:
    """Public times of networks that add up two branches are at the bus; a scan across lines took 3.1 ms for 0.42."""
    results = {"sum": ([1024, 65536], [1024, 65536]), "cumsum": ([8192, 8192], [8192, 8192])}[name]
    last = len(across[0]) - 1
    one = entry(name, across, results[0], arguments=["", str([last - 1]), ""][: len(across)])
    other = entry(name, along, results[1], arguments=["", str([last]), ""][: len(along)])
    assert times[0] < device_s([other]) / device_s([one]) < times[1]
    if name == "sum":  # The same where strides say that the second dimension is the one that lies side by side.
        turned = one | {"strides": [[131072, 1, 2], [], []]}
        assert device_s([turned]) == pytest.approx(device_s([other]), rel=0.05)


@pytest.mark.parametrize(("kind", "taps"), [("nearest", 1), ("bilinear", 4), ("bicubic", 16)])
def test_resampled_images_cost_what_each_element_is_made_of(kind: str, taps: int) -> None:
    """Not the size of the result for each element: a network of the public set was forecast 16 times too long."""
    small, large = [16, 64, 128, 128], [16, 64, 256, 256]
    up = entry(f"upsample_{kind}2d", [small, []], large, arguments=["", "[256, 256]"])
    down = entry(f"upsample_{kind}2d_backward", [large, []], small, arguments=["", "[256, 256]"])
    pooled = entry("avg_pool2d", [large, []], small, arguments=["", "[2, 2]"])  # as many elements as nearest has
    assert device_s([up]) == pytest.approx(device_s([down]), rel=0.1)
    assert device_s([up]) == pytest.approx(taps * device_s([pooled]), rel=0.35)


@pytest.mark.parametrize(
    ("gpu", "measured"), [("GeForce RTX 3090", 0.297), ("GeForce RTX 4090", 0.249), ("GeForce RTX 5090", 0.33)]
)
def test_resampling_waits_for_memory_once_for_each_image_and_channel(gpu: str, measured: float) -> None:
    """A thread for each position: 196 threads wait a million times. Measured: what EfficientFormers take beyond the
    rest of their step, over their six such operators (timm_infer)."""
    shape = [1024, 1024, 7, 7]
    plain = entry("upsample_bilinear2d", [shape, []], [1024, 1024, 14, 14], type="float16", arguments=["", "[14, 14]"])
    inner = plain | {"strides": [[1024 * 49, 1, 7 * 1024, 1024], []]}
    assert device_s([plain], gpu) == pytest.approx(measured, rel=0.25)
    assert device_s([inner], gpu) < measured / 50


def depthwise(channels: int, columns: int, window: int, step: int = 1, kind: str = "float16") -> dict[str, Any]:
    """256 images, each channel with a window of its own."""
    arguments = ["", "", "", f"[{step}]", f"[{window // 2}]", "[1]", "False", "[0]", str(channels)]
    shapes: list[list[int]] = [[256, channels, columns, columns], [channels, 1, window, window], *([[]] * 7)]
    out = [256, channels, columns // step, columns // step]
    return entry("convolution", shapes, out, type=kind, arguments=arguments)


def test_depthwise_windows_are_cudnns_or_pytorchs_own() -> None:
    """mobilenet_v3_large on an H100 (hopper_torch, kernels by name): three layers of 3 x 3 that PyTorch's own kernel
    takes, for few channels or steps of 2: 1,175 us; one of 5 x 5: 265 us."""
    own = [depthwise(16, 112, 3), depthwise(64, 112, 3, 2), depthwise(240, 28, 3, 2)]
    assert device_s(own) == pytest.approx(1175e-6, rel=0.15)
    assert device_s([depthwise(72, 56, 5, 2)]) == pytest.approx(265e-6, rel=0.15)
    wide = depthwise(512, 28, 7)
    inner = wide | {"strides": [[512 * 784, 1, 28 * 512, 512], *([[]] * 8)]}
    assert device_s([wide]) > 3 * device_s([inner])
    assert device_s([depthwise(512, 28, 5, kind="bfloat16")]) > 1.5 * device_s([depthwise(512, 28, 5)])


def test_an_element_each_by_an_index_is_no_row_of_a_table() -> None:
    """159 us of 16.8 M elements on an H100 (hopper_torch), whatever the width of the table."""
    for table in ([4_000_000], [4096, 1024]):
        gathered = entry("gather", [table, [], [16_777_216]], [16_777_216])
        assert device_s([gathered]) == pytest.approx(159e-6, rel=0.25)


@pytest.mark.parametrize(
    "name", ["mse_loss", "glu", "pixel_shuffle", "reflection_pad2d", "roll", "adaptive_max_pool2d", "median"]
)
def test_common_operators_have_a_formula(name: str) -> None:
    one = entry(name, [[8, 64, 32, 32]] * 2, [8, 64, 32, 32])
    answer = roofcast.torch.forecast({"roofcast_operators": 1, "operators": [one]}, to="A100 SXM4 80GB")
    assert not any("formula" in note for note in answer.found.notes)


def test_small_kernels_wait_for_memory_and_few_rows_stream_slowly() -> None:
    """Measured on an H100 (hopper_torch): 1.3 us vectorised, 3 to 4 where sums meet; 369 us of 32 rows in FP32."""
    small = [4096], [1]
    vectorised, summed = device_s([entry("relu", [small[0]], small[0])]), device_s([entry("sum", [small[0]], [])])
    assert 0.7e-6 < vectorised < 2e-6 < summed < 5e-6
    few = entry("mm", [[32, 4096], [4096, 28672]], [32, 28672])
    assert device_s([few]) == pytest.approx(369e-6, rel=0.2)


def test_device_and_step_are_two_numbers_and_the_host_is_stated() -> None:
    made = roofcast.torch.forecast(RESNET.read_text(), to="H100 SXM5 80GB", host_us=200.0)
    plain, total = roofcast.torch.forecast(RESNET.read_text(), to="H100 SXM5 80GB").total, made.total
    assert total.device_time_s == plain.device_time_s
    assert total.decided_by == "host"
    assert total.time_s == total.host_time_s > plain.time_s
    assert total.device_low_s < total.device_time_s < total.device_high_s
    assert plain.host_high_s / plain.host_low_s > total.host_high_s / total.host_low_s
    assert "the host decides the step" in str(made)
    with pytest.raises(roofcast.RoofcastError, match="microseconds"):
        roofcast.torch.forecast(RESNET.read_text(), to="H100 SXM5 80GB", host_us=float("nan"))


def test_work_without_a_formula_opens_the_interval_upwards() -> None:
    known, unknown = (entry(name, [[4096, 4096]], [4096, 4096]) for name in ("relu", "own_operator"))
    both = [roofcast.torch.forecast({"roofcast_operators": 1, "operators": [e]}, to="B200") for e in (known, unknown)]
    ways = [a.total.device_high_s / a.total.device_time_s for a in both]
    assert ways[1] > 2 * ways[0]
    assert "without a formula take 100 %" in str(both[1])


def attention(name: str, shape: list[int], keys: int, kind: str = "float16", **how: bool) -> dict[str, Any]:
    """Attention of (batch, heads, queries, head) against as many heads of keys."""
    others = [*shape[:2], keys, shape[3]]
    causal, dropped = str(how.get("causal", False)), "0.1" if how.get("dropout") else "0.0"
    texts = {"flash": ["", "", "", dropped, causal]}.get(name, ["", "", "", "", "False", dropped, causal])
    shapes: list[list[int]] = [shape, others, others, *([[]] * (len(texts) - 3))]
    return entry(f"_scaled_dot_product_{name}_attention", shapes, shape, type=kind, arguments=texts)


def test_attention_takes_exponentials_tiles_and_random_numbers() -> None:
    """hopper_torch, one kernel of an H100: GPT-2's with dropout 103 us, without 45; 28 us of one image's 12 heads."""
    heads = [8, 12, 1024, 64]
    plain, dropped = (attention("cudnn", heads, 1024, causal=True, dropout=d) for d in (False, True))
    assert device_s([plain]) == pytest.approx(45e-6, rel=0.2)
    assert device_s([dropped]) == pytest.approx(103e-6, rel=0.2)
    image = attention("efficient", [1, 12, 197, 64], 197, "float32")
    assert device_s([image]) == pytest.approx(28e-6, rel=0.25)
    short, padded = (device_s([attention("cudnn", [4, 16, 2048, head], 2048)]) for head in (40, 64))
    assert short == pytest.approx(padded, rel=0.02)


def test_kernels_of_single_warps_fall_behind_where_others_take_warp_groups() -> None:
    ways = [attention(name, [8, 16, 2048, 128], 2048) for name in ("flash", "cudnn")]
    hopper, ampere = (device_s([ways[0]], g) / device_s([ways[1]], g) for g in ("H100 SXM5 80GB", "A100 SXM4 80GB"))
    assert 1.3 < hopper / ampere < 1.7


def test_decoding_reads_its_cache_at_the_rate_of_memory() -> None:
    """405 us on an H100, 401 on an H200 whose memory is 1.4 times as fast; 1.07 GB (hopper_torch, flash)."""
    one = attention("flash", [32, 32, 1, 128], 2048)
    assert device_s([one]) == pytest.approx(405e-6, rel=0.2)


@pytest.mark.parametrize(("type_", "megabytes", "rate"), [("float32", 25.7, 4.2e12), ("float32", 205.0, 2.97e12)])
def test_what_the_kernel_before_wrote_is_still_in_l2(type_: str, megabytes: float, rate: float) -> None:
    """Rectified in place on an H100 (hopper_torch): 26 MB at 4.2 TB/s, 103 MB and more at 3.0."""
    n = int(megabytes * 1e6 / 4)
    one = entry("relu_", [[n]], [n], type=type_)
    assert device_s([one]) == pytest.approx(2e6 * megabytes / rate, rel=0.15)


def test_group_norms_take_a_block_a_group() -> None:
    """44 us of 5 MB on an H100, for 64 groups leave half of it idle (hopper_torch)."""
    shape = [2, 320, 64, 64]
    arguments = ["", "", "", "2", "320", "4096", "32", "1e-05"]
    one = entry("native_group_norm", [shape, [320], [320], *([[]] * 5)], shape, type="float16", arguments=arguments)
    assert device_s([one]) == pytest.approx(44e-6, rel=0.2)


def test_tensors_are_joined_at_the_rate_of_memory_unless_one_is_empty() -> None:
    """H100 (hopper_torch): 47 us for 134 MB; 39 of 6.3 million elements where a cache begins with nothing."""
    joined = entry("cat", [[4096, 4096], [4096, 4096], []], [4096, 8192], type="bfloat16", arguments=["", "", "1"])
    assert device_s([joined]) == pytest.approx(47e-6, rel=0.15)
    cache = [8, 12, 1024, 64]
    begun = entry("cat", [[0], cache, []], cache, type="float16", arguments=["", "", "-2"])
    assert device_s([begun]) == pytest.approx(39e-6, rel=0.2)


def test_fp32_convolutions_of_older_gpus_are_winograds() -> None:
    """Libraries before Ampere multiply 2.25 times less for windows of 3 x 3 than for as many elements in a line."""
    shapes: list[list[int]] = [[64, 256, 28, 28], [256, 256, 3, 3], *([[]] * 7)]
    square = entry("convolution", shapes, [64, 256, 28, 28],
                   arguments=["", "", "", "[1]", "[1]", "[1]", "False", "[0]", "1"])  # fmt: skip
    line = square | {"shapes": [shapes[0], [256, 256, 1, 9], *shapes[2:]]}
    assert device_s([line], "GeForce GTX 1080 Ti") > 2 * device_s([square], "GeForce GTX 1080 Ti")
    assert device_s([line]) == pytest.approx(device_s([square]), rel=0.05)


def test_matrices_that_are_factorised_wait_for_each_column() -> None:
    """H100 (hopper_torch): 5.6 ms of 2,048 with pivots; singular values are undecided, up to a hundred times longer."""
    solved = entry("_linalg_solve_ex", [[2048, 2048], [2048, 2048]], [2048, 2048])
    assert device_s([solved]) == pytest.approx(5.6e-3, rel=0.2)
    converging = {"roofcast_operators": 1, "operators": [entry("_linalg_svd", [[1024, 1024]], [1024])]}
    total = roofcast.torch.forecast(converging, to="H100 SXM5 80GB").total
    assert total.device_high_s > 15 * total.device_time_s > 15 * 1e-3


HOSTILE: list[Any] = [
    "", "{", "[]", "{}", b"\xff", {"roofcast_operators": 1}, {"roofcast_operators": 1, "operators": []},
    {"roofcast_operators": 1, "operators": [1, None]}, 5, None, pytest.param(object(), id="object"),
    {"roofcast_operators": 1, "operators": [{"name": "aten::mm", "shapes": [["x"]]}]},
    {"roofcast_operators": 1, "operators": [{"name": "aten::mm", "shapes": 5, "count": "many"}]},
]  # fmt: skip


@pytest.mark.parametrize("given", HOSTILE, ids=lambda g: repr(g)[:40])
def test_what_is_no_list_or_model_is_refused_in_one_line(given: Any) -> None:
    with pytest.raises(roofcast.RoofcastError) as caught:
        roofcast.torch.forecast(given, to="B200")
    assert str(caught.value).isprintable()


def test_the_levels_name_their_data_and_their_errors() -> None:
    provenance = load_levels().provenance
    assert {k: DATASETS[k].sha256 for k in provenance["data"]} == provenance["data"]
    errors = provenance["errors_with_the_family_left_out"]
    large = [e["error"] for e in errors if e["kind"] == "gemm on tensor pipes"]
    assert large
    assert max(large) < 0.4
    assert set(json.loads(FILE.read_text())) == {"usual", "of_architecture", "spread", "spread_total", "provenance"}


@pytest.mark.slow
def test_the_levels_are_what_the_data_teach(data_dir: Path) -> None:
    from teaching.teach_unmeasured import FAMILIES, read_family, teach

    levels = teach([read_family(name) for name in FAMILIES])
    # Small steps of the operators' own models move them; more means that they must be taught again.
    assert levels.usual == pytest.approx(dict(load_levels().usual), abs=0.05)


@pytest.mark.slow
def test_a_profile_is_forecast_like_its_trace(fixtures_dir: Path, tmp_path: Path) -> None:
    trace = min(fixtures_dir.glob("kineto/*bert*"), key=lambda p: p.stat().st_size)
    run = Run()
    with pytest.raises(roofcast.RoofcastError, match="ask after the `with` block"):
        run.forecast("B200")
    run.path = trace
    made = run.forecast("B200", conditions="profiled")
    assert isinstance(made, Forecasted)
    assert made.to_json() == roofcast.forecast(trace, "B200", conditions="profiled").to_json()
    assert run.app("B200").to_json() == roofcast.app(trace, "B200").to_json()
    run.save(tmp_path / trace.name)
    assert (tmp_path / trace.name).read_bytes() == trace.read_bytes()


def test_without_pytorch_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for ask in (roofcast.torch.profile, lambda: roofcast.torch.forecast(len, to="B200")):
        with pytest.raises(MissingExtraError, match="PyTorch is not installed"):
            ask()


class TestWithPytorch:
    """The real package."""

    def test_a_module_is_recorded_and_left_as_it_was(self) -> None:
        torch = pytest.importorskip("torch")
        model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 8))
        before = [p.clone() for p in model.parameters()]
        made = roofcast.torch.record(model, (32, 64))
        assert [e["name"] for e in made["operators"]] == ["aten::addmm", "aten::gelu", "aten::addmm"]
        assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
        assert roofcast.torch.forecast(model, (32, 64), to="B200").total.time_s > 0

    def test_training_adds_backward_and_optimiser(self) -> None:
        torch = pytest.importorskip("torch")
        made = roofcast.torch.record(lambda: torch.nn.Linear(64, 128), (32, 64), train=True, precision="bf16")
        names = [e["name"] for e in made["operators"]]
        assert names.count("aten::mm") + names.count("aten::addmm") >= 2
        assert any(n.startswith("aten::_foreach_") for n in names)
        weights = 2 * (64 * 128 + 128)
        held = made["memory"]
        assert held["parameters"] == held["gradients"] == weights
        # Two moments, and a step of each parameter.
        assert 2 * weights <= held["optimizer"] <= 2 * weights + 16
        assert read_operators(made).table.provenance[0].memory_bytes == sum(held.values())

    def test_optimisers_that_know_no_lists_are_recorded(self) -> None:
        torch = pytest.importorskip("torch")
        if not hasattr(torch.optim, "Muon"):
            pytest.skip("this PyTorch has none")
        made = roofcast.torch.record(torch.nn.Linear(64, 64, bias=False), (8, 64), train=True, optimizer="Muon")
        assert sum(e["count"] for e in made["operators"] if e["name"].endswith("mm")) > 10

    def test_functions_that_do_the_step_themselves(self) -> None:
        torch = pytest.importorskip("torch")

        def step() -> None:
            model = torch.nn.Linear(4096, 4096).cuda().half()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model(torch.rand(8, 4096, device="cuda").half()).sum().backward()
            optimizer.step()

        found = read_operators(roofcast.torch.record(step))
        assert np.nansum(found.table.column("flops_tensor_fp16")) >= 2 * 2 * 8 * 4096 * 4096
        assert not any(e["name"].startswith("aten::bernoulli") for e in roofcast.torch.record(step)["operators"])
        one = roofcast.torch.record(lambda: (torch.nn.Linear(64, 8), torch.rand(4, 64)))
        assert [e["name"] for e in one["operators"]] == ["aten::addmm"]

    @pytest.mark.parametrize("train", [False, True])
    def test_operators_are_those_of_cuda(self, train: bool) -> None:
        torch = pytest.importorskip("torch")
        layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        made = roofcast.torch.record(layer, (8, 16, 64), train=train, precision="amp-bf16")
        ran = [e["name"].rpartition("::")[2] for e in made["operators"] for _ in range(e["count"])]
        assert ran.count("_scaled_dot_product_cudnn_attention") == 1
        assert ran.count("native_dropout") == (3 if train else 0)
        lstm = roofcast.torch.record(torch.nn.LSTM(64, 64, 2), (5, 8, 64), train=train)
        names = [e["name"].rpartition("::")[2] for e in lstm["operators"]]
        assert names.count("_cudnn_rnn") == 1
        assert names.count("_cudnn_rnn_backward") == train

    def test_the_switches_of_the_process_and_strides_are_recorded(self) -> None:
        torch = pytest.importorskip("torch")
        model = torch.nn.Conv2d(8, 8, 3, bias=False)
        was = torch.backends.cudnn.allow_tf32
        try:
            torch.backends.cudnn.allow_tf32 = False
            strict = roofcast.torch.record(model, (2, 8, 9, 9))
            assert not strict["switches"]["tf32_convolutions"]
            assert roofcast.torch.record(model, (2, 8, 9, 9), precision="tf32")["switches"]["tf32_products"]
        finally:
            torch.backends.cudnn.allow_tf32 = was
        model = torch.nn.Conv2d(8, 8, 3, bias=False).to(memory_format=torch.channels_last)
        last = roofcast.torch.record(model, torch.rand(2, 8, 9, 9).to(memory_format=torch.channels_last))
        assert last["operators"][0]["strides"][0][1] == 1

    def test_a_model_chooses_its_attention_itself(self) -> None:
        torch = pytest.importorskip("torch")
        choose = torch.nn.attention

        class Attend(torch.nn.Module):  # type: ignore[misc,name-defined]  # of a package that may be absent
            def forward(self, q: Any) -> Any:
                for way in (choose.SDPBackend.FLASH_ATTENTION, choose.SDPBackend.EFFICIENT_ATTENTION):
                    with choose.sdpa_kernel(way):
                        q = torch.nn.functional.scaled_dot_product_attention(q, q, q)
                return torch.nn.functional.rms_norm(q, (64,))

        names = [e["name"] for e in roofcast.torch.record(Attend(), (2, 4, 128, 64), precision="fp16")["operators"]]
        assert [n.rpartition("::")[2] for n in names] == [
            "_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention", "_fused_rms_norm"
        ]  # fmt: skip

    def test_layers_that_a_number_drops_and_attention_of_code_are_recorded(self) -> None:
        torch = pytest.importorskip("torch")
        flex = pytest.importorskip("torch.nn.attention.flex_attention")

        class Dropping(torch.nn.Module):  # type: ignore[misc,name-defined]  # of a package that may be absent
            def forward(self, q: Any) -> Any:
                for _ in range(40):
                    q = q if torch.rand(1).item() < 0.5 else q.relu()
                return flex.flex_attention(q, q, q, score_mod=lambda score, *_: score)

        made = roofcast.torch.record(Dropping(), (2, 4, 128, 64), precision="fp16")
        ran = {e["name"]: e["count"] for e in made["operators"]}
        assert 8 < ran["aten::relu"] < 32
        assert ran["higher_order::flex_attention"] == 1
        answer = roofcast.torch.forecast(made, to="B200")
        assert any("without a formula" in note and "flex_attention" in note for note in answer.found.notes)

    def test_what_depends_on_data_says_where(self) -> None:
        torch = pytest.importorskip("torch")

        class Branch(torch.nn.Module):  # type: ignore[misc,name-defined]  # of a package that may be absent
            def forward(self, x: Any) -> Any:
                return x if x.sum().item() > 0 else -x

        with pytest.raises(roofcast.RoofcastError, match=r"depends on data at test_unmeasured.py:\d+"):
            roofcast.torch.forecast(Branch(), (4, 4), to="B200")
        with pytest.raises(roofcast.RoofcastError, match="give the inputs"):
            roofcast.torch.forecast(torch.nn.Linear(4, 4), to="B200")

    def test_a_profile_without_a_gpu_is_refused_in_one_line(self, tmp_path: Path) -> None:
        torch = pytest.importorskip("torch")
        if torch.cuda.is_available():
            pytest.skip("there is a GPU")
        with roofcast.torch.profile() as run:
            torch.nn.Linear(4, 4)(torch.rand(2, 4))
        with pytest.raises(roofcast.RoofcastError, match="no work of a GPU"):
            run.forecast("B200")
        run.save(tmp_path / "run.json")


def test_a_compiled_step_and_a_graph_are_modes() -> None:
    """ResNet-50 of 64 under autocast, compiled: 3.13 ms of an H100, 2.78 of an H200, 162 kernels (hopper_torch)."""
    found = {m: roofcast.torch.forecast(RESNET.read_text(), to="H100 SXM5 80GB,H200", mode=m, host_us=20)
             for m in ("eager", "compile", "graph")}  # fmt: skip
    eager, compiled, graph = (found[m].totals[1] for m in ("eager", "compile", "graph"))
    for total, measured_s in zip(found["compile"].totals, (3.13e-3, 2.78e-3), strict=True):
        assert total.device_low_s < measured_s < total.device_high_s
    assert 0.7 * 162 < compiled.launches < 1.3 * 162
    assert compiled.host_time_s == pytest.approx(20e-6 * compiled.launches, rel=0.01)
    assert compiled.device_high_s / compiled.device_low_s > eager.device_high_s / eager.device_low_s
    assert graph.device_time_s == eager.device_time_s
    assert graph.decided_by == "device"
    assert graph.time_s - graph.device_time_s < 0.5 * (roofcast.torch.forecast(
        RESNET.read_text(), to="H200", host_us=0).total.time_s - eager.device_time_s)  # fmt: skip
    answer = record_model(found["compile"].found)
    assert answer["conditions"]["mode"] == "compile"
    assert {row["coverage"] for row in answer["forecasts"]} == {None}
    assert "torch.compile is an estimate" in str(found["compile"])
    with pytest.raises(RoofcastError, match=r"^mode 'fast': eager, compile, graph$"):
        roofcast.torch.forecast(RESNET.read_text(), to="H200", mode="fast")


def test_switches_are_named() -> None:
    listed = json.loads(RESNET.read_text()) | {"switches": {"tf32_products": False, "tf32_convolutions": True}}
    text = " ".join(str(roofcast.torch.forecast(listed, to="H200")).split())
    assert "FP32 products in FP32, convolutions in TF32; attention may be separate kernels" in text


def test_the_host_is_measured_or_named_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Without PyTorch one line; with it microseconds, which without a GPU are the least."""
    try:
        import torch
    except ImportError:
        assert main(["measure", "host"]) == 2
        error = capsys.readouterr().err
        assert "pip install torch" in error
        assert error.count("\n") == 1
        return
    assert main(["measure", "host"]) == 0
    text = capsys.readouterr().out
    said = re.match(r"inference: ([\d.]+) us of the host per operator \(([\d.]+)–([\d.]+), .*; 60 operators\)", text)
    assert said is not None
    assert 0.5 < float(said[2]) <= float(said[1]) <= float(said[3]) < 1e3
    assert ("host_us=" in text) == torch.cuda.is_available()
