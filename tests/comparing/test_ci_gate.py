"""The GitHub Action of examples/ci-gate: its own script, run as a runner would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ACTION = Path(__file__).parents[2] / "examples/ci-gate/.github/actions/compare-kernels/action.yml"
ROWS = "kernel,gpu,time_s,flops_fp32\na,V100,{0},1e9\na,V100,{0},1e9\nb,V100,2e-3,1e9\n"


@pytest.mark.slow
@pytest.mark.parametrize(("after", "code"), [("1.01e-3", 0), ("1.5e-3", 3)])
def test_the_gate_fails_where_a_kernel_takes_longer(tmp_path: Path, after: str, code: int) -> None:
    found = re.search(r"run: \|\n((?:        .*\n)+)", ACTION.read_text(encoding="utf-8"))
    assert found
    (tmp_path / "base run.csv").write_text(ROWS.format("1e-3"), encoding="utf-8")
    (tmp_path / "branch.csv").write_text(ROWS.format(after), encoding="utf-8")
    shim = tmp_path / "roofcast"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m roofcast "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    told = {
        **os.environ, "BEFORE": "base run.csv", "AFTER": "branch.csv", "ABOVE": "5%",
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "GITHUB_OUTPUT": str(tmp_path / "output"),
    }  # fmt: skip
    script = ["bash", "-eo", "pipefail", "-c", textwrap.dedent(found[1])]
    done = subprocess.run(script, cwd=tmp_path, env=told, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "| a" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "output").read_text() == "report=comparison.html\n"
    assert (tmp_path / "comparison.html").stat().st_size > 5_000
