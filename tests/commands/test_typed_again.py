"""What users type: options given twice, money in words, names of GPUs that nobody has yet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofcast import catalog
from roofcast.__main__ import main
from roofcast.core.errors import RoofcastError, UnknownProcessorError

PRICES = Path(__file__).parents[2] / "examples" / "prices.toml"


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "sizes.csv"
    rows = [(n, m) for n in (256, 512, 1024) for m in (64, 128, 256)]
    lines = "".join(f"axpy,V100,N={n};M={m},{1e-6 + 1e-10 * n * m},{12 * n * m}\n" for n, m in rows)
    path.write_text(f"kernel,gpu,config,time_s,bytes_dram\n{lines}")
    return str(path)


def times(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[float]:
    assert main([*arguments, "--format", "json"]) == 0
    return [row["time_s"] for row in json.loads(capsys.readouterr().out)["forecasts"]]


@pytest.mark.slow
def test_sizes_given_one_by_one_all_count(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("forecast", table, "--to", "H100 SXM5 80GB")
    together = times(capsys, *command, "--size", "N=4096,M=512")
    assert times(capsys, *command, "--size", "N=4096", "--size", "M=512") == together
    assert times(capsys, *command, "--size", "N=4096", "--size", "N=4096,M=512") == together
    assert main([*command, "--size", "N=4096", "--size", "N=1024"]) == 2
    assert "size N is given twice: 4096 and 1024" in capsys.readouterr().err


def test_sizes_of_a_class_given_one_by_one_all_count(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["hull", "AxB|element -> AxB|element", "--on", "H100 SXM5 80GB", "--format", "json"]
    assert main([*command, "--size", "A=1024,B=512"]) == 0
    together = capsys.readouterr().out
    assert main([*command, "--size", "A=1024", "--size", "B=512"]) == 0
    assert capsys.readouterr().out == together
    assert main([*command, "--size", "A=1024", "--size", "A=1,B=512"]) == 2
    assert "--size A is given twice: 1024 and 1" in capsys.readouterr().err


@pytest.mark.parametrize("typed", ["", ","])
@pytest.mark.parametrize("command", ["forecast", "llm", "scale"])
def test_targets_that_name_no_gpu_are_refused(
    command: str, typed: str, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "config.json"
    model.write_text(json.dumps({
        "model_type": "llama", "hidden_size": 256, "intermediate_size": 512, "num_attention_heads": 4,
        "num_hidden_layers": 2, "vocab_size": 1000,
    }))  # fmt: skip
    asked = {"forecast": [table], "llm": [str(model)], "scale": ["8 x H200 SXM", "--step-time", "94ms"]}
    assert main([command, *asked[command], "--to", typed]) == 2
    err = capsys.readouterr().err
    assert err.startswith("roofcast: no ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("typed", ["250k", "250K", "250,000", "250000 USD", "250 kUSD", "$250k", "0.25M", "2.5e5"])
def test_a_budget_is_read_as_people_write_it(typed: str, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["choose", table, "--among", "H100 SXM5 80GB", "--prices", str(PRICES), "--format", "json"]
    assert main([*command, "--budget", "250000"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert main([*command, "--budget", typed]) == 0
    assert json.loads(capsys.readouterr().out)["candidates"] == plain["candidates"]


@pytest.mark.parametrize("typed", ["250q", "1,2,3", "1,5", "$", "25,00"])
def test_a_budget_that_is_none_is_refused(typed: str, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["choose", table, "--budget", typed]) == 2
    assert "--budget" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["Rubin", "VR200", "Rubin CPX", "TPU v5", "Trainium2", "Gaudi 3 HL-325L", "Feynman"])
def test_a_gpu_that_nobody_has_yet_suggests_no_other(name: str) -> None:
    with pytest.raises(UnknownProcessorError) as refused:
        catalog.find(name)
    assert "nearest" not in str(refused.value)
    assert "TOML file" in str(refused.value)
    assert "variation" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("Gefroce RTX 3090", "GeForce RTX 3090"), ("H10O", "H100"), ("RTX 309", "GeForce RTX 3090"), ("B20O", "B200"),
     ("MI350Y", "Instinct MI350X"), ("A100 SMX4", "A100")],
)  # fmt: skip
def test_a_mistyped_name_suggests_what_was_meant(name: str, meant: str) -> None:
    with pytest.raises(RoofcastError) as refused:
        catalog.find(name)
    assert "nearest" in str(refused.value)
    assert meant in str(refused.value)


def test_a_number_is_not_cut_for_a_suggestion() -> None:
    with pytest.raises(UnknownProcessorError) as refused:
        catalog.find("MI500X")
    assert "MI50," not in str(refused.value)
