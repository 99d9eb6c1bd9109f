"""Counts of breaches, contract by contract, at the end of a run."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest_web import page
from contracts.doors import SAMPLES, Breach, make_sample
from contracts.known import KNOWN

__all__ = ["page"]

SHOWN = 3
LOG = "ROOFCAST_CONTRACTS_LOG"
"""Variable that names a file for every breach, one JSON object a line."""


@pytest.fixture(autouse=True)
def sample(request: pytest.FixtureRequest) -> None:
    """The thinned data set that a test is about, if it is about one."""
    path = request.node.callspec.params.get("path") if hasattr(request.node, "callspec") else None
    if isinstance(path, Path) and path.parent == SAMPLES and not path.is_file():
        make_sample(path)


@pytest.fixture(scope="session", autouse=True)
def no_samples_left() -> Iterator[None]:
    """Deletes what :func:`sample` wrote."""
    yield
    shutil.rmtree(SAMPLES.parent, ignore_errors=True)


@pytest.fixture
def hold(
    request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> Callable[[Iterable[Breach], int], None]:
    """Fails with the worst breaches; the number and the largest go to the table at the end."""

    def check(found: Iterable[Breach], looked_at: int) -> None:
        breaches = sorted(found, key=lambda b: -b.apart)
        finite = [b.apart for b in breaches if np.isfinite(b.apart)]
        record_property("breaches", len(breaches))
        record_property("largest", max(finite, default=0.0))
        record_property("looked at", looked_at)
        if os.environ.get(LOG):
            with Path(os.environ[LOG]).open("a") as out:
                for b in breaches:
                    out.write(json.dumps({"test": request.node.name, "apart": b.apart} | asdict(b)) + "\n")
        if breaches:
            text = "\n".join(str(b) for b in breaches[:SHOWN])
            pytest.fail(f"{len(breaches)} of {looked_at} differ:\n{text}", pytrace=False)

    return check


OTHER_MODELS = re.compile(r"[\[-](mechanistic|van_lanker|occupancy_efficiency)[\]-]")


CHECKED = 4
"""Of slow cases one of so many is part of ``make check``, by its name, so that it is always the same one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is known to be broken, with its cause; most slow cases and other models are for ``make contracts``."""
    for item in (i for i in items if i.path.is_relative_to(Path(__file__).parent)):
        left = "[" in item.name and zlib.crc32(item.name.encode()) % CHECKED
        if item.get_closest_marker("slow") and (left or OTHER_MODELS.search(item.name)):
            item.add_marker(pytest.mark.exhaustive)
        for pattern, cause in KNOWN.items():
            if fnmatch.fnmatchcase(item.name.replace("[", "/"), pattern.replace("[", "/")):
                item.add_marker(pytest.mark.xfail(reason=cause, strict=False))
                break


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A table of contracts."""
    rows: dict[str, list[tuple[int, float, int]]] = {}
    for kind in ("passed", "failed", "xfailed", "xpassed"):
        for report in terminalreporter.stats.get(kind, []):
            told = dict(getattr(report, "user_properties", ()))
            if "breaches" in told:
                name = report.nodeid.partition("::")[2].partition("[")[0]
                rows.setdefault(name, []).append((told["breaches"], told["largest"], told["looked at"]))
    if rows:
        terminalreporter.write_sep("-", "contracts: cases broken, values broken, largest difference")
    for name, found in sorted(rows.items()):
        broken = sum(n > 0 for n, _, _ in found)
        terminalreporter.write_line(
            f"{name:58} {broken:4} of {len(found):4} cases {sum(n for n, _, _ in found):7} of "
            f"{sum(k for *_, k in found):8} values {100 * max(x for _, x, _ in found):9.3g} %"
        )
    # A line of known.py that nothing breaks any longer hides what breaks next.
    still = [r.nodeid.rpartition("::")[2].replace("[", "/") for r in terminalreporter.stats.get("xfailed", [])]
    held = [r.nodeid.rpartition("::")[2].replace("[", "/") for r in terminalreporter.stats.get("xpassed", [])]
    for pattern in KNOWN:
        wanted = pattern.replace("[", "/")
        if fnmatch.filter(held, wanted) and not fnmatch.filter(still, wanted):
            terminalreporter.write_line(f"mended, delete it from known.py: {pattern}")
