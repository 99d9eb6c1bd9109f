"""What tests of measuring share: a private cache, the compilers, and the whole suite on the CPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from roofcast.core.errors import MissingExtraError
from roofcast.sass.toolkit import load_nvrtc
from roofcast_measure import shim, suite
from roofcast_measure.programs import Program
from roofcast_measure.timing import SERVICE
from shim_driver import ShimDriver


@pytest.fixture(autouse=True, scope="package")
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One folder for what these tests compile: never the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROOFCAST_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="package")
def compiler() -> str:
    """A C++ compiler; skips where there is none."""
    found = shim.find_compiler()
    if found is None:
        pytest.skip("no C++ compiler (g++ or clang++) on this machine")
    return found


@pytest.fixture(scope="package")
def nvrtc() -> None:
    """NVRTC; skips where it is not installed."""
    try:
        load_nvrtc()
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="package")
def everything() -> list[Program]:
    """All programs, the eight steps too."""
    return [*suite.programs(), suite.load(suite.EIGHT_STEPS)]


@pytest.fixture(scope="package")
def cpu(compiler: str, everything: list[Program]) -> ShimDriver:
    """The whole suite on the CPU, in the place of a GPU; built once per run."""
    return ShimDriver([*(p.code for p in everything), SERVICE])
