"""C structures: the members that a declaration gives them."""

from __future__ import annotations

from typing import Any


def structure_name(kind: Any) -> str:
    """What declarations call a structure: ``struct P``, or the name of its type; '' for other types."""
    if type(kind).__name__ == "Struct":
        return f"struct {kind.name}"
    return " ".join(getattr(kind, "names", None) or ())


def structure_of(item: Any) -> dict[str, tuple[Any, ...]]:
    """Members of the structure that a declaration of the file makes, by each name that it has."""
    kind: Any = item.type if type(getattr(item, "type", None)).__name__ == "Struct" else None
    if type(item).__name__ == "Typedef":
        kind = getattr(item.type, "type", None)
    if type(kind).__name__ != "Struct":
        return {}
    found = {f"struct {kind.name}": tuple(kind.decls)} if kind.decls else {}
    return found | ({str(item.name): tuple(kind.decls)} if kind.decls and item.name else {})
