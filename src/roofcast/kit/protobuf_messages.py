"""Messages of protobuf from field numbers, without a compiled schema: protobuf's own parser reads what is declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Field = tuple[int, str]
"""Number and type: a scalar type of protobuf or the name of a message; ``*`` in front of the type: repeated."""
Messages = dict[str, dict[str, Field]]
"""Name of a message -> its fields."""

OPTIONAL, REPEATED, MESSAGE = 1, 3, 11
SCALARS = {
    "double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed64": 6, "fixed32": 7, "bool": 8, "string": 9,
    "bytes": 12, "uint32": 13, "enum": 14, "sfixed32": 15, "sfixed64": 16, "sint32": 17, "sint64": 18,
}  # fmt: skip
"""Numbers of labels and types in ``descriptor.proto``, which describes what a ``.proto`` file declares."""


def build_classes(package: str, messages: Messages, oneof: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Message name -> class, built in a descriptor pool of its own (protobuf's C parser does the work).

    oneof : messages of which exactly one field is set -> the name under which to ask which.

    >>> point = build_classes("example", {"Point": {"x": (1, "double")}})["Point"]
    >>> point.FromString(point(x=2.5).SerializeToString()).x
    2.5
    """
    from google.protobuf import descriptor_pool, message_factory

    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(describe(package, messages, oneof or {}))
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}")) for name in messages}


def describe(package: str, messages: Messages, oneof: Mapping[str, str]) -> bytes:
    """The FileDescriptorProto of some messages, serialised: protobuf's own class for it takes longer to load than this.

    Arguments as of :func:`build_classes`.
    """

    def field(name: str, number: int, declared: str, chosen: bool) -> bytes:
        kind = declared.lstrip("*")
        parts: list[tuple[int, str | int | bytes]] = [
            (1, name), (3, number), (4, REPEATED if declared.startswith("*") else OPTIONAL)
        ]  # fmt: skip
        parts += [(5, MESSAGE), (6, f".{package}.{kind}")] if kind in messages else [(5, SCALARS[kind])]
        return serialise([*parts, (9, 0)] if chosen else parts)

    def message(name: str, fields: Mapping[str, Field]) -> bytes:
        members = [(2, field(label, *given, name in oneof)) for label, given in fields.items()]
        groups = [(8, serialise([(1, oneof[name])]))] if name in oneof else []
        return serialise([(1, name), *members, *groups])

    described = [(4, message(name, fields)) for name, fields in messages.items()]
    return serialise([(1, f"{package}.proto"), (2, package), *described, (12, "proto2")])


def serialise(parts: Iterable[tuple[int, str | int | bytes]]) -> bytes:
    r"""Numbered fields as protobuf writes them: numbers below 2^63, texts, and what is serialised already.

    >>> serialise([(1, 300), (2, "ab")])
    b'\x08\xac\x02\x12\x02ab'
    """
    serialised = bytearray()
    for number, value in parts:
        if isinstance(value, int):
            serialised += write_varint(number << 3) + write_varint(value)
        else:
            raw = value.encode() if isinstance(value, str) else value
            serialised += write_varint(number << 3 | 2) + write_varint(len(raw)) + raw
    return bytes(serialised)


def write_varint(value: int) -> bytes:
    """A number of variable length: seven bits a byte, the lowest first, the top bit where more follow."""
    low = bytearray()
    while value > 127:
        low.append(value & 127 | 128)
        value >>= 7
    return bytes([*low, value])
