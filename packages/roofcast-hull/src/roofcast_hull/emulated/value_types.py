"""Types of C and CUDA as an emulated thread holds them: sizes, members, and the resource that computes in them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roofcast.core.resource import Resource
from roofcast_hull.source.c_declarations import name_structure
from roofcast_hull.spelled.c_spelling import PACKED


@dataclass(frozen=True, slots=True)
class Type:
    """A type of values or of elements."""

    name: str
    size: int
    """Bytes."""
    real: bool = False
    signed: bool = True
    members: tuple[tuple[str, Type, int, tuple[int, ...]], ...] = ()
    """Of a structure: name, type, offset in bytes, and sizes where it is an array."""
    points: Type | None = None
    """What a pointer leads to."""

    @property
    def unit(self) -> int:
        """Bytes of the smallest scalar inside."""
        return min((t.unit for _, t, _, _ in self.members), default=self.size)

    packed: int = 0
    """Bytes at whose multiples members begin at most, as a packed structure says; 0 for others."""

    @property
    def alignment(self) -> int:
        """Bytes at whose multiples it begins in a structure: its largest scalar, a short vector its whole size."""
        if self.name in VECTORS and self.size in (2, 4, 8, 16, 32):
            return min(16, self.size)
        largest = max((t.alignment for _, t, _, _ in self.members), default=self.size)
        return min(largest, self.packed or largest)

    @property
    def is_packed(self) -> bool:
        """Whether scalars may lie elsewhere than at multiples of their size."""
        return bool(self.packed) or any(t.is_packed for _, t, _, _ in self.members)

    @property
    def leaves(self) -> dict[str, tuple[int, int]]:
        """Scalars of a structure, those of structures inside it too: their offset, and bytes, by their names."""
        leaves: dict[str, tuple[int, int]] = {}
        for name, inner, at, dims in self.members:
            if inner.members and not dims:
                leaves |= {f"{name}.{leaf}": (at + start, size) for leaf, (start, size) in inner.leaves.items()}
            else:
                leaves[name] = at, inner.size * math.prod(dims)
        return leaves

    @property
    def computes(self) -> Resource:
        """What executes operations of this type."""
        return Resource.FLOPS_FP64 if self.size >= 8 else Resource.FLOPS_FP16 if self.size == 2 else Resource.FLOPS_FP32


FLOAT, DOUBLE, HALF = Type("float", 4, True), Type("double", 8, True), Type("half", 2, True)
LONG_DOUBLE = Type("long double", 16, True)
INT, UINT, LONG, ULONG = (
    Type("int", 4),
    Type("unsigned int", 4, signed=False),
    Type("long", 8),
    Type("unsigned long", 8, signed=False),
)
CHAR, UCHAR, SHORT, USHORT = (
    Type("char", 1),
    Type("unsigned char", 1, signed=False),
    Type("short", 2),
    Type("unsigned short", 2, signed=False),
)
VOID = Type("void", 1)
SCALARS: dict[str, Type] = {
    "float": FLOAT, "double": DOUBLE, "half": HALF, "__half": HALF, "_Float16": HALF, "__nv_bfloat16": HALF,
    "nv_bfloat16": HALF, "bfloat16": HALF, "int": INT, "int32_t": INT, "unsigned": UINT, "uint": UINT,
    "uint32_t": UINT, "long": LONG, "int64_t": LONG, "ssize_t": LONG, "ptrdiff_t": LONG, "intptr_t": LONG,
    "size_t": ULONG, "uint64_t": ULONG, "ulong": ULONG, "uintptr_t": ULONG, "char": CHAR, "int8_t": CHAR,
    "uchar": UCHAR, "uint8_t": UCHAR, "bool": UCHAR, "_Bool": UCHAR, "short": SHORT, "int16_t": SHORT,
    "uint16_t": USHORT, "ushort": USHORT, "void": VOID,
}  # fmt: skip
DYNAMIC = Type("auto", 4)
"""A type that only the value says: of ``auto``, and of a template's parameter."""
PAIRS = {"half2": HALF, "__half2": HALF, "__nv_bfloat162": HALF, "nv_bfloat162": HALF}
KINDS = {
    "char": CHAR, "uchar": UCHAR, "short": SHORT, "ushort": USHORT, "int": INT, "uint": UINT, "long": LONG,
    "ulong": ULONG, "longlong": LONG, "ulonglong": ULONG, "float": FLOAT, "double": DOUBLE,
}  # fmt: skip


def make_vector(name: str, single: Type, count: int) -> Type:
    """``float4`` and its like."""
    return Type(
        name, single.size * count, members=tuple((m, single, k * single.size, ()) for k, m in enumerate("xyzw"[:count]))
    )


VECTORS: dict[str, Type] = {
    **{f"{k}{n}": make_vector(f"{k}{n}", t, n) for k, t in KINDS.items() for n in (1, 2, 3, 4)},
    **{name: make_vector(name, t, 2) for name, t in PAIRS.items()},
    "dim3": make_vector("dim3", UINT, 3),
}


def share_word(word: Sequence[tuple[str, Type, int]]) -> list[tuple[str, Type, tuple[int, ...]]]:
    """Members of one word as whole numbers of their own that are together as large; the first of them if these cannot.

    >>> [t.size for _, t, _ in share_word([("a", UINT, 20), ("b", UINT, 12)])]
    [2, 2]
    """
    whole = word[0][1]
    size = whole.size >> max(0, len(word) - 1).bit_length()
    narrow = {1: UCHAR, 2: USHORT, 4: UINT, 8: ULONG}.get(size)
    if narrow is None:
        # More members than bytes: each would be a word.
        return [(name, whole, ()) for name, *_ in word]
    several: list[tuple[str, Type, tuple[int, ...]]] = [(name, narrow, ()) for name, *_ in word]
    # What is left of the word has a place, too.
    rest = [(f"{word[0][0]}__rest{k}", narrow, ()) for k in range(whole.size // size - len(several))]
    return [*several, *rest]


class Types:
    """The types of one file."""

    def __init__(self, tree: Any) -> None:
        self.named: dict[str, Type] = {}
        self.enumerated: dict[str, int] = {}
        for item in tree.ext:
            kind = type(item).__name__
            if kind in ("Typedef", "Decl"):
                self.learn(item)

    def learn(self, item: Any) -> None:
        """A definition of the file: a structure, an enumeration, another name."""
        inner = item.type
        while type(inner).__name__ in ("ArrayDecl", "PtrDecl"):
            inner = inner.type
        held: Any = getattr(inner, "type", None) if type(inner).__name__ == "TypeDecl" else inner
        if type(held).__name__ == "Struct" and held.decls:
            laid_out = self.lay_out(str(held.name or item.name), held.decls)
            if held.name:
                self.named[f"struct {held.name}"] = laid_out
            if type(item).__name__ == "Typedef" and item.name not in VECTORS:
                self.named[str(item.name)] = laid_out
            return
        if type(held).__name__ == "Struct" and held.name and type(item).__name__ == "Decl":
            # Without members: what can only be called.
            self.named.setdefault(f"struct {held.name}", Type(str(held.name), 1, members=(("", UCHAR, 0, ()),)))
            return
        if type(held).__name__ == "Enum":
            self.enumerate_names(held)
            return
        if type(item).__name__ == "Typedef" and type(item.type).__name__ == "TypeDecl":
            name = str(item.name)
            words = list(getattr(held, "names", None) or ())
            structure = self.named.get(name_structure(held))
            if structure is not None:
                self.named[name] = structure
            elif name not in SCALARS and name not in VECTORS and words and words != ["int"]:
                self.named[name] = self.of_words(words)

    def enumerate_names(self, held: Any) -> None:
        """Names of an enumeration."""
        following = 0
        for entry in getattr(held.values, "enumerators", None) or ():
            if entry.value is not None and type(entry.value).__name__ == "Constant":
                following = int(str(entry.value.value).rstrip("uUlL"), 0)
            self.enumerated[str(entry.name)] = following
            following += 1

    def lay_out(self, name: str, declarations: Any) -> Type:
        """A structure: members at multiples of their alignment, or of what a packed one says."""
        members, at, largest = [], 0, 1
        marks = [str(d.name) for d in declarations if str(d.name).startswith(PACKED)]
        packed = int(marks[-1].removeprefix(PACKED)) if marks else 0
        for item, kind, dims in self.list_members([d for d in declarations if str(d.name) not in marks]):
            step = min(kind.alignment, packed or kind.alignment)
            largest = max(largest, step)
            at = -(-at // step) * step
            members.append((item, kind, at, dims))
            at += kind.size * math.prod(dims)
        return Type(name, max(1, -(-at // largest) * largest), members=tuple(members), packed=packed)

    def list_members(self, declarations: Sequence[Any]) -> list[tuple[str, Type, tuple[int, ...]]]:
        """Name, type and sizes of the members of a structure.

        Bits that share a word are parts of it: each a whole number of its own, as large as fits.
        """
        members, word = list[tuple[str, Type, tuple[int, ...]]](), list[tuple[str, Type, int]]()
        for item in [*declarations, None]:
            inner: Any = getattr(item, "type", None)
            dims, pointed = list[int](), False
            while type(inner).__name__ in ("ArrayDecl", "PtrDecl"):
                if type(inner).__name__ == "PtrDecl":
                    pointed = True
                elif type(inner.dim).__name__ == "Constant":
                    dims.append(int(str(inner.dim.value).rstrip("uUlL"), 0))
                inner = inner.type
            kind = self.of(inner) if item is not None else VOID
            kind = Type(f"{kind.name} *", 8, points=kind) if pointed else kind
            width = getattr(getattr(item, "bitsize", None), "value", None)
            bits = int(str(width).rstrip("uUlL"), 0) if width is not None else 0
            full = bool(word) and (not bits or word[0][1] != kind or sum(b for *_, b in word) + bits > 8 * kind.size)
            if full:
                members += share_word(word)
                word = []
            if bits:
                word.append((str(item.name), kind, bits))
            elif item is not None:
                members.append((str(item.name), kind, tuple(dims)))
        return members

    def of(self, node: Any) -> Type:
        """The type that a declaration ends in."""
        held = getattr(node, "type", node)
        if type(held).__name__ == "Struct" and held.decls:
            return self.lay_out(str(held.name or ""), held.decls)
        if type(held).__name__ == "Struct":
            return self.named.get(f"struct {held.name}", DYNAMIC)
        if type(held).__name__ == "Enum":
            return INT
        return self.of_words(list(getattr(held, "names", None) or ()))

    def of_words(self, words: list[str]) -> Type:
        """The type of a declaration's words; :data:`DYNAMIC` where the file does not say it."""
        if "double" in words:
            return LONG_DOUBLE if "long" in words else DOUBLE
        for word in words:
            if word in self.named:
                return self.named[word]
            if word in VECTORS:
                return VECTORS[word]
        unsigned = "unsigned" in words
        for word in ("float", "char", "short", "long"):
            if word in words:
                scalar = SCALARS[word]
                return SCALARS[f"u{word}"] if unsigned and word != "float" else scalar
        for word in words:
            if word in SCALARS:
                return UINT if unsigned and SCALARS[word] is INT else SCALARS[word]
        return DYNAMIC


def find_common(one: Type, two: Type) -> Type:
    """The type that C computes two operands in."""
    if one is DYNAMIC or two is DYNAMIC:
        return two if one is DYNAMIC else one
    if one.real or two.real:
        return two if two.real and (not one.real or two.size > one.size) else one
    largest = max(one.size, two.size, 4)
    unsigned = (not one.signed and one.size == largest) or (not two.signed and two.size == largest)
    return COMMON[largest, unsigned]


COMMON = {(4, False): INT, (4, True): UINT, (8, False): LONG, (8, True): ULONG}
"""(bytes, whether one of the largest is unsigned) -> the type of whole numbers that C computes them in."""


Sizes = Mapping[str, int]
