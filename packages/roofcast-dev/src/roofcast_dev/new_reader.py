"""The reader of a file format: its module, its line in the registry, a sample of it among the tests."""

from __future__ import annotations

from roofcast_dev.checkout import Checkout, Refused, check_name

READER = '''"""What TOOL prints: say where a file of it comes from, and which version was seen."""

from __future__ import annotations

from typing import BinaryIO

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.ingest.text.decoding import head_text, is_text, open_text

HEADER = "# {key} 1"
"""First line of every file of the format."""
MOST_ROWS = 1_000_000
"""Launches of a file; more are no listing that somebody printed."""
MAX_LINE_CHARS = 4096
CELLS = 3
"""Kernel, GPU and microseconds of a line."""


def recognises(head: bytes, name: str) -> bool:
    """Whether a file is of the format, by its first bytes. Cheap, never raises."""
    return is_text(head) and head_text(head).startswith(HEADER)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """A row per line ``kernel;GPU;microseconds``, in file order; what a line does not say stays absent.

    Raises
    ------
    InputError : no such file, or a line that says no time.
    """
    lines = open_text(stream)
    try:
        if not next(lines, "").startswith(HEADER):
            raise InputError(f"{{one_line(name)}}: no {key} file: its first line is not {{HEADER!r}}")
        rows = [parse_line(line[:MAX_LINE_CHARS], name) for line, _ in zip(lines, range(MOST_ROWS), strict=False)]
    finally:
        lines.detach()
    if not rows:
        raise InputError(f"{{one_line(name)}}: no launches in this {key} file")
    text = {{"kernel": [r[0] for r in rows], "gpu": [r[1] for r in rows]}}
    numbers = {{"launch": [float(i) for i in range(len(rows))], "time_s": [r[2] for r in rows]}}
    origin = Provenance(file=name, format="{key}", tool="TOOL")
    return KernelTable.from_columns(text, {{k: (v, Origin.COUNTED) for k, v in numbers.items()}}, provenance=origin)


def parse_line(line: str, name: str) -> tuple[str, str, float]:
    """Kernel, GPU and seconds of one line."""
    cells = line.strip().split(";")
    try:
        seconds = float(cells[2]) * 1e-6 if len(cells) == CELLS else 0.0
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < 1e9 or not cells[0]:
        raise InputError(f"{{one_line(name)}}: no 'kernel;GPU;microseconds': {{one_line(line.strip(), 60)!r}}")
    return cells[0], cells[1], seconds
'''
SAMPLE = '    "{key}": b"# {key} 1\\nscale;Tesla V100-SXM2-16GB;12.5\\ncopy;Tesla V100-SXM2-16GB;3\\n",'
TEST = '''"""Files of {key}: units, what stays absent, what is refused in one line."""

from __future__ import annotations

import io

import pytest

from roofcast.core.errors import InputError
from roofcast.ingest.{folder}.{module} import read
from text_samples import SAMPLES


def test_times_are_seconds_and_rows_stand_in_file_order() -> None:
    table = read(io.BytesIO(SAMPLES["{key}"]), "run.txt")
    assert table.strings("kernel").tolist() == ["scale", "copy"]
    assert table.column("time_s").tolist() == pytest.approx([12.5e-6, 3e-6])


@pytest.mark.parametrize("line", ["scale;V100", "scale;V100;soon", ";V100;1", "scale;V100;-1"])
def test_a_line_without_a_time_is_refused_in_one_line(line: str) -> None:
    with pytest.raises(InputError, match="kernel;GPU;microseconds") as found:
        read(io.BytesIO(f"# {key} 1\\n{{line}}\\n".encode()), "run.txt")
    assert str(found.value).isprintable()
'''
LEFT = """{file}: recognises and reads an example; make it read yours, with every amount that it counts
tests/text_samples.py: the sample "{key}", in your format's own layout
{test}: what the format says of units, and what it may leave out
docs/reading.md: one row of its table
check: python -m pytest tests/ingest {test}
(a trace of launches in time also says its windows: ingest/traces/windows.py, ingest/timelines.py)"""


def write_reader(checkout: Checkout, key: str, folder: str) -> str:
    """Write the reader of a format; what is left to do.

    key : as ``--input-format`` takes it: "my-profiler". folder : of ``ingest``: ``tables``, ``traces``, ``nvprof`` ...

    Raises
    ------
    Refused : the key gives no name of a module, is taken, or the folder is none.
    """
    module = check_name(key.replace("-", "_"), "my-profiler")
    if not checkout.path(f"src/roofcast/ingest/{folder}/__init__.py").is_file():
        raise Refused(f"--folder: no folder {folder!r} in src/roofcast/ingest: tables, traces, amd, ncu, nvprof")
    file, test = f"src/roofcast/ingest/{folder}/{module}.py", f"tests/ingest/test_{module}.py"
    checkout.create(file, READER.format(key=key))
    checkout.create(test, TEST.format(key=key, folder=folder, module=module))
    line = f'    "{key}": Reader("roofcast.ingest.{folder}.{module}", "{key}: say which tool writes it"),'
    checkout.insert("src/roofcast/ingest/readers.py", line, before=r'^    "table": Reader\(')
    checkout.insert("tests/text_samples.py", SAMPLE.format(key=key), before=r'^    "table": TABLE')
    checkout.insert(
        "tests/ingest/test_reader_contracts.py", f'    "{key}": (SAMPLES["{key}"],),', before=r'^    "table": \(SAMPLES'
    )
    return LEFT.format(file=file, test=test, key=key)
