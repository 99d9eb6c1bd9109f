"""Distributions of their own join core by an entry point; without them core says what to install."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import roofcast
from roofcast.__main__ import main
from roofcast.asks import find_place
from roofcast.commands.registry import list_commands
from roofcast.core import joined_parts
from roofcast.core.errors import MissingExtraError, RoofcastError
from roofcast.core.joined_parts import GROUP, OFFERED, find_parts
from sources import CORE, FURTHER

PART = """
from roofcast.core.joined_parts import Part, Place

PART = Part(
    asks={"weigh": Place("joined_ask", "Weigh a kernel.", "Decide")},
    commands={"Research": {"measured_twice": ("joined_command", "Measure twice.")}},
    readers={"scales": ("joined_reader", "what scales print")},
    names={"cut": ("joined_ask", "cut")},
)
"""
COMMAND = '''
import click

@click.command("measured_twice", epilog="Examples:\\n  roofcast measured_twice")
def command() -> None:
    """Measure twice."""
    click.echo("measured, measured")
'''
READER = """
from roofcast.ingest.tables import launch_table

def recognises(head, name):
    return head.startswith(b"#scales")

def read(stream, name):
    stream.readline()
    return launch_table.read(stream, name)
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Put an entry of the group where installers put it, and modules beside it."""

    def put(value: str, **modules: str) -> None:
        folder = tmp_path / "joined-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: joined\nVersion: 1.0\n")
        entries = f"[console_scripts]\nscale = joined:main\n\n[{GROUP}]\njoined = {value}\n\n[other]\na = b:c\n"
        (folder / "entry_points.txt").write_text(entries)
        for name, text in modules.items():
            (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        find_parts.cache_clear()

    yield put
    find_parts.cache_clear()
    for name in [n for n in sys.modules if n.startswith("joined_") and n.count(".") == 0]:
        del sys.modules[name]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Core without any part."""
    monkeypatch.setattr(joined_parts, "read_entries", lambda: iter(()))
    find_parts.cache_clear()
    yield
    find_parts.cache_clear()


def test_what_is_installed_is_what_installers_say() -> None:
    """The short way to the entries finds those of Python's own."""
    own = {(e.name, e.value) for e in importlib.metadata.entry_points(group=GROUP)}
    assert set(joined_parts.read_entries()) == own
    assert {name for name, folder in FURTHER.items() if (folder / "part.py").is_file()} == {
        f"roofcast_{n}" for n, _ in own
    }


def test_every_extra_is_offered_by_the_part_that_has_it() -> None:
    for name, extra in OFFERED.items():
        # The command of a question is made of it and has no module of its own.
        module = list_commands()[name][0] or find_place(name).module
        assert module.partition(".")[0] == f"roofcast_{extra}"
    text = (CORE.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert set(OFFERED.values()) <= set(re.findall(r"^(\w+) = \[\"roofcast-\1\"\]$", text, re.M))


def test_a_part_adds_commands_readers_questions_and_names(
    install: Callable[..., None], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ask = "def weigh():\n    return 7\n\ndef cut():\n    return 8\n"
    install("joined_part:PART", joined_part=PART, joined_command=COMMAND, joined_reader=READER, joined_ask=ask)
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^Decide:\n(  .*\n)*  weigh +Weigh a kernel", said, re.M)
    assert re.search(r"^Research:\n(  .*\n)*  measured_twice +Measure twice", said, re.M)
    assert main(["measured_twice"]) == 0
    assert capsys.readouterr().out == "measured, measured\n"
    assert roofcast.weigh() == 7
    assert roofcast.cut() == 8
    assert "weigh" in dir(roofcast)
    file = tmp_path / "a.scales"
    file.write_text("#scales\nkernel,gpu,time_s\naxpy,V100,1e-3\n")
    assert roofcast.read(str(file)).provenance[0].format == "scales"


@pytest.mark.parametrize(("value", "modules"), [
    ("joined_part:PART", {}), ("joined_part:PART", {"joined_part": "from roofcast.core.columns import absent\n"}),
    ("joined_part:NONE", {"joined_part": PART}),
])  # fmt: skip
def test_a_part_that_does_not_fit_is_one_line(
    value: str, modules: dict[str, str], install: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    install(value, **modules)
    with pytest.raises(RoofcastError, match="joined-part does not fit roofcast"):
        find_parts()
    assert main(["no_such_command"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "pip install --upgrade roofcast joined-part" in err
    assert main(["gpus", "--search", "hopper"]) == 0, "what core has needs no part"


@pytest.mark.usefixtures("alone")
def test_core_alone_says_what_to_install(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, extra in OFFERED.items():
        assert main([name, "--help"]) == 2
        want = f"roofcast: `roofcast {name}` needs roofcast-{extra}: pip install 'roofcast[{extra}]'\n"
        assert capsys.readouterr().err == want
    with pytest.raises(MissingExtraError, match=r"roofcast\.hull needs roofcast-hull: pip install 'roofcast\[hull\]'"):
        roofcast.hull("1024|element -> 1024|element")
    with pytest.raises(MissingExtraError, match="select needs roofcast-hull"):
        roofcast.select("1024|element -> 1024|element", "100us")
    assert "hull" not in dir(roofcast)
    for name, text in (("a.cu", "__global__ void f() {}\n"), ("b.py", "import triton\n")):
        (tmp_path / name).write_text(text)
        assert main(["forecast", str(tmp_path / name), "--to", "B200"]) == 2
        assert capsys.readouterr().err.endswith(": pip install 'roofcast[hull]', which reads it\n")
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out.partition("Not installed:\n")[2]
    assert all(
        re.search(rf"^  {name} +pip install 'roofcast\[{extra}\]'$", shown, re.M) for name, extra in OFFERED.items()
    )
    assert main(["hul"]) == 2
    assert "no command 'hul'" in capsys.readouterr().err


def test_core_imports_no_module_of_a_part() -> None:
    imports = re.compile(rf"^ *(from|import) ({'|'.join(FURTHER)})\b", re.M)
    lines = {p.relative_to(CORE).as_posix(): imports.findall(p.read_text(encoding="utf-8")) for p in CORE.rglob("*.py")}
    assert len(lines) > 100
    assert not [place for place, found in lines.items() if found]
