"""The versions of Python that are promised are those that are tested."""

from __future__ import annotations

import re
from pathlib import Path

import matrix

ROOT = Path(__file__).resolve().parents[1]


def test_every_promised_version_is_in_the_workflow() -> None:
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    (listed,) = re.findall(r"python: \[(.*)\]", workflow)
    assert re.findall(r"3\.\d+", listed) == matrix.list_versions()
    assert "3.11" in matrix.list_versions()


def test_a_version_that_nobody_has_is_left_out() -> None:
    assert matrix.find_python("3.1") is None
