"""Logical rows of CSV text between lines of anything else."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator

from roofcast.ingest.text.decoding import MAX_CELL_CHARS

ROW_START = re.compile(r'\s*"?[0-9]')
QUOTED_ROW = re.compile(r'"[0-9]+","')
MAX_ROW_CHARS = 2**21


def read_cells(text: str, delimiter: str) -> Iterator[list[str]]:
    """Cells of each logical row of a text."""
    return read_lines(logical_rows(text), delimiter)


def read_lines(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Cells of each line; lines that no CSV reader accepts are skipped."""
    csv.field_size_limit(MAX_CELL_CHARS)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            continue


def logical_rows(text: str) -> Iterator[str]:
    """Lines that can be rows; lines that an open quote joins are one. Noise and cut rows are dropped."""
    pending = ""
    for line in text.split("\n"):
        if pending:
            # A lone quote in the program's output must not swallow the rows after it.
            if not QUOTED_ROW.match(line) and len(pending) + len(line) < MAX_ROW_CHARS:
                pending += "\n" + line
                if line.count('"') % 2:
                    yield pending
                    pending = ""
                continue
            pending = ""
        if not ROW_START.match(line):
            continue
        if line.count('"') % 2:
            pending = line
        else:
            yield line
