"""`roofcast llm`: a language model under traffic on GPUs that nobody has to own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import click

from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command
from roofcast.serving.ask import ASK, llm
from roofcast.serving.steady_state import ENGINES

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("table", "json", "csv", "parquet", "html", "vllm", "svg", "png", "pdf")


def size_option(name: str, what: str) -> Callable[[F], F]:
    """--tp and its like."""
    return click.option(f"--{name}", default="auto", show_default=True, metavar="N|auto", help=what)


@click.command("llm", epilog=ASK.epilog)
@click.argument("model", metavar="CONFIG.json|FOLDER", shell_complete=completing.complete_file)
@options.target_option
@click.option("--gpus", type=int, metavar="N", help="GPUs in all (default: 1, 2, 4 and 8).")
@size_option("tp", "GPUs that share every layer.")
@size_option("pp", "Stages of layers.")
@size_option("ep", "GPUs that experts are spread over: tp, or tp x dp.")
@size_option("dp", "Replicas; with --ep tp x dp they share the experts.")
@click.option("--input", type=float, default=1024, show_default=True, help="Tokens of a prompt.")
@click.option("--output", type=float, default=1024, show_default=True,
              help="Tokens of an answer (a file is -o FILE).")  # fmt: skip
@click.option("--concurrency", type=float, metavar="N", help="Requests in flight (default: 64).")
@click.option("--rate", metavar="N/s", help="Requests per second, in place of --concurrency.")
@click.option("--weights", metavar="TYPE", help="bf16, fp8, int8, fp4, int4 (default: as the config says).")
@click.option("--kv", metavar="TYPE", help="Type of the KV cache: bf16, fp8 (default: as the config says).")
@click.option("--ttft", metavar="TIME", help="Limit of the time to the first token, e.g. 500ms.")
@click.option("--tpot", metavar="TIME", help="Limit of the time per token after it, e.g. 30ms.")
@click.option("--max-num-seqs", type=int, default=1024, show_default=True, help="The engine's setting, per replica.")
@click.option("--max-num-batched-tokens", type=int, default=8192, show_default=True, help="The engine's setting.")
@click.option("--gpu-memory-utilization", type=float, default=0.9, show_default=True, help="The engine's setting.")
@click.option("--measured", metavar="FILE", type=click.Path(),
              help="A run of this model on a GPU, as vLLM bench, SGLang bench, AIPerf, llama-bench, InferenceX or "
              "MLPerf wrote it; or a trace of its decode steps, with --concurrency.")  # fmt: skip
@options.source_option
@click.option("--prices", metavar="FILE.toml|public", help="Rents of the GPUs, for dollars per million tokens.")
@click.option("--requests", type=int, default=0, metavar="N",
              help="Replay N requests through the best candidate of each GPU, for percentiles.")  # fmt: skip
@click.option(
    "--engine", type=click.Choice(list(ENGINES)), help="The engine, which narrows the time to the first token."
)
@click.option("--traffic", metavar="FILE|mlperf:NAME",
              help="Requests to replay: CSV or JSON lines with input_tokens, output_tokens, arrival_s; or the mean "
              "lengths of a benchmark, mlperf:llama2-70b.")  # fmt: skip
@click.option("--network", metavar="50GB/s",
              help="What the way between GPUs gives each beyond its own links, or their node, 'DGX H100'.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of the replay's arrivals.")
@click.option("--format", "form", type=click.Choice(FORMATS),
              help="Output format (default: by the file name, else table).")  # fmt: skip
@click.option("-o", "--out", "file", metavar="FILE", type=click.Path(), help="Write to a file.")
def command(
    model: str, targets: str, gpus: int | None, tp: str, pp: str, ep: str, dp: str, input: float,  # noqa: A002
    output: float, concurrency: float | None, rate: str | None, weights: str | None, kv: str | None,
    ttft: str | None, tpot: str | None, max_num_seqs: int, max_num_batched_tokens: int, gpu_memory_utilization: float,
    measured: str | None, source: str | None, prices: str | None, requests: int, engine: str | None,
    traffic: str | None, network: str | None, seed: int, form: str | None, file: str | None,
) -> None:  # fmt: skip
    """Forecast a language model under traffic: TTFT, TPOT, tokens/s, memory, cost.

    The model is the config.json of Hugging Face. -o FILE.svg draws tokens/s per GPU against tokens/s per user;
    --format vllm writes the best candidate as vLLM's benchmark does.
    """
    from roofcast.kit.output import Picture, chosen_format, deliver, dump_json, text_width
    from roofcast.kit.page import render_page
    from roofcast.serving import show

    found = llm(
        model, targets, gpus=gpus, tp=tp, pp=pp, ep=ep, dp=dp, input=input, output=output,
        concurrency=concurrency, rate=rate, weights=weights, kv=kv, ttft=ttft, tpot=tpot, max_num_seqs=max_num_seqs,
        max_num_batched_tokens=max_num_batched_tokens, gpu_memory_utilization=gpu_memory_utilization,
        measured=measured, source=source, prices=prices, requests=requests, seed=seed,
        engine=engine, traffic=traffic, network=network,
    )  # fmt: skip
    answer = found.found
    deliver(
        chosen_format(form, file), file,
        {
            "table": lambda: show.render_answer(answer, text_width(file)), "json": found.to_json,
            "html": lambda: render_page(replace(show.serving_page(answer), command=typed_command())),
            "vllm": lambda: dump_json(show.record_vllm(answer)),
        },
        dict.fromkeys(
            ("svg", "png", "pdf"), lambda path: Picture(lambda: show.draw_front(answer.deployments)).save(str(path))
        ),
        rows=lambda: show.tabulate_deployments(answer),
    )  # fmt: skip
