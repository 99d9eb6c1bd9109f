"""The fast path over blocks against the forgiving one."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from roofcast.ingest.ncu import csv as ncu_csv
from roofcast.ingest.ncu import rows as ncu_rows
from roofcast.ingest.ncu.layout import Layout
from roofcast.ingest.text import lines as text_lines
from roofcast.ingest.text.numbers import Kind

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
    """The same of a block; whether the quick path took it."""
    slow = ncu_rows.parse_slowly(block.decode("utf-8", "replace"), layout, {})
    quick = ncu_rows.parse_fast(block, layout, {})
    if quick is not None:
        assert_rows(quick, slow)
    return quick is not None


def assert_rows(quick: ncu_rows.Rows, slow: ncu_rows.Rows) -> None:
    """Rows of a quick path are those of the forgiving one."""
    assert quick.launches == slow.launches
    assert quick.metrics == slow.metrics
    for name in ("values", "launch_of", "metric_of"):
        np.testing.assert_array_equal(getattr(quick, name), getattr(slow, name), err_msg=name)
    # Numbers without separators may count as having a point.
    doubtful = np.maximum(quick.kinds, slow.kinds) > Kind.DECIMAL_POINT
    np.testing.assert_array_equal(quick.kinds[doubtful], slow.kinds[doubtful])
    assert [text for text in quick.texts if text[2]] == [text for text in slow.texts if text[2]]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.lists(TOKEN, min_size=1, max_size=30), st.sampled_from([long_text, details_text, wide_text]))
def test_any_tokens_are_read_as_on_the_forgiving_path(tokens: list[str], form: object) -> None:
    assert callable(form)
    assert_agrees(form(["1,234.50", *tokens], "k<int, 3>(float *)"))


@pytest.mark.parametrize("form", [long_text, details_text, wide_text])
@pytest.mark.parametrize("kernel", ["k<int, 3>(float *)", 'a"",""b', 'a""b', "a\nb", "größe"])
def test_names_with_quotes_or_line_ends_may_go_another_way(form: object, kernel: str) -> None:
    assert callable(form)
    assert_agrees(form(["1,234.50", "2", "0.50"], kernel), taken="\n" not in kernel)


@pytest.mark.parametrize(
    "tokens", [["1,234.50", "65,77", "1"], ["1.234,50", "65,77", "117,344"], ["117,344", "1", "2"]]
)
def test_decimal_commas(tokens: list[str]) -> None:
    assert_agrees(long_text(tokens, "k"), taken=True)


DAMAGE = [b'"', b",", b"\n", b"", b'""', b"x", b'","', b"\r", b"7", b"\xff", b".", b' "']


ONE_DAMAGE = st.tuples(st.integers(0, 2**16), st.integers(0, 6), st.sampled_from(DAMAGE))
DAMAGES = st.lists(ONE_DAMAGE, min_size=1, max_size=3)


def damaged(block: bytes, damage: list[tuple[int, int, bytes]]) -> bytes:
    """A block with some bytes replaced."""
    result = bytearray(block)
    for at, length, put in damage:
        start = at % len(result)
        result[start : start + length] = put
    return text_lines.plain(bytes(result))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(ONE_DAMAGE)
@example((1, 4, b","))
def test_a_damaged_wide_block_is_taken_only_where_it_reads_the_same(damage: tuple[int, int, bytes]) -> None:
    # Two may lose and add the same number of quotes; then the quick path keeps more than the other.
    data = wide_text(["1,234.50", "12,345,678", "0.50"] * 6, "void k<int, 3>(float *)").encode()
    part = next(ncu_csv.parts(data, None, ncu_csv.Noise()))
    assert_same(damaged(part.block, [damage]), part.layout)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.sampled_from([long_text, details_text]), DAMAGES)
def test_damage_in_long_blocks_stays_in_its_lines(
    form: Callable[[list[str], str], str], damage: list[tuple[int, int, bytes]]
) -> None:
    data = form([f"{i},234.50" for i in range(1, 19)], "void k<int, 3>(float *)").encode()
    part = next(ncu_csv.parts(data, None, ncu_csv.Noise()))
    block = damaged(part.block, damage)
    found = ncu_rows.parse_long(block, part.layout, {})
    # A lone quote takes the lines behind it along, on either path; the first line of a launch names it.
    assume(found is not None and all(line.count(b'"') % 2 == 0 for line in block.split(b"\n")))
    assert found is not None
    assert found.launch_of is not None
    assert found.metric_of is not None
    seen = {
        (found.launches[launch][:2], found.metrics[metric], value)
        for launch, metric, value in zip(found.launch_of, found.metric_of, found.values.tolist(), strict=True)
    }
    whole = set(part.block.split(b"\n"))
    left = [line for line in block.split(b"\n") if line in whole]
    expected = ncu_rows.parse_slowly(b"\n".join(left).decode(), part.layout, {})
    assert expected.launch_of is not None
    assert expected.metric_of is not None
    assert seen >= {
        (expected.launches[launch][:2], expected.metrics[metric], value)
        for launch, metric, value in zip(expected.launch_of, expected.metric_of, expected.values.tolist(), strict=True)
    }


def test_noise_between_the_lines_of_a_launch_is_left_out() -> None:
    lines = long_text(["1,234.50", "2", "0.50"] * 3, "k").splitlines(keepends=True)
    lines.insert(5, '==PROF== Profiling "k": 0%....100%\n')
    lines.insert(7, "1,noise\n")
    part = next(ncu_csv.parts("".join(lines).encode(), None, ncu_csv.Noise()))
    assert assert_same(part.block, part.layout)
    found = ncu_rows.parse_long(part.block, part.layout, {})
    assert found is not None
    assert found.skipped
    assert len(found.launches) == 3
    assert found.values.tolist() == [1234.5, 2, 0.5] * 3


def test_a_header_behind_other_output_is_searched_for() -> None:
    text = long_text(["1,234.50", "2", "0.50"], "k")
    part = next(ncu_csv.parts((text + text).encode(), None, ncu_csv.Noise()))
    found = ncu_rows.parse_long((text + text).encode()[len(LONG) :], part.layout, {})
    assert found is not None
    assert found.skipped
    assert len(found.launches) == 1


def test_a_damaged_first_line_does_not_take_its_launch_along() -> None:
    lines = long_text(["1,234.50", "2", "0.50"] * 3, "k").splitlines(keepends=True)
    lines[4] = lines[4].replace('"k"', '""')
    part = next(ncu_csv.parts("".join(lines).encode(), None, ncu_csv.Noise()))
    assert assert_same(part.block, part.layout)
    found = ncu_rows.parse_long(part.block, part.layout, {})
    assert found is not None
    assert found.values.tolist() == [1234.5, 2, 0.5, 2, 0.5, 1234.5, 2, 0.5]


@pytest.mark.parametrize("form", [long_text, details_text, wide_text])
@pytest.mark.parametrize("noise", ["", "==PROF== x", "a\rb", '"0","7","p\rq"', LONG.strip()])
def test_line_ends_and_marks_of_windows_change_nothing(
    form: Callable[[list[str], str], str], noise: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_lines.blocks, "__defaults__", (4096,))
    monkeypatch.setattr(text_lines, "SEARCHED", 2048)
    lines = form(["1,234.50", "2", "117,344"] * 80, "void k<int>(float *)").split("\n")
    lines.insert(len(lines) * 2 // 3 // 4 * 4, noise)
    unix = "\n".join(lines).encode()
    windows = unix.replace(b"\n", b"\r\n")
    tables = []
    for number, data in enumerate([unix, windows, codecs.BOM_UTF8 + windows]):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(data)
        with path.open("rb") as stream:
            tables.append(ncu_csv.read(stream, path.name).to_polars())
    assert tables[0].height >= 50
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
