"""Messages of protobuf, declared by us."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import descriptor_pb2

from roofcast.ingest.ncu import container
from roofcast.kit.protobuf_messages import REPEATED, SCALARS, describe
from roofcast.operators import chakra_files


@pytest.mark.parametrize(
    ("messages", "oneof"), [(container.MESSAGES, container.ONEOF), (chakra_files.MESSAGES, {})], ids=["ncu", "chakra"]
)
def test_a_description_is_what_protobuf_writes(messages: Any, oneof: Any) -> None:
    serialised = describe("example", messages, oneof)
    described = descriptor_pb2.FileDescriptorProto.FromString(serialised)
    assert described.SerializeToString() == serialised
    assert {m.name: {f.name: f.number for f in m.field} for m in described.message_type} == {
        name: {label: number for label, (number, _) in fields.items()} for name, fields in messages.items()
    }
    assert {m.name: m.oneof_decl[0].name for m in described.message_type if m.oneof_decl} == oneof


def test_numbers_of_types_are_protobufs() -> None:
    field = descriptor_pb2.FieldDescriptorProto
    assert {name: getattr(field, f"TYPE_{name.upper()}") for name in SCALARS} == SCALARS
    assert field.LABEL_REPEATED == REPEATED
