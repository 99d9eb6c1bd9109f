"""A model on GPUs where it never ran: its operators are recorded on the CPU, and forecast from their shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roofcast.core.processor import Processor
from roofcast.operators.execution_traces import is_execution_trace
from roofcast.operators.recorded_operators import FORMAT
from roofcast.reports.unmeasured_models import UnmeasuredSteps, forecast_recorded


def forecast(
    model: Any, inputs: Any = None, *, to: str | Processor | Sequence[str | Processor], train: bool = False,
    precision: str = "fp32", optimizer: str = "AdamW", host_us: float | None = None, mode: str = "eager",
) -> UnmeasuredSteps:  # fmt: skip
    """Forecast one step of a model on GPUs, without any GPU: a row per distinct operator and GPU.

    model : an ``nn.Module``, a function that returns one (with its inputs) or does a step, or a list of operators that
        :func:`roofcast.torch.record` made, or an execution trace (Chakra; their JSON too): they need no PyTorch.
    inputs, train, precision, optimizer : see :func:`roofcast.torch.record`.
    host_us : microseconds of the host per operator, of the machine beside the GPU: a step that
        waits for the host, over its operators; without it the step's interval holds the hosts that were measured, 14 to
        76.
    mode : ``eager``; ``compile``, what ``torch.compile`` makes of it, by a stated estimate; ``graph``, one CUDA graph.
    to : GPUs, in every form that :func:`roofcast.forecast` takes.

    Raises
    ------
    RoofcastError : whatever the caller can mend, in one line.
    """
    if not is_list(model):
        from roofcast.torch.recording import record

        model = record(model, inputs, train=train, precision=precision, optimizer=optimizer)
    return forecast_recorded(model, to, host_us=host_us, mode=mode)


def is_list(model: Any) -> bool:
    """Return whether operators are recorded already."""
    if isinstance(model, Mapping):
        return FORMAT in model or is_execution_trace(model)
    return isinstance(model, (str, bytes))
