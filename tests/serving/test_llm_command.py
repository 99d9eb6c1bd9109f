"""`roofcast llm`: what it prints, refuses and carries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import roofcast
from contracts.doors import RefusedError, run
from roofcast.core.errors import RoofcastError
from serving.test_language_model import DEEPSEEK, LLAMA


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "Llama-3.1-8B"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA))
    return folder


def first(*words: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("llm", *words, "--format", "json"))["deployments"][0]
    return found


def test_the_first_line_is_the_answer(config: Path) -> None:
    said = run("llm", config, "--to", "B200", "--gpus", "1").partition("\n\n")[0].replace("\n", " ")
    assert said.startswith("Llama-3.1-8B, 1,024 in, 1,024 out, 64 at once, on 1 x B200: TTFT ")
    assert "tokens/s; limited by " in said


def test_intervals_hold_the_values_and_more_load_is_slower(config: Path) -> None:
    before = 0.0
    for load in (1, 8, 64, 512):
        d = first(config, "--to", "H100", "--gpus", "1", "--concurrency", load, "--input", 256, "--output", 128)
        assert d["tpot_low_s"] < d["tpot_s"] < d["tpot_high_s"]
        assert d["ttft_low_s"] < d["ttft_s"] < d["ttft_high_s"]
        assert d["tokens_per_s_low"] < d["tokens_per_s"] < d["tokens_per_s_high"]
        assert d["tpot_s"] > before
        before = d["tpot_s"]


def test_more_supply_is_never_slower(config: Path) -> None:
    slow, quick = (first(config, "--to", f"H100{{dram={d}TB/s}}", "--gpus", 1)["tpot_s"] for d in (2, 4))
    assert quick < slow


def test_what_does_not_fit_says_by_how_much_and_what_would(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(DEEPSEEK))
    d = first(tmp_path, "--to", "H100", "--gpus", 8, "--tp", 8)
    assert not d["fits"]
    assert d["tpot_s"] is None
    assert "GB too much on each GPU" in d["notes"][0]
    assert "--weights fp4" in d["notes"][0]
    assert first(tmp_path, "--to", "B200", "--gpus", 8, "--weights", "fp8")["fits"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tp", 3), "does not divide 32 heads"),
        (("--ep", 2), "has no experts"),
        (("--concurrency", 3, "--rate", "5/s"), "give one of them"),
        (("--rate", "often"), "such as 5/s"),
        (("--weights", "fp3"), "one of bf16"),
        (("--ttft", "soon"), "a time such as"),
        (("--measured", "x.json"), "needs --from"),
        (("--gpus", 4, "--tp", 8), "is not tp x pp x dp"),
    ],
)
def test_bad_questions_are_one_line(config: Path, words: tuple[Any, ...], said: str) -> None:
    with pytest.raises(RefusedError) as caught:
        run("llm", config, "--to", "B200", *words)
    assert said in str(caught.value)


def test_a_measured_run_is_the_forecast_of_its_own_gpu_and_narrows_others(config: Path, tmp_path: Path) -> None:
    path = tmp_path / "vllm.json"
    path.write_text(json.dumps({
        "backend": "vllm", "model_id": "m", "completed": 10, "max_concurrency": 32, "total_input_tokens": 10240,
        "total_output_tokens": 5120, "mean_ttft_ms": 150.0, "mean_tpot_ms": 11.0,
    }))  # fmt: skip
    own = first(config, "--to", "H100", "--measured", path, "--from", "H100")
    assert own["tpot_s"] == pytest.approx(11e-3)
    assert own["ttft_s"] == pytest.approx(0.15)
    assert own["concurrency"] == 32
    there = first(config, "--to", "H200", "--measured", path, "--from", "H100")
    alone = first(config, "--to", "H200", "--gpus", 1, "--concurrency", 32, "--input", 1024, "--output", 512)
    assert there["tpot_s"] < own["tpot_s"]
    assert there["tpot_high_s"] / there["tpot_low_s"] < alone["tpot_high_s"] / alone["tpot_low_s"]


def test_the_vllm_result_is_read_back(config: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    run("llm", config, "--to", "B200", "--gpus", 1, "--format", "vllm", "-o", path)
    answer = roofcast.llm(config, "B200", measured=path, source="B200")
    assert answer.found.best.tpot_s == pytest.approx(json.loads(path.read_text())["mean_tpot_ms"] * 1e-3)


def test_limits_rates_prices_and_percentiles(config: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[gpus."B200"]\nrent_usd_per_hour = 3.6\nsource = "test"\ndate = "2026-01"\n')
    answer = roofcast.llm(config, "B200", rate="2/s", tpot="6ms", prices=str(prices), requests=500)
    best = answer.found.best
    assert best.is_within
    assert best.tpot_s <= 6e-3
    assert best.usd_per_million == pytest.approx(best.plan.gpus * 1e-3 / best.tokens_per_s * 1e6)
    # Little's law: what comes in goes out.
    assert best.tokens_per_s == pytest.approx(2 * 1024, rel=1e-3)
    row = answer.rows()[0]
    assert row["tpot_p50_s"] <= row["tpot_p90_s"] <= row["tpot_p99_s"]
    with pytest.raises(RoofcastError):
        roofcast.llm(config, "no such GPU")


def test_no_more_is_served_than_comes(config: Path) -> None:
    few = first(config, "--to", "H100", "--gpus", 1, "--rate", "2/s", "--output", 100)
    assert few["tokens_per_s"] == pytest.approx(200.0)
    assert few["tokens_per_s_high"] <= 200.0 * (1 + 1e-9)
    many = first(config, "--to", "H100", "--gpus", 1, "--rate", "500/s", "--output", 100)
    assert many["tokens_per_s_high"] < 50_000.0


def test_a_folder_names_the_model_only_where_it_names_the_family(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "Some-Model-8B"
    folder.mkdir()
    content = json.loads((config / "config.json").read_text())
    content.pop("_name_or_path", None)
    (folder / "config.json").write_text(json.dumps(content))
    monkeypatch.chdir(folder)
    assert roofcast.llm("config.json", "B200").found.model.name == "Some-Model-8B"
    (folder / "config.json").write_text(json.dumps(content | {"model_type": "some_moe"}))
    assert roofcast.llm("config.json", "B200").found.model.name == "Some-Model-8B"
    (folder / "config.json").write_text(json.dumps(content | {"model_type": "llama"}))
    assert roofcast.llm("config.json", "B200").found.model.name == "llama"


def test_the_picture_is_drawn(config: Path, tmp_path: Path) -> None:
    run("llm", config, "--to", "B200,H100", "-o", tmp_path / "front.svg")
    drawn = (tmp_path / "front.svg").read_text(encoding="utf-8")
    assert "output tokens/s per GPU" in drawn
    assert "mathdefault" not in drawn


def test_a_model_of_linear_layers_alone_is_replayed(tmp_path: Path) -> None:
    linear = {"layer_types": ["linear_attention"] * 32, "linear_num_value_heads": 0}
    (tmp_path / "config.json").write_text(json.dumps(LLAMA | linear))
    assert first(tmp_path, "--to", "B200", "--gpus", 1, "--requests", 5)["tpot_p50_s"] > 0


def test_other_files_are_refused_in_plain_words(config: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(b"\xad\xff not text")
    for words in ((other,), (config, "--measured", other, "--from", "H100")):
        with pytest.raises(RefusedError, match="not JSON; give"):
            run("llm", *words, "--to", "B200")


def test_a_named_engine_narrows_the_first_token(config: Path) -> None:
    asked = (config, "--to", "H100", "--gpus", 1)
    any_, vllm = first(*asked), first(*asked, "--engine", "vllm")
    assert vllm["tpot_s"] == any_["tpot_s"]
    assert vllm["ttft_high_s"] / vllm["ttft_low_s"] < 0.5 * any_["ttft_high_s"] / any_["ttft_low_s"]
    assert first(*asked, "--engine", "sglang")["ttft_s"] > vllm["ttft_s"]


def test_more_than_is_served_waits_without_end(config: Path) -> None:
    text = run("llm", config, "--to", "H100", "--gpus", 1, "--rate", "200/s", "--requests", 100)
    said = " ".join(text.split())
    assert "TTFT that grows without end" in said
    assert "no candidate keeps up with the rate" in said


def test_links_of_a_host_that_nobody_describes_widen_and_a_network_joins_nodes(config: Path) -> None:
    def asked(gpu: str, tp: int, *more: Any) -> dict[str, Any]:
        return first(config, "--to", gpu, "--gpus", tp, "--tp", tp, *more)

    def width(d: dict[str, Any]) -> float:
        return float(d["tpot_high_s"] / d["tpot_low_s"])

    open_, stated = asked("L40S", 8), asked("L40S", 8, "--network", "20GB/s")
    assert width(open_) > 1.2 * width(stated)
    assert width(asked("L40S", 1)) == pytest.approx(width(stated))
    assert asked("L40S", 8, "--network", "2GB/s")["tpot_s"] > open_["tpot_s"] > stated["tpot_s"]
    with pytest.raises(RefusedError, match="--network 50GB/s"):
        asked("H100", 16)
    slow, quick = (asked("H100", 16, "--network", f"{rate}GB/s")["tpot_s"] for rate in (10, 50))
    assert quick < slow
    with pytest.raises(RefusedError, match="has H100"):
        asked("H200", 16, "--network", "DGX H100")
    piped = first(config, "--to", "H100", "--gpus", 16, "--tp", 8, "--pp", 2, "--network", "50GB/s")
    assert piped["tpot_s"] < quick


def test_mlperf_names_mean_lengths(config: Path) -> None:
    stated = first(config, "--to", "H200", "--gpus", 1, "--input", 778, "--output", 73)
    assert first(config, "--to", "H200", "--gpus", 1, "--traffic", "mlperf:llama3.1-8b") == stated
    with pytest.raises(RefusedError, match="llama2-70b"):
        first(config, "--to", "H200", "--traffic", "mlperf:resnet50")
