"""Make the notebooks of docs/: `python tools/example_notebook.py [NAME]` writes and executes them."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
FORECAST = [
    (
        "markdown",
        "# A forecast in a notebook\n\nTimes of convolution variants, measured on an RTX 2080 Ti with their counters\n"
        "(`examples/convolution.csv`, sources beside it), forecast for other GPUs.",
    ),
    (
        "code",
        'import roofcast\n\nkernels = roofcast.read("../../examples/convolution.csv")\n'
        'kernels = kernels.select(kernels.strings("gpu") == "RTX 2080 Ti")\nkernels',
    ),
    ("markdown", "`forecast` shows totals and kernels; `to_polars()` gives every number."),
    ("code", 'forecast = roofcast.forecast(kernels, to=["RTX 3090", "H100 SXM5 80GB"])\nforecast'),
    ("code", 'forecast.to_polars().select("launch", "target_gpu", "source_time_s", "time_s", "speedup").head(4)'),
    ("markdown", "Why: from the source's seconds to the target's, cause by cause. The steps add up exactly."),
    ("code", 'steps = forecast.explain(0).of(0, 0)\n{cause.label: f"{1e6 * s:+.1f} us" for cause, s in steps.items()}'),
    (
        "markdown",
        'The hierarchical roofline with kernel-specific ceilings; `.save("roofline.html")` gives an interactive page,\n'
        '`.save("roofline.svg")` a file.',
    ),
    ("code", "forecast.roofline()"),
    ("markdown", "A GPU that does not exist: change one of the catalog."),
    (
        "code",
        'gpu = roofcast.gpu("RTX 3090")\nfaster = gpu.replace(bytes_per_s_dram=1.8e12, name="RTX 3090 with GDDR7")\n'
        "roofcast.forecast(kernels, to=[gpu, faster]).estimate.time_s.sum(axis=0)",
    ),
]
SHAPES = """import json
import os
import tempfile
from pathlib import Path

import roofcast

os.chdir(tempfile.mkdtemp())
Path("config.json").write_text(
    json.dumps(
        {
            "_name_or_path": "Llama-3.1-8B",
            "num_hidden_layers": 32,
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "intermediate_size": 14336,
            "vocab_size": 128256,
            "torch_dtype": "bfloat16",
        }
    )
)
answer = roofcast.llm("config.json", ["L40S", "H100", "B200"], gpus=1, input=1024, output=256, concurrency=32)
answer"""
LOADED = """loaded = roofcast.llm(
    "config.json", "H100", gpus=1, output=256, rate="8/s", ttft="500ms", tpot="30ms", requests=2000, engine="vllm"
)
loaded"""
SEEN = """seen = loaded.found.best.replayed
{
    name: [f"{1e3 * t:.0f} ms" for t in seen.percentiles(times)]
    for name, times in {"TTFT": seen.ttft_s, "TPOT": seen.tpot_s}.items()
}"""
LANGUAGE_MODEL = [
    (
        "markdown",
        "# A language model under traffic\n\nThe facts of a model's `config.json` are enough: here those of "
        "Llama-3.1-8B, written by hand.\nSee [the tutorial](language-model.md) for what the numbers rest on.",
    ),
    ("code", SHAPES),
    ("markdown", "Every number of the best candidate, with its interval, and what a token's time goes into."),
    (
        "code",
        "best = answer.found.best\n"
        'milliseconds = {"TPOT": best.tpot_s, "from": best.tpot_ends[0], "to": best.tpot_ends[1], **best.parts}\n'
        "best.gpu.name, {name: round(1e3 * seconds, 2) for name, seconds in milliseconds.items()}",
    ),
    ("markdown", "Requests per second in place of a concurrency, with limits, and percentiles of replayed requests."),
    ("code", LOADED),
    ("code", SEEN),
    ("markdown", "Tokens/s per GPU against tokens/s per user, all layouts of up to eight GPUs."),
    ("code", 'roofcast.llm("config.json", ["H100", "B200"], output=256, concurrency=64).plot()'),
    (
        "markdown",
        "What it takes to serve two million requests a day: a program of a workload. Prices are made up.",
    ),
    (
        "code",
        'Path("work.toml").write_text("""\n[[programs]]\nname = "assistant"\nmodel = "config.json"\n'
        'engine = "vllm"\nrequests_per_day = 2e6\noutput = 256\nttft = "1 s"\ntpot = "40 ms"\n'
        '[terms]\nyears = 3\nutilisation = 0.6\n""")\n'
        'gpus = ["L40S", "H100 SXM5 80GB"]\n'
        'roofcast.choose("work.toml", prices="L40S=8000,H100=27000,H100=3/h", among=gpus)',
    ),
]
NOTEBOOKS = {
    "forecast": (ROOT / "docs" / "notebooks" / "forecast.ipynb", FORECAST),
    "language-model": (ROOT / "docs" / "tutorials" / "language-model.ipynb", LANGUAGE_MODEL),
}
"""Name -> where it stands, and its cells."""


def made(content: list[tuple[str, str]]) -> nbformat.NotebookNode:
    """The notebook without outputs."""
    new = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    cells = [new[kind](text, id=f"cell-{n}") for n, (kind, text) in enumerate(content)]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": spec}, "cells": cells})


def executed(notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    """The notebook with its outputs, without times and machine details."""
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                output["data"].pop("text/plain", None)  # an address in memory
    notebook.metadata.pop("language_info", None)
    return notebook


if __name__ == "__main__":
    for name in sys.argv[1:] or NOTEBOOKS:
        path, content = NOTEBOOKS[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(executed(made(content), path.parent), path)
        sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
