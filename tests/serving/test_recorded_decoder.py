"""Language models from recorded operators: the same shapes as in a config.json, and what is none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roofcast.core.errors import InputError
from roofcast.serving.language_model import parse_config, read_model
from serving.test_language_model import DEEPSEEK, LLAMA


def operator(name: str, *shapes: tuple[int, ...], out: tuple[int, ...], count: int = 1) -> dict[str, Any]:
    return {"name": f"aten::{name}", "shapes": [list(s) for s in shapes], "outputs": [list(out)], "count": count}


def record_of(config: dict[str, Any], *, fused: bool = False) -> dict[str, Any]:
    """The products of one forward pass of a decoder, as its attention and MLP run them."""
    layers, h, heads, kv = (config[k] for k in ("num_hidden_layers", "hidden_size", "num_attention_heads",
                                                "num_key_value_heads"))  # fmt: skip
    size, width, words, n = h // heads, config["intermediate_size"], config["vocab_size"], 64

    def product(k: int, out: int, count: int) -> dict[str, Any]:
        return operator("mm", (n, k), (k, out), out=(n, out), count=count)

    made = [operator("embedding", (words, h), (1, n), out=(1, n, h)),
            operator("_scaled_dot_product_flash_attention", (1, heads, n, size), (1, kv, n, size), (1, kv, n, size),
                     out=(1, heads, n, size), count=layers)]  # fmt: skip
    if fused:
        made += [product(h, (heads + 2 * kv) * size, layers), product(h, 2 * width, layers)]
    else:
        made += [product(h, h, layers), product(h, kv * size, 2 * layers), product(h, width, 2 * layers)]
    made += [product(h, h, layers), product(width, h, layers), product(h, words, 1)]
    return {"roofcast_operators": 1, "what": "Llama", "train": False, "precision": "bf16", "operators": made}


@pytest.mark.parametrize("fused", [False, True])
def test_recorded_shapes_are_those_of_the_config(tmp_path: Path, fused: bool) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(record_of(LLAMA, fused=fused)))
    found, stated = read_model(path), parse_config(LLAMA, "Llama")
    assert found.notes
    assert replace(found, notes=(), most_positions=0) == replace(stated, notes=(), most_positions=0)


def test_what_is_no_decoder_is_refused_in_one_line(tmp_path: Path) -> None:
    whole = record_of(LLAMA)
    strange = {**whole, "operators": [*whole["operators"], operator("mm", (64, 77), (77, 99), out=(64, 99))]}
    blind = {**whole, "operators": whole["operators"][2:]}
    for content in (strange, blind, {**whole, "train": True}, {**whole, "operators": [{}]}, {**whole, "operators": 3}):
        path = tmp_path / "model.json"
        path.write_text(json.dumps(content))
        with pytest.raises(InputError) as error:
            read_model(path)
        assert "\n" not in str(error.value)
    assert DEEPSEEK["n_routed_experts"] > 0
