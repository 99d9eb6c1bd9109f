"""`-o FILE` writes the format of its suffix, wherever a command has it; else it says in one line which it has."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from roofcast.__main__ import main

TABLE = str(Path(__file__).parents[2] / "examples" / "convolution.csv")
FROM = ("--from", "RTX 2080 Ti")
SPACE = 'base = "RTX 3090"\n[axes]\ndram = ["0.8 TB/s", "1 TB/s"]\nsm = [70, 82]\n'
ROWS, PICTURES = "txt md json csv parquet html", "svg png pdf"
COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "forecast": ((TABLE, *FROM, "--to", "RTX 3090"), f"{ROWS} {PICTURES}"),
    "roofline": ((TABLE, *FROM, "--to", "RTX 3090"), f"{ROWS} {PICTURES}"),
    "inspect": ((TABLE,), ROWS),
    "advise": ((TABLE, *FROM), ROWS),
    "compare": ((TABLE, TABLE), ROWS),
    "choose": ((TABLE, *FROM, "--among", "RTX 3090,L40S"), f"{ROWS} {PICTURES}"),
    "gpus": (("--search", "h100"), ROWS),
    "sweep": ((TABLE, *FROM, "--space", "SPACE"), f"{ROWS} {PICTURES}"),
    "explain": ((), ROWS),
}
"""Command -> words, and the suffixes that it knows."""
STARTS = {"parquet": b"PAR1", "svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!doctype html>"}
OTHERS = {"svg", "md", "xlsx"}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_suffix_gives_its_format_or_one_line(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    space = tmp_path / "space.toml"
    space.write_text(SPACE, encoding="utf-8")
    words, made = COMMANDS[command]
    words = tuple(w.replace("SPACE", str(space)) for w in words)
    for suffix in {*made.split(), *OTHERS}:
        out = tmp_path / f"out.{suffix}"
        code = main([command, *words, "-o", str(out)])
        said = capsys.readouterr()
        assert said.out == ""
        if suffix in made.split():
            assert (code, said.err.splitlines()[0][:6]) == (0, "wrote "), suffix
            content = out.read_bytes()
            assert content.startswith(STARTS.get(suffix, b"")), suffix
            assert suffix != "html" or b"Content-Security-Policy" in content
            assert not content.endswith(b"\n\n")
        else:
            assert (code, said.err.count("\n"), out.exists()) == (2, 1, False), suffix
    text, rows = pl.read_csv(tmp_path / "out.csv"), pl.read_parquet(tmp_path / "out.parquet")
    assert len(text) == len(rows) > 0
    flat = rows.drop([name for name, kind in rows.schema.items() if isinstance(kind, pl.Struct)]).columns
    assert set(flat) - {c for c in flat if rows[c].null_count() == len(rows)} <= set(text.columns)
