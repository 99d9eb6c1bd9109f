"""The question `llm`: a language model under traffic on GPUs that nobody has to own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from roofcast.core.display import View
from roofcast.kit.asked import Ask, Found, make_view

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.serving.show import ServingAnswer


@dataclass(frozen=True, repr=False)
class ServingFound(Found):
    """Deployments of a language model, best first; a row per candidate."""

    kind = "llm"
    found: ServingAnswer

    @property
    def total(self) -> float:
        """Output tokens/s of the best candidate; NaN where none fits."""
        return self.found.best.tokens_per_s

    def shown(self) -> View:
        """The view of deployments."""
        return view_serving()


def llm(
    model: str | Path, to: str | Processor | Sequence[str | Processor], *, gpus: int | None = None,
    tp: int | str = "auto", pp: int | str = "auto", ep: int | str = "auto", dp: int | str = "auto",
    input: float = 1024, output: float = 1024, concurrency: float | None = None,  # noqa: A002
    rate: str | float | None = None, weights: str | None = None, kv: str | None = None,
    ttft: str | float | None = None, tpot: str | float | None = None, max_num_seqs: int = 1024,
    max_num_batched_tokens: int = 8192, gpu_memory_utilization: float = 0.9, measured: str | Path | None = None,
    source: str | Processor | None = None, prices: str | None = None, requests: int = 0, seed: int = 0,
    engine: str | None = None, traffic: str | Path | None = None, network: str | float | None = None,
) -> ServingFound:  # fmt: skip
    """Forecast a language model under traffic: TTFT, TPOT, tokens/s, memory and cost, a row per candidate, best first.

    model : a Hugging Face config.json or its folder, or a forward pass that roofcast.torch recorded. gpus : in all
    (default: 1, 2, 4 and 8). tp, pp, ep, dp : the plan.
    input, output : tokens of a request. concurrency : requests in flight (default: 64), or rate : ``"5/s"``. weights,
    kv : precisions. ttft, tpot : limits, ``"500ms"``. measured : a benchmark's JSON of this model on ``source``.
    prices : a TOML file, or ``"public"``. requests : replayed for percentiles, drawn by ``seed``.
    engine : ``"vllm"``, ``"sglang"`` or ``"trtllm"``, which narrows the time to the first token.
    traffic : a CSV or JSON lines with the lengths of requests, and their arrivals: all are replayed; or the mean
    lengths of a benchmark of MLPerf, ``"mlperf:llama2-70b"``.
    network : what the way between GPUs gives each of them beyond its own links, ``"50GB/s"``, or their node.
    """
    from roofcast.serving.serving_question import ServingQuestion, ask_serving

    return ServingFound(ask_serving(ServingQuestion(
        str(model), to, gpus, tp, pp, ep, dp, input, output, concurrency, rate, weights, kv, ttft, tpot, max_num_seqs,
        max_num_batched_tokens, gpu_memory_utilization, None if measured is None else str(measured), source, prices,
        requests, seed, engine,
        None if traffic is None else str(traffic), network,
    )))  # fmt: skip


def view_serving() -> View:
    """How an answer about a language model shows itself."""
    from roofcast.kit.output import Picture
    from roofcast.serving import show

    return make_view(
        show.render_answer, show.record_answer, "deployments", show.tabulate_deployments, show.serving_page,
        lambda a: Picture(partial(show.draw_front, a.deployments)), state=show.state_deployment,
    )  # fmt: skip


ASK = Ask(
    name="llm",
    run=llm,
    view=view_serving,
    examples=(
        "roofcast llm config.json --to B200",
        'roofcast llm config.json --to "H100,H200,B200" --input 2048 --output 256 --rate 5/s --ttft 500ms --tpot 30ms',
        "roofcast llm config.json --to B200 --gpus 8 --tp 8 --weights fp8 --concurrency 128 --requests 10000",
        "roofcast llm config.json --to H200 --measured vllm_bench.json --from H100",
        "roofcast llm config.json --to H200 --traffic requests.csv   # input_tokens, output_tokens, arrival_s",
        'roofcast llm config.json --to "H100,H200,B200" --prices public -o candidates.csv',
    ),
)
"""The question, in every door."""
