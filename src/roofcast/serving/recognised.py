"""What a JSON file of the serving world is, and the command that goes on from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roofcast.core.errors import InputError
from roofcast.serving.measured_runs import MOST_BYTES, name_format, parse_json


def name_serving_file(path: Path) -> str:
    """A sentence with the next command, FILE in the place of the file; '' of any other file."""
    if path.stat().st_size > MOST_BYTES:
        return ""
    try:
        content = parse_json(path)
    except InputError:
        return ""
    run = name_format(content)
    if run:
        return f"a run of a serving engine ({run}); with its model's config.json:\n" \
            "  roofcast llm config.json --measured FILE --from GPU --to B200"  # fmt: skip
    if isinstance(content, list) and content and isinstance(content[0], Mapping) and "frame" in content[0]:
        return "a profile of Triton's Proton, sums without launches or shapes; profile the same run:\n" \
            "  roofcast measure profile -- python run.py"  # fmt: skip
    if not isinstance(content, Mapping):
        return ""
    if isinstance(content.get("benchmarks"), list) and "devices" in content:
        return "results of nvbench, times without counters; profile the same benchmark, which it repeats by itself:\n" \
            "  roofcast measure profile -- ./benchmark --profile"  # fmt: skip
    inner = content.get("text_config")
    fields = {*content, *(inner if isinstance(inner, Mapping) else ())}
    if fields & {"num_hidden_layers", "n_layer"} and fields & {"hidden_size", "n_embd"}:
        return "the config of a language model; under traffic on other GPUs:\n  roofcast llm FILE --to B200"
    return ""
