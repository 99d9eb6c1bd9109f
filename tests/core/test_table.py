from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable, Provenance, concatenate


def table(*names: str, **numeric: list[float]) -> KernelTable:
    return KernelTable.from_columns({"kernel": names}, {k: (v, Origin.COUNTED) for k, v in numeric.items()})


def test_an_absent_value_is_absent_whatever_origin_was_claimed() -> None:
    t = table("a", "b", time_s=[1.0, float("nan")])
    assert t.origin_of("time_s").tolist() == [Origin.COUNTED, Origin.ABSENT]
    assert np.isnan(t.column("bytes_dram")).all()
    assert t.origin_of("bytes_dram").tolist() == [Origin.ABSENT] * 2


def test_a_name_outside_the_vocabulary_is_a_defect() -> None:
    with pytest.raises(ValueError, match="dram_bytes"):
        table("a", dram_bytes=[1.0])


def test_columns_of_different_length_are_a_defect() -> None:
    with pytest.raises(ValueError, match="time_s"):
        table("a", "b", time_s=[1.0])


def test_launches_are_never_merged() -> None:
    both = concatenate([table("k", time_s=[1.0]), table("k", "k", bytes_l2=[5.0, 6.0])])
    assert both.strings("kernel").tolist() == ["k", "k", "k"]
    np.testing.assert_array_equal(both.column("time_s"), [1.0, np.nan, np.nan])
    np.testing.assert_array_equal(both.column("bytes_l2"), [np.nan, 5.0, 6.0])


def test_nothing_to_concatenate_is_an_input_error() -> None:
    with pytest.raises(InputError):
        concatenate([])


def test_select_keeps_order_and_flags() -> None:
    t = KernelTable.from_columns({"kernel": ["a", "b", "c"]}, {}, flags=[["x"], [], ["z"]])
    picked = t.select([2, 0])
    assert picked.strings("kernel").tolist() == ["c", "a"]
    assert picked.flags == (("z",), ("x",))
    assert t.select(np.array([False, True, False])).strings("kernel").tolist() == ["b"]


def test_frames_hold_null_for_absent() -> None:
    frame = table("a", "b", time_s=[1.0, float("nan")]).to_polars()
    assert frame["time_s"].to_list() == [1.0, None]
    assert frame["kernel"].to_list() == ["a", "b"]


def test_a_hash_is_computed_when_it_is_first_asked_for() -> None:
    asked: list[str] = []

    def computed() -> str:
        asked.append("0f")
        return asked[0]

    provenance = Provenance(file="a", sha256=computed)
    other = dataclasses.replace(Provenance(sha256="11"), file="b")
    assert not asked
    assert (provenance.sha256, provenance.sha256, asked) == ("0f", "0f", ["0f"])
    assert (other.sha256, Provenance().sha256) == ("11", "")
    assert provenance == Provenance(file="a", sha256="0f")
