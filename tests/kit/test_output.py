"""Results go where the user said, and what stands there stays what it is."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from roofcast.core.errors import RoofcastError
from roofcast.kit.output import deliver, render_json, write_text, write_with, written
from roofcast.kit.table import escape_formula, escape_formulas, render_csv
from sources import list_modules

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="devices, pipes and links of POSIX")


def read_while(path: Path, write: Callable[[], object]) -> bytes:
    """What comes out of a pipe while something is written into it."""
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    write()
    reader.join(10)
    return got[0]


def test_a_pipe_gets_the_content_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    assert read_while(pipe, lambda: write_text(pipe, "a,b\n")) == b"a,b\n"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert written(str(pipe)) == f"wrote {pipe}"
    assert list(tmp_path.iterdir()) == [pipe]


def test_formats_that_go_back_reach_a_pipe_whole(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write(path: Path) -> None:
        with path.open("wb") as out:
            out.write(b"....end")
            out.seek(0)
            out.write(b"head")

    assert read_while(pipe, lambda: deliver("parquet", str(pipe), {}, {"parquet": write})) == b"headend"


def test_a_device_gets_the_content_and_stays(tmp_path: Path) -> None:
    # A terminal of our own: were it replaced, nothing of the machine would be lost.
    ours, theirs = os.openpty()
    try:
        device = os.ttyname(theirs)
        write_text(device, "text\n")
        assert os.read(ours, 100) == b"text\r\n"
        assert stat.S_ISCHR(Path(device).stat().st_mode)
        (tmp_path / "link.txt").symlink_to(device)
        write_text(tmp_path / "link.txt", "again\n")
        assert os.read(ours, 100) == b"again\r\n"
        assert (tmp_path / "link.txt").is_symlink()
    finally:
        os.close(ours)
        os.close(theirs)


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for name in ("old", "new"):
        (tmp_path / name).symlink_to(Path("there") / f"{name}.txt")
    (tmp_path / "there" / "old.txt").write_text("before")
    (tmp_path / "twice").symlink_to("new")
    seen: list[Path] = []

    def write(path: Path) -> None:
        seen.append(path)
        path.write_text("after")

    write_with(tmp_path / "old", write)
    assert seen[0].parent == tmp_path / "there"
    write_text(tmp_path / "twice", "made")
    assert (tmp_path / "there" / "old.txt").read_text() == "after"
    assert (tmp_path / "there" / "new.txt").read_text() == "made"
    assert all((tmp_path / name).is_symlink() for name in ("old", "new", "twice"))
    assert len(list((tmp_path / "there").iterdir())) == 2


def test_links_without_end_and_folders_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "nowhere").symlink_to(tmp_path / "absent" / "x")
    for place in ("a", "nowhere", "absent/y", "."):
        with pytest.raises(RoofcastError, match=r"cannot write|is a folder"):
            write_text(tmp_path / place, "x")
    assert (tmp_path / "a").is_symlink()


def test_an_existing_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "private.txt"
    path.touch(0o600)
    write_text(path, "x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_nothing_is_left_where_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")

    def fail(temporary: Path) -> None:
        temporary.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(RoofcastError, match="No space left on device"):
        write_with(path, fail)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_device_is_one_line(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if os.geteuid() == 0:
        # Who may replace the machine's device gets one of their own.
        full = tmp_path / "full"
        try:
            os.mknod(full, stat.S_IFCHR | 0o666, os.makedev(1, 7))
            full.write_bytes(b"")
        except OSError:
            pytest.skip("devices cannot be made here")
    with pytest.raises(RoofcastError, match="full: No space left on device"):
        write_text(full, "x")


@pytest.mark.parametrize("to", ["/dev/stdout", "/dev/fd/1"])
def test_standard_output_by_its_name(tmp_path: Path, to: str) -> None:
    code = f"from roofcast.kit.output import write_text; print('a', flush=True); write_text({to!r}, 'b\\n')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"a\nb\n"
    with (tmp_path / "out.txt").open("w") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out.txt").read_text() == "a\nb\n"


@pytest.mark.slow
@pytest.mark.parametrize("option", ["-o", "--report"])
def test_commands_write_into_pipes(tmp_path: Path, option: str) -> None:
    table = tmp_path / "t.csv"
    table.write_text("kernel,gpu,time_s,bytes_dram,flops_fp32\na,V100,1e-3,1e9,1e9\n")
    pipe = tmp_path / "pipe.html"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "roofcast", "forecast", str(table), "--to", "A100", option, str(pipe)]
    command += ["--format", "json"] * (option == "-o")
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    content = pipe.read_bytes()
    assert started.wait(60) == 0, started.stderr
    assert content.lstrip().startswith(b"{" if option == "-o" else b"<!doctype")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    if started.stderr is not None:
        started.stderr.close()


def test_json_in_parts_is_the_whole_with_a_line_per_row() -> None:
    rows = [{"kernel": 'a "b"\n', "of": {"x": [1, None], "y": {}}, "none": []}, {}, 3.5]
    whole = {"roofcast": "1", "rows": rows, "empty": [], "totals": [{"a": 1}]}
    parts = {**whole, "rows": iter(rows), "empty": iter([])}
    text = "".join(render_json(parts))
    assert json.loads(text) == whole
    lines = text.splitlines()
    assert [json.loads(line.rstrip(",")) for line in lines[lines.index(' "rows": [') + 1 :][: len(rows)]] == rows


def test_texts_of_csv_are_no_formulas_and_numbers_stay() -> None:
    cells = ["=1+1", "+a", "-b", "@c", "plain", "", None]
    frame = pl.DataFrame({"text": cells, "number": [-1.5] * len(cells)})
    want = [None if c is None else escape_formula(c) for c in cells]
    assert escape_formulas(frame).to_dict(as_series=False) == {"text": want, "number": [-1.5] * len(cells)}
    assert render_csv(["text", "number"], [["-b", -1.5]]) == "text,number\n'-b,-1.5\n"


def test_per_cent_is_printed_in_one_place() -> None:
    own = re.compile(r"\{[^{}\n]*:[^{}\n]*%\}|100(\.0)? \* [^{}\n]*\} ?%")
    sources = [f for f in list_modules().values() if own.search(f.read_text(encoding="utf-8"))]
    assert [f.name for f in sources] == ["quantities.py"]


@pytest.mark.parametrize("name", ["a" * 251 + ".csv", "ü" * 125 + ".json", "a." + "b" * 253, "\udcff" * 255])
def test_a_name_as_long_as_a_file_system_takes_can_be_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert len(os.fsencode(name)) == 255
    write_text(path, "a,b\n")
    assert path.read_text() == "a,b\n"
    assert list(tmp_path.iterdir()) == [path]
