"""Kernels that a Python file writes, of Triton or of ``numba.cuda``, in CUDA."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.numba_code import find_numba, find_numba_launches, write_numba
from roofcast_hull.source.triton_code import write_cuda
from roofcast_hull.source.triton_host import TritonLaunch, find_triton, find_triton_launches


def find_kernels(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Kernels of a file by their names."""
    return find_triton(tree) or find_numba(tree)


def list_launched(tree: ast.Module) -> list[str]:
    """Kernels of a file that are no functions of others: those that are launched, or that no kernel calls."""
    kernels = find_kernels(tree)
    launched = {x.kernel for x in find_launches(tree)}
    called = {
        n.id for f in kernels.values() for c in ast.walk(f) if isinstance(c, ast.Call)
        for n in (c.func, *c.args, *(k.value for k in c.keywords)) if isinstance(n, ast.Name)
    }  # fmt: skip
    return [n for n in kernels if n in launched or n not in called]


def is_triton(tree: ast.Module, kernel: str) -> bool:
    """Whether programs of a kernel work on tensors, and not its threads on numbers."""
    return kernel in find_triton(tree)


def find_launches(tree: ast.Module) -> list[TritonLaunch]:
    """Launches of a file's kernels in their order."""
    return find_triton_launches(tree) if find_triton(tree) else find_numba_launches(tree)


class SizeWriter(ast.NodeTransformer):
    """Writes numbers in place of what a host gives to names, and gives its functions' arguments of these names."""

    def __init__(self, sizes: Mapping[str, int], kernels: Collection[str]) -> None:
        self.sizes, self.kernels = sizes, kernels

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """``n = int(sys.argv[1])``."""
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name) and target.id in self.sizes:
            return ast.copy_location(ast.Assign(node.targets, ast.Constant(self.sizes[target.id])), node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """``def run(n):``."""
        if node.name in self.kernels:
            return node
        self.generic_visit(node)
        taken = [a.arg for a in (*node.args.args, *node.args.kwonlyargs) if a.arg in self.sizes]
        stated = [ast.Assign([ast.Name(n, ast.Store())], ast.Constant(self.sizes[n])) for n in taken]
        node.body = [*(ast.copy_location(s, node) for s in stated), *node.body]
        return node


def state_sizes(tree: ast.Module, sizes: Mapping[str, int]) -> ast.Module:
    """A file whose host gives some names the values that the user states."""
    if not sizes:
        return tree
    changed: ast.Module = SizeWriter(sizes, find_kernels(tree)).visit(tree)
    return ast.fix_missing_locations(changed)


def write_kernel(
    tree: ast.Module, kernel: str, chosen: int | None = None, sizes: Mapping[str, int] | None = None
) -> str:
    """A kernel and one of its launches in CUDA; see :func:`.triton_code.write_cuda`.

    sizes : numbers of the kernel that the launch leaves open, and of its grid.

    Raises
    ------
    SourceError : the file has no such kernel or no launch of it, or it does more than is followed.
    """
    if kernel not in find_kernels(tree):
        raise SourceError(f"no kernel '{one_line(kernel, 40)}'")
    if is_triton(tree, kernel):
        return write_cuda(tree, kernel, chosen, sizes)
    return write_numba(tree, kernel, chosen)
