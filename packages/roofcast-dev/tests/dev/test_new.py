"""Skeletons are green where they are written, but for what only measurements or words can fill."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofcast_dev.checkout import HERE
from roofcast_dev.skeletons import main

# Left to whoever adds it: what it is worth, which only data say, and the page that prints that.
OPEN = (
    "test_every_cause_says_what_it_is_worth_and_stays_by_the_rule",
    "test_the_page_of_causes_is_made_from_the_registry",
)
KINDS = {
    "gpu": (
        ("RTX 9999", "--like", "RTX 5080"),
        ("tests/catalog/test_nvidia_rtx_9999.py", "tests/catalog/test_consistency.py"),
    ),
    "cause": (
        ("write_cost", "--after", "dram_time"),
        ("tests/models/test_causes.py", "tests/models/test_cause_write_cost.py"),
    ),
    "format": (
        ("my-profiler", "--folder", "tables"),
        ("tests/ingest/test_my_profiler.py", "tests/ingest/test_reader_contracts.py"),
    ),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source and of its tests."""
    folder = tmp_path_factory.mktemp("copy") / "checkout"
    for part in ("src", "tests", "docs"):
        shutil.copytree(HERE / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "pictures"))
    for file in ("pyproject.toml", "conftest.py"):
        shutil.copy(HERE / file, folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_skeleton_is_green_before_anything_of_it_is_changed(kind: str, checkout: Path) -> None:
    words, tests = KINDS[kind]
    done = CliRunner().invoke(main, ["new", "--checkout", str(checkout), kind, *words])
    assert done.exit_code == 0, done.output
    assert "left to do" in done.output
    written = [line.strip().split(": ")[0] for line in done.output.partition("left to do")[0].splitlines()[1:]]
    code = [path for path in written if path.endswith(".py")]
    for step in ("check", "format --check"):
        ruff = [sys.executable, "-m", "ruff", *step.split(), *code]
        found = subprocess.run(ruff, cwd=checkout, check=False, capture_output=True, text=True)
        assert found.returncode == 0, found.stdout
    without = [f"--deselect=tests/models/test_causes.py::{name}" for name in OPEN]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *without, *tests]
    place = {**os.environ, "PYTHONPATH": f"{checkout / 'src'}"}
    found = subprocess.run(command, cwd=checkout, env=place, check=False, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout[-3000:]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gpu", "RTX 5080", "--like", "RTX 5090"), "the catalog has"),
        (("gpu", "RTX 9999", "--like", "no such card"), "--like"),
        (("cause", "latency", "--after", "dram_time"), "is there already"),
        (("cause", "write_cost", "--after", "nothing"), "no cause 'nothing'"),
        (("format", "My Profiler"), "no name of a module"),
        (("format", "my-profiler", "--folder", "nowhere"), "no folder 'nowhere'"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line_and_writes_nothing(words: tuple[str, ...], said: str) -> None:
    before = subprocess.run(["git", "status", "--short"], cwd=HERE, check=False, capture_output=True).stdout
    done = CliRunner().invoke(main, ["new", *words])
    assert done.exit_code == 2
    assert said in done.output
    assert done.output.count("\n") == 1
    after = subprocess.run(["git", "status", "--short"], cwd=HERE, check=False, capture_output=True).stdout
    assert before == after


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["new", "--checkout", str(tmp_path), "cause", "a", "--after", "b"])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert "no checkout of roofcast" in done.output
