"""Where real files are found. Tests that need them skip visibly where they are absent."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# The same examples every time, so that a clone's tests are green or red; others at night, where ROOFCAST_FUZZ is set.
hypothesis.settings.register_profile("loop", derandomize=True)
hypothesis.settings.register_profile("night", print_blob=True)
hypothesis.settings.load_profile("night" if "ROOFCAST_FUZZ" in os.environ else "loop")

CHECKOUT = Path(__file__).resolve().parent
collect_ignore_glob = ["packages/roofcast-hull/tests/hulls/codes/*"]  # Codes to be read, never imported.

GARBAGE = 100_000
"""New objects after which circles of them are looked for: as rarely as the command line does, a tenth of the time."""

if "PYTEST_XDIST_WORKER" in os.environ:
    # Coverage looks at the workers; the commands that tests start stay as users have them, and as quick.
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: nobody looks for garbage among them."""
    gc.set_threshold(GARBAGE)
    gc.collect()
    gc.freeze()


def shared_folder(variable: str, name: str) -> Path:
    """Folder that an environment variable names, else one of the folder ``shared`` beside the checkout."""
    named = os.environ.get(variable)
    folder = Path(named) if named else CHECKOUT.parent / "shared" / name
    if not folder.is_dir():
        pytest.skip(f"real files are absent: set {variable} to the folder that holds them ({name})")
    return folder


@pytest.fixture(scope="session")
def fixtures_dir() -> Path:
    """Folder of real profiler files (``ROOFCAST_FIXTURES``)."""
    return shared_folder("ROOFCAST_FIXTURES", "fixtures")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of published measurements (``ROOFCAST_DATA``)."""
    return shared_folder("ROOFCAST_DATA", "data")


@pytest.fixture(scope="session")
def catalog_source_dir() -> Path:
    """Folder of the tables that the catalog was made from (``ROOFCAST_CATALOG_SOURCE``)."""
    return shared_folder("ROOFCAST_CATALOG_SOURCE", "catalog")


@pytest.fixture(scope="session", autouse=True)
def private_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests never touch the user's cache of binaries and store; they print for a terminal of one width."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROOFCAST_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("ROOFCAST_STORE", str(tmp_path_factory.mktemp("store") / "store.duckdb"))
        patch.setenv("COLUMNS", "120")
        yield
