"""Every dependency has a reason and a free licence; the audit finds what has neither."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
import tomllib
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


@pytest.mark.slow
def test_what_is_rarely_used_is_an_extra_that_one_line_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the store's database everything else works, and who asks for it learns how to get it."""
    code = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in ("duckdb", "sklearn", "lightgbm", "islpy", "pycparser", "distributed", "polars", "matplotlib",
                    "starlette"):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
import roofcast.core.extras
roofcast.core.extras.find_spec = lambda name: None
from roofcast.__main__ import main
table = sys.argv[1]
asked = ["--from", "RTX 2080 Ti"]
assert main(["forecast", table, *asked, "--to", "B200"]) == 0
assert main(["roofline", table, *asked, "-o", sys.argv[2] + "/r.html"]) == 0
assert main(["advise", table, *asked]) == 0
assert main(["store", "add", "kept", table, "--db", sys.argv[2] + "/s.duckdb"]) == 2
assert main(["hull", "1024x1024|element -> 256|shared", "--on", "H100", "-o", sys.argv[2] + "/h.html"]) == 0
assert main(["forecast", table, *asked, "--to", "B200", "-o", sys.argv[2] + "/f.csv"]) == 0
assert main(["inspect", table, "-o", sys.argv[2] + "/i.csv"]) == 0
assert main(["forecast", sys.argv[2] + "/i.csv", *asked, "--to", "B200"]) == 0
assert main(["choose", table, *asked, "--among", "L40S,B200", "-o", sys.argv[2] + "/c.html"]) == 0
assert main(["forecast", table, *asked, "--to", "B200", "-o", sys.argv[2] + "/f.parquet"]) == 2
assert main(["roofline", table, *asked, "-o", sys.argv[2] + "/r.svg"]) == 2
assert main(["serve", table]) == 2
"""
    table = CHECKOUT / "examples" / "convolution.csv"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-c", code, table, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("roofcast: ")]
    assert [re.search(r"roofcast\[(\w+)\]", line)[1] for line in said] == ["store", "tables", "figures", "page"]  # type: ignore[index]


def test_the_wheel_is_pure_python_and_small(audit: Any) -> None:
    """What anybody installs: no compiled part of ours, and no framework among what it needs."""
    told = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    names = {re.split(r"[<>=;\[ ]", d)[0] for d in told["project"]["dependencies"]}
    assert not names & {"duckdb", "scikit-learn", "torch", "numba", "pandas", "pyarrow"}
    assert told["project"]["requires-python"]
    assert len(names) <= 12
    assert not [p for p in (CHECKOUT / "src").rglob("*") if p.suffix in (".so", ".pyd", ".pyx")]


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
