"""Messages of protobuf from field numbers, without a compiled schema: protobuf's own parser reads what is declared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Field = tuple[int, str]
"""Number and type: a scalar type of protobuf or the name of a message; ``*`` in front of the type: repeated."""
Messages = dict[str, dict[str, Field]]
"""Name of a message -> its fields."""


def build_classes(package: str, messages: Messages, oneof: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Message name -> class, built in a descriptor pool of its own (protobuf's C parser does the work).

    oneof : messages of which exactly one field is set -> the name under which to ask which.

    >>> point = build_classes("example", {"Point": {"x": (1, "double")}})["Point"]
    >>> point.FromString(point(x=2.5).SerializeToString()).x
    2.5
    """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto2")
    oneof = oneof or {}
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        if name in oneof:
            message.oneof_decl.add(name=oneof[name])
        for label, (number, declared) in fields.items():
            field = message.field.add(name=label, number=number)
            kind = declared.lstrip("*")
            field.label = field.LABEL_REPEATED if declared.startswith("*") else field.LABEL_OPTIONAL
            if kind in messages:
                field.type, field.type_name = field.TYPE_MESSAGE, f".{package}.{kind}"
            else:
                field.type = getattr(field, f"TYPE_{kind.upper()}")
            if name in oneof:
                field.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}")) for name in messages}
