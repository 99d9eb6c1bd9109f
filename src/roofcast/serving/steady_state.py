r"""What requests see of an engine in steady state, in closed form: continuous batching, chunked prefill, Little's law.

.. math:: T_{tpot} = T(b) + h + \gamma \frac{(b - 1) P}{o}, \qquad
    T_{ttft} = e \, (h_0 + s P \, (1 + a (b - 1))), \qquad b = r \, (T_{ttft} + (o - 1) T_{tpot})

T_tpot : s per token after the first, mean. T_ttft : s to the first token, mean. b : requests in flight in one
replica, stated or by Little's law from r : requests/s of it. T(b) : s of a step of b sequences that are half through
their output (:func:`roofcast.serving.batch_step.time_steps`). P : s of one prompt alone on the device. o : tokens out.
h : s of host and scheduler per step. gamma : 1, share of other requests' prompts that stands in the way of one's
tokens. h_0 : s of front end, tokenizer and the step under way. s, a : 1, what a prompt takes over its operators, and
how many of the other requests' prompts come before it (clients that start together and stay in step). e : 1, the
engine's own level, where it is named: how early it takes a prompt.

Reason: in steady state every request in flight is replaced by the next one, so that b - 1 prompts are computed while
one request makes o tokens. J. Little, Operations Research 9 (1961) 383, doi:10.1287/opre.9.3.383.

Taught by: ``roofcast evaluate serving`` (1,173 runs of vLLM, SGLang and TensorRT-LLM, H100 and H200, seven families of
models); families left out, the constants move within h 1 to 2 ms, gamma 0.5 to 0.7, h_0 80 to 100 ms, s 1.75 to 2,
a 0.04 to 0.05.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from roofcast.core.records import dataclass


@dataclass(frozen=True)
class EngineConstants:
    """What an engine adds to its operators."""

    host_s: float = 1.5e-3
    """h: s per step."""
    prompt_share: float = 0.7
    """gamma: 1."""
    front_s: float = 0.1
    """h_0: s."""
    prompt_factor: float = 2.0
    """s: 1."""
    before: float = 0.04
    """a: 1."""
    first_level: float = 1.0
    """e: 1."""


ENGINE = EngineConstants()


@dataclass(frozen=True)
class EngineClass:
    """What is particular to an engine: its time to the first token. Those per token differ by less than runs do."""

    first_level: float
    """e: 1; the mean over families of the median, drawn to 1 as if one more family had it."""
    ways: tuple[float, float]
    """As :data:`TTFT_WAYS`, of levels that the run's family did not teach."""


ENGINES = {
    "vllm": EngineClass(0.70, (0.54, 0.54)), "sglang": EngineClass(1.54, (0.60, 1.33)),
    "trtllm": EngineClass(0.99, (0.60, 1.07)),
}  # fmt: skip
"""Named, TTFT errs by a typical factor of 1.48 in place of 1.61, family left out (vLLM 1.34 for 1.63, SGLang 1.81 for
2.12). The widths are of all families, and hold 90 %; set by an engine's other families they hold 84 % (vLLM 89,
TensorRT-LLM 84, SGLang 80)."""
TPOT_WAYS, TTFT_WAYS = (0.55, 0.42), (0.75, 1.40)
"""How far below and above the forecast 90 % of the runs lie, as logarithms, with constants that their family did not
teach. The widths themselves are of all families: set without a family, they hold 88 % (TPOT) and 83 % (TTFT) of it."""
TPOT_CARRIED, TTFT_CARRIED = 0.16, 0.30
"""The same to either side from a run of the same model, engine and load on another GPU: 43 loads on H100 and H200, all
of one model and one engine (Llama-3.1-70B, vLLM), which need 0.08 and 0.19; wider here, since other models never
judged it and the same load on another day differs by 1.07 in the typical case, by 1.5 in one of ten."""
MOST_IN_FLIGHT = 1e6
"""Requests at once beyond which a rate is above all that the deployment serves."""


def tpot_s(step_s: float, prompt_s: float, in_flight: float, output: float, engine: EngineConstants = ENGINE) -> float:
    """T_tpot. step_s : T(b). prompt_s : P. in_flight : b. output : o.

    >>> round(tpot_s(5e-3, 20e-3, 64, 1024), 5)   # 5 ms + 1.5 ms + 0.7 x 63 x 20 ms / 1,024
    0.00736
    """
    return step_s + engine.host_s + engine.prompt_share * max(in_flight - 1.0, 0.0) * prompt_s / max(output, 1.0)


def ttft_s(prompt_s: float, in_flight: float, engine: EngineConstants = ENGINE) -> float:
    """T_ttft. prompt_s : P. in_flight : b.

    >>> round(ttft_s(20e-3, 1), 3), round(ttft_s(20e-3, 64), 3)
    (0.14, 0.241)
    """
    before = 1.0 + engine.before * max(in_flight - 1.0, 0.0)
    return engine.first_level * (engine.front_s + engine.prompt_factor * prompt_s * before)


def find_in_flight(rate_per_s: float, latency_s: Callable[[float], float], most: float = MOST_IN_FLIGHT) -> float:
    """B by Little's law: least b with b = r x latency(b); inf where no load up to ``most`` keeps up.

    >>> round(find_in_flight(2.0, lambda b: 3.0 + 0.1 * b), 2)
    7.5
    """
    low, high = 0.0, 1.0
    while rate_per_s * latency_s(high) > high:
        low, high = high, high * 2.0
        if high > most:
            return math.inf
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rate_per_s * latency_s(middle) > middle else (low, middle)
    return high
