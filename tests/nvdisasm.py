"""Operands and modifiers as text, through NVIDIA's nvdisasm where it is installed.

The oracle of :mod:`roofcast.sass.instructions`, which reads the bits and needs no text. nvdisasm is given raw
instructions (``-b SMxx``): its ELF mode refuses many real cubins. Instructions of sm_70 are given as SM75, the
oldest one that newer versions take; the operations are the same.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from roofcast.core.errors import InputError, MissingExtraError, one_line
from roofcast.sass.cubin import INSTRUCTION_BYTES, Cubin
from roofcast.sass.toolkit import NEEDS_EXTRA, wheel_file

OLDEST_ACCEPTED_SM = 75
CHUNK_BYTES = 2**20
"""Code given to one run: bounds the memory that its output takes."""
SECONDS_PER_RUN = 120


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction as text."""

    opcode: str
    """With modifiers: ``LDG.E.64``."""
    operands: str
    predicate: str
    """``@P0``, ``@!PT`` or ''."""


@dataclass(frozen=True)
class Disassembly:
    """The text of a binary, split into instructions when it is asked for."""

    text: bytes
    starts: dict[str, int]
    """Function -> number of its first instruction."""

    @cached_property
    def lines(self) -> list[bytes]:
        """One line per instruction: predicate, opcode and operands, separated by tabs."""
        return self.text.split(b"\n")

    def instruction(self, function: str, index: int) -> Instruction:
        """One instruction of a function.

        Raises
        ------
        InputError : there is no such instruction.
        """
        start = self.starts.get(function)
        if start is None or not 0 <= start + index < len(self.lines) - 1:
            raise InputError(f"no instruction {index} in {one_line(function)}")
        predicate, opcode, operands = self.lines[start + index].decode("utf-8", "replace").split("\t")
        return Instruction(opcode, operands, predicate)


@lru_cache(maxsize=1)
def find_nvdisasm() -> str:
    """Path of nvdisasm.

    Raises
    ------
    MissingExtraError : it is not installed.
    """
    wheel = wheel_file("cu13", "bin/nvdisasm*") or wheel_file("cuda_nvdisasm", "bin/nvdisasm*")
    path = str(wheel) if wheel else shutil.which("nvdisasm")
    if path is None:
        raise MissingExtraError(f"disassembling {NEEDS_EXTRA}")
    return path


def disassemble(cubin: Cubin) -> Disassembly:
    """The whole binary as text.

    Raises
    ------
    MissingExtraError : nvdisasm is not installed. InputError : it refuses the code.
    """
    starts: dict[str, int] = {}
    number = 0
    for function in cubin.functions:
        starts[function.name] = number
        number += function.instruction_count
    code = b"".join(f.code for f in cubin.functions)
    return Disassembly(run_nvdisasm(find_nvdisasm(), code, cubin.sm), starts)


def run_nvdisasm(path: str, code: bytes, sm: int) -> bytes:
    """Text of raw instructions, chunk by chunk."""
    step = CHUNK_BYTES // INSTRUCTION_BYTES * INSTRUCTION_BYTES
    return b"".join(disassemble_chunk(path, code[at : at + step], sm) for at in range(0, len(code), step))


def disassemble_chunk(path: str, code: bytes, sm: int) -> bytes:
    """Text of one chunk.

    Raises
    ------
    InputError : nvdisasm fails or says something else than expected.
    """
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "code.bin"
        raw.write_bytes(code)
        try:
            done = subprocess.run(
                [path, "-b", f"SM{max(sm, OLDEST_ACCEPTED_SM)}", "-json", str(raw)],
                capture_output=True, check=False, timeout=SECONDS_PER_RUN,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InputError(f"nvdisasm did not finish: {one_line(str(error), 120)}") from error
    return parse_output(done.stdout, len(code) // INSTRUCTION_BYTES, done.stderr)


def parse_output(output: bytes, expected: int, errors: bytes = b"") -> bytes:
    """One line per instruction out of nvdisasm's JSON.

    Raises
    ------
    InputError : not JSON of the known form, or another number of instructions.
    """
    try:
        found = json.loads(output)[1][0]["sass-instructions"]
        rows = ((i.get("predicate", ""), i["opcode"], i.get("operands", "")) for i in found)
        lines = [f"{guard}\t{opcode}\t{operands}\n".encode("utf-8", "replace") for guard, opcode, operands in rows]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        told = one_line(errors.decode("utf-8", "replace"), 160) or "no message"
        raise InputError(f"nvdisasm does not take this code: {told}") from None
    if len(lines) != expected:
        raise InputError(f"nvdisasm lists {len(lines)} instructions, the code has {expected}")
    return b"".join(lines)
