r"""A language model from the operators that :func:`roofcast.torch.record` listed of one forward pass.

Layers, heads and head size are those of its attention; width and words those of its embedding; the MLP is what is left
of the products. All products must be explained, else the model is no decoder of this kind and is refused.

Reason: each layer of a decoder multiplies with the same few shapes, so that shapes and counts of products say what a
``config.json`` says. What they do not say, whether embedding and output share their weights, is taken as no.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from roofcast.core.errors import InputError

ATTENTION = ("scaled_dot_product", "flash_attention", "efficient_attention")
PRODUCTS = {"mm": 0, "addmm": 1, "linear": 0}
"""Operators that multiply -> place of the activations among their inputs."""
SHARED = "taken from recorded operators; embedding and output are counted as two matrices"


def read_decoder(record: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The config.json that a recorded forward pass amounts to. where : what errors name.

    Raises
    ------
    InputError : a training step, experts, or products that are no part of a decoder with attention.
    """
    if record.get("train"):
        raise InputError(
            f"{where}: a recorded training step; record one forward pass: roofcast.torch.record(model, ids)"
        )
    try:
        return find_decoder(record, where)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as error:
        raise InputError(f"{where}: the list of operators is damaged, or no decoder: give its config.json") from error


def find_decoder(record: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The same of a whole list."""
    operators = [o for o in record["operators"] if isinstance(o, Mapping)]
    attention = [o for o in operators if any(a in str(o["name"]) for a in ATTENTION)]
    words = [shape for o in operators if short(o) == "embedding" and len(shape := list(o["shapes"][0])) == 2]
    if not attention or not words:
        raise InputError(
            f"{where}: no attention or no embedding was recorded, as language models have: give config.json"
        )
    layers = sum(int(o.get("count", 1)) for o in attention)
    query, keys = ([int(d) for d in attention[0]["shapes"][i]] for i in (0, 1))
    heads, kv_heads, size = query[1], keys[1], query[3]
    vocabulary, hidden = (int(d) for d in max(words, key=lambda s: s[0]))
    products = count_products(operators)
    shapes = {
        (hidden, heads * size), (hidden, kv_heads * size), (heads * size, hidden), (hidden, vocabulary),
        (hidden, (heads + 2 * kv_heads) * size), (hidden, 2 * kv_heads * size),
    }  # fmt: skip
    down = [(n, k) for (n, k), count in products.items() if k == hidden and (n, k) not in shapes and count >= layers]
    inner = max((n for n, _ in down), default=0)
    if not inner:
        raise InputError(f"{where}: no products of an MLP were recorded: models of experts and others need config.json")
    up = products.get((hidden, inner), 0) + 2 * products.get((hidden, 2 * inner), 0)
    unknown = products.keys() - shapes - {(hidden, inner), (hidden, 2 * inner), (inner, hidden)}
    if unknown:
        k, n = min(unknown)
        raise InputError(f"{where}: a product with weights of {k} x {n} is no part of a decoder that is known: give "
                         "its config.json")  # fmt: skip
    if kv_heads < 1 or heads % kv_heads:
        raise InputError(f"{where}: {heads} heads are no multiple of {kv_heads} of keys: give config.json")
    return {
        "num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads, "head_dim": size,
        "num_key_value_heads": kv_heads, "vocab_size": vocabulary, "intermediate_size": inner,
        "torch_dtype": {"fp16": "float16"}.get(str(record.get("precision")), "bfloat16"),
        # Two matrices or three, as families of models have it.
        "model_type": "llama" if up >= 2 * layers else "gpt2",
        "_name_or_path": str(record.get("what") or "recorded model"),
    }  # fmt: skip


def short(operator: Mapping[str, Any]) -> str:
    """``aten::mm`` -> ``mm``."""
    return str(operator["name"]).rpartition("::")[2]


def count_products(operators: list[Mapping[str, Any]]) -> Counter[tuple[int, int]]:
    """(k, n) of weights -> how many products have them; products of activations alone are other operators."""
    counts: Counter[tuple[int, int]] = Counter()
    for o in operators:
        name = short(o)
        if name not in PRODUCTS:
            continue
        k, n = int(o["shapes"][PRODUCTS[name]][-1]), int(o["outputs"][0][-1])
        counts[k, n] += int(o.get("count", 1))
    return counts
