"""What a training step is made of where a model was recorded: its memory, and what plans cut and exchange.

From a list that :func:`roofcast.torch.record` made with ``train=True``; nothing of it was measured.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from roofcast.core.errors import InputError
from roofcast.core.precision import ELEMENT_BYTES, stated_precision
from roofcast.core.records import dataclass
from roofcast.operators.chakra_files import SUFFIX, read_chakra
from roofcast.operators.execution_traces import is_execution_trace, list_executed
from roofcast.operators.recorded_operators import FORMAT

ATTENTION = ("scaled_dot_product", "flash_attention", "efficient_attention")
"""What names of attention's operators hold."""
HEAD = 4096
"""Bytes of a file in which a list of operators says that it is one."""
MOST_BYTES = 1 << 30
"""B of a recorded model's file: what is larger was recorded by nothing."""


@dataclass(frozen=True)
class TrainingModel:
    """Bytes of one replica of a model in training, and its layers."""

    weights: float = math.nan
    """B of parameters (with buffers)."""
    gradients: float = math.nan
    optimizer: float = math.nan
    activations: float = math.nan
    """B that the backward pass needs, of the recorded batch."""
    layers: int = 0
    """Layers with attention; 0 where none was recorded."""
    sequences: int = 0
    """Samples of the recorded batch, as attention saw them; 0 unknown."""
    heads: int = 0
    hidden_bytes: float = 0.0
    """B of what a layer hands to the next: tokens times width, of the recorded batch."""
    experts: float = 0.0
    """B of the weights of experts."""
    expert_layers: int = 0
    routed_bytes: float = 0.0
    """B that a layer of experts sends: tokens times experts of a token times width."""

    @property
    def is_known(self) -> bool:
        """Whether the memory of a step is known."""
        return not math.isnan(self.weights + self.gradients + self.optimizer + self.activations)


def find_record(given: Any) -> Mapping[str, Any] | None:
    """A list of recorded operators: itself, or the file that holds it; None where it is something else."""
    if isinstance(given, Mapping):
        return list_executed(given, FORMAT) if is_execution_trace(given) else given if FORMAT in given else None
    if not isinstance(given, (str, Path)) or not Path(given).is_file():
        return None
    path = Path(given)
    if path.suffix.lower() == SUFFIX:
        return list_executed(read_chakra(check_size(path)), FORMAT)
    with path.open("rb") as file:
        head = file.read(HEAD)
        if FORMAT.encode() not in head and not (b'"schema"' in head and b'"nodes"' in head):
            return None
    try:
        content = json.loads(check_size(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path.name} is no list of operators: it is damaged") from error
    return find_record(content) if isinstance(content, Mapping) else None


def check_size(path: Path) -> Path:
    """The path of a file that is no larger than lists of operators are."""
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"{path.name} is larger than any list of operators")
    return path


def read_training_model(record: Mapping[str, Any]) -> TrainingModel:
    """What plans need of a record.

    Raises
    ------
    InputError : the record is of a forward pass alone, or holds no memory.
    """
    held = record.get("memory")
    if record.get("train") and "exchange_bytes" in record:
        # An execution trace: what ranks added up is known, what a GPU held is not.
        held = dict.fromkeys(("parameters", "gradients", "optimizer", "activations"), math.nan)
        held["gradients"] = float(record["exchange_bytes"]) or math.nan
    if not record.get("train") or not isinstance(held, Mapping):
        raise InputError("plans need a training step with its memory: roofcast.torch.record(model, inputs, train=True)")
    try:
        weights, gradients, optimizer, activations = (
            float(held[k]) for k in ("parameters", "gradients", "optimizer", "activations")
        )
        experts = float(record.get("experts") or 0.0)
        forward = [o for o in record["operators"] if "backward" not in str(o["name"])]
        attention = [o for o in forward if any(a in str(o["name"]) for a in ATTENTION)]
        layers = round(sum(float(o.get("count", 1)) for o in attention))
        shape: tuple[int, ...] = ()
        heads, hidden, width = 0, 0.0, 0
        if attention:
            shape = tuple(int(d) for d in attention[0]["outputs"][0])
            kind = stated_precision(str(attention[0]["output_types"][0]))
            size = ELEMENT_BYTES.get(kind or "", 2.0)
            # (batch, heads, tokens, width of a head)
            heads, hidden, width = shape[1], math.prod(shape) * size, shape[1] * shape[-1]
        routed, expert_layers = read_routing(forward, width, hidden / max(math.prod(shape), 1))
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise InputError("the list of operators is damaged: memory or shapes of attention are none") from error
    sizes = (weights, gradients, optimizer, activations, experts)
    if any(s < 0 or s == math.inf for s in sizes) or experts > weights:
        raise InputError("the list of operators is damaged: its memory is no number of bytes")
    return TrainingModel(
        weights, gradients, optimizer, activations, layers, shape[0] if shape else 0, heads, hidden, experts,
        expert_layers if experts else 0, routed,
    )  # fmt: skip


def read_routing(forward: Sequence[Mapping[str, Any]], width: int, size: float) -> tuple[float, int]:
    """B that a layer of experts sends, and how many such layers: each picks the experts of its tokens once."""
    picks = [o for o in forward if str(o["name"]).endswith("topk")]
    if not picks:
        return 0.0, 0
    tokens, experts = (int(d) for d in picks[0]["outputs"][0][-2:])
    return tokens * experts * width * size, round(sum(float(o.get("count", 1)) for o in picks))
