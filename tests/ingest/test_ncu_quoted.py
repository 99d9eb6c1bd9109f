"""Blocks of quoted cells: the path over byte positions against the forgiving one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast.ingest import ncu_csv, ncu_rows
from roofcast.ingest.numbers import Kind

TOKEN = st.one_of(
    st.text("0123456789.,-+eE /a()", max_size=10),
    st.floats(-1e12, 1e12).map(lambda v: f"{v:,.2f}"),
    st.sampled_from(
        ["", "inf", "nan", "1e400", " 5", "0,123", "1,234", "1,234e5", "12,34,567", "5,", "5 (1; 2)", "n/a"]
    ),
)
LONG = '"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"\n'
WIDE = '"ID","Process ID","Kernel Name","a__b.sum","a__c.sum","a__d.sum"\n"","","","","inst",""\n'


def long_text(tokens: list[str], kernel: str) -> str:
    """Rows of three metrics a launch."""
    rows = (f'"{i // 3}","7","{kernel}","s","a__{"bcd"[i % 3]}.sum","inst","{t}"\n' for i, t in enumerate(tokens))
    return LONG + "".join(rows)


def wide_text(tokens: list[str], kernel: str) -> str:
    """Rows of three metrics each."""
    threes = [(*tokens[i : i + 3], "0", "0")[:3] for i in range(0, len(tokens), 3)]
    return WIDE + "".join(f'"{i}","7","{kernel}","{a}","{b}","{c}"\n' for i, (a, b, c) in enumerate(threes))


def assert_agrees(text: str, *, taken: bool | None = None) -> None:
    """The quick path, where it takes the block, gives what the forgiving one gives."""
    part = next(ncu_csv.parts(text.encode(), None, ncu_csv.Noise()))
    quick = ncu_rows.parse_quoted_cells(part.block, part.layout)
    assert taken is None or (quick is not None) == taken
    if quick is None:
        return
    slow = ncu_rows.parse_slowly(part.block.decode(), part.layout, {})
    assert quick.launches == slow.launches
    assert quick.metrics == slow.metrics
    for name in ("values", "launch_of", "metric_of"):
        np.testing.assert_array_equal(getattr(quick, name), getattr(slow, name), err_msg=name)
    # Nothing doubtful is left in a block that shows its locale; numbers without separators may count as either.
    assert quick.kinds.max(initial=0) <= Kind.DECIMAL_POINT


@settings(max_examples=100, deadline=None)
@given(st.lists(TOKEN, min_size=1, max_size=30), st.sampled_from([long_text, wide_text]))
def test_any_tokens_are_read_as_on_the_forgiving_path(tokens: list[str], form: object) -> None:
    assert callable(form)
    assert_agrees(form(["1,234.50", *tokens], "k<int, 3>(float *)"))


@pytest.mark.parametrize("form", [long_text, wide_text])
@pytest.mark.parametrize(
    ("kernel", "taken"), [("k<int, 3>(float *)", True), ('a"",""b', False), ('a""b', False), ("a\nb", False)]
)
def test_names_with_quotes_or_line_ends_go_another_way(form: object, kernel: str, *, taken: bool) -> None:
    assert callable(form)
    assert_agrees(form(["1,234.50", "2", "0.50"], kernel), taken=taken)


def test_decimal_commas_go_another_way() -> None:
    assert_agrees(long_text(["1,234.50", "65,77", "1"], "k"), taken=False)
