"""Blocks of quoted cells: the quick paths over bytes against the forgiving one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roofcast.ingest import ncu_csv, ncu_rows
from roofcast.ingest.ncu_layout import Layout
from roofcast.ingest.numbers import Kind

TOKEN = st.one_of(
    st.text("0123456789.,-+eE /a()", max_size=10),
    st.floats(-1e12, 1e12).map(lambda v: f"{v:,.2f}"),
    st.sampled_from(
        ["", "inf", "nan", "1e400", " 5", "0,123", "1,234", "1,234e5", "12,34,567", "5,", "5 (1; 2)", "n/a"]
    ),
)
LONG = '"ID","Process ID","Process Name","Host Name","Kernel Name","Section Name",'
LONG += '"Metric Name","Metric Unit","Metric Value"\n'
RULES = LONG.replace("\n", ',"Rule Name","Rule Type"\n')
RULE = b'"0","7","program","127.0.0.1","k","Details","","","","HighPipe","OPT, ""so to say"""'
WIDE = '"ID","Process ID","Kernel Name","a__b.sum","a__c.sum","a__d.sum"\n"","","","","inst",""\n'


def long_text(tokens: list[str], kernel: str) -> str:
    """Rows of three metrics a launch."""
    rows = (f'{who(i // 3, kernel)},"a__{"bcd"[i % 3]}.sum","inst","{t}"\n' for i, t in enumerate(tokens))
    return LONG + "".join(rows)


def who(launch: int, kernel: str) -> str:
    """Cells of a long CSV up to the metric's name."""
    return f'"{launch}","7","program","127.0.0.1","{kernel}","Command line profiler metrics"'


def details_text(tokens: list[str], kernel: str) -> str:
    """Rows of three metrics a launch, with a delimiter at the end, and a rule behind each third."""
    rule = RULE.decode()
    text = ""
    for i, token in enumerate(tokens):
        text += f'{who(i // 3, kernel)},"a__{"bcd"[i % 3]}.sum","inst","{token}",\n'
        text += f"{rule}\n" if i % 3 == 2 else ""
    return RULES + text


def wide_text(tokens: list[str], kernel: str) -> str:
    """Rows of three metrics each."""
    threes = [(*tokens[i : i + 3], "0", "0")[:3] for i in range(0, len(tokens), 3)]
    return WIDE + "".join(f'"{i}","7","{kernel}","{a}","{b}","{c}"\n' for i, (a, b, c) in enumerate(threes))


def assert_agrees(text: str, *, taken: bool | None = None) -> None:
    """The quick path, where it takes the block, gives what the forgiving one gives."""
    part = next(ncu_csv.parts(text.encode(), None, ncu_csv.Noise()))
    quick = assert_same(part.block, part.layout)
    assert taken is None or quick == taken


def assert_same(block: bytes, layout: Layout) -> bool:
    """The same of a block; whether it was taken."""
    quick = ncu_rows.parse_quoted_cells(block, layout)
    if quick is None:
        return False
    slow = ncu_rows.parse_slowly(block.decode("utf-8", "replace"), layout, {})
    assert quick.launches == slow.launches
    assert quick.metrics == slow.metrics
    for name in ("values", "launch_of", "metric_of"):
        np.testing.assert_array_equal(getattr(quick, name), getattr(slow, name), err_msg=name)
    # Nothing doubtful is left in a block that shows its locale; numbers without separators may count as either.
    assert quick.kinds.max(initial=0) <= Kind.DECIMAL_POINT
    return True


@settings(max_examples=100, deadline=None)
@given(st.lists(TOKEN, min_size=1, max_size=30), st.sampled_from([long_text, details_text, wide_text]))
def test_any_tokens_are_read_as_on_the_forgiving_path(tokens: list[str], form: object) -> None:
    assert callable(form)
    assert_agrees(form(["1,234.50", *tokens], "k<int, 3>(float *)"))


@pytest.mark.parametrize("form", [long_text, details_text, wide_text])
@pytest.mark.parametrize(
    ("kernel", "taken"),
    [("k<int, 3>(float *)", True), ('a"",""b', False), ('a""b', False), ("a\nb", False), ("größe", True)],
)
def test_names_with_quotes_or_line_ends_go_another_way(form: object, kernel: str, *, taken: bool) -> None:
    assert callable(form)
    assert_agrees(form(["1,234.50", "2", "0.50"], kernel), taken=taken)


def test_decimal_commas_go_another_way() -> None:
    assert_agrees(long_text(["1,234.50", "65,77", "1"], "k"), taken=False)


DAMAGE = [b'"', b",", b"\n", b"", b'""', b"x", b'","', b"\r", b"7", b"\xff", b".", b' "']


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([long_text, details_text, wide_text]),
    st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 6), st.sampled_from(DAMAGE)), min_size=1, max_size=3),
)
def test_damaged_blocks_are_taken_only_where_they_read_the_same(
    form: Callable[[list[str], str], str], damage: list[tuple[int, int, bytes]]
) -> None:
    data = form(["1,234.50", "12,345,678", "0.50"] * 6, "void k<int, 3>(float *)").encode()
    part = next(ncu_csv.parts(data, None, ncu_csv.Noise()))
    block = bytearray(part.block)
    for at, length, put in damage:
        start = at % len(block)
        block[start : start + length] = put
    # What a broken rule says is left out by the quick path and guessed by the other.
    assume(block.count(RULE) == part.block.count(RULE))
    assert_same(bytes(block), part.layout)
