"""A language model as a program of a workload: limits, replicas, whole servers, money."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofcast.choosing.deciding import choose
from roofcast.choosing.served_models import quantile
from roofcast.choosing.workload_file import Terms
from roofcast.commands.asked import make_command
from roofcast.core.errors import RoofcastError

command = make_command("choose")

CONFIG = {
    "num_hidden_layers": 80, "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": 8,
    "intermediate_size": 28672, "vocab_size": 128256, "torch_dtype": "bfloat16", "_name_or_path": "Llama-70B",
}  # fmt: skip
CANDIDATES = """
[gpus."H100 SXM5 80GB"]
price_usd = 27000
host_price_usd = 60000
slots_per_server = 8
[gpus."H200 SXM 141GB"]
rent_usd_per_hour = 3.5
[gpus."L4"]
rent_usd_per_hour = 0.5
[site]
usd_per_kwh = 0.15
"""


def write(folder: Path, more: str = 'ttft = "1 s"\ntpot = "40 ms"', demand: str = "requests_per_day = 2e6") -> Path:
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "gpus.toml").write_text(CANDIDATES)
    (folder / "work.toml").write_text(
        '[[programs]]\nname = "chat"\nmodel = "config.json"\nweights = "fp8"\nengine = "vllm"\ninput = 1024\n'
        f"output = 256\n{demand}\n{more}\n[terms]\nyears = 4\nutilisation = 0.6\n"
    )
    return folder / "work.toml"


def ask(folder: Path, *options: str) -> dict[str, object]:
    made = CliRunner().invoke(command, [
        str(folder / "work.toml"), "--candidates", str(folder / "gpus.toml"), "--format", "json", *options,
    ])  # fmt: skip
    assert made.exit_code == 0, made.output
    return json.loads(made.stdout)  # type: ignore[no-any-return]


def test_a_fleet_of_whole_servers_and_replicas_serves_the_requests(tmp_path: Path) -> None:
    write(tmp_path)
    found = ask(tmp_path)
    by_name = {c["gpu"]: c for c in found["candidates"]}  # type: ignore[attr-defined]
    assert by_name["H100 SXM5 80GB"]["count"] % 8 == 0
    assert by_name["H200 SXM 141GB"]["count"] % 2 == 0
    for c in by_name.values():
        served = 0.6 * 86400 * c["count"] / c["time_s"]
        assert c["jobs_per_day"] == pytest.approx(served)
        assert served > 2e6
        assert c["time_low_s"] < c["time_s"] < c["time_high_s"]
    told = json.dumps(found)
    assert "replicas of" in told
    assert "L4" in told
    assert "is not within the limits of Llama-70B" in told


def test_stricter_limits_never_need_fewer_gpu_seconds(tmp_path: Path) -> None:
    times = []
    for more in ('tpot = "80 ms"', 'tpot = "40 ms"', 'tpot = "30 ms"'):
        decision = choose(write(tmp_path, more), ["H200 SXM 141GB"], prices=tmp_path / "gpus.toml")
        times.append(decision.first.gpu_seconds)
    assert times == sorted(times)


def test_more_certainty_never_needs_fewer_gpu_seconds(tmp_path: Path) -> None:
    path, prices = write(tmp_path), tmp_path / "gpus.toml"
    sure = [
        choose(path, ["H200 SXM 141GB"], prices=prices, terms=Terms(probability=p)).first.gpu_seconds
        for p in (0.5, 0.8, 0.95)
    ]
    assert sure == sorted(sure)
    assert sure[0] < sure[-1]


def test_an_instance_of_one_gpu_holds_no_replica_of_two(tmp_path: Path) -> None:
    path = write(tmp_path, "", "weight = 1")
    path.write_text(path.read_text().replace('weights = "fp8"', 'weights = "bf16"'))
    with pytest.raises(RoofcastError, match="does not hold Llama-70B on 1 GPU"):
        choose(path, ["p5.4xlarge"])


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('files = ["a.csv"]', "files and model contradict"), ('deadline = "1 s"', "deadline and model"),
        ('ttft = "fast"', "ttft"), ('kv = "fp3"', "kv = 'fp3': one of"), ("gpus = 2", "gpus and model"),
    ],
)  # fmt: skip
def test_what_contradicts_is_refused_in_one_line(tmp_path: Path, more: str, words: str) -> None:
    with pytest.raises(RoofcastError, match=words) as found:
        choose(write(tmp_path, more), ["H200 SXM 141GB"])
    assert "\n" not in str(found.value)


def test_tokens_without_a_model_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text('[[programs]]\nfiles = ["a.csv"]\nttft = "1 s"\n')
    with pytest.raises(RoofcastError, match="ttft is of a language model"):
        choose(path, ["H200 SXM 141GB"])


def test_a_quantile_rises_with_its_probability() -> None:
    found = [quantile(1.0, (0.6, 2.0), p) for p in (0.05, 0.3, 0.5, 0.7, 0.95)]
    assert found == sorted(found)
    assert found[0] == pytest.approx(0.6)
    assert math.isclose(found[2], 1.0)
    assert found[4] == pytest.approx(2.0)
