"""HIP as the CUDA that it stands for: launches by macro, names of the runtime, indices with names of their own."""

from __future__ import annotations

import re

NAME = re.compile(r"\bhip(?=[A-Z]\w)")
COMPLEX = re.compile(r"\b(make_)?hip((?:Float|Double)?Complex|C(?:add|sub|mul|div|fma|real|imag|abs)f?|Conjf?)\b")
LIBRARY = re.compile(r"\bhip(?=cub::)|\bhip(?=rand)")
"""What begins with another word in CUDA."""
LAUNCH = re.compile(r"\bhipLaunchKernel(?:GGL)?\s*\(")
KERNEL_NAME = re.compile(r"\bHIP_KERNEL_NAME\s*\(")
INDEX = re.compile(r"\bhip(ThreadIdx|BlockIdx|BlockDim|GridDim)_([xyz])\b")
INCLUSION = re.compile(r"^[ \t]*#[ \t]*include\b.*$", re.MULTILINE)
OPENING, CLOSING = "([{", ")]}"
SHAPE = 5
"""Arguments of a launch by macro before the kernel's: kernel, grid, block, bytes of shared memory, stream."""


def spell_hip(text: str) -> str:
    """A text of HIP as CUDA, line by line; other text as it is.

    >>> spell_hip("hipLaunchKernelGGL(HIP_KERNEL_NAME(add<float>), dim3(n / 64), 64, 0, 0, a, hipBlockDim_x);")
    'add<float><<<dim3(n / 64), 64, 0, 0>>>( a, blockDim.x);'
    """
    if NAME.search(INCLUSION.sub("", text)) is None:
        return text
    while match := KERNEL_NAME.search(text):
        inside, end = split_call(text, match.end())
        text = f"{text[: match.start()]}{','.join(inside).strip()}{text[end:]}"
    at = 0
    while match := LAUNCH.search(text, at):
        given, end = split_call(text, match.end())
        at = match.end()
        if len(given) >= SHAPE:
            kernel, grid, block, shared, stream = (g.strip() for g in given[:SHAPE])
            kernel = kernel[1:-1] if kernel.startswith("(") and kernel.endswith(")") else kernel
            lost = sum(g.count("\n") for g in given[:SHAPE]) - sum(
                g.count("\n") for g in (kernel, grid, block, shared, stream)
            )
            launch = f"{kernel}<<<{grid}, {block}, {shared}, {stream}>>>({chr(10) * lost}{','.join(given[SHAPE:])})"
            text = f"{text[: match.start()]}{launch}{text[end:]}"
    text = INDEX.sub(lambda m: f"{m[1][0].lower()}{m[1][1:]}.{m[2]}", text)
    text = LIBRARY.sub(lambda m: "" if text[m.end()] == "c" else "cu", COMPLEX.sub(r"\1cu\2", text))
    return NAME.sub("cuda", text)


def split_call(text: str, start: int) -> tuple[list[str], int]:
    """Arguments of a call whose inside starts here, and where the text behind it begins."""
    depth, at, first = 0, start, start
    given = list[str]()
    while at < len(text):
        sign = text[at]
        if sign in CLOSING and depth == 0:
            break
        depth += (sign in OPENING) - (sign in CLOSING)
        if sign == "<" and (angle := re.match(r"<[\w\s,:*&]*>", text[at:])):
            at += angle.end()
            continue
        if sign == "," and depth == 0:
            given.append(text[first:at])
            first = at + 1
        at += 1
    return [*given, text[first:at]], min(len(text), at + 1)
