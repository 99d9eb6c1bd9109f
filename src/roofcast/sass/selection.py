"""Which kernels to show, and what to compare them with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.matching import rows_matching
from roofcast.sass.binaries import binaries_in, read_bytes
from roofcast.sass.summary import Against, KernelSummary


def other_side(text: str | None, file: str) -> Against | None:
    """What ``--against`` names: a binary (an existing file that is no catalog entry) or a GPU.

    Raises
    ------
    InputError : a file without GPU code, or a GPU that does not run NVIDIA machine code.
    UnknownProcessorError : neither a file nor a known GPU.
    """
    if text is None:
        return None
    if Path(text).is_file() and not text.lower().endswith(".toml"):
        data = read_bytes(text)
        found = binaries_in(data, Path(text).name)
        from roofcast.sass.cubin import parse_cubin

        try:
            versions = [parse_cubin(b.data).sm for b in found if not b.is_ptx]
        except InputError as error:
            raise InputError(f"{one_line(text)}: {error}") from None
        if len(set(versions)) == 1:
            return Against(versions[0], data, Path(text).name)
        kinds = ", ".join(f"sm_{v}" for v in sorted(set(versions))) or "PTX only"
        raise InputError(f"{one_line(text)}: holds {kinds}; give a cubin of one architecture, or name a GPU")
    if re.fullmatch(r"sm_\d+", text):
        return Against(int(text[3:]))
    from roofcast.catalog import parse_target

    processor = parse_target(text).processor
    architecture = processor.architecture
    if not re.fullmatch(r"sm_\d+", architecture) or int(architecture[3:]) < 70:
        raise InputError(f"--against {one_line(text)}: {processor.name} does not run machine code of Volta or newer")
    return Against(int(architecture[3:]))


def selected(kernels: Sequence[KernelSummary], pattern: str | None, top: int | None) -> list[KernelSummary]:
    """Kernels whose name matches, at most ``top`` of them: the most executed ones, in file order.

    Raises
    ------
    RoofcastError : no kernel matches, or the expression is not valid.
    """
    if not kernels:
        raise RoofcastError("the file holds no kernel")
    symbols = [k.symbol for k in kernels]
    found = [kernels[i] for i in rows_matching([k.kernel for k in kernels], pattern or "", also=symbols)]
    if top is None or len(found) <= top:
        return found

    def weight(k: KernelSummary) -> tuple[float, int]:
        return (k.executions.total_threads() if k.executions else 0.0, k.instructions)

    kept = {id(k) for k in sorted(found, key=weight, reverse=True)[:top]}
    return [k for k in found if id(k) in kept]
