"""`roofcast gpus`."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roofcast import catalog
from roofcast.commands.asked import make_command
from roofcast.core.errors import CatalogEntryError

command = make_command("gpus")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, env={"COLUMNS": "140"}, catch_exceptions=False)


def test_table_lists_every_entry() -> None:
    text = run().output
    for name in catalog.names():
        assert name in text
    line = next(x for x in text.splitlines() if x.startswith("H100 SXM5 80GB"))
    assert line.split()[3:] == ["Hopper", "132", "1.98", "33.5", "66.9", "1071", "50", "80", "3.35", "2022"]
    assert f"{len(catalog.names())} processors" in text
    assert max(map(len, text.splitlines())) <= 140


@pytest.mark.parametrize("columns", ["80", "100", "200"])
def test_numbers_are_never_cut(columns: str) -> None:
    text = CliRunner().invoke(command, ["--search", "mi300x"], env={"COLUMNS": columns}).output
    assert "Instinct MI300X" in text
    for figure in ("304", "2.10", "81.7", "163", "1307", "32", "192", "5.32", "2023"):
        assert figure in text, (columns, figure)


@pytest.mark.parametrize("columns", ["80", "100", "120"])
@pytest.mark.parametrize("words", [[], ["H100"]], ids=["overview", "entry"])
def test_tables_fit_the_terminal(columns: str, words: list[str]) -> None:
    lines = CliRunner().invoke(command, words, env={"COLUMNS": columns}, catch_exceptions=False).output.splitlines()
    rule = next(n for n, line in enumerate(lines) if line.startswith("──"))
    assert max(map(len, lines[rule - 1 : rule + 40])) <= int(columns)


def test_search_and_vendor_narrow_the_table() -> None:
    rows = json.loads(run("--vendor", "amd", "--search", "cdna3", "--format", "json").output)["processors"]
    assert {r["name"] for r in rows} >= {"Instinct MI300X", "Instinct MI300A", "Instinct MI325X"}
    assert {r["vendor"] for r in rows} == {"AMD"}


def test_a_few_words_and_sales_choose_entries() -> None:
    lines = run("--like", "HBM3e, 140 GB").output.splitlines()
    assert [line.split("  ")[0] for line in lines[2:4]] == ["H200 NVL", "H200 SXM 141GB"]
    sold = run("--segment", "datacentre", "--since", "2022", "--on-sale").output
    assert "H200 NVL" in sold
    assert "Tesla V100 SXM2 16GB" not in sold


def test_json_and_csv_hold_the_same_si_values() -> None:
    rows = json.loads(run("--search", "h100 pcie", "--format", "json").output)["processors"]
    lines = list(csv.DictReader(io.StringIO(run("--search", "h100 pcie", "--format", "csv").output)))
    assert rows[0]["clock_hz_boost"] == 1.755e9 == float(lines[0]["clock_hz_boost"])
    assert rows[0]["flops_per_s_fp64"] == pytest.approx(25.6e12, rel=1e-3)


def test_one_entry_says_kind_uncertainty_and_source_of_each_value() -> None:
    line = next(x for x in run("H100 NVL").output.splitlines() if x.startswith("bytes_per_s_l2 "))
    assert "ESTIMATED" in line
    assert re.search(r"\b\d+ %", line)
    text = run("H100").output
    assert "'H100' fits" in text
    line = next(x for x in text.splitlines() if x.startswith("flops_per_s_fp64 "))
    assert "measured" in line
    assert "33.3 TFLOP/s" in line
    assert "33.5 TFLOP/s" in line
    values = json.loads(run("H100", "--format", "json").output)["values"]
    by_name = {v["quantity"]: v for v in values}
    assert by_name["bytes_per_s_dram"]["kind"] == "measured"
    assert all(v["kind"] and v["source"] for v in values if not v["quantity"].startswith("published"))
    assert by_name["capacity_bytes_dram"]["confidence"] == "unverified"


def test_words_of_a_name_need_no_quotes_and_variations_work() -> None:
    assert "H100 PCIe 80GB" in run("NVIDIA", "H100", "PCIe").output
    assert "given by the user" in run("V100{dram=2TB/s}", "--format", "json").output


def test_validate(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text('base = "H100"\nsm_count = 144\n')
    bad.write_text('base = "H100"\nsm_count = "144"\nclok = "1 GHz"\n')
    assert "good.toml is valid" in run("--validate", str(good)).output
    with pytest.raises(CatalogEntryError, match=r"sm_count: .*clok: no such field|clok: no such field.*sm_count"):
        run("--validate", str(bad))


def test_output_file(tmp_path: Path) -> None:
    target = tmp_path / "gpus.csv"
    assert run("-o", str(target)).exit_code == 0
    assert len(target.read_text().splitlines()) == len(catalog.names()) + 1
