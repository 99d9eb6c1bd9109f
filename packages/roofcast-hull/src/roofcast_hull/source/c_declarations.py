"""What the declarations of C code say: element types and sizes of arrays, constants, members of structures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from roofcast_hull.source.builder import Builder
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.nest import Affine, SourceError

DEEPEST_MEMBER = 3
"""Structures inside structures that are followed: lists point at themselves."""
ELEMENT_TYPES = {
    "__nv_bfloat16": "bf16", "nv_bfloat16": "bf16", "__hip_bfloat16": "bf16", "__bf16": "bf16",
    "float": "fp32", "double": "fp64", "half": "fp16", "__half": "fp16", "_Float16": "fp16", "char": "int8",
    "int8_t": "int8", "uint8_t": "int8", "uchar": "int8", "bool": "int8", "_Bool": "int8", "short": "int16",
    "int16_t": "int16", "uint16_t": "int16", "ushort": "int16", "int": "int32", "int32_t": "int32",
    "uint32_t": "int32", "uint": "int32", "unsigned": "int32", "long": "int64", "int64_t": "int64",
    "uint64_t": "int64", "size_t": "int64", "ssize_t": "int64", "ptrdiff_t": "int64",
}  # fmt: skip


class Declarations:
    """The declarations of one file and of one of its functions."""

    def __init__(self, builder: Builder, affine: Callable[[Any], Affine]) -> None:
        self.builder = builder
        self.affine = affine
        """Reads sizes and values of constants."""
        self.types: dict[str, str] = {}
        self.rows: dict[str, tuple[int, ...]] = {}
        """Dimensions of types that are arrays."""
        self.structures: dict[str, tuple[Any, ...]] = {}
        self.structured: set[str] = set()
        self.single: set[str] = set()
        """Pointers that lead to one structure: nothing but their members is used, ``a->x[i]``."""

    def read_file(self, tree: Any) -> None:
        """Everything that stands outside of functions."""
        self.structures = collect_structures(tree)
        for item in tree.ext:
            kind = type(item).__name__
            if kind == "Typedef":
                self.define_type(item)
            elif kind == "Decl":
                self.enumerate(item.type)
                self.constant(item)
                self.declare(item)

    def constant(self, item: Any) -> None:
        """Add a constant integer of the file to the sizes."""
        if item.init is not None and type(item.type).__name__ == "TypeDecl" and item.name not in self.builder.sizes:
            try:
                value = self.affine(item.init)
            except SourceError:
                return
            if not value.variables:
                self.builder.sizes[item.name] = value.constant

    def enumerate(self, kind: Any) -> None:
        """Add the names of an enumeration to the sizes."""
        following = 0
        for item in getattr(getattr(kind, "values", None), "enumerators", None) or ():
            if item.value is not None:
                try:
                    following = self.affine(item.value).constant
                except SourceError:
                    return
            self.builder.sizes.setdefault(item.name, following)
            following += 1

    def define_type(self, item: Any) -> None:
        """Remember what a typedef stands for."""
        sizes, kind = self.unwrap(item.type)
        words = getattr(getattr(kind, "type", None), "names", None)
        if type(getattr(kind, "type", None)).__name__ == "Enum":
            words = ["int"]
        if words and item.name not in ELEMENT_TYPES:
            self.types[item.name] = self.element_type(words)
            self.rows[item.name] = sizes

    def unwrap(self, kind: Any) -> tuple[tuple[int, ...], Any]:
        """Dimensions of a declared type, -1 where one is open, and what is left of it: the type of an element."""
        sizes = list[int]()
        while type(kind).__name__ in ("ArrayDecl", "PtrDecl"):
            sizes.append(self.size(kind.dim) if type(kind).__name__ == "ArrayDecl" else -1)
            kind = kind.type
        words = getattr(getattr(kind, "type", None), "names", None) or ()
        return (*sizes, *next((self.rows[w] for w in words if w in self.rows), ())), kind

    def element_type(self, words: list[str]) -> str:
        """Element type of a declaration's words; '' where it is none that settings know."""
        if "long" in words and "double" in words:
            return "fp64"
        for word in words:
            if self.types.get(word):
                return self.types[word]
        if "_Complex" in words:
            raise SourceError("complex numbers of C are not followed: write their parts")
        ranked = [w for w in ("double", "float", "char", "short", "long") if w in words]
        return next((ELEMENT_TYPES[w] for w in (*ranked, *words) if w in ELEMENT_TYPES), "")

    def declare(self, node: Any, outer: str = "", around: tuple[int, ...] = ()) -> None:
        """Remember type and sizes of an array, and those of the members of structures."""
        declared, kind = self.unwrap(node.type)
        sizes = [*around, *declared]
        words = getattr(getattr(kind, "type", None), "names", None)
        element = self.element_type(words) if words else ""
        name = f"{outer}{node.name}"
        if element:
            self.builder.routine.types[name] = element
        if declared and sizes[0] < 0 and self.builder.sizes.get(name, 0) > 0:
            # --size out=1000: nothing in the code says how many elements a pointer leads to.
            sizes[0] = self.builder.sizes[name]
        if sizes:
            self.builder.routine.shapes[name] = tuple(sizes)
        if outer.count(".") < DEEPEST_MEMBER:
            for member in self.structures.get(name_structure(getattr(kind, "type", None)), ()):
                self.structured.add(name)
                self.declare(member, f"{name}.", tuple(sizes) if name not in self.single else ())

    def find_single(self, body: Any) -> None:
        """Remember which pointers a function uses for members alone: what they lead to is no array."""
        through: Counter[str] = Counter()
        everywhere: Counter[str] = Counter()
        for node in walk_nodes(body):
            if type(node).__name__ == "ID":
                everywhere[str(node.name)] += 1
            if type(node).__name__ == "StructRef" and node.type == "->" and type(node.name).__name__ == "ID":
                through[str(node.name.name)] += 1
        self.single = {n for n, times in through.items() if times == everywhere[n]}

    def size(self, node: Any) -> int:
        """A declared dimension; -1 where it is open or no number."""
        if node is None:
            return -1
        try:
            value = self.affine(node)
        except SourceError:
            return -1
        return value.constant if not value.variables and value.constant > 0 else -1


def name_structure(kind: Any) -> str:
    """What declarations call a structure: ``struct P``, or the name of its type; '' for other types."""
    if type(kind).__name__ == "Struct":
        return f"struct {kind.name}"
    return " ".join(getattr(kind, "names", None) or ())


def collect_structures(tree: Any) -> dict[str, tuple[Any, ...]]:
    """Members of the structures of a file, by each name that they have."""
    by_name: dict[str, tuple[Any, ...]] = {}
    for item in tree.ext:
        by_name |= find_members(item)
        plain = type(item).__name__ == "Typedef" and type(item.type).__name__ == "TypeDecl"
        if plain and (members := by_name.get(name_structure(item.type.type))):
            by_name[str(item.name)] = members
    return by_name


def find_members(item: Any) -> dict[str, tuple[Any, ...]]:
    """Members of the structure that a declaration of the file makes, by each name that it has."""
    kind: Any = item.type if type(getattr(item, "type", None)).__name__ == "Struct" else None
    if type(item).__name__ == "Typedef":
        kind = getattr(item.type, "type", None)
    if type(kind).__name__ != "Struct":
        return {}
    by_name = {f"struct {kind.name}": tuple(kind.decls)} if kind.decls else {}
    return by_name | ({str(item.name): tuple(kind.decls)} if kind.decls and item.name else {})
