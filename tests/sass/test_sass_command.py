"""`roofcast sass` as users run it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofcast.__main__ import main
from roofcast.commands.sass import command
from roofcast.core.errors import RoofcastError
from sass_builders import elf, small_cubin

KEYS = [
    *("kernel", "launch", "architecture", "registers", "flops_code", "flops_counters", "phantom_flops_fp16"),
    *("special", "against", "coverage"),
]


def run(*arguments: str) -> str:
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def cubin(tmp_path: Path) -> Path:
    path = tmp_path / "k.cubin"
    path.write_bytes(small_cubin())
    return path


def test_json_has_the_promised_keys(cubin: Path) -> None:
    found = json.loads(run(str(cubin), "--format", "json"))
    assert list(found) == ["kernels"]
    kernel = found["kernels"][0]
    assert list(kernel)[: len(KEYS)] == KEYS
    assert (kernel["kernel"], kernel["launch"], kernel["architecture"], kernel["registers"]) == ("k", None, "sm_80", 40)
    assert kernel["against"] is None
    assert kernel["coverage"] is None


def test_without_execution_counts_no_work_is_claimed(cubin: Path) -> None:
    kernel = json.loads(run(str(cubin), "--format", "json"))["kernels"][0]
    assert kernel["weighted_by_executions"] is False
    assert kernel["flops_code"] is None
    assert set(kernel["flops_code_one_pass"]) >= {"flops_fp64", "flops_fp32", "flops_fp16"}


def test_a_cubin_against_another(cubin: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.cubin"
    other.write_bytes(small_cubin(flags=0x5A055A))
    found = json.loads(run(str(cubin), "--against", str(other), "--format", "json"))["kernels"][0]
    assert found["against"]["architecture"] == "sm_90"
    assert found["coverage"] is None
    assert "execution counts" in " ".join(found["against"]["reasons"])


def test_text_and_picture(cubin: Path, tmp_path: Path) -> None:
    text = run(str(cubin))
    assert "sm_80, CUDA 12.4: 40 registers" in text
    picture = tmp_path / "cfg.svg"
    run(str(cubin), "-o", str(picture))
    root = ET.fromstring(picture.read_text())
    assert root.tag.endswith("svg")
    assert len(root.findall(".//{http://www.w3.org/2000/svg}rect")) >= 2


def test_hostile_names_cannot_break_the_output(tmp_path: Path) -> None:
    name = "evil\x1b[2J<script>\u202e\nk"
    code = small_cubin()[64 : 64 + 128]
    path = tmp_path / "evil.cubin"
    path.write_bytes(elf([(f".text.{name}", 1, code, 0, 0), (f".nv.constant0.{name}", 1, b"\0" * 4, 0, 0)]))
    text = run(str(path))
    assert "\x1b" not in text
    assert "\u202e" not in text
    picture = run(str(path), "--format", "svg")
    assert "<script>" not in picture
    ET.fromstring(picture)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"hello", "no GPU code"),
        (b"\x7fELF\x02\x01\x01", "ELF"),
        (small_cubin()[:-30], "truncated"),
        (small_cubin(flags=0x3D), "sm_61"),
        (elf([], machine=62), "without embedded GPU code"),
    ],
)
def test_other_files_end_in_one_line_and_code_two(
    content: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(content)
    with pytest.raises(RoofcastError, match=words):
        CliRunner().invoke(command, [str(path)], catch_exceptions=False)
    assert main(["sass", str(path)]) == 2
    assert capsys.readouterr().err.strip().count("\n") == 0


def test_against_something_that_is_no_nvidia_gpu(cubin: Path) -> None:
    with pytest.raises(RoofcastError):
        CliRunner().invoke(command, [str(cubin), "--against", "MI300X"], catch_exceptions=False)
    with pytest.raises(RoofcastError):
        CliRunner().invoke(command, [str(cubin), "--against", "no such GPU"], catch_exceptions=False)
    with pytest.raises(RoofcastError, match="regular expression"):
        CliRunner().invoke(command, [str(cubin), "--kernel", "("], catch_exceptions=False)


@pytest.mark.slow
def test_every_report_of_the_fixtures_goes_through(fixtures_dir: Path) -> None:
    launches = 0
    for path in sorted((fixtures_dir / "ncu_rep").glob("*.ncu-rep*")):
        found = json.loads(run(str(path), "--format", "json"))["kernels"]
        launches += len(found)
        for kernel in found:
            assert kernel["registers"] is None or 8 <= kernel["registers"] <= 255
            one_pass, weighted = kernel["flops_code_one_pass"], kernel["weighted_by_executions"]
            assert (one_pass is None, kernel["flops_code"] is not None) == (weighted, weighted)
            if weighted:
                for name, counted in kernel["flops_counters"].items():
                    assert kernel["flops_code"][name] == pytest.approx(counted, rel=1e-9, abs=0.5), (path, name)
    assert launches >= 50


def test_the_page_holds_what_the_text_says(cubin: Path, tmp_path: Path) -> None:
    out = tmp_path / "k.html"
    run(str(cubin), "-o", str(out))
    page = out.read_text(encoding="utf-8")
    assert "40 registers" in page
    assert "one pass through the code" in page
    assert "data:image/svg+xml" in page
