"""`roofcast roofline` from end to end, on a table written here and on real reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofcast.__main__ import main

ROWS = (
    "kernel,gpu,time_s,flops_fp64,bytes_l1,bytes_l2,bytes_dram\n"
    "stencil,Tesla V100-SXM2-16GB,0.004,5e9,9e9,4e9,2e9\ncopy,Tesla V100-SXM2-16GB,0.002,0,2e9,2e9,1.6e9\n"
)


@pytest.fixture
def profile(tmp_path: Path) -> str:
    file = tmp_path / "run.csv"
    file.write_text(ROWS)
    return str(file)


def test_table_on_the_screen(profile: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roofline", profile]) == 0
    out = capsys.readouterr().out
    assert "measured on Tesla V100" in out
    assert "stencil" in out
    assert "no FLOPs: shown by its bandwidth: copy" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "x.gif"], "no gif here; formats: table"),
        (["--kernel", "("], "not a regular expression"),
        (["--kernel", "absent"], "matches none of the 2 kernels"),
        (["--to", "No Such GPU 9000"], "No Such GPU 9000"),
        (["-o", "absent/x.svg"], "cannot write"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], message: str, profile: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["roofline", profile, *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_unknown_gpu_is_listed_with_the_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.csv"
    file.write_text("kernel,time_s,flops_fp64,bytes_dram\nk,0.001,1e9,1e9\n")
    assert main(["roofline", str(file)]) == 0
    assert "give --from GPU" in capsys.readouterr().out
    assert main(["roofline", str(file), "--from", "A100-SXM4-80GB"]) == 0
    assert "measured on A100 SXM4 80GB" in capsys.readouterr().out


def test_versions(profile: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after = tmp_path / "after" / "run.csv"
    after.parent.mkdir()
    after.write_text(ROWS.replace("0.004", "0.003"))
    assert main(["roofline", profile, str(after), "-o", str(tmp_path / "v.html")]) == 0
    page = (tmp_path / "v.html").read_text()
    assert "run.csv (2)" in page
    assert '"joined":[[0,2],[1,3]]' in page


@pytest.mark.slow
def test_every_real_report(fixtures_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = sorted((fixtures_dir / "ncu_rep").glob("*.ncu-rep"))
    assert reports
    for report in reports:
        assert main(["roofline", str(report)]) == 0, report.name
        assert main(["roofline", str(report), "--to", "B200", "-o", str(tmp_path / "r.html")]) == 0, report.name
    assert "Traceback" not in capsys.readouterr().err
