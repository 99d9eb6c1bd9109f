"""The pages of advise, compare and roofline: whole, offline, and safe with any name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from report_builders import HOSTILE
from roofcast.commands.group import cli
from roofcast.kit.page import Card, Item, Page, Section, render_page
from roofcast.kit.palette import write_variables
from roofcast.kit.table import Column, Table
from sources import CORE, FURTHER

HEADER = (
    "kernel,gpu,time_s,flops_fp64,insts_fp64_add,insts_fp64_mul,insts_fp64_fma,bytes_dram,bytes_l2,bytes_l1,"
    "grid_blocks,block_threads"
)


def page_of(text: str) -> str:
    columns = [Column(f"of {text}", lambda row: row), Column("time", lambda _: 1.0, lambda v: f"{v:g} s")]
    table = Table(columns, [text], hover=str)
    section = Section(f"of {text}", (text,), table, (Item(text, text, ((text, text),), 3.0),))
    return render_page(Page(text, (Card(text, text, text),), (text,), (section,)))


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_only_ever_text(name: str) -> None:
    if "\ud800" in name:
        pytest.skip("lone surrogates are removed where files are read")
    plain, hostile = page_of("x"), page_of(name)
    tags = re.compile(r"<[a-zA-Z/!][^>]*>")
    names = [[t.split()[0].strip("<>/") for t in tags.findall(p)] for p in (plain, hostile)]
    assert names[0] == names[1]


def test_a_page_asks_for_nothing_from_outside() -> None:
    page = page_of("x")
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)
    assert "on" + "click=" not in page


def profile(path: Path, factor: float) -> str:
    rows = [
        f"k{i},V100,{(i + 1) * 1e-3 * factor},{2e9},{1e9 / 4},{1e9 / 4},{3e9 / 4},{5e8},{6e8},{9e8},40,256"
        for i in range(12)
    ]
    path.write_text("\n".join([HEADER, *rows]))
    return str(path)


def test_a_comparison_shows_the_change_of_every_kernel(tmp_path: Path) -> None:
    out = tmp_path / "c.html"
    CliRunner().invoke(
        cli, ["compare", profile(tmp_path / "a.csv", 1.0), profile(tmp_path / "b.csv", 1.3), "--report", str(out)]
    )
    assert out.read_text(encoding="utf-8").count(">+30.0 %</td>") == 12


def test_a_report_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        cli, ["advise", profile(tmp_path / "a.csv", 1.0), "--report", str(tmp_path / "no" / "a.html")]
    )
    assert done.exit_code != 0
    assert "cannot write" in str(done.exception or done.output)


def test_pages_name_the_files_that_they_rest_on(tmp_path: Path) -> None:
    before, after = profile(tmp_path / "a.csv", 1.0), profile(tmp_path / "b.csv", 1.3)
    for call in (["compare", before, after], ["advise", before]):
        page = tmp_path / "p.html"
        assert CliRunner().invoke(cli, [*call, "--report", str(page)]).exit_code == 0
        text = page.read_text(encoding="utf-8").rpartition("Provenance")[2]
        assert all(f"<td>{Path(f).name}</td>" in text for f in call[1:])
        assert str(tmp_path) not in text


def test_tables_of_versions_scroll_by_keyboard_and_say_what_moved_below(tmp_path: Path) -> None:
    before, after = profile(tmp_path / "a.csv", 1.0), profile(tmp_path / "b.csv", 1.3)
    Path(after).write_text(Path(after).read_text().replace(f",{5e8},", f",{9e8},"))
    page = tmp_path / "p.html"
    assert CliRunner().invoke(cli, ["roofline", before, after, "-o", str(page)]).exit_code == 0
    text = page.read_text(encoding="utf-8").partition('class="versions"')[2]
    tables = text.count("<table>")
    assert tables == text.count('tabindex="0" role="region"') == 12
    assert "<p>b: DRAM +80 %" in text
    assert "what moved" not in text


def test_colours_and_the_skeleton_stand_in_one_place() -> None:
    colour = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
    kinds = (".py", ".css", ".js", ".html", ".j2")
    sources = [f for folder in (CORE, *FURTHER.values()) for f in folder.rglob("*") if f.suffix in kinds]
    texts = [(f.name, f.read_text(encoding="utf-8")) for f in sources]
    assert [name for name, text in texts if colour.search(text)] == ["palette.py"]
    assert [name for name, text in texts if re.search(r'^(\w+ = """)?<!doctype html>', text, re.MULTILINE)] == [
        "page.py"
    ]
    used = set(re.findall(r"var\((--[a-z0-9]+)", render_page(Page("x"))))
    assert used - {"--level"} <= set(re.findall(r"(--[a-z0-9]+):", write_variables()))
