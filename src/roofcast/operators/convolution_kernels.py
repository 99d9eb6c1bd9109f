"""The kernels of a convolution: changes of layout, the product of each pass, the bias.

Sources: cuDNN's and PyTorch's kernels by name in the own traces of H100 and H200 (hopper_torch).
"""

from __future__ import annotations

import math

from roofcast.core.precision import element_bytes, stated_precision
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_parts import (
    Part,
    Recorded,
    Shape,
    is_channels_last,
    product_pipe,
    steps_of,
)
from roofcast.operators.traced_operators import parse_flag, parse_numbers

FEW_CHANNELS = 8
"""Channels of a group below which tensor pipes have nothing to multiply: depthwise convolutions run on vector pipes."""


TILE_OF_CHANNELS = 16
"""Channels that a change of layout handles at least: fewer cost as much (three of an image: 137 us for 0.1 ms of
sixteen on an H100)."""


TILE_OF_POSITIONS = 32
"""Positions of a window or an image that it handles at a time: 14.7 million weights of 3 x 3 took 80 us, 4.7 million 27
(H100), where images pass three times as fast."""


PADDED = {2.0: 8, 4.0: 4}
"""Bytes of an element -> channels to which cuDNN pads images for tensor pipes."""


CUDNN_CHANNELS, CUDNN_COLUMNS = 32, 7
"""Channels and columns of an image from which PyTorch gives FP16 depthwise convolutions to cuDNN."""


@dataclass(frozen=True)
class Window:
    """What a convolution slides over its images."""

    r: Recorded
    backward: bool

    @property
    def x(self) -> Shape:
        """The images."""
        return self.r.operator.shapes[int(self.backward)]

    @property
    def weights(self) -> Shape:
        """(channels out, channels in of a group, window); of transposed ones the images' channels come first."""
        return self.r.operator.shapes[1 + int(self.backward)]

    @property
    def result(self) -> Shape:
        """What comes out forward."""
        return self.r.operator.shapes[0] if self.backward else self.r.outputs[0]

    @property
    def groups(self) -> int:
        """Groups of channels."""
        return (parse_numbers(self.r.operator, 8 + self.backward) or [1])[0]

    @property
    def transposed(self) -> bool:
        """Whether it spreads images rather than gathering them."""
        return parse_flag(self.r.operator, 6 + self.backward)

    @property
    def stride(self) -> int:
        """The largest step."""
        return max(parse_numbers(self.r.operator, 3 + self.backward) or [1])

    @property
    def is_dense_window(self) -> bool:
        """Whether windows lie side by side, without steps, gaps or groups."""
        gaps = max(parse_numbers(self.r.operator, 5 + self.backward) or [1])
        return self.stride == gaps == self.groups == 1 and not self.transposed

    @property
    def kind(self) -> str:
        """Element type."""
        return stated_precision(self.r.operator.dtypes[int(self.backward)]) or "fp32"

    @property
    def size(self) -> float:
        """Bytes of an element."""
        return element_bytes(self.kind)

    @property
    def window(self) -> float:
        """Elements of a window."""
        return float(math.prod(self.weights[2:]))

    @property
    def passes(self) -> tuple[str, ...]:
        """Gradients that are asked for; '' forward."""
        if not self.backward:
            return ("",)
        asked = self.r.operator.arguments[10].strip("[]() ").split(",") if len(self.r.operator.arguments) > 10 else []
        # The gradient of a model's own input is not asked for.
        return ("weights",) if asked and asked[0].strip() == "False" else ("input", "weights")

    @property
    def is_tensor(self) -> bool:
        """Whether tensor pipes do it."""
        return self.kind != "fp64" and (self.kind != "fp32" or self.r.switches.get("tf32_convolutions", True))

    @property
    def lies_right(self) -> bool:
        """Whether images or weights have their channels last already."""
        first = int(self.backward)
        return any(is_channels_last(self.r.operator.shapes[i], steps_of(self.r, i)) for i in (first, first + 1))

    @property
    def moved(self) -> float:
        """B"""
        return float(math.prod(self.x) + math.prod(self.result) + math.prod(self.weights)) * self.size

    @property
    def is_native(self) -> bool:
        """Whether PyTorch's own kernel does a depthwise convolution, and not cuDNN's.

        cuDNN takes images whose channels run fastest; else FP16 alone, with square windows of 1, 3 or 5 over 32
        channels and more, 7 columns and more; with steps of 2 only where channels are many. Source: the dispatcher of
        PyTorch's convolutions.
        """
        if self.lies_right or self.weights[1] != 1 or self.transposed:
            return False
        first = int(self.backward)
        sizes, window = self.x[2:], self.weights[2:]
        dilated = max(parse_numbers(self.r.operator, 5 + first) or [1]) > 1
        if self.kind != "fp16" or dilated or self.x[1] < CUDNN_CHANNELS:
            return True
        if len(sizes) == 1:
            return self.stride != 1
        if not len(sizes) == len(window) == 2:
            return True
        if window[0] != window[1] or window[0] not in UNROLLED or sizes[1] < CUDNN_COLUMNS:
            return True
        if self.stride == 1:
            return False
        channels, columns = self.x[1], sizes[1]
        if self.stride > 2 or window[0] == 1:
            return True
        return self.x[0] > 1 and channels < 512 and (channels < 256 or columns < 28)

    @property
    def native_kind(self) -> str:
        """Square windows of 1, 3 and 5 are written out; others are loops."""
        window = self.weights[2:]
        return "native" if len(set(window)) == 1 and len(window) == 2 and window[0] in UNROLLED else "any window"

    @property
    def positions(self) -> float:
        """Of the window, of all images."""
        return float(self.x[0] * math.prod((self.x if self.transposed else self.result)[2:]))

    @property
    def multiplications(self) -> float:
        """Of one pass."""
        return self.positions * self.weights[0] * self.weights[1] * self.window


UNROLLED = (1, 3, 5)


RESULT_MULTIPLICATIONS = 14.0
"""What a result of PyTorch's own depthwise kernel costs beside its window, in multiplications: 2.7 cycles of an SM for
windows of 3 x 3 and 4.5 for 5 x 5, in FP16 as in FP32 (H100, 19 layers of one network)."""


def convolve(r: Recorded) -> list[Part]:
    """A convolution: to the layout of tensor pipes and back, the product that it is, and its bias.

    Tensor pipes want channels last. Windows of one element with stride 1 are products as they lie.
    """
    w = Window(r, r.short == "convolution_backward")
    ending = ", backward" * w.backward
    bias = bias_of(r, float(math.prod(w.result)), w.size, w.backward)
    if w.groups > 1 and w.weights[1] < FEW_CHANNELS:
        name, work = f"depthwise{', strict' * (w.kind == 'fp32')}{ending}", w.multiplications
        if w.is_native and not w.backward:
            name, work = f"depthwise, {w.native_kind}", work / w.window * (w.window + RESULT_MULTIPLICATIONS)
        return [Part(Operation.CONVOLUTION, name, w.moved, work, flops=2.0 * work, pipe=Resource.FLOPS_FP32, what=p)
                for p in w.passes] + bias  # fmt: skip
    if w.kind == "fp64" and w.window > 1:
        work = w.multiplications
        return [Part(Operation.CONVOLUTION, f"convolution, double{ending}", w.moved, work, flops=2.0 * work,
                     pipe=Resource.FLOPS_FP64, what=p) for p in w.passes] + bias  # fmt: skip
    pipe = product_pipe(w.kind, r.switches.get("tf32_convolutions", True))
    channels = float(max(w.weights[1], PADDED.get(w.size, 1)) if w.is_tensor else w.weights[1])
    name = f"convolution{', strict' * (not w.is_tensor)}{ending}"
    flops = 2.0 * w.multiplications
    products = [
        Part(Operation.CONVOLUTION, name, w.moved, flops=flops, pipe=pipe, what=p, shape=shape_product(w, p, channels))
        for p in w.passes
    ]
    return change_layout(w) + products + bias


def change_layout(w: Window) -> list[Part]:
    """Images and weights to channels last and results back, where tensor pipes need it."""
    plain = w.window == 1 and w.stride == 1
    if not w.is_tensor or plain or w.lies_right or len(w.x) < 4:
        return []
    images = [w.x] * len(w.passes) + [w.result]
    parts = [
        Part(Operation.COPY, "layout", 2.0 * math.prod(shape) * w.size, pad_tiles(shape), what="layout")
        for shape in images
    ]
    moved = 2.0 * math.prod(w.weights) * w.size
    return [*parts, Part(Operation.COPY, "layout", moved, pad_tiles(w.weights), what="layout of weights")]


def pad_tiles(shape: Shape) -> float:
    """Elements that a change of layout handles, those of tiles that are not full with them: 3.6 for each of 3 x 3.

    >>> pad_tiles((1280, 1280, 3, 3)) / (1280 * 1280 * 9), pad_tiles((8, 64, 32, 32)) / (8 * 64 * 1024)
    (3.5555555555555554, 1.0)
    """
    positions = math.prod(shape[2:])
    full = math.ceil(positions / TILE_OF_POSITIONS) * TILE_OF_POSITIONS / max(positions, 1)
    return math.prod(shape) * max(1.0, TILE_OF_CHANNELS / shape[1]) * full


def shape_product(w: Window, what: str, channels: float) -> dict[str, float]:
    """The product that a pass of a convolution is.

    Forward m = positions, n = channels out, k = channels in x window; the gradient of the images exchanges the
    channels, that of the weights sums over positions.
    """
    m, out = w.positions, float(w.weights[0]) / w.groups
    shape = {"shape_m": m, "shape_n": out, "shape_k": channels * w.window, "shape_batch": float(w.groups)}
    if w.kind in ("fp32", "fp16") and w.weights[2:] == (3, 3) and w.is_dense_window and what != "weights":
        shape |= {"winograd": 1.0}
    if what == "weights":
        return shape | {"shape_m": channels * w.window, "shape_k": m}
    if what == "input" and w.stride > 1:
        return shape | {"shape_n": channels * w.window, "shape_k": out}
    if what == "input":
        return shape | {"shape_n": channels, "shape_k": out * w.window}
    return shape


def bias_of(r: Recorded, elements: float, size: float, backward: bool) -> list[Part]:
    """The bias of a convolution: a broadcast addition of its own, backward a sum."""
    if backward:
        asked = r.operator.arguments[10] if len(r.operator.arguments) > 10 else ""
        if not asked.rstrip("]) ").endswith("True"):
            return []
        return [Part(Operation.REDUCTION, "reduction", elements * size, elements, what="bias")]
    if len(r.operator.shapes) > 2 and r.operator.shapes[2]:
        return [Part(Operation.ELEMENTWISE, "strided", 2.0 * elements * size, elements, what="bias")]
    return []
