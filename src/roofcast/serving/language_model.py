r"""What a Hugging Face ``config.json`` says of a language model: parameters, bytes of KV cache, products per layer.

.. math:: V_{kv} = L_{full} \, e \, \begin{cases} 2 \, h_{kv} \, d & \text{grouped queries} \\
    r_{kv} + d_{rope} & \text{latent attention (MLA)} \end{cases}

V_kv : B per token. L_full : layers that keep all tokens; layers with a window keep at most its tokens, layers with
linear attention a state of constant size. e : B of a cached value. h_kv : KV heads. d : head size. r_kv : rank of the
latent. d_rope : its rotary part.

Reason: the shapes of all weights follow from the config, and with them what a step reads and multiplies. Sources:
J. Ainslie et al., arXiv:2305.13245 (grouped queries); DeepSeek-AI, arXiv:2405.04434 (latent attention, shared experts);
S. Yang et al., arXiv:2412.06464 (gated delta rule).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from roofcast.core.errors import InputError, one_line
from roofcast.core.records import dataclass
from roofcast.operators.recorded_operators import FORMAT
from roofcast.serving.recorded_decoder import SHARED, read_decoder

CONFIG = "config.json"
WEIGHT_BYTES: Mapping[str, float] = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5625, "int4": 0.53125}
"""Bytes of a weight with its scales: FP4 in blocks of 16 with one byte, INT4 in groups of 128 with four."""
KV_BYTES: Mapping[str, float] = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0}
METHODS = {
    "fp8": "fp8", "fbgemm_fp8": "fp8", "modelopt": "fp8", "gptq": "int4", "awq": "int4", "mxfp4": "fp4", "nvfp4": "fp4",
    "modelopt_fp4": "fp4", "bitsandbytes": "int4",
}  # fmt: skip
"""``quant_method`` of a config -> precision of the weights."""


@dataclass(frozen=True)
class LanguageModel:
    """Shapes of a decoder. Unknown parts are refused when read; nothing here is assumed but what ``notes`` say."""

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int
    intermediate: int
    """Width of a dense layer's MLP; 0 where all layers have experts."""
    gated: bool = True
    """MLP of three matrices (gate, up, down), not two."""
    tied: bool = False
    """Whether embedding and output share their weights."""
    experts: int = 0
    experts_per_token: int = 0
    expert_intermediate: int = 0
    shared_intermediate: int = 0
    """Width of all shared experts of a layer."""
    dense_layers: int = 0
    """Layers without experts, of a model with experts."""
    query_rank: int = 0
    latent_rank: int = 0
    """Above 0: latent attention (MLA)."""
    rope_size: int = 0
    value_size: int = 0
    window: int = 0
    windowed_layers: int = 0
    linear_layers: int = 0
    linear_key_heads: int = 0
    linear_value_heads: int = 0
    linear_key_size: int = 0
    linear_value_size: int = 0
    gated_attention: bool = False
    """Queries come with a gate of their own size (``attn_output_gate``)."""
    weights: str = "bf16"
    """Precision of the weights as stored."""
    kv: str = "bf16"
    most_positions: int = 0
    notes: tuple[str, ...] = ()

    @property
    def is_latent(self) -> bool:
        """Whether its KV cache is a latent (MLA)."""
        return self.latent_rank > 0

    @property
    def full_layers(self) -> int:
        """Layers whose cache holds all tokens."""
        return self.layers - self.windowed_layers - self.linear_layers

    @property
    def expert_layers(self) -> int:
        """Layers with experts."""
        return self.layers - self.dense_layers if self.experts else 0

    @property
    def attention_parameters(self) -> float:
        """Weights of the attention of one layer that is not linear."""
        h = self.hidden
        if self.is_latent:
            query = self.heads * (self.head_size + self.rope_size)
            down = h * (self.query_rank + self.latent_rank + self.rope_size)
            up_query = (self.query_rank or h) * query
            up = self.latent_rank * self.heads * (self.head_size + self.value_size)
            return float(down + up_query + up + self.heads * self.value_size * h)
        gate = 2 if self.gated_attention else 1
        return float(h * self.head_size * (self.heads * (gate + 1) + 2 * self.kv_heads))

    @property
    def linear_parameters(self) -> float:
        """Weights of a layer with linear attention."""
        key = self.linear_key_heads * self.linear_key_size
        value = self.linear_value_heads * self.linear_value_size
        return float(self.hidden * (2 * key + 2 * value + 2 * self.linear_value_heads + value))

    def mlp_parameters(self, width: float) -> float:
        """Weights of an MLP of a width."""
        return (3.0 if self.gated else 2.0) * self.hidden * width

    @property
    def expert_parameters(self) -> float:
        """Weights of all experts of the model, the shared ones not."""
        return self.expert_layers * self.experts * self.mlp_parameters(self.expert_intermediate)

    @property
    def parameters(self) -> float:
        """All weights; norms and biases left out.

        >>> from roofcast.serving.language_model import parse_config
        >>> facts = dict(num_hidden_layers=32, hidden_size=4096, num_attention_heads=32, num_key_value_heads=8)
        >>> model = parse_config(facts | dict(intermediate_size=14336, vocab_size=128256), "Llama-3.1-8B")
        >>> round(model.parameters / 1e9, 2), model.kv_bytes_per_token()   # its model card: 8.03 B
        (8.03, 131072.0)
        """
        attention = (self.layers - self.linear_layers) * self.attention_parameters
        attention += self.linear_layers * self.linear_parameters
        dense = (self.layers - self.expert_layers) * self.mlp_parameters(self.intermediate)
        shared = self.expert_layers * (self.mlp_parameters(self.shared_intermediate) + self.hidden * self.experts)
        return attention + dense + shared + self.expert_parameters + self.embedding_parameters

    @property
    def embedding_parameters(self) -> float:
        """Embedding and output."""
        return float((1 if self.tied else 2) * self.vocabulary * self.hidden)

    @property
    def active_parameters(self) -> float:
        """Weights that one token multiplies, its embedding not."""
        idle = self.expert_parameters * (1.0 - self.experts_per_token / max(self.experts, 1))
        return self.parameters - idle - (0.0 if self.tied else self.vocabulary * self.hidden)

    def weight_bytes(self, precision: str | None = None) -> float:
        """B of all weights; embedding and output stay in 16 bits."""
        bytes_each = WEIGHT_BYTES[precision or self.weights]
        return (self.parameters - self.embedding_parameters) * bytes_each + self.embedding_parameters * max(
            bytes_each, 2.0
        )

    def kv_bytes_of_layer(self, precision: str | None = None) -> float:
        """B per token and layer that keeps it."""
        bytes_each = KV_BYTES[precision or self.kv]
        if self.is_latent:
            return (self.latent_rank + self.rope_size) * bytes_each
        return 2.0 * self.kv_heads * self.head_size * bytes_each

    def kv_bytes_per_token(self, precision: str | None = None) -> float:
        """B per token of layers that keep all tokens."""
        return self.full_layers * self.kv_bytes_of_layer(precision)

    def kv_bytes(self, tokens: float, precision: str | None = None) -> float:
        """B that one request of so many tokens keeps: full layers, windows, states of linear layers."""
        held = self.full_layers * tokens + self.windowed_layers * min(tokens, self.window or tokens)
        return held * self.kv_bytes_of_layer(precision) + self.linear_layers * self.state_bytes

    @property
    def state_bytes(self) -> float:
        """B of the state of one linear layer and request, FP32."""
        return 4.0 * self.linear_value_heads * self.linear_key_size * self.linear_value_size


def read_model(path: str | Path) -> LanguageModel:
    """The model of a ``config.json`` or of the folder that holds it.

    Raises
    ------
    InputError : no such file, no JSON, or a field is missing or no number.
    """
    file = Path(path)
    if file.is_dir():
        file = file / CONFIG
    if not file.is_file():
        raise InputError(f"{path}: no such file; give the config.json of a Hugging Face model, or its folder")
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not JSON; give the config.json of a Hugging Face model, or its folder") from error
    if not isinstance(content, Mapping):
        raise InputError(f"{path}: a config.json holds one object")
    notes: tuple[str, ...] = ()
    if FORMAT in content:
        content, notes = read_decoder(content, str(path)), (SHARED,)
    quantised = file.with_name("hf_quant_config.json")
    if "quantization_config" not in content and quantised.is_file():
        content = {**content, "quantization_config": read_beside(quantised)}
    named = str(content.get("_name_or_path") or "").rstrip("/").rpartition("/")[2]
    model = parse_config(content, named or name_by_place(file, str(content.get("model_type") or "")), str(path))
    return replace(model, notes=(*model.notes, *notes)) if notes else model


def name_by_place(file: Path, model_type: str) -> str:
    """A model's name from where its configuration lies.

    A file's own name counts. A folder's counts where it names the family, or where nothing else does: ``Downloads``
    and the hashes of the hub's cache name no model.

    >>> name_by_place(Path("/models/Llama-3.1-8B/config.json"), "llama")
    'Llama-3.1-8B'
    >>> name_by_place(Path("/home/me/Downloads/config.json"), "qwen3_moe")
    'qwen3_moe'
    """
    if file.name != CONFIG:
        return file.name.removesuffix(".json").removesuffix(".config")
    folder = file.resolve().parent.name
    if model_type.partition("_")[0].lower() in folder.lower() and not re.fullmatch(r"[0-9a-f]{40}", folder):
        return folder
    return model_type or "model"


def read_beside(file: Path) -> Mapping[str, Any]:
    """The quantisation that NVIDIA's checkpoints keep in a file of its own."""
    try:
        stated = json.loads(file.read_text(encoding="utf-8")).get("quantization", {})
    except (ValueError, AttributeError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: no JSON of a quantisation: {one_line(str(error), 120)}") from error
    method = {"FP8": "fp8", "NVFP4": "nvfp4", "W4A16_AWQ": "awq"}.get(str(stated.get("quant_algo")), "")
    return {"quant_method": method, "kv_cache_quant_algo": stated.get("kv_cache_quant_algo")} if method else {}


@dataclass(frozen=True)
class Fields:
    """Fields of a config under any of the names that families of models give them."""

    of: Mapping[str, Any]
    where: str

    def number(self, *names: str, default: int | None = None) -> int:
        """A whole number; the first name that the config has."""
        for name in names:
            value = self.of.get(name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
                raise InputError(f"{self.where}: {name} is {one_line(repr(value), 40)}, not a number from 0 up")
            return int(value)
        if default is None:
            raise InputError(f"{self.where}: {names[0]} is missing: a language model's config.json states it")
        return default


def parse_config(config: Mapping[str, Any], name: str, where: str = CONFIG) -> LanguageModel:
    """The model that a config describes. where : what errors name.

    Raises
    ------
    InputError : a field is missing or no number, or heads do not fit.
    """
    inner = next((config[k] for k in ("text_config", "llm_config", "language_config")
                  if isinstance(config.get(k), Mapping)), None)  # fmt: skip
    f = Fields({**config, **inner} if inner is not None else config, where)
    layers = f.number("num_hidden_layers", "n_layer", "num_layers", "n_layers")
    hidden = f.number("hidden_size", "n_embd", "d_model")
    heads = f.number("num_attention_heads", "n_head", "num_heads", "n_heads")
    if min(layers, hidden, heads) < 1:
        raise InputError(f"{where}: num_hidden_layers, hidden_size and num_attention_heads must be above 0")
    if max(layers, heads) > 100_000 or hidden > 10_000_000:
        raise InputError(f"{where}: {layers} layers, {heads} heads, hidden_size {hidden}: no model is that large")
    latent = f.number("kv_lora_rank", default=0)
    head_size = f.number("qk_nope_head_dim", default=0) if latent else f.number("head_dim", default=hidden // heads)
    experts = f.number("num_experts", "num_local_experts", "n_routed_experts", default=0)
    notes: list[str] = []
    weights, kv = parse_precision(f.of, notes)
    window, windowed, linear = parse_layer_kinds(f, layers, notes)
    kv_heads = f.number("num_key_value_heads", "num_kv_heads", default=1 if f.of.get("multi_query") else heads)
    if not latent and (kv_heads < 1 or heads % kv_heads):
        raise InputError(f"{where}: {heads} heads are no multiple of num_key_value_heads = {kv_heads}")
    expert_width = f.number("moe_intermediate_size", "expert_ffn_hidden_size", default=0)
    inter = f.number("intermediate_size", "n_inner", "ffn_dim", default=0 if expert_width else 4 * hidden)
    return LanguageModel(
        name, layers, hidden, heads, kv_heads, head_size, f.number("vocab_size"),
        inter, is_gated(f.of), bool(f.of.get("tie_word_embeddings", False)),
        experts, f.number("num_experts_per_tok", "num_experts_per_token", "moe_topk", default=0) if experts else 0,
        (expert_width or inter) if experts else 0, parse_shared(f, expert_width or inter) if experts else 0,
        parse_dense_layers(f, layers) if experts else 0,
        f.number("q_lora_rank", default=0) if latent else 0, latent,
        f.number("qk_rope_head_dim", default=0) if latent else 0, f.number("v_head_dim", default=head_size),
        window, windowed, linear, f.number("linear_num_key_heads", default=0),
        f.number("linear_num_value_heads", default=0), f.number("linear_key_head_dim", default=0),
        f.number("linear_value_head_dim", default=0), bool(f.of.get("attn_output_gate", False)), weights, kv,
        f.number("max_position_embeddings", "n_positions", default=0), tuple(notes),
    )  # fmt: skip


def is_gated(config: Mapping[str, Any]) -> bool:
    """Whether MLPs have a gate: all but the older families."""
    return config.get("model_type") not in ("gpt2", "gpt_neox", "gptj", "opt", "bloom", "falcon", "phi", "starcoder2")


def parse_shared(f: Fields, width: int) -> int:
    """Width of a layer's shared experts."""
    stated = f.number("shared_expert_intermediate_size", default=0)
    return stated or f.number("n_shared_experts", "num_shared_experts", default=0) * width


def parse_dense_layers(f: Fields, layers: int) -> int:
    """Layers without experts: the first k, those named, those between steps."""
    first = f.number("first_k_dense_replace", default=0)
    named = f.of.get("mlp_only_layers")
    step = max(f.number("decoder_sparse_step", "moe_layer_freq", "interleave_moe_layer_step", default=1), 1) \
        if not isinstance(f.of.get("moe_layer_freq"), list) else 1  # fmt: skip
    rest = layers - first - (len(named) if isinstance(named, list) else 0)
    return min(layers, layers - max(rest, 0) // step)


def parse_layer_kinds(f: Fields, layers: int, notes: list[str]) -> tuple[int, int, int]:
    """Window, layers that have it, layers with linear attention."""
    kinds = f.of.get("layer_types")
    window = f.number("sliding_window", default=0)
    if isinstance(kinds, list):
        linear = sum(str(k) in ("linear_attention", "mamba", "gated_deltanet") for k in kinds)
        return window, sum("sliding" in str(k) for k in kinds) if window else 0, linear
    every = f.number("full_attention_interval", default=0)
    linear = layers - layers // every if every and f.number("linear_num_value_heads", default=0) else 0
    if not window or f.of.get("use_sliding_window") is False:
        return 0, 0, linear
    pattern = f.number("sliding_window_pattern", default=0)
    windowed = layers - layers // pattern if pattern > 1 else layers
    if pattern <= 1:
        notes.append(f"config states a window of {window:,} tokens and no layers: taken for all")
    return window, windowed, linear


def parse_precision(config: Mapping[str, Any], notes: list[str]) -> tuple[str, str]:
    """Precision of weights and KV cache as the config states them."""
    stored = str(config.get("torch_dtype") or config.get("dtype") or "bf16")
    weights = "fp16" if "float16" in stored and "b" not in stored else "bf16"
    quantised = config.get("quantization_config")
    if not isinstance(quantised, Mapping) or not quantised:
        return weights, weights
    method = str(quantised.get("quant_method", "")).lower()
    bits = quantised.get("bits") or quantised.get("weight_bits")
    groups = quantised.get("config_groups")
    if method == "compressed-tensors" and isinstance(groups, Mapping):
        first = next((g for g in groups.values() if isinstance(g, Mapping)), {})
        kind = first.get("weights") or {}
        bits, is_float = kind.get("num_bits"), kind.get("type") == "float"
        named = {"8 float": "fp8", "4 float": "nvfp4", "8 int": "int8", "4 int": "gptq"}
        method = named.get(f"{bits} {'float' if is_float else 'int'}", method)
    precision = "int8" if bits == 8 and method not in ("fp8", "fbgemm_fp8", "modelopt") else METHODS.get(method)
    precision = "int8" if method == "int8" else precision
    if precision is None:
        notes.append(
            f"quantisation {one_line(method, 40) or 'without a name'} is not known: weights taken as {weights}"
        )
        return weights, weights
    cached = str(quantised.get("kv_cache_quant_algo") or "")
    return precision, "fp8" if "FP8" in cached or quantised.get("kv_cache_scheme") else "bf16"
