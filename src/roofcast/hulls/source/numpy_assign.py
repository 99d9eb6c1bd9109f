"""Assignments of whole NumPy arrays as loops over their elements."""

from __future__ import annotations

import ast

from roofcast.core.errors import one_line
from roofcast.hulls.source.builder import Value
from roofcast.hulls.source.nest import Access, Affine, refuse
from roofcast.hulls.source.numpy_code import Arrays
from roofcast.hulls.source.numpy_shapes import is_making
from roofcast.hulls.source.numpy_whole import Reduction, Whole, is_view, narrowed, needed, spread, target_name


class Assignments(Arrays):
    """Writes whole arrays."""

    def assign_whole(self, target: ast.expr, node: ast.expr, line: int) -> None:
        """``c = a + b``, ``c[1:-1] = ...``, ``s = a.sum(axis=1)``."""
        if isinstance(target, ast.Tuple):
            self.unpack(target, node, line)
            return
        if isinstance(target, ast.Name):
            if is_making(node):
                self.make(target.id, node)
            elif (found := self.reduction(node)) is not None:
                self.reduce_into(target.id, found, line)
            elif is_view(node) and (view := self.array(node)) is not None:
                self.shapes[target.id], self.views[target.id] = view.shape, view
            else:
                self.old = target.id
                whole = self.array(node)
                self.old = ""
                if whole is None:
                    raise refuse(line, f"'{one_line(ast.unparse(node), 60)}' cannot be counted")
                self.known(target.id, whole.shape)
                self.write(Whole(whole.shape, lambda at: Value(0, [Access(target.id, tuple(at), line)])), whole, line)
            return
        name = target_name(target)
        self.old = ""
        place = self.array(target) if self.rank(target) else None
        found = self.reduction(node)
        if place is None:
            if found is None or found.shape:
                raise refuse(line, f"an array in place of one element of '{one_line(name, 40)}'")
            self.into_element(target, found, line)
            return
        self.old = name
        if found is not None and name not in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}:
            self.into_slice(place, found, line)
        else:
            whole = self.array(node)
            scalar = self.value(node) if whole is None else Value()
            self.write(place, whole or Whole((), lambda _: Value(scalar.operations, list(scalar.reads))), line)
        self.old = ""

    def into_slice(self, place: Whole, found: Reduction, line: int) -> None:
        """A reduction straight into the elements of a slice."""
        with self.counters(place.shape, line) as outer:
            target = place.at(outer).reads[0]
            self.builder.assign(target, Value(), line, updates=False)
            with self.counters(found.inner, line, len(place.shape)) as inner:
                value = found.at(narrowed(outer, found.shape, place.shape), inner).add(Value(0, [target]))
                self.builder.assign(target, value, line, updates=True, reduces=True)

    def into_element(self, target: ast.expr, found: Reduction, line: int) -> None:
        """A reduction to one element: ``y[i] = a[i] @ x``."""
        place = self.value(target).reads[0]
        self.builder.assign(place, Value(), line, updates=False)
        with self.counters(found.inner, line) as inner:
            value = found.at([], inner).add(Value(0, [place]))
            self.builder.assign(place, value, line, updates=True, reduces=True)
        if found.after:
            self.builder.assign(place, Value(found.after, [place]), line, updates=False)

    def write(self, place: Whole, whole: Whole, line: int, *, operations: int = 0) -> None:
        """The loops of an element-wise assignment."""
        if whole.shape:
            spread([place.shape, whole.shape], line)
        with self.counters(place.shape, line) as at:
            value = whole.at(narrowed(at, whole.shape, place.shape))
            value.operations += operations
            self.builder.assign(place.at(at).reads[0], value, line, updates=False)

    def augment_whole(self, node: ast.AugAssign) -> None:
        """``a += b``."""
        line = node.lineno
        found = self.reduction(node.value)
        if isinstance(node.target, ast.Name) and not self.rank(node.target):
            # A scalar that sums: its own loops.
            if found is None or found.shape:
                raise refuse(line, "an array added to one number")
            target = Access(node.target.id, (), line)
            self.builder.scope.pop(node.target.id, None)
            with self.counters(found.inner, line) as inner:
                value = found.at([], inner).add(Value(0, [target]))
                self.builder.assign(target, value, line, updates=True, reduces=True)
            return
        place = self.array(node.target)
        if place is None:
            raise refuse(line, f"'{one_line(ast.unparse(node), 60)}' cannot be counted")
        self.old = target_name(node.target)
        old = self.array(node.target)
        whole = self.array(node.value)
        scalar = self.value(node.value) if whole is None else Value()
        right = whole or Whole((), lambda _: Value(scalar.operations, list(scalar.reads)))
        both = needed(old, line)
        spread([place.shape, right.shape] if right.shape else [place.shape], line)
        total = Whole(
            place.shape, lambda at: both.at(at).add(right.at(narrowed(at, right.shape, place.shape)), operations=1)
        )  # fmt: skip
        self.old = ""
        self.write(place, total, line)

    def unpack(self, target: ast.Tuple, node: ast.expr, line: int) -> None:
        """``n, m = a.shape``; ``a, b = x, y``."""
        names = [t.id for t in target.elts if isinstance(t, ast.Name)]
        if isinstance(node, ast.Attribute) and node.attr == "shape" and len(names) == len(target.elts):
            whole = self.array(node.value)
            for at, name in enumerate(names):
                label = f"{ast.unparse(node)}[{at}]"
                known = whole is not None and at < len(whole.shape)
                value = Affine((), whole.shape[at]) if known and whole else self.builder.named(label, line)
                self.builder.scope[name] = value
            return
        raise refuse(line, "several values assigned at once: write one assignment each")

    def returned(self, node: ast.expr, line: int) -> None:
        """What a function returns, where that is still to be computed."""
        items = node.elts if isinstance(node, ast.Tuple) else [node]
        for item in items:
            if not is_view(item) and self.has_array(item):
                self.assign_whole(ast.Name("result", ast.Store()), item, line)
