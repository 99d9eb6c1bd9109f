"""What this machine's host takes per operator of PyTorch in eager mode: small steps whose arithmetic is nothing."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from roofcast.operators.recorded_operators import read_operators
from roofcast.torch.recording import import_torch, record

BLOCKS, WIDTH, ROWS = 12, 16, 4
"""Blocks of two products, a norm, an activation and a sum; their width and rows: too small to take time."""
WARM, STEPS = 3, 60


@dataclass(frozen=True)
class HostTime:
    """The host per operator."""

    what: str
    """Inference or training."""
    device: str
    """``cuda`` where launches are in it, ``cpu`` where they come on top."""
    operators: float
    us: float
    """Median over the steps."""
    low_us: float
    high_us: float
    """10 and 90 % of them."""


def measure_host() -> list[HostTime]:
    r"""Microseconds of the host per operator, in inference and, where there is a GPU, in training.

    .. math:: h = \mathrm{median}_i \frac{t_i}{n}

    t_i : s from the first call of a step to the return of its last. n : operators of the step that launch kernels, as
    :func:`roofcast.torch.record` counts them. Reason: PyTorch on a GPU returns as soon as a kernel is in the queue; of
    small tensors on the CPU the arithmetic is nothing beside Python and dispatch, but no launch is in it.

    Raises
    ------
    MissingExtraError : PyTorch is not installed.
    """
    torch = import_torch()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    times_of_steps = []
    # Without a GPU PyTorch's optimisers take other operators than those that are recorded.
    for what, train in (("inference", False), ("training", True))[: 2 if device == "cuda" else 1]:
        model = make_model(torch)
        listed = record(model, (ROWS, WIDTH), train=train)
        operators = read_operators(json.dumps(listed)).operators
        step = make_step(torch, model.to(device), torch.randn(ROWS, WIDTH, device=device), train=train)
        times = time_steps(step, torch.cuda.synchronize if device == "cuda" else None)
        low, *_, high = statistics.quantiles(times, n=10)
        per_operator = [1e6 * t / operators for t in (statistics.median(times), low, high)]
        times_of_steps.append(HostTime(what, device, operators, *per_operator))
    return times_of_steps


def make_model(torch: Any) -> Any:
    """Blocks as transformers have them, without their arithmetic."""
    nn = torch.nn

    class Block(torch.nn.Module):  # type: ignore[misc]  # of a package that may be absent
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.up, self.act, self.down = (
                nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH)
            )  # fmt: skip

        def forward(self, x: Any) -> Any:
            return x + self.down(self.act(self.up(self.norm(x))))

    return nn.Sequential(*(Block() for _ in range(BLOCKS)))


def make_step(torch: Any, model: Any, x: Any, *, train: bool) -> Callable[[], None]:
    """One step, as :func:`roofcast.torch.record` has it."""
    if not train:

        def infer() -> None:
            with torch.no_grad():
                model(x)

        return infer
    optimizer = torch.optim.AdamW(model.parameters())

    def learn() -> None:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    return learn


def time_steps(step: Callable[[], None], wait: Callable[[], None] | None) -> list[float]:
    """S of steps one by one. wait : until the device is idle, between them."""
    seconds = []
    for i in range(WARM + STEPS):
        if wait is not None:
            wait()
        begun = time.perf_counter()
        step()
        if i >= WARM:
            seconds.append(time.perf_counter() - begun)
    return seconds
