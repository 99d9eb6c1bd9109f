"""Types of C++ as declarations of C: records laid flat, templates by a name of their own, references as values."""

from __future__ import annotations

import re
from typing import Any

from roofcast_hull.spelled.c_spelling import PACKED
from roofcast_hull.spelled.parsed_file import DECLARATIONS

VECTOR = re.compile(r"u?(?:char|short|int|long|longlong|float|double)[1234]")
KEPT = frozenset({"dim3", "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162"})
"""Records that the readers know by name."""
RESERVED_WORDS = """auto break case char const continue default do double else enum extern float for goto if inline int
    long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    half uint uchar ushort ulong real_t scalar_t complex complex_t bool size_t"""
RESERVED = frozenset(RESERVED_WORDS.split())
MOST_PADDED = 256
"""Bytes of a record up to which its end is filled up."""
MOST_RECORDS = 400
"""Structures that templates may make of a file."""
POINTED = 24
"""Pointers of pointers that are followed."""


class NotPlainError(Exception):
    """What has no plain form here; the text says what."""


class Names:
    """One name of C for each entity of the file."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}
        self.taken: set[str] = set(RESERVED)

    def name(self, key: str, wanted: str) -> str:
        """The name of an entity; the one wanted where no other has it."""
        name = self.given.get(key)
        if name is None:
            # What a user calls `kernel_` is asked for by that name.
            plain = wanted if wanted.isidentifier() else re.sub(r"\W+", "_", wanted).strip("_") or "unnamed"
            plain = plain if not plain[0].isdigit() else f"v_{plain}"
            name, count = plain, 1
            while name in self.taken:
                count += 1
                name = f"{plain}_{count}"
            self.taken.add(name)
            self.given[key] = name
        return name


class Records:
    """Types as C writes them, and the definitions of the records among them."""

    def __init__(self, names: Names, kinds: Any, types: Any) -> None:
        self.names, self.kinds, self.types = names, kinds, types
        self.definitions: list[str] = []
        self.written: dict[str, str] = {}
        self.closures: dict[str, list[tuple[str, Any, bool]]] = {}
        """USR of a lambda's record -> name, type, and whether by reference, of what it captures."""

    def declare(self, kind: Any, name: str, dims: list[str] | None = None) -> str:
        """A declaration of a name. dims : sizes as written, where the type is an array."""
        kind = self.bare(kind)
        sizes: list[str] = []
        while kind.kind in (self.types.CONSTANTARRAY, self.types.INCOMPLETEARRAY):
            size = str(kind.element_count) if kind.kind == self.types.CONSTANTARRAY else ""
            sizes.append(size)
            kind = kind.element_type.get_canonical()
        if dims is not None and len(dims) == len(sizes):
            sizes = dims
        if kind.kind in (self.types.FUNCTIONPROTO, self.types.FUNCTIONNOPROTO):
            return f"void *{name}"
        stars, restrict, inner_dims = "", False, list[str]()
        for _ in range(POINTED):
            if kind.kind != self.types.POINTER:
                break
            restrict = restrict or kind.is_restrict_qualified()
            stars += "*"
            kind = self.bare(kind.get_pointee())
            while kind.kind in (self.types.CONSTANTARRAY, self.types.INCOMPLETEARRAY):
                inner_dims.append(str(max(0, kind.element_count)) if kind.kind == self.types.CONSTANTARRAY else "")
                kind = kind.element_type.get_canonical()
            if kind.kind in (self.types.FUNCTIONPROTO, self.types.FUNCTIONNOPROTO):
                return f"void {stars}{name}"
        base = self.base(kind)
        const = "const " if stars and kind.is_const_qualified() else ""
        held = f"{stars}{' __restrict__' if restrict else ''}{' ' if stars and restrict else ''}{name}"
        if inner_dims:
            held = f"({held}){''.join(f'[{d}]' for d in inner_dims)}"
        return f"{const}{base} {held}{''.join(f'[{d}]' for d in sizes)}".rstrip()

    def bare(self, kind: Any) -> Any:
        """A type without names and references."""
        kind = kind.get_canonical()
        if kind.kind in (self.types.LVALUEREFERENCE, self.types.RVALUEREFERENCE):
            kind = kind.get_pointee().get_canonical()
        return kind

    def is_reference(self, kind: Any) -> bool:
        """Whether a type is a reference."""
        return kind.get_canonical().kind in (self.types.LVALUEREFERENCE, self.types.RVALUEREFERENCE)

    def is_record(self, kind: Any) -> bool:
        """Whether a type is a structure of its own, no scalar of 16 bits."""
        kind = self.bare(kind)
        return kind.kind == self.types.RECORD and kind.get_declaration().spelling not in ("__half", "__nv_bfloat16")

    def base(self, kind: Any) -> str:
        """The type at the end of pointers and arrays."""
        if kind.kind == self.types.RECORD:
            return self.record(kind)
        if kind.kind == self.types.ENUM:
            whole = kind.get_declaration().enum_type.get_canonical()
            # The compiler's own choice of 4 bytes, with a sign or without, computes as int.
            return "int" if whole.get_size() in (-1, 4) else self.base(whole)
        if kind.kind == self.types.NULLPTR:
            return "void *"
        text = re.sub(r"\b(?:const|volatile|restrict|__restrict)\b", "", kind.spelling).strip()
        text = {"_Bool": "bool", "std::nullptr_t": "void *", "signed char": "char"}.get(text, text)
        if not re.fullmatch(r"[A-Za-z_][\w ]*\*?\s*", text):
            raise NotPlainError(f"the type '{text[:60]}'")
        return re.sub(r"\s+", " ", text)

    def record(self, kind: Any) -> str:
        """The name of a record, which is defined where it was not before."""
        node = kind.get_declaration()
        spelling = node.spelling
        is_shipped = node.location.file is not None and node.location.file.name == DECLARATIONS
        if is_shipped and (spelling in KEPT or VECTOR.fullmatch(spelling)) and "::" not in kind.spelling:
            return str(spelling)
        key = node.get_usr() or f"{node.location.offset}"
        if key in self.written:
            return self.written[key]
        if len(self.written) > MOST_RECORDS:
            raise NotPlainError(f"more than {MOST_RECORDS} types")
        wanted = re.sub(r"\(lambda[^)]*\)", "closure", re.sub(r"\b\w+::", "", kind.spelling.replace("const ", "")))
        name = self.names.name(key, wanted if len(wanted) < 60 else spelling)
        self.written[key] = name
        if node.get_definition() is None:
            self.written[key] = "void"
            return "void"
        parts = [f"{self.declare(t, f'*{n}' if self.is_reference(t) else n)};" for n, t in self.fields(node)]
        parts += [f"int padding_{k};" for k in range(self.count_padding(node))]
        fields = [] if node.get_usr() in self.closures else [f.type.get_align() for f in node.type.get_fields()]
        if fields and 0 < node.type.get_align() < max(fields):
            parts.append(f"char {PACKED}{node.type.get_align()};")
        word = "union" if node.kind == self.kinds.UNION_DECL else "struct"
        held = " ".join(parts) or "char empty_;"
        self.definitions.append(f"{word} {name} {{ {held} }}; typedef {word} {name} {name};")
        return name

    def count_padding(self, node: Any) -> int:
        """Words of 4 bytes at the end of a record that its own alignment adds: ``struct __align__(16) P``."""
        fields = [] if node.kind == self.kinds.UNION_DECL else list(node.type.get_fields())
        ends = [f.get_field_offsetof() // 8 + f.type.get_size() for f in fields]
        if node.get_usr() in self.closures or not ends or min(ends) < 0:
            return 0
        align = max(f.type.get_align() for f in fields)
        size = -(-max(ends) // align) * align
        return int(max(0, min(node.type.get_size(), MOST_PADDED) - size) // 4)

    def fields(self, node: Any) -> list[tuple[str, Any]]:
        """Name and type of the members of a record, those of its bases first."""
        key = node.get_usr()
        if key in self.closures:
            return [(n, t) for n, t, _ in self.closures[key]]
        members: list[tuple[str, Any]] = []
        for child in node.get_children():
            if child.kind == self.kinds.CXX_BASE_SPECIFIER:
                members += self.fields(child.type.get_canonical().get_declaration())
        for child in node.type.get_fields():
            if child.spelling:
                members.append((self.member(child.spelling), child.type))
            else:
                # A structure or union without a name: its members are the record's.
                inner = child.type.get_canonical().get_declaration()
                members += self.fields(inner)
        return members

    def member(self, name: str) -> str:
        """The name of a member: no word of C."""
        return f"{name}_" if name in RESERVED else str(name)
