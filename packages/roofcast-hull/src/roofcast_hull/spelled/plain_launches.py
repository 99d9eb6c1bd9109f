"""Launches of kernels, and calls of the runtime around them, as plain C."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from roofcast_hull.spelled.algorithms import strip_parentheses
from roofcast_hull.spelled.type_names import NotPlainError


class Launches:
    """Writes what the host asks of the device."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer
        self.k, self.t, self.records = writer.k, writer.t, writer.records

    def launch(self, node: Any, called: Any, shape: Any, given: list[Any]) -> str:
        """``kernel<<<grid, block>>>(...)``."""
        if called is not None and called.kind in (self.k.FUNCTION_DECL, self.k.CXX_METHOD):
            name = self.writer.function_name(called)
        else:
            # An address of a kernel, in a variable, a structure or an array.
            name = strip_parentheses(self.writer.expressions.expression(self.writer.parts(node)[0])).lstrip("*")
        shapes = [self.read_or_leave(self.shape_text, a) for a in self.writer.calls.arguments(shape)][:2]
        values = [self.read_or_leave(self.writer.calls.argument_text, a, called, at) for at, a in enumerate(given)]
        return f"{name}<<<{', '.join(shapes)}>>>({', '.join(values)})"

    def read_or_leave(self, write: Callable[..., str], *of: Any) -> str:
        """What is written of a part of a launch; ``unread()`` for a part that is not followed: the others are known."""
        try:
            return write(*of)
        except NotPlainError:
            return "unread()"

    def shape_text(self, node: Any) -> str:
        """A grid or a block."""
        shape = self.writer.peel(node)
        if (
            shape.kind == self.k.CALL_EXPR
            and shape.referenced is not None
            and shape.referenced.kind == self.k.CONSTRUCTOR
        ):
            given = [
                a
                for a in self.writer.calls.arguments(shape)
                if not (a.kind == self.k.UNEXPOSED_EXPR and not self.writer.parts(a))
            ]
            if len(given) == 1:
                inner = self.writer.peel(given[0])
                if self.records.is_record(inner.type):
                    return self.shape_text(given[0])
                return str(self.writer.expressions.expression(given[0]))
            return f"dim3({', '.join(self.writer.expressions.expression(g) for g in given)})"
        if shape.kind == self.k.INIT_LIST_EXPR:
            return f"dim3({', '.join(self.writer.expressions.expression(g) for g in self.writer.parts(shape))})"
        if shape.kind in (self.k.CXX_FUNCTIONAL_CAST_EXPR, self.k.CSTYLE_CAST_EXPR) and self.writer.parts(shape):
            return self.shape_text(self.writer.parts(shape)[-1])
        return str(self.writer.expressions.expression(node))

    def host_call(self, node: Any, spelled: str, given: list[Any]) -> str:
        """A call of the host's that has no body here: of the runtime of CUDA, or unread."""
        if spelled in ("cudaLaunchKernel", "cudaLaunchCooperativeKernel") and len(given) >= 4:
            return self.launch_by_address(node, given)
        if spelled in ("cudaLaunchKernelEx", "hipLaunchKernelEx") and len(given) >= 2:
            return self.launch_configured(given)
        return str(self.writer.calls.host_text(spelled, given))

    def launch_configured(self, given: list[Any]) -> str:
        """``cudaLaunchKernelEx(&config, kernel, a, b)``."""
        write = self.writer.expressions.expression
        config, kernel = (
            strip_parentheses(write(given[0])).removeprefix("&"),
            self.find_reference(given[1], (self.k.FUNCTION_DECL, self.k.VAR_DECL, self.k.PARM_DECL)),
        )
        is_function = kernel is not None and kernel.kind == self.k.FUNCTION_DECL
        name = self.writer.function_name(kernel) if is_function else write(given[1])
        values = [self.read_or_leave(write, a) for a in given[2:]]
        return f"{name}<<<{config}.gridDim, {config}.blockDim>>>({', '.join(values)})"

    def launch_by_address(self, node: Any, given: list[Any]) -> str:
        """``cudaLaunchKernel((void *)k, grid, block, args)``."""
        kernel = self.find_reference(given[0], (self.k.FUNCTION_DECL,))
        array = self.find_reference(given[3], (self.k.VAR_DECL,))
        if kernel is None or array is None:
            raise NotPlainError(f"line {node.location.line}: a launch whose arguments are not said")
        values = [c for c in array.get_children() if c.kind == self.k.INIT_LIST_EXPR]
        texts = [self.writer.expressions.expression(p) for p in self.writer.parts(values[-1])] if values else []
        arguments = ", ".join(
            strip_parentheses(re.sub(r"^\((?:const )?void \*\)\s*", "", t)).removeprefix("&") for t in texts
        )
        grid, block = self.shape_text(given[1]), self.shape_text(given[2])
        return f"{self.writer.function_name(kernel)}<<<{grid}, {block}>>>({arguments})"

    def find_reference(self, node: Any, kinds: tuple[Any, ...]) -> Any | None:
        """What an expression names, through casts and addresses."""
        if node.kind == self.k.DECL_REF_EXPR and node.referenced is not None and node.referenced.kind in kinds:
            return node.referenced
        return next((f for c in self.writer.parts(node) if (f := self.find_reference(c, kinds)) is not None), None)
