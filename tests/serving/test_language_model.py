"""Configs of public models: parameters and cache as their cards state, and refusals in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roofcast.core.errors import InputError
from roofcast.serving.language_model import parse_config, read_model

LLAMA = {
    "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
    "intermediate_size": 14336, "vocab_size": 128256,
}  # fmt: skip
DEEPSEEK = {
    "num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128, "intermediate_size": 18432,
    "vocab_size": 129280, "n_routed_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
    "n_shared_experts": 1, "first_k_dense_replace": 3, "q_lora_rank": 1536, "kv_lora_rank": 512,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
}  # fmt: skip
QWEN = {
    "num_hidden_layers": 94, "hidden_size": 4096, "num_attention_heads": 64, "num_key_value_heads": 4,
    "head_dim": 128, "intermediate_size": 12288, "vocab_size": 151936, "num_experts": 128, "num_experts_per_tok": 8,
    "moe_intermediate_size": 1536,
}  # fmt: skip


@pytest.mark.parametrize(
    ("config", "billions", "active"), [(LLAMA, 8.03, 7.5), (DEEPSEEK, 671.0, 36.6), (QWEN, 235.1, 21.6)]
)
def test_parameters_are_those_of_the_model_card(config: dict[str, Any], billions: float, active: float) -> None:
    model = parse_config(config, "m")
    assert model.parameters / 1e9 == pytest.approx(billions, rel=0.002)
    assert model.active_parameters / 1e9 == pytest.approx(active, rel=0.01)


def test_latents_take_one_vector_per_layer_and_windows_their_tokens() -> None:
    assert parse_config(DEEPSEEK, "m").kv_bytes_per_token() == 61 * (512 + 64) * 2
    kinds = ["sliding_attention", "full_attention"] * 16
    model = parse_config(LLAMA | {"sliding_window": 128, "layer_types": kinds}, "m")
    assert (model.windowed_layers, model.full_layers) == (16, 16)
    assert model.kv_bytes(10_000) == (16 * 10_000 + 16 * 128) * 2 * 8 * 128 * 2
    assert model.kv_bytes(64) == parse_config(LLAMA, "m").kv_bytes(64)


def test_linear_layers_keep_a_state_whatever_the_length() -> None:
    linear = {"full_attention_interval": 4, "linear_num_value_heads": 32, "linear_num_key_heads": 16,
              "linear_key_head_dim": 128, "linear_value_head_dim": 128}  # fmt: skip
    model = parse_config(LLAMA | linear, "m")
    assert (model.linear_layers, model.full_layers) == (24, 8)
    grown = model.kv_bytes(2000) - model.kv_bytes(1000)
    assert grown == 8 * 1000 * model.kv_bytes_of_layer()
    assert model.kv_bytes(1) > 24 * 32 * 128 * 128 * 4


@pytest.mark.parametrize(
    ("quantised", "weights", "kv"),
    [
        ({"quant_method": "fp8"}, "fp8", "bf16"),
        ({"quant_method": "awq", "bits": 4}, "int4", "bf16"),
        ({"quant_method": "mxfp4"}, "fp4", "bf16"),
        ({"quant_method": "modelopt", "kv_cache_quant_algo": "FP8"}, "fp8", "fp8"),
        ({"quant_method": "compressed-tensors",
          "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "int"}}}}, "int8", "bf16"),
    ],
)  # fmt: skip
def test_quantisation_is_read(quantised: dict[str, Any], weights: str, kv: str) -> None:
    model = parse_config(LLAMA | {"quantization_config": quantised}, "m")
    assert (model.weights, model.kv) == (weights, kv)


def test_an_unknown_quantisation_is_said_and_a_text_config_is_found() -> None:
    odd = parse_config(LLAMA | {"quantization_config": {"quant_method": "xyz"}}, "m")
    assert "xyz" in odd.notes[0]
    assert parse_config({"text_config": LLAMA, "model_type": "some_vl"}, "m").layers == 32


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_hidden_layers": None}, "num_hidden_layers is missing"),
        ({"hidden_size": "wide"}, "hidden_size is 'wide'"),
        ({"num_key_value_heads": 5}, "no multiple"),
        ({"num_attention_heads": 0}, "above 0"),
        ({"num_hidden_layers": -3}, "not a number"),
    ],
)
def test_what_is_wrong_is_one_line(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({k: v for k, v in (LLAMA | change).items() if v is not None}))
    with pytest.raises(InputError, match=said) as caught:
        read_model(path)
    assert "\n" not in str(caught.value)


def test_files_that_are_no_config(tmp_path: Path) -> None:
    for content in ("", "[1]", "{", '"x"'):
        path = tmp_path / "config.json"
        path.write_text(content)
        with pytest.raises(InputError):
            read_model(path)
    with pytest.raises(InputError, match="no such file"):
        read_model(tmp_path / "absent")
