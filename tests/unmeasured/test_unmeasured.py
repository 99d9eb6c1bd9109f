"""Models that no GPU ever ran: operators from shapes, seconds from usual levels; and profiles of PyTorch in one line.

The lists of operators are made by ``python tools/record_models.py --samples``; what needs PyTorch itself is skipped
where it is not installed.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from roofcast.core.display import Answer
from roofcast.core.errors import MissingExtraError
from roofcast.core.results import Forecast
from roofcast.evaluation.datasets import DATASETS
from roofcast.models.operators.unmeasured import FILE, load_levels
from roofcast.operators.kernel_names import Operation
from roofcast.operators.recorded_operators import read_operators
from roofcast.torch.profiling import Run

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
    assert not found.notes


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
    from roofcast.evaluation.teach_unmeasured import FAMILIES, read_family, teach

    levels = teach([read_family(name) for name in FAMILIES])
    # Small steps of the operators' own models move them; more means that they must be taught again.
    assert levels.usual == pytest.approx(dict(load_levels().usual), abs=0.05)


def test_a_profile_is_forecast_like_its_trace(fixtures_dir: Path, tmp_path: Path) -> None:
    trace = min(fixtures_dir.glob("kineto/*bert*"), key=lambda p: p.stat().st_size)
    run = Run()
    with pytest.raises(roofcast.RoofcastError, match="ask after the `with` block"):
        run.forecast("B200")
    run.path = trace
    made = run.forecast("B200", conditions="profiled")
    assert isinstance(made, Forecast)
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

    def test_functions_that_do_the_step_themselves(self) -> None:
        torch = pytest.importorskip("torch")

        def step() -> None:
            model = torch.nn.Linear(4096, 4096).cuda().half()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model(torch.rand(8, 4096, device="cuda").half()).sum().backward()
            optimizer.step()

        found = read_operators(roofcast.torch.record(step))
        assert np.nansum(found.table.column("flops_tensor_fp16")) >= 2 * 2 * 8 * 4096 * 4096
        one = roofcast.torch.record(lambda: (torch.nn.Linear(64, 8), torch.rand(4, 64)))
        assert [e["name"] for e in one["operators"]] == ["aten::addmm"]

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
