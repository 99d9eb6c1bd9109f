"""The question `llm`: a language model under traffic on GPUs that nobody has to own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from roofcast.core.records import dataclass
from roofcast.kit.asked import Ask, Option
from roofcast.kit.returned import Found, View
from roofcast.serving.steady_state import ENGINES

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.serving.show import ServingAnswer


@dataclass(frozen=True, repr=False, eq=False)
class ServingFound(Found["ServingAnswer"]):
    """Deployments of a language model, best first; a row per candidate."""

    kind = "llm"

    @property
    def total(self) -> float:
        """Output tokens/s of the best candidate; NaN where none fits."""
        return self.found.best.tokens_per_s

    def shown(self) -> View[ServingAnswer]:
        """How an answer about a language model shows itself."""
        from roofcast.kit.output import Picture, dump_json
        from roofcast.serving import show

        return View(
            show.render_answer, show.record_answer, show.tabulate_deployments, show.serving_page,
            lambda a: Picture(partial(show.draw_front, a.deployments)), key="deployments", state=show.state_deployment,
            texts={"vllm": lambda a: dump_json(show.record_vllm(a))},
        )  # fmt: skip


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
    """Forecast a language model under traffic: TTFT, TPOT, tokens/s, memory, cost.

    The model is the config.json of Hugging Face, or its folder. -o FILE.svg draws tokens/s per GPU against tokens/s
    per user; --format vllm writes the best candidate as vLLM's benchmark does.

    gpus : GPUs in all (default: 1, 2, 4 and 8).
    tp : GPUs that share every layer (default: auto).
    pp : Stages of layers (default: auto).
    ep : GPUs that experts are spread over: tp, or tp x dp (default: auto).
    dp : Replicas; with --ep tp x dp they share the experts (default: auto).
    input : Tokens of a prompt (default: 1024).
    output : Tokens of an answer (default: 1024; a file is -o FILE).
    concurrency : Requests in flight (default: 64).
    rate : Requests per second, in place of --concurrency.
    weights : bf16, fp8, int8, fp4, int4 (default: as the config says).
    kv : Type of the KV cache: bf16, fp8 (default: as the config says).
    ttft : Limit of the time to the first token, e.g. 500ms.
    tpot : Limit of the time per token after it, e.g. 30ms.
    max_num_seqs : The engine's setting, per replica (default: 1024).
    max_num_batched_tokens : The engine's setting (default: 8192).
    gpu_memory_utilization : The engine's setting (default: 0.9).
    measured : A run of this model on a GPU, as vLLM bench, SGLang bench, AIPerf, llama-bench, InferenceX or MLPerf
        wrote it; or a trace of its decode steps, with --concurrency.
    prices : Rents of the GPUs, for dollars per million tokens.
    requests : Replay N requests through the best candidate of each GPU, for percentiles.
    seed : Of the replay's arrivals (default: 0).
    engine : The engine, which narrows the time to the first token.
    traffic : Requests to replay: CSV or JSON lines with input_tokens, output_tokens, arrival_s; or the mean lengths of
        a benchmark, mlperf:llama2-70b.
    network : What the way between GPUs gives each beyond its own links, or their node, 'DGX H100'.

    A row per candidate, best first. In Python the model may also be a forward pass that roofcast.torch recorded.
    """
    from roofcast.serving.serving_question import ServingQuestion, ask_serving

    return ServingFound(ask_serving(ServingQuestion(
        str(model), to, gpus, tp, pp, ep, dp, input, output, concurrency, rate, weights, kv, ttft, tpot, max_num_seqs,
        max_num_batched_tokens, gpu_memory_utilization, None if measured is None else str(measured), source, prices,
        requests, seed, engine,
        None if traffic is None else str(traffic), network,
    )))  # fmt: skip


ASK = Ask(
    name="llm",
    run=llm,
    options={
        "model": Option("CONFIG.json|FOLDER", kind="file", argument=True),
        "gpus": Option("N", kind="count"),
        **dict.fromkeys(("tp", "pp", "ep", "dp"), Option("N|auto")),
        **dict.fromkeys(("input", "output"), Option("N", kind="number")),
        "concurrency": Option("N", kind="number"),
        "rate": Option("N/s"),
        **dict.fromkeys(("weights", "kv"), Option("TYPE")),
        **dict.fromkeys(("ttft", "tpot"), Option("TIME")),
        **dict.fromkeys(("max_num_seqs", "max_num_batched_tokens"), Option("N", kind="count")),
        "gpu_memory_utilization": Option("SHARE", kind="number"),
        "measured": Option("FILE", kind="path"),
        "prices": Option("FILE.toml|public"),
        **dict.fromkeys(("requests", "seed"), Option("N", kind="count")),
        "engine": Option(choices=tuple(ENGINES)),
        "traffic": Option("FILE|mlperf:NAME"),
        "network": Option("50GB/s"),
    },
    formats=("table", "json", "csv", "parquet", "html", "vllm", "svg", "png", "pdf"),
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
