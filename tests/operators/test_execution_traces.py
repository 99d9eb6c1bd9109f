"""Execution traces: which nodes are operators that launch something, and what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import roofcast
from roofcast.core.errors import RoofcastError
from roofcast.operators.execution_traces import list_executed
from roofcast.operators.recorded_operators import FORMAT

GPU = [1, 0, 0, 0, 4, "cuda:0"]


def node(number: int, name: str, parent: int, inputs: Any = (), outputs: Any = (), **attrs: Any) -> dict[str, Any]:
    """A node; inputs and outputs are (shape, type) of tensors, or texts."""

    def side(parts: Any) -> dict[str, Any]:
        tensors = [p for p in parts if isinstance(p, tuple)]
        return {
            "values": [GPU if isinstance(p, tuple) else p for p in parts],
            "shapes": [p[0] if isinstance(p, tuple) else [] for p in parts],
            "types": [f"Tensor({p[1]})" if isinstance(p, tuple) else "Int" for p in parts],
            "strides": [[] for _ in tensors],
        }

    return {
        "id": number, "name": name, "ctrl_deps": parent, "inputs": side(inputs), "outputs": side(outputs),
        "attrs": [{"name": k, "value": v} for k, v in attrs.items()],
    }  # fmt: skip


BF16 = "c10::BFloat16"
X, W, Y = ([4096, 512], BF16), ([512, 2048], BF16), ([4096, 2048], BF16)
Q = ([16, 8, 256, 64], BF16)
STEP = [
    node(1, "[pytorch|profiler|execution_trace|process]", 1),
    node(2, "aten::linear", 1, [X, W], [Y]),
    node(3, "aten::t", 2, [W], [W]),
    node(4, "aten::mm", 2, [X, W], [Y]),
    node(5, "aten::scaled_dot_product_attention", 1, [Q, Q, Q], [Q]),
    node(6, "aten::_scaled_dot_product_flash_attention", 5, [Q, Q, Q, 0], [Q]),
    node(7, "aten::_flash_attention_forward", 6, [Q, Q, Q], [Q]),
    node(8, "autograd::engine::evaluate_function: MmBackward0", 1),
    node(9, "aten::mm", 8, [X, W], [Y]),
    node(10, "record_param_comms", 1, collective_name="allreduce", in_msg_nelems=1 << 20, dtype="BFloat16", pg_size=8),
]
TRACE = {"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": STEP}


def test_innermost_operators_are_counted_once() -> None:
    record = list_executed(TRACE, FORMAT)
    assert [(o["name"], o["count"]) for o in record["operators"]] == [
        ("aten::mm", 2),
        ("aten::_scaled_dot_product_flash_attention", 1),
    ]
    assert record["operators"][0]["shapes"] == [X[0], W[0]]
    assert record["operators"][0]["types"] == ["BFloat16", "BFloat16"]
    assert record["exchange_bytes"] == 2 << 20
    assert record["train"] is True


def test_what_ran_on_the_cpu_beside_a_gpu_is_left_out() -> None:
    cpu = node(11, "aten::add", 1, [([10], "float")], [([10], "float")])
    for side in ("inputs", "outputs"):
        cpu[side]["values"] = [[1, 0, 0, 0, 4, "cpu"]]
    assert len(list_executed({**TRACE, "nodes": [*STEP, cpu]}, FORMAT)["operators"]) == 2


def test_a_step_of_an_execution_trace_is_forecast_and_scaled(tmp_path: Path) -> None:
    path = tmp_path / "rank0.json"
    path.write_text(json.dumps(TRACE))
    alone = roofcast.torch.forecast(TRACE, to="H100 SXM5 80GB").total
    rows = roofcast.scale(str(path), "H100 SXM5 80GB", "1,8", plan="auto").rows()
    assert rows[0]["step_s"] == pytest.approx(alone.time_s)
    assert (rows[1]["fits"], rows[1]["memory_bytes"]) == (None, None)
    assert rows[1]["samples_per_s"] == pytest.approx(rows[1]["samples_per_s"])
    silent = {**TRACE, "nodes": STEP[:-1]}
    with pytest.raises(RoofcastError, match="--gradients"):
        roofcast.scale(silent, "H100 SXM5 80GB", 8, plan="dp 8")
    assert roofcast.scale(silent, "H100 SXM5 80GB", 8, plan="dp 8", gradients="2MB").rows()


DAMAGED = {"id": 1, "name": "aten::mm", "inputs": {"shapes": [["x"]], "types": ["Tensor(a)"]}}


@pytest.mark.parametrize("nodes", [[], [DAMAGED], [{}]])
def test_damaged_traces_are_refused_in_one_line(nodes: list[Any]) -> None:
    with pytest.raises(RoofcastError) as error:
        list_executed({"schema": "1", "nodes": nodes}, FORMAT)
    assert "\n" not in str(error.value)
