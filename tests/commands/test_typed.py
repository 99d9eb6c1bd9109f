"""Pages show the command that made them, and nothing of the machine that it ran on."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofcast.commands.group import cli
from roofcast.commands.typed import without_places

TABLE = "kernel,gpu,time_s,flops_fp32,bytes_dram\nsaxpy,V100,1e-3,1e9,1e8\ndot,V100,2e-3,1e9,3e8\n"
PAGES = [
    ["forecast", "--to", "A100", "--no-sass", "--kernel", "saxpy", "--report"],
    ["roofline", "--to", "A100", "--report"],
    ["roofline", "-o"],
    ["advise", "--on", "A100", "--report"],
    ["choose", "--among", "A100,V100", "--report"],
]


def command_in(page: Path) -> str:
    """What a page says made it."""
    found = re.search(r'<code class="command">(.*?)</code>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert found, "no command on the page"
    return unescape(found[1])


@pytest.mark.parametrize("words", PAGES, ids=lambda w: " ".join(w[:1] + w[-1:]))
def test_every_page_shows_its_command_without_folders(words: list[str], tmp_path: Path) -> None:
    table, page = tmp_path / "t.csv", tmp_path / "page.html"
    table.write_text(TABLE, encoding="utf-8")
    done = CliRunner().invoke(cli, [words[0], str(table), *words[1:], str(page)], standalone_mode=False)
    assert done.exception is None, done.exception
    shown = command_in(page)
    assert shown.split()[:3] == ["roofcast", words[0], "t.csv"]
    assert shown.endswith("page.html")
    assert str(tmp_path) not in page.read_text(encoding="utf-8")
    for option in words[1:-1]:
        assert option in shown


def test_compare_and_hull_pages_show_their_command(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(TABLE, encoding="utf-8")
    page = tmp_path / "c.html"
    CliRunner().invoke(cli, ["compare", str(table), str(table), "--report", str(page)], standalone_mode=False)
    assert command_in(page) == "roofcast compare t.csv t.csv --report c.html"
    page = tmp_path / "h.html"
    words = ["hull", "1024x1024|element -> 256|shared", "--on", "H100", "-o", str(page)]
    done = CliRunner().invoke(cli, words, standalone_mode=False)
    assert done.exception is None, done.exception
    assert command_in(page) == "roofcast hull '1024x1024|element -> 256|shared' --on H100 -o h.html"


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("../runs/a.csv", "../runs/a.csv"),
        (r"C:\Users\me\run.ncu-rep", "run.ncu-rep"),
        ("-o/home/me/x.html", "-ox.html"),
        ("/home/me/a.toml,/home/me/b.toml", "a.toml,b.toml"),
        ("a/b=3,reduce=50", "a/b=3,reduce=50"),
        ("--cluster=tcp://user:secret@host:8786", "--cluster=tcp://…"),
    ],
)
def test_folders_and_hosts_are_left_out(word: str, shown: str) -> None:
    assert without_places(word) == shown
