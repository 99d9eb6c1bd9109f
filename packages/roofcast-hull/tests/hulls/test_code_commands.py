"""What commands say of source code: every launch, every reason, and nothing that never was."""

from __future__ import annotations

from pathlib import Path

import pytest

from hulls.test_code_rows import SAXPY
from roofcast.__main__ import main

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")


def write_file(folder: Path, text: str, name: str = "file.cu") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit code and everything that a command printed, in one line each."""
    code = main([*words])
    said = capsys.readouterr()
    return code, said.out + said.err


def test_why_a_forecast_of_code_is_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Seconds of each resource on the target; of a GPU that it never ran on nothing is said."""
    code, out = run(capsys, "forecast", write_file(tmp_path, SAXPY), "--to", "H100 SXM5 80GB", "--explain")
    assert code == 0
    block = out.partition("saxpy: source code -> H100 SXM5 80GB")[2]
    assert block.index("  L2 ") < block.index("  issue ") < block.index("  forecast ")
    assert "measured" not in block.partition("  - ")[0]
    assert "cause by cause" not in block
