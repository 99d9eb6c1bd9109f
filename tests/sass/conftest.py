"""The corpus of kernels, compiled where NVIDIA's wheels are installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofcast.core.errors import MissingExtraError
from roofcast.sass.cubin import Cubin, parse_cubin
from roofcast.sass.retarget import retarget
from roofcast.sass.toolkit import compile_to_ptx, find_jit_link, load_nvrtc
from sass_builders import Build

CORPUS = Path(__file__).parent / "corpus"


@pytest.fixture(scope="session")
def corpus_ptx() -> Callable[..., bytes]:
    """(file stem, front end) -> PTX of the corpus; skips where NVRTC is not installed."""
    try:
        load_nvrtc()
    except MissingExtraError as error:
        pytest.skip(str(error))
    held: dict[tuple[str, str], bytes] = {}

    def ptx(name: str, front: str = "compute_75") -> bytes:
        key = name, front
        if key not in held:
            held[key] = compile_to_ptx((CORPUS / f"{name}.cu").read_bytes(), f"{name}.cu", front)
        return held[key]

    return ptx


@pytest.fixture(scope="session")
def corpus(corpus_ptx: Callable[..., bytes]) -> Build:
    """(file stem, architecture, front end) -> cubin of the corpus; skips where the compilers are not installed."""
    try:
        find_jit_link()
    except MissingExtraError as error:
        pytest.skip(str(error))
    held: dict[tuple[str, int, str, int | None], Cubin] = {}

    def build(name: str, sm: int, front: str = "compute_75", cap: int | None = None) -> Cubin:
        key = name, sm, front, cap
        if key not in held:
            suffix = "a" if front.endswith("a") else ""
            held[key] = parse_cubin(retarget((corpus_ptx(name, front),), sm, feature_suffix=suffix, max_registers=cap))
        return held[key]

    return build
