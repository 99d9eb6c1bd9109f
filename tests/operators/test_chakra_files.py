"""Execution traces of Chakra: the same operators as in PyTorch's own JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contracts.doors import run
from operators.test_execution_traces import STEP
from roofcast.core.errors import RoofcastError
from roofcast.operators.chakra_files import message_classes, read_chakra
from roofcast.operators.execution_traces import list_executed
from roofcast.operators.recorded_operators import FORMAT


def framed(message: Any) -> bytes:
    content: bytes = message.SerializeToString()
    length = b""
    n = len(content)
    while n >= 0x80:
        length += bytes([n & 0x7F | 0x80])
        n >>= 7
    return length + bytes([n]) + content


def written(nodes: list[dict[str, Any]]) -> bytes:
    classes = message_classes()
    found = framed(classes["Metadata"](version=b"0.0.4"))
    for node in nodes:
        made = classes["Node"](id=node["id"], name=node["name"].encode(), ctrl_deps=[node["ctrl_deps"]], type=4)
        for side in ("inputs", "outputs"):
            for part in ("values", "shapes", "types"):
                setattr(getattr(made, side), part, repr(node[side][part]).encode())
        said = {a["name"]: a["value"] for a in node["attrs"]}
        if node["name"] == "record_param_comms":
            made.type = 7
            made.attr.add(name=b"comm_type", int64_val=0)
            made.attr.add(name=b"comm_size", int64_val=int(said["in_msg_nelems"]) * 2)
        found += framed(made)
    return found


def test_both_forms_of_a_trace_hold_the_same_operators(tmp_path: Path) -> None:
    path = tmp_path / "step.et"
    path.write_bytes(written(STEP))
    here = list_executed(read_chakra(path), FORMAT)
    there = list_executed({"schema": "1.1.1", "nodes": STEP}, FORMAT)
    assert here["exchange_bytes"] == there["exchange_bytes"] > 0
    assert [(o["name"], o["shapes"], o["count"]) for o in here["operators"]] == [
        (o["name"], o["shapes"], o["count"]) for o in there["operators"]
    ]
    assert "takes" in run("scale", path, "--to", "H100 SXM", "--plan", "dp 8")
    assert "never ran" in run(path)


def test_any_bytes_are_a_trace_or_one_line(tmp_path: Path) -> None:
    whole = written(STEP)
    path = tmp_path / "step.et"
    for content in (b"", b"\xff" * 40, whole[:-3], b"{}", whole[5:]):
        path.write_bytes(content)
        with pytest.raises(RoofcastError) as error:
            list_executed(read_chakra(path), FORMAT)
        assert "\n" not in str(error.value)
