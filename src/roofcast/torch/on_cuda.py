"""What CUDA does other than a CPU, while a model is recorded on fake CPU tensors.

Fake CPU tensors behave where fake CUDA ones do not (no GPU, perhaps a build without CUDA), but a CPU dispatches other
operators: autocast has other lists, recurrent layers fall apart into their cells, attention, dropout and softmax take
other ways. While :func:`as_cuda` is entered, PyTorch's dispatcher takes CUDA's way. Sources: autocast's lists in
PyTorch's documentation ("CUDA Ops that can autocast to float32"); the conditions of the backends of
``scaled_dot_product_attention`` and of cuDNN's recurrent layers in theirs.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

IN_FP32 = (
    "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt", "sinh",
    "tan", "pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar", "softplus", "layer_norm", "native_layer_norm",
    "group_norm", "nuclear_norm", "cosine_similarity", "poisson_nll_loss", "cosine_embedding_loss", "nll_loss",
    "nll_loss2d", "nll_loss_nd", "hinge_embedding_loss", "kl_div", "l1_loss", "smooth_l1_loss", "huber_loss",
    "mse_loss", "margin_ranking_loss", "multilabel_margin_loss", "soft_margin_loss", "triplet_margin_loss",
    "multi_margin_loss", "binary_cross_entropy_with_logits", "dist", "pdist", "cdist", "renorm", "logsumexp",
    "cumprod", "cumsum", "prod", "sum", "sum.dim_IntList", "norm.Scalar", "norm.ScalarOpt_dim",
)  # fmt: skip
"""Operators that CUDA's autocast computes in FP32, whatever their inputs are."""
HALVES = ("torch.float16", "torch.bfloat16")
RECURRENT = {"lstm.input": 2, "gru.input": 3, "rnn_tanh.input": 1, "rnn_relu.input": 0}
"""Operator -> cuDNN's number of the cell."""
ALIGNED_HEAD = 8
"""Fused attention takes heads whose length is a multiple of this, in half precision."""
LONGEST_HEAD = 256
"""Elements of a head up to which fused attention takes it."""
LONGEST_CUDNN_HEAD = 128
"""Elements of a head up to which cuDNN takes it."""


def read_switches(torch: Any, precision: str) -> dict[str, bool]:
    """The process's switches that decide which kernels run: TF32 of products and convolutions, attention's backends.

    precision : ``tf32`` is both on, whatever the process says.
    """
    cuda, cudnn = torch.backends.cuda, torch.backends.cudnn
    forced = precision == "tf32"
    return {
        "tf32_products": forced or allows_tf32(cuda.matmul), "tf32_convolutions": forced or allows_tf32(cudnn),
        "flash": bool(cuda.flash_sdp_enabled()), "efficient": bool(cuda.mem_efficient_sdp_enabled()),
        "cudnn_attention": bool(getattr(cuda, "cudnn_sdp_enabled", lambda: True)()),
        "cudnn": bool(cudnn.enabled),
    }  # fmt: skip


def allows_tf32(place: Any) -> bool:
    """Whether products there may be rounded to TF32; asked in the older way, and where that is refused in the newer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(place.allow_tf32)
        except RuntimeError:
            part = getattr(place, "conv", place)
            return getattr(part, "fp32_precision", "ieee") == "tf32"


@contextlib.contextmanager
def as_cuda(torch: Any, switches: Mapping[str, bool]) -> Iterator[None]:
    """PyTorch dispatches operators on CPU tensors as it does on CUDA's, where the two differ."""
    aten, library = torch.ops.aten, torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        # That a kernel of PyTorch's is replaced is meant.
        warnings.simplefilter("ignore")
        for name in IN_FP32:
            operator, _, overload = name.partition(".")
            kernel = getattr(getattr(aten, operator, None), overload or "default", None)
            if kernel is not None:
                library.impl(name, in_fp32(torch, kernel), "AutocastCPU")
        for name, make in WAYS.items():
            library.impl(name, make(torch, switches), "AutogradCPU")
        for name, cell in RECURRENT.items():
            if switches["cudnn"]:
                library.impl(name, recurrent(torch, cell), "AutogradCPU")
    try:
        yield
    finally:
        library._destroy()


@contextlib.contextmanager
def without_packing() -> Iterator[None]:
    """Models of ``transformers`` take their sequences for unpacked, which only data would tell.

    Else they ask causal attention for a mask, and another kernel, than on real tensors of one sequence a row.
    """
    masks = sys.modules.get("transformers.masking_utils")
    finder = getattr(masks, "find_packed_sequence_indices", None)
    if finder is None:
        yield
        return
    vars(masks)["find_packed_sequence_indices"] = lambda *_, **__: None
    try:
        yield
    finally:
        vars(masks)["find_packed_sequence_indices"] = finder


def in_fp32(torch: Any, own: Callable[..., Any]) -> Callable[..., Any]:
    """An operator under autocast, its floating-point inputs in FP32."""
    cast = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)

    def widened(value: Any) -> Any:
        is_half = isinstance(value, torch.Tensor) and str(value.dtype) in HALVES
        return value.float() if is_half else value

    def call(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(cast):
            return own(*map(widened, args), **{k: widened(v) for k, v in kwargs.items()})

    return call


def attention(torch: Any, switches: Mapping[str, bool]) -> Callable[..., Any]:
    """``scaled_dot_product_attention``: cuDNN or flash in half precision without a mask, else memory-efficient.

    Which may be taken is asked at each call: models switch backends themselves (``torch.nn.attention.sdpa_kernel``).
    """
    aten = torch.ops.aten

    def call(
        q: Any, k: Any, v: Any, mask: Any = None, dropout: float = 0.0, causal: bool = False, *,
        scale: float | None = None, enable_gqa: bool = False,
    ) -> Any:  # fmt: skip
        allowed = read_switches(torch, "")
        half = str(q.dtype) in HALVES
        head = q.shape[-1]
        fits = q.dim() == 4 and head == v.shape[-1] and head % ALIGNED_HEAD == 0 and head <= LONGEST_HEAD
        train = any(x.requires_grad for x in (q, k, v)) and torch.is_grad_enabled()
        grouped = enable_gqa and k.shape[1] != q.shape[1]
        if half and fits and mask is None and allowed["cudnn_attention"] and head <= LONGEST_CUDNN_HEAD:
            if grouped:
                k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) if train else x for x in (k, v))
            return aten._scaled_dot_product_cudnn_attention(q, k, v, None, train, dropout, causal, False, scale=scale)[
                0
            ]
        if half and fits and mask is None and allowed["flash"]:
            return aten._scaled_dot_product_flash_attention(q, k, v, dropout, causal, False, scale=scale)[0]
        # The memory-efficient kernel knows no grouped queries.
        if q.dim() == 4 and allowed["efficient"] and str(q.dtype) != "torch.float64" and not grouped:
            if mask is not None and str(mask.dtype) == "torch.bool":
                # PyTorch turns a mask of booleans into one that is added.
                mask = torch.zeros(mask.shape, dtype=q.dtype, device=q.device).masked_fill_(mask, 0.0)
            if mask is not None:
                mask = mask.expand(q.shape[0], q.shape[1], q.shape[2], k.shape[2])
            results = aten._scaled_dot_product_efficient_attention(q, k, v, mask, train, dropout, causal, scale=scale)
            return results[0]
        return aten._scaled_dot_product_attention_math(
            q, k, v, mask, dropout, causal, scale=scale, enable_gqa=enable_gqa
        )[0]

    return call


def scale_rows(torch: Any, switches: Mapping[str, bool]) -> Callable[..., Any]:
    """``rms_norm``: one kernel where input and weights are of one type, forward and backward; else its parts."""
    plain_norm = torch.ops.aten.rms_norm
    fused = make_rms_norm(torch) if hasattr(torch.ops.aten, "_fused_rms_norm") else None

    def call(x: Any, shape: Any, weight: Any = None, epsilon: float | None = None) -> Any:
        if fused is not None and (weight is None or weight.dtype == x.dtype):
            return fused.apply(x, list(shape), weight)
        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutogradCPU)):
            return plain_norm(x, shape, weight, epsilon)

    return call


def make_rms_norm(torch: Any) -> Any:
    """The autograd function of PyTorch's fused norm, whose kernels a CPU has not."""
    forward_of, backward_of = stand_ins(
        torch, {"_fused_rms_norm": "(Tensor x, int[] shape, Tensor? weight) -> Tensor",
                "_fused_rms_norm_backward": "(Tensor given, Tensor x, int[] shape, Tensor? weight) -> Tensor[]"},
        {"_fused_rms_norm": lambda x, shape, weight: torch.empty_like(x, memory_format=torch.contiguous_format),
         "_fused_rms_norm_backward": lambda given, x, shape, weight:
             [torch.empty_like(t) for t in (x, weight) if t is not None]},
    )  # fmt: skip

    class RootMeanSquare(torch.autograd.Function):  # type: ignore[misc]  # of a package that may be absent
        @staticmethod
        def forward(ctx: Any, x: Any, shape: list[int], weight: Any) -> Any:
            ctx.save_for_backward(x, weight)
            ctx.shape = shape
            return forward_of(x, shape, weight)

        @staticmethod
        def backward(ctx: Any, given: Any) -> Any:
            x, weight = ctx.saved_tensors
            gradients = backward_of(given, x, ctx.shape, weight)
            return gradients[0], None, gradients[1] if weight is not None else None

    return RootMeanSquare


def stand_ins(torch: Any, schemas: Mapping[str, str], shapes: Mapping[str, Callable[..., Any]]) -> list[Any]:
    """Operators of our own that stand for CUDA's where PyTorch has no way to record these on a CPU.

    schemas, shapes : name -> what it takes, and what makes its results of fake tensors.
    """
    operators = []
    for name, schema in schemas.items():
        if not hasattr(getattr(torch.ops, "roofcast", None), name):
            library = torch.library.Library("roofcast", "FRAGMENT")
            library.define(name + schema)
            library.impl(name, shapes[name], "Meta")
            KEPT.append(library)
        operators.append(getattr(torch.ops.roofcast, name))
    return operators


def drop(torch: Any, switches: Mapping[str, bool]) -> Callable[..., Any]:
    """Dropout: one kernel that draws and multiplies."""

    def call(x: Any, p: float, train: bool) -> Any:
        if not train or p == 0 or x.numel() == 0:
            return x
        return torch.native_dropout(x, p, True)[0]

    return call


def soften(name: str) -> Callable[[Any, Mapping[str, bool]], Callable[..., Any]]:
    """Softmax whose result is FP32 reads halves as they are."""

    def make(torch: Any, switches: Mapping[str, bool]) -> Callable[..., Any]:
        softmax = getattr(torch.ops.aten, name)

        def call(x: Any, dim: int, dtype: Any = None) -> Any:
            if dtype is torch.float32 and str(x.dtype) in HALVES:
                return softmax(x, dim, True)
            return softmax(x if dtype is None else x.to(dtype), dim, False)

        return call

    return make


def attend(torch: Any, inputs: Sequence[Any], heads: int, qkv: Sequence[Any], out: Sequence[Any]) -> Any:
    """The fast path of ``nn.MultiheadAttention``: one product for queries, keys and values, attention, one product."""
    query, key, value = inputs
    batch, length, width = query.shape
    if query is key and key is value:
        parts = torch.nn.functional.linear(query, *qkv).view(batch, length, 3, heads, width // heads).unbind(2)
    else:
        weights = zip(qkv[0].chunk(3), qkv[1].chunk(3), strict=True)
        parts = [torch.nn.functional.linear(x, *w).view(batch, -1, heads, width // heads)
                 for x, w in zip((query, key, value), weights, strict=True)]  # fmt: skip
    attended = torch.nn.functional.scaled_dot_product_attention(*(p.transpose(1, 2) for p in parts))
    return torch.nn.functional.linear(attended.transpose(1, 2).reshape(batch, length, width), *out)


def run_layer(torch: Any, x: Any, width: int, heads: int, rest: Sequence[Any]) -> Any:
    """The fast path of ``nn.TransformerEncoderLayer``: its activation belongs to the first product.

    rest : weights and biases of attention, whether GELU, whether norms come first, epsilon, norms, the two products.
    """
    qkv, out, gelu, first, epsilon = tuple(rest[:2]), tuple(rest[2:4]), rest[4], rest[5], rest[6]
    norms, inner_weights, outer_weights = (tuple(rest[7:9]), tuple(rest[9:11])), tuple(rest[11:13]), tuple(rest[13:15])

    def norm(value: Any, which: int) -> Any:
        return torch.nn.functional.layer_norm(value, (width,), *norms[which], epsilon)

    def feed(value: Any) -> Any:
        flat = value.reshape(-1, width)
        inner = torch.ops.aten._addmm_activation(inner_weights[1], flat, inner_weights[0].t(), use_gelu=gelu)
        return torch.nn.functional.linear(inner, *outer_weights).view(value.shape)

    def attended(value: Any) -> Any:
        return attend(torch, [value] * 3, heads, qkv, out)

    if first:
        x = x + attended(norm(x, 0))
        return x + feed(norm(x, 1))
    x = norm(x + attended(x), 0)
    return norm(x + feed(x), 1)


WAYS: Mapping[str, Callable[[Any, Mapping[str, bool]], Callable[..., Any]]] = {
    "scaled_dot_product_attention": attention, "rms_norm": scale_rows, "dropout": drop,
    "softmax.int": soften("_softmax"), "log_softmax.int": soften("_log_softmax"),
}  # fmt: skip
"""Operator that is made of others -> CUDA's way of making it."""


def recurrent(torch: Any, cell: int) -> Callable[..., Any]:
    """A recurrent layer as the one call of cuDNN that it is; under autocast in the type of that."""
    kind = make_recurrent(torch)

    def call(x: Any, state: Any, weights: Any, biases: bool, *how: Any) -> Any:
        layers, dropout, train, both_ways, batch_first = how
        states = list(state) if isinstance(state, (list, tuple)) else [state]
        if torch.is_autocast_enabled("cpu"):
            wanted = torch.get_autocast_dtype("cpu")
            x, states, weights = x.to(wanted), [s.to(wanted) for s in states], [w.to(wanted) for w in weights]
        results = kind.apply(cell, layers, dropout, train, both_ways, batch_first, x, *states, *weights)
        return results if len(states) == 2 else results[:2]

    return call


def make_recurrent(torch: Any) -> Any:
    """The autograd function of cuDNN's recurrent layers, forward and backward written down as one operator each."""
    aten = torch.ops.aten

    class Recurrent(torch.autograd.Function):  # type: ignore[misc]  # of a package that may be absent
        @staticmethod
        def forward(ctx: Any, cell: int, layers: int, dropout: float, train: bool, both: bool, first: bool,
                    x: Any, *rest: Any) -> Any:  # fmt: skip
            states = 2 if cell == RECURRENT["lstm.input"] else 1
            hidden, weights = rest[0].shape[-1], list(rest[states:])
            projected = 0
            if states == 2 and rest[1].shape[-1] != hidden:
                hidden, projected = rest[1].shape[-1], hidden
            ways = 2 if both else 1
            results = aten._cudnn_rnn(
                x, weights, len(weights) // (layers * ways), None, rest[0], rest[1] if states == 2 else None, cell,
                hidden, projected, layers, first, dropout, train, both, [], None,
            )  # fmt: skip
            ctx.save_for_backward(x, *rest)
            ctx.how = (cell, hidden, projected, layers, first, dropout, train, both)
            return (results[0], results[1], results[2]) if states == 2 else (results[0], results[1])

        @staticmethod
        def backward(ctx: Any, *given: Any) -> Any:
            saved = ctx.saved_tensors
            gradients = recurrent_backward(torch)(list(saved), [ctx.how[0], ctx.how[3]], ctx.how[7])
            return (None,) * 6 + tuple(gradients)

    return Recurrent


def recurrent_backward(torch: Any) -> Any:
    """An operator of our own that stands for cuDNN's gradients of a recurrent layer: input, states and weights."""
    return stand_ins(
        torch, {"_cudnn_rnn_backward": "(Tensor[] saved, int[] how, bool both) -> Tensor[]"},
        {"_cudnn_rnn_backward": lambda saved, how, both: [torch.empty_like(s) for s in saved]},
    )[0]  # fmt: skip


KEPT: list[Any] = []
"""Libraries whose operators live as long as the process."""
