"""Some versions of a kernel, by their labels."""

from __future__ import annotations

import pytest

from roofcast.core.errors import InputError
from roofcast.rooflines.versions import label_versions, select_versions
from roofcast_measure.gpp import derived_table


@pytest.mark.parametrize(
    ("asked", "left"),
    [("v5:v8", [5, 6, 7, 8]), ("v0,v8", [0, 8]), (":v1", [0, 1]), ("v7:", [7, 8]), ("v8:v7", [7, 8]), ("v2", [2])],
)
def test_some_versions_are_taken(asked: str, left: list[int]) -> None:
    found = select_versions(derived_table(), asked)
    assert label_versions(found) == [f"v{i}" for i in left]


def test_an_unknown_version_is_named() -> None:
    with pytest.raises(InputError, match="no version 'v9': use v0, v1"):
        select_versions(derived_table(), "v5:v9")
