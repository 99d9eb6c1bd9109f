"""Every dependency has a reason and a free licence; the audit finds what has neither."""

from __future__ import annotations

import importlib.util
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def audit() -> Any:
    path = CHECKOUT / "tools" / "audit.py"
    spec = importlib.util.spec_from_file_location("audit", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_dependency_has_its_reason(audit: Any) -> None:
    reasons = audit.read_requirements()
    assert set(reasons) >= {"numpy", "duckdb", "scikit-learn", "pytest", "ruff", "distributed"}
    assert [name for name, reason in reasons.items() if len(reason) < 5] == []


def test_every_locked_package_has_hashes() -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        text = (CHECKOUT / lock).read_text()
        packages = re.findall(r"^([a-z0-9][\w.-]*)==\S+.*?(?=^\S|\Z)", text, re.M | re.S)
        blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.M)[1:]
        assert len(packages) == len(blocks) > 10
        assert all("--hash=sha256:" in block for block in blocks)


def test_every_installed_dependency_has_a_free_licence(audit: Any) -> None:
    assert audit.find_unfree() == []


def test_what_is_unfree_or_old_is_named(audit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "read_requirements", lambda: {"left": "", "kept": "", "nameless": ""})
    monkeypatch.setattr(audit, "name_licence", {"left": "GNU GPLv3", "kept": "MIT", "nameless": ""}.get)
    assert audit.find_unfree() == ["left: GNU GPLv3"]
    days = {"left": ["2020-05-01T00:00:00Z", "2023-01-02T00:00:00Z"], "kept": ["2025-05-01T00:00:00Z"], "nameless": []}
    found = audit.find_old(
        datetime(2026, 1, 1, tzinfo=UTC), lambda name: {"files": [{"upload-time": d} for d in days[name]]}
    )
    assert found == ["left: last release 2023-01-02", "nameless: the index tells no days"]
