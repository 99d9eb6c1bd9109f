"""Make docs/notebooks/forecast.ipynb: `python tools/example_notebook.py` writes and executes it."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "notebooks" / "forecast.ipynb"
CELLS = [
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


def made() -> nbformat.NotebookNode:
    """The notebook without outputs."""
    new = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    cells = [new[kind](text, id=f"cell-{n}") for n, (kind, text) in enumerate(CELLS)]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": spec}, "cells": cells})


def executed(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook with its outputs, without times and machine details."""
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.metadata.pop("language_info", None)
    return notebook


if __name__ == "__main__":
    NOTEBOOK.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(executed(made()), NOTEBOOK)
    sys.stdout.write(f"wrote {NOTEBOOK.relative_to(ROOT)}\n")
