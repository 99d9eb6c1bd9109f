"""`-o x.html` and `-o x.svg` wherever there is a page or a picture, `-o x.csv` and `-o x.parquet` wherever rows."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from roofcast.commands.group import cli

ROOT = Path(__file__).parents[2]
TABLE = str(ROOT / "examples" / "convolution.csv")
FROM = ("--from", "RTX 2080 Ti")
AMONG = ("--among", "RTX 3090,L40S")
SPACE = 'base = "RTX 3090"\n[axes]\ndram = ["0.8 TB/s", "1 TB/s"]\nsm = [70, 82]\n'
PAGES = {
    "forecast": (TABLE, *FROM, "--to", "RTX 3090"), "roofline": (TABLE, *FROM), "inspect": (TABLE,),
    "advise": (TABLE, *FROM), "compare": (TABLE, TABLE), "choose": (TABLE, *FROM, *AMONG), "gpus": ("--search", "h100"),
    "sweep": (TABLE, *FROM, "--space", "SPACE"), "explain": (),
}  # fmt: skip
PICTURES = ("forecast", "roofline", "choose", "sweep")


def run(tmp_path: Path, command: str, suffix: str) -> Path:
    """What a command writes."""
    out, space = tmp_path / f"out.{suffix}", tmp_path / "space.toml"
    space.write_text(SPACE, encoding="utf-8")
    words = [w.replace("SPACE", str(space)) for w in PAGES[command]]
    done = CliRunner().invoke(cli, [command, *words, "-o", str(out)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return out


@pytest.mark.parametrize("command", PAGES)
def test_a_table_as_csv_and_as_parquet(tmp_path: Path, command: str) -> None:
    text, rows = pl.read_csv(run(tmp_path, command, "csv")), pl.read_parquet(run(tmp_path, command, "parquet"))
    assert len(text) == len(rows) > 0
    flat = rows.drop([name for name, kind in rows.schema.items() if isinstance(kind, pl.Struct)]).columns
    assert set(flat) - {c for c in flat if rows[c].null_count() == len(rows)} <= set(text.columns)


@pytest.mark.parametrize(("command", "suffix"), [*((c, "html") for c in PAGES), *((c, "svg") for c in PICTURES)])
def test_a_page_or_a_picture_by_its_suffix(tmp_path: Path, command: str, suffix: str) -> None:
    text = run(tmp_path, command, suffix).read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>" if suffix == "html" else "<?xml")
    assert "Content-Security-Policy" in text or suffix == "svg"
