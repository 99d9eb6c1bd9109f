"""Loops over elements of tensors in CUDA, which the threads of a Triton program share."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Sequence

from roofcast_hull.source.triton_host import TritonLaunch
from roofcast_hull.source.triton_nodes import (
    Nest,
    write_update,
)
from roofcast_hull.source.user_lines import UserLines

WARP = 32
"""Threads of a warp."""


class Loops(UserLines):
    """Writes loops over elements.

    uses_matrices : whether tensors live in registers that matrix units share: each has a name, and no places of its
    own.
    """

    def __init__(self, launch: TritonLaunch, *, uses_matrices: bool) -> None:
        self.launch, self.uses_matrices = launch, uses_matrices
        self.threads = launch.warps * WARP
        """Of a program."""
        self.out: list[str] = [""]
        self.line = 1
        self.counter = itertools.count(1)

    def fresh(self, word: str) -> str:
        """A name of its own."""
        return f"{word}_{next(self.counter)}"

    def nest(
        self, shape: Sequence[int], inside: Callable[[Nest, tuple[str, ...]], str], at: ast.AST | None = None,
        fastest: int | None = None,
    ) -> None:  # fmt: skip
        """Loops over the elements of a tensor; of a number, what one thread does.

        fastest : dimension along which threads stand side by side; the last where it is None.
        """
        counters = tuple(self.fresh("l") for _ in shape)
        nest = Nest(self.fresh)
        text = inside(nest, counters)
        inner = nest.close(text)
        flat = len(shape) > 1 and shape[-1] < self.threads
        if (self.uses_matrices or flat) and shape:
            self.say(self.share(inner, shape, counters, len(shape) - 1 if fastest is None else fastest), at)
            return
        if not shape:
            inner = f"if (threadIdx.x == 0) {{ {inner} }}"
        for n in range(len(shape) - 1, -1, -1):
            inner = f"{self.write_head(counters[n], shape[n], n == len(shape) - 1)} {{ {inner} }}"
        self.say(inner, at)

    def share(self, inner: str, shape: Sequence[int], counters: Sequence[str], fastest: int) -> str:
        """A loop in which the threads of a program share all elements of a tensor."""
        element, before = self.fresh("e"), 1
        parts = []
        for n in (fastest, *(n for n in range(len(shape) - 1, -1, -1) if n != fastest)):
            quotient = f"{element} / {before}" if before > 1 else element
            before *= shape[n]
            parts.append(f"int {counters[n]} = {quotient} % {shape[n]};")
        head = f"for (int {element} = threadIdx.x; {element} < {before}; {element} += {self.threads})"
        return f"{head} {{ {' '.join(parts)} {inner} }}"

    def write_head(self, counter: str, size: int, innermost: bool = True) -> str:
        """A loop over a dimension; the threads of a program share the contiguous one."""
        if innermost:
            return f"for (int {counter} = threadIdx.x; {counter} < {size}; {counter} += {self.threads})"
        return f"for (int {counter} = 0; {counter} < {size}; {counter}++)"

    def write_sum(self, place: str, op: str, size: int, term: Callable[[Nest, str], str]) -> str:
        """A loop that adds up over a dimension, into a place."""
        counter, inner = self.fresh("r"), Nest(self.fresh)
        text = term(inner, counter)
        body = inner.close(write_update(place, text, op))
        return f"for (int {counter} = 0; {counter} < {size}; {counter}++) {{ {body} }}"
