"""The messages of an Nsight Compute report, as field numbers.

NVIDIA documents the container and ships its message definitions with Nsight Compute; only the fields that roofcast
reads are declared here, so that the parser skips everything else (cubins, source text, rule results, host names).
Text is declared as bytes: a report may hold text that is not UTF-8. Instances of a metric stay raw until asked for.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

Field = tuple[int, str]
"""Number and type: a scalar type of protobuf or the name of a message; ``*`` in front of the type: repeated."""

MESSAGES: dict[str, dict[str, Field]] = {
    "Value": {
        "text": (1, "bytes"),
        "single": (2, "float"),
        "double": (3, "double"),
        "uint32": (4, "uint32"),
        "uint64": (5, "uint64"),
    },
    "Attribute": {"name": (1, "bytes"), "value": (2, "Value")},
    "Device": {"id": (1, "uint64"), "name": (2, "bytes"), "attribute": (3, "*Attribute")},
    "Version": {"key": (1, "bytes"), "value": (2, "bytes")},
    "Options": {"clock_control": (8, "bytes")},
    # Left out on purpose: 3 and 4 (machines), 5, 7 and 9 (program, folder, arguments) tell about persons.
    "Session": {
        "device": (6, "*Device"),
        "version": (8, "*Version"),
        "options": (10, "Options"),
        "command": (11, "bytes"),
    },
    "StringTable": {"text": (1, "*bytes")},
    "BlockHeader": {
        "sources": (1, "uint64"),
        "results": (2, "uint64"),
        "session": (3, "Session"),
        "strings": (4, "StringTable"),
        "payload_bytes": (5, "uint64"),
    },
    "Size": {"x": (1, "uint64"), "y": (2, "uint64"), "z": (3, "uint64")},
    "Metric": {"name": (1, "uint64"), "value": (2, "Value"), "instance": (3, "*bytes")},
    "Instance": {"correlation": (1, "Value"), "value": (2, "Value")},
    "ProfileResult": {
        "mangled": (5, "bytes"),
        "function": (6, "bytes"),
        "demangled": (7, "bytes"),
        "grid": (10, "Size"),
        "block": (11, "Size"),
        "metric": (13, "*Metric"),
        "context": (22, "uint64"),
        "stream": (23, "uint64"),
    },
}
ONEOF = {"Value": "kind"}
"""Messages of which exactly one field is set, and the name under which to ask which."""

PACKAGE = "roofcast.ncu_rep"


def build_classes() -> dict[str, Any]:
    """Message name -> class, built in a descriptor pool of its own (protobuf's C parser does the work)."""
    file = descriptor_pb2.FileDescriptorProto(name="roofcast/ncu_rep.proto", package=PACKAGE, syntax="proto2")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        if name in ONEOF:
            message.oneof_decl.add(name=ONEOF[name])
        for label, (number, declared) in fields.items():
            field = message.field.add(name=label, number=number)
            kind = declared.lstrip("*")
            field.label = field.LABEL_REPEATED if declared.startswith("*") else field.LABEL_OPTIONAL
            if kind in MESSAGES:
                field.type, field.type_name = field.TYPE_MESSAGE, f".{PACKAGE}.{kind}"
            else:
                field.type = getattr(field, f"TYPE_{kind.upper()}")
            if name in ONEOF:
                field.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in MESSAGES}


CLASSES = build_classes()
