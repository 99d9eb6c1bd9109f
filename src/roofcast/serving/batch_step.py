r"""Seconds of one step of an engine: operators of the batch by the house's own models, collectives, host.

.. math:: T = e^{\lambda} \Big(\sum_k n_k t_k + \sum_c n_c t_c\Big) + h + h_b \, b

T : s of a step. t_k, n_k : s of operator k on one GPU of the plan
(:func:`roofcast.models.operators.unmeasured.times_of`), times it runs. t_c, n_c : s of a collective
(:class:`roofcast.models.physics.causes.collectives.Links`), two per layer with tensor parallelism. lambda : 1, what an
engine's steps take over the sum of their operators, as a logarithm. h, h_b : s of host and scheduler per step, and per
sequence of it (sampling, detokenising). b : sequences.

Reason: an engine launches a recorded graph of kernels that run one after the other; what it does between two steps, on
the CPU, does not depend on the GPU, and decides where batches are small. A step reads all dense weights once, the
experts that its tokens chose: :math:`E (1 - (1 - k / E)^n)` of E for n tokens that choose k each, evenly, and the
cache of all its sequences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from roofcast.catalog.nodes import gpus_sharing_links
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.timeline import Collective
from roofcast.forecasting.clocks import by_itself
from roofcast.models.operators.unmeasured import load_levels, needs_of, times_of
from roofcast.models.physics.causes.collectives import Links, links_of
from roofcast.models.physics.link_times import NODE_GPUS
from roofcast.operators.kernel_names import Operation
from roofcast.operators.recorded_operators import Row, gather_rows
from roofcast.serving.language_model import KV_BYTES, WEIGHT_BYTES, LanguageModel

PIPES = {
    "bf16": Resource.FLOPS_TENSOR_BF16, "fp16": Resource.FLOPS_TENSOR_FP16, "fp8": Resource.FLOPS_TENSOR_FP8,
    "int8": Resource.OPS_TENSOR_INT8, "fp4": Resource.FLOPS_TENSOR_FP4, "int4": Resource.FLOPS_TENSOR_BF16,
}  # fmt: skip
"""Precision of weights -> pipe of their products; INT4 weights are widened and multiply in 16 bits."""
ACTIVATION_BYTES = 2.0
"""B of an activation: serving engines keep them in 16 bits, whatever the weights are in."""


@dataclass(frozen=True)
class Plan:
    """How a model is laid over GPUs."""

    tp: int = 1
    pp: int = 1
    ep: int = 1
    """GPUs that the experts of a layer are spread over whole; 1: each expert is cut by ``tp`` and ``dp``."""
    dp: int = 1
    """Replicas: of the model, or of attention alone where ``ep`` spans them."""
    weights: str = "bf16"
    kv: str = "bf16"

    @property
    def gpus(self) -> int:
        """All of them."""
        return self.tp * self.pp * self.dp

    @property
    def shares_experts(self) -> bool:
        """Whether replicas of attention share one set of experts."""
        return self.dp > 1 and self.ep > self.tp

    @property
    def expert_gpus(self) -> int:
        """GPUs that one layer's experts are cut or spread over."""
        return self.tp * self.dp if self.shares_experts else self.tp

    def __str__(self) -> str:
        parts = (("tp", self.tp), ("pp", self.pp), ("ep", self.ep), ("dp", self.dp))
        return " ".join(f"{name}{n}" for name, n in parts if n > 1) or "tp1"


@dataclass(frozen=True)
class Batch:
    """What one step computes in one replica."""

    sequences: float = 0.0
    """Sequences that each get one more token."""
    context: float = 0.0
    """Tokens that each of them holds, in the mean."""
    prompt: float = 0.0
    """Tokens of prompts."""
    attended: float = 0.0
    """Tokens that each token of a prompt attends to, in the mean."""
    prompts: float = 0.0
    """Prompts that they belong to."""

    @property
    def tokens(self) -> float:
        """All of them."""
        return self.sequences + self.prompt


def check_plan(model: LanguageModel, plan: Plan) -> None:
    """Raise an InputError for a plan that does not divide the model."""
    if model.heads % plan.tp:
        fitting = [str(n) for n in (1, 2, 4, 8, 16, 32, 64) if model.heads % n == 0]
        raise InputError(f"--tp {plan.tp} does not divide {model.heads} heads of {model.name}: "
                         f"take {', '.join(fitting)}")  # fmt: skip
    if plan.pp > model.layers:
        raise InputError(f"--pp {plan.pp}: {model.name} has {model.layers} layers")
    if plan.ep > 1 and not model.experts:
        raise InputError(f"--ep {plan.ep}: {model.name} has no experts")
    if plan.ep > 1 and model.experts % plan.ep:
        raise InputError(f"--ep {plan.ep} does not divide {model.experts} experts of {model.name}")
    if plan.ep > 1 and plan.ep not in (plan.tp, plan.tp * plan.dp):
        raise InputError(f"--ep {plan.ep}: experts are spread over tp or tp x dp GPUs, here "
                         f"{' or '.join(str(n) for n in sorted({plan.tp, plan.tp * plan.dp}))}")  # fmt: skip


def product(what: str, m: float, n: float, k: float, precision: str, count: float = 1.0, batch: float = 1.0) -> Row:
    """A matrix product: m x k activations, k x n weights."""
    weight_bytes = WEIGHT_BYTES[precision]
    wide = ACTIVATION_BYTES if precision in ("bf16", "fp16", "int4") else weight_bytes
    moved = batch * (m * k * wide + n * k * weight_bytes + m * n * ACTIVATION_BYTES)
    columns = {"shape_m": m, "shape_n": n, "shape_k": k, "shape_batch": batch, "bytes_compulsory": moved}
    columns[PIPES[precision].value] = 2.0 * m * n * k * batch
    return Row(Operation.GEMM, columns, label=what, count=count, element_bytes=2.0)


def attention(what: str, flops: float, moved: float, count: float, kind: Operation = Operation.ATTENTION) -> Row:
    """Attention, or experts: FLOPs and bytes."""
    columns = {"bytes_compulsory": moved, Resource.FLOPS_TENSOR_BF16.value: flops}
    return Row(kind, columns, label=what, count=count, element_bytes=2.0)


def passes(what: str, values: float, touches: float, count: float) -> Row:
    """Element-wise work and norms over values in 16 bits."""
    return Row(Operation.ELEMENTWISE, {"bytes_compulsory": touches * values * ACTIVATION_BYTES}, label=what,
               count=count, element_bytes=2.0)  # fmt: skip


def list_operators(model: LanguageModel, plan: Plan, batch: Batch) -> list[Row]:
    """Operators of one step on one GPU, all its layers."""
    layers = 1.0 / plan.pp
    rows = list_attention(model, plan, batch, layers)
    n, h, w, tp = batch.tokens, float(model.hidden), plan.weights, plan.tp
    expert = model.expert_layers * layers
    dense = (model.layers - model.expert_layers) * layers
    if dense:
        rows += list_mlp("MLP", model, n, model.intermediate / tp, w, dense)
    if expert:
        rows += list_experts(model, plan, batch, expert)
    rows.append(passes("norms", n * h, 4.0, 2.0 * model.layers * layers))
    last = batch.sequences + batch.prompts
    if last:
        rows.append(product("output", last, model.vocabulary / tp, h, "bf16", layers if plan.pp > 1 else 1.0))
    return rows


def list_mlp(what: str, model: LanguageModel, tokens: float, width: float, precision: str, count: float) -> list[Row]:
    """An MLP of a width."""
    up = (2.0 if model.gated else 1.0) * width
    return [
        product(f"{what}, in", tokens, up, model.hidden, precision, count),
        passes(f"{what}, activation", tokens * width, 3.0, count),
        product(f"{what}, out", tokens, model.hidden, width, precision, count),
    ]


def list_experts(model: LanguageModel, plan: Plan, batch: Batch, count: float) -> list[Row]:
    """Router, experts, shared experts."""
    n = batch.tokens * (plan.dp if plan.shares_experts else 1)
    over = plan.expert_gpus
    chosen = n * model.experts_per_token
    touched = model.experts * -math.expm1(n * math.log1p(-min(model.experts_per_token / model.experts, 1 - 1e-9)))
    weights = model.mlp_parameters(model.expert_intermediate)
    weight_bytes = WEIGHT_BYTES[plan.weights]
    moved = (touched * weights * weight_bytes + chosen * 2.0 * ACTIVATION_BYTES * model.hidden) / over
    columns = {"bytes_compulsory": moved, PIPES[plan.weights].value: 2.0 * chosen * weights / over}
    rows = [
        product("router", batch.tokens, model.experts, model.hidden, "bf16", count),
        Row(Operation.MIXTURE_OF_EXPERTS, columns, label="experts", count=count, element_bytes=2.0),
        passes("experts, permuted", chosen / over * model.hidden, 4.0, count),
    ]
    if model.shared_intermediate:
        rows += list_mlp(
            "shared experts", model, batch.tokens, model.shared_intermediate / plan.tp, plan.weights, count
        )
    return rows


def list_attention(model: LanguageModel, plan: Plan, batch: Batch, layers: float) -> list[Row]:
    """Attention of all layers: projections, caches read and written, states of linear layers."""
    n, h, w, tp = batch.tokens, float(model.hidden), plan.weights, plan.tp
    heads, kv_heads = model.heads / tp, max(model.kv_heads / tp, 1.0)
    cached_layers = (model.full_layers + model.windowed_layers) * layers
    value_bytes = KV_BYTES[plan.kv]
    rows: list[Row] = []
    if model.is_latent:
        width = model.latent_rank + model.rope_size
        query = heads * (model.head_size + model.rope_size)
        rows.append(product("latents", n, (model.query_rank or 0) + width, h, w, cached_layers))
        rows.append(product("queries", n, query, model.query_rank or h, w, cached_layers))
        if batch.sequences:
            # The latent's matrices are absorbed into queries and results, head by head.
            b = batch.sequences
            rows.append(
                product("queries to latents", b, model.latent_rank, model.head_size, "bf16", cached_layers, heads)
            )
            rows.append(
                product("latents to values", b, model.value_size, model.latent_rank, "bf16", cached_layers, heads)
            )
        if batch.prompt:
            both = heads * (model.head_size + model.value_size)
            rows.append(product("latents, wide", batch.prompt, both, model.latent_rank, w, cached_layers))
        cached, decoded = width * value_bytes, 2.0 * (width + model.latent_rank)
        prefilled = 2.0 * (model.head_size + model.rope_size + model.value_size)
        rows.append(product("attention, out", n, h, heads * model.value_size, w, cached_layers))
    else:
        gate = 2.0 if model.gated_attention else 1.0
        columns = (gate * heads + 2.0 * kv_heads) * model.head_size
        rows.append(product("queries, keys, values", n, columns, h, w, cached_layers))
        rows.append(product("attention, out", n, h, heads * model.head_size, w, cached_layers))
        cached, decoded = 2.0 * kv_heads * model.head_size * value_bytes, 4.0 * model.head_size
        prefilled = decoded
    rows.append(passes("rotary, cache written", n * heads * model.head_size, 3.0, cached_layers))
    for count, most in ((model.full_layers, math.inf), (model.windowed_layers, model.window or math.inf)):
        if not count:
            continue
        if batch.sequences:
            read = batch.sequences * min(batch.context, most)
            rows.append(attention("attention of decode", read * heads * decoded, read * cached, count * layers))
        if batch.prompt:
            far = min(batch.attended, most)
            moved = batch.prompt * (heads * model.head_size * 4.0 + cached * 2.0)
            rows.append(
                attention("attention of prefill", batch.prompt * far * heads * prefilled, moved, count * layers)
            )
    if model.linear_layers:
        rows += list_linear(model, plan, batch, model.linear_layers * layers)
    return rows


def list_linear(model: LanguageModel, plan: Plan, batch: Batch, count: float) -> list[Row]:
    """Linear attention: projections, and states read and written."""
    n, tp = batch.tokens, plan.tp
    value = model.linear_value_heads * model.linear_value_size / tp
    key = model.linear_key_heads * model.linear_key_size / tp
    states = 2.0 * (batch.sequences + batch.prompts) * model.state_bytes / tp
    work = 8.0 * n * value * model.linear_key_size
    return [
        product("linear attention, in", n, 2.0 * key + 2.0 * value, model.hidden, plan.weights, count),
        attention("linear attention", work, states + n * (key + value) * 4.0, count),
        passes("linear attention, norms", n * value, 6.0, count),
        product("linear attention, out", n, model.hidden, value, plan.weights, count),
    ]


@dataclass(frozen=True)
class StepParts:
    """Seconds of steps, n of them; the host's part not."""

    weights_s: FloatArray
    """Products and experts."""
    attention_s: FloatArray
    other_s: FloatArray
    """Element-wise work and norms."""
    collective_s: FloatArray
    roof_s: FloatArray
    """s of weights and cache at the bandwidth alone, and of the FLOPs at the pipes' rate, whichever is longer."""

    @property
    def device_s(self) -> FloatArray:
        """All parts."""
        return self.weights_s + self.attention_s + self.other_s + self.collective_s


@dataclass(frozen=True)
class Node:
    """One kind of GPU, and what links it to others."""

    gpu: Processor
    links: Links
    machines: Machines


def make_node(gpu: Processor) -> Node:
    """A GPU as steps take it."""
    columns = columns_of([gpu])
    machines = Machines(columns, np.zeros((1, 1), dtype=np.intp), np.array([[by_itself(gpu)]]))
    links = links_of(gpu)
    if gpu.node_gpus is None:
        links = links._replace(node_gpus=float(gpus_sharing_links(gpu, NODE_GPUS)))
    return Node(gpu, links, machines)


def time_steps(model: LanguageModel, plan: Plan, batches: Sequence[Batch], node: Node) -> StepParts:
    """Seconds of the parts of steps on the device.

    Raises
    ------
    InputError : the GPU's bandwidth or the rate of a pipe is not known.
    """
    rows, owner = [], []
    for i, batch in enumerate(batches):
        operators = list_operators(model, plan, batch)
        rows += operators
        owner += [i] * len(operators)
    # A pipe that a GPU lacks falls back on a wider one there; AMD's products are in FP16 and BF16 alike.
    table, operations, shapes = gather_rows(rows, model.name)
    need = needs_of(table, shapes, operations, node.machines)
    time, _, _ = times_of(need, node.machines, load_levels())
    seconds = time[:, 0] * table.launches
    if not np.isfinite(seconds).all():
        raise InputError(f"{node.gpu.name}: the catalog does not know its bandwidth or the rate of its matrix units")
    roof = np.fmax(np.nan_to_num(need.dram_s[:, 0]), np.nan_to_num(need.pipe_s[:, 0])) * table.launches
    kinds = np.array([
        1 if o is Operation.ATTENTION else 0 if o.is_matrix else 2 for o in operations
    ])  # fmt: skip
    place, n = np.asarray(owner), len(batches)
    products, attention_s, other = (
        np.asarray(np.bincount(place[kinds == k], seconds[kinds == k], n), np.float64) for k in range(3)
    )
    roofs = np.asarray(np.bincount(place[kinds != 2], roof[kinds != 2], n), np.float64)
    return StepParts(products, attention_s, other, time_collectives(model, plan, batches, node), roofs)


def time_collectives(model: LanguageModel, plan: Plan, batches: Sequence[Batch], node: Node) -> FloatArray:
    """S of all-reduces (two per layer), of experts' exchanges and of hand-overs between stages.

    Raises
    ------
    InputError : the plan leaves a node, and nobody says what the network gives.
    """
    tokens = np.array([b.tokens for b in batches])
    moved = tokens * model.hidden * ACTIVATION_BYTES
    total = np.zeros(len(batches))
    share = 1.0 / plan.pp
    if plan.tp > 1:
        sums = 2.0 * model.layers - (model.expert_layers if plan.shares_experts else 0)
        total += sums * share * time_collective(node, Collective.ALL_REDUCE, moved, plan.tp)
    if plan.shares_experts:
        sent = moved * model.experts_per_token
        seconds = time_collective(node, Collective.ALL_TO_ALL, sent, plan.expert_gpus)
        total += 2.0 * model.expert_layers * share * seconds
    if plan.pp > 1:
        total += (plan.pp - 1.0) * share * time_collective(node, Collective.POINT_TO_POINT, moved, 2, plan.tp * plan.pp)
    return total


def time_collective(node: Node, kind: Collective, volume: FloatArray, gpus: int, spanned: int = 0) -> FloatArray:
    """(n,) s of a collective within a graph. spanned : GPUs that its plan takes, where they are more than its own."""
    links, beyond = node.links.at_middle(gpus), max(spanned, gpus) > float(np.asarray(node.links.node_gpus).item())
    if beyond and spanned:
        # The last GPU of a node hands on to the first of the next.
        links = links._replace(node_gpus=1.0)
    seconds, _ = links.time_s(kind, volume, gpus, floor_s=IN_GRAPH_S)
    if beyond and not np.isfinite(seconds).all():
        size = int(np.asarray(node.links.node_gpus).item())
        raise InputError(
            f"{max(spanned, gpus)} GPUs that exchange in every step are more than a node of {size}: say what the "
            "network gives each GPU, --network 50GB/s, or the node, --network 'DGX H100'"
        )
    return seconds


IN_GRAPH_S = 4e-6
"""c: s of a collective within a recorded graph, whose kernels need no launch of their own."""


def with_precision(plan: Plan, model: LanguageModel, weights: str | None, kv: str | None) -> Plan:
    """The plan with the precisions asked for, else those of the config."""
    return replace(plan, weights=weights or model.weights, kv=kv or model.kv)
