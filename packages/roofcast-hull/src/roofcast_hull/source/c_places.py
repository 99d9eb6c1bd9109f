"""Which element of which array an expression of C names: indices, pointers, members of structures."""

from __future__ import annotations

from typing import Any

from roofcast_hull.source.c_pointers import Known
from roofcast_hull.source.c_tree import (
    called,
    describe,
)  # fmt: skip
from roofcast_hull.source.nest import Affine, refuse


class Places:
    """Reads places."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.builder, self.ast, self.line = reader.builder, reader.ast, reader.line

    def element(self, node: Any) -> tuple[str, list[Any]]:
        """Array name and index expressions of ``a[i][j]``, ``*(a + i)`` or a scalar."""
        indices: list[Any] = []
        members = ""
        while isinstance(node, (self.ast.ArrayRef, self.ast.StructRef)):
            if isinstance(node, self.ast.ArrayRef):
                indices.insert(0, node.subscript)
            else:
                # Each member is an array of its own: p[i].x is p.x[i].
                members = f".{node.field.name}{members}"
            node = node.name
        while isinstance(node, self.ast.Cast):
            node = node.expr
        if isinstance(node, self.ast.ID):
            self.check_structure(str(node.name), members, self.line(node))
            if str(node.name) in self.reader.pointers.places:
                array, place = self.reader.pointers.resolve(str(node.name), indices, node.coord)
                return f"{array}{members}", place
            return f"{node.name}{members}", indices
        if isinstance(node, self.ast.BinaryOp) and node.op == "+" and indices and not members:
            # (a + i)[j]
            array, inner = self.point(node)
            return array, [self.ast.BinaryOp("+", inner[0], indices[0], node.coord), *indices[1:]]
        if isinstance(node, self.ast.UnaryOp) and node.op == "*" and not members:
            array, inner = self.point(node.expr)
            if not inner and not indices and self.reader.pointers.is_pointer(array):
                return array, [Known(Affine(), node.coord)]
            return array, [*inner, *indices]
        raise refuse(self.line(node), f"{describe(node)} is no array element with affine indices")

    def check_structure(self, name: str, members: str, line: int) -> None:
        """Refuse what members as arrays of their own cannot say: lists that are walked, whole structures."""
        if members and name in self.builder.assigned:
            raise refuse(line, f"'{name}' is moved: which element '{name}{members}' is comes from data")
        if not members and name in self.reader.declarations.structured:
            raise refuse(line, f"'{name}' is used as a whole structure: write its members")

    def point(self, node: Any) -> tuple[str, list[Any]]:
        """Array and index of a pointer: ``a``, ``a + i``, ``*(a + i) + j``."""
        if isinstance(node, self.ast.ID):
            place: tuple[str, list[Any]] = self.reader.pointers.resolve(str(node.name), [], node.coord)
            return place
        if isinstance(node, self.ast.Cast):
            return self.point(node.expr)
        if called(node) in self.reader.functions:
            return self.point(self.reader.inliner.replace_call(node))
        if isinstance(node, self.ast.UnaryOp) and node.op == "&":
            return self.element(node.expr)
        if isinstance(node, self.ast.UnaryOp) and node.op == "*":
            return self.point(node.expr)
        if isinstance(node, self.ast.BinaryOp) and node.op in ("+", "-"):
            return self.point_further(node)
        if isinstance(node, (self.ast.ArrayRef, self.ast.StructRef)):
            return self.element(node)
        raise refuse(self.line(node), f"{describe(node)} is no array element with affine indices")

    def point_further(self, node: Any) -> tuple[str, list[Any]]:
        """Array and index of ``a + i``, ``i + a``, ``a - i``."""
        bases = [(node.left, node.right)] if node.op == "-" else [(node.left, node.right), (node.right, node.left)]
        for base, offset in bases:
            if self.is_pointer(base):
                array, inner = self.point(base)
                by = self.ast.UnaryOp("-", offset, node.coord) if node.op == "-" else offset
                if inner and (type(base).__name__ == "BinaryOp" or len(inner) == self.reader.pointers.rank(array)):
                    return array, [*inner[:-1], self.ast.BinaryOp("+", inner[-1], by, node.coord)]
                return array, [*inner, by]
        raise refuse(self.line(node), f"{describe(node)} is no array element with affine indices")

    def is_pointer(self, node: Any) -> bool:
        """Whether an expression is an array, or starts with one."""
        if isinstance(node, self.ast.ID):
            name = str(node.name)
            known = name in self.builder.scope or name in self.builder.sizes
            return bool(self.builder.routine.shapes.get(name)) or not known
        if isinstance(node, self.ast.StructRef):
            return bool(self.builder.routine.shapes.get(self.find_path(node)))
        if isinstance(node, self.ast.BinaryOp) and node.op in ("+", "-"):
            return self.is_pointer(node.left) or (node.op == "+" and self.is_pointer(node.right))
        return isinstance(node, self.ast.UnaryOp) and node.op == "*" and self.is_pointer(node.expr)

    def find_path(self, node: Any) -> str:
        """``a.b.c`` of members of a structure that is held by value; '' for other expressions."""
        if isinstance(node, self.ast.StructRef):
            inside = self.find_path(node.name)
            return f"{inside}.{node.field.name}" if inside else ""
        return str(node.name) if isinstance(node, self.ast.ID) else ""
