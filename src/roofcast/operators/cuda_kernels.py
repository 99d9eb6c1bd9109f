"""The kernels that an operator of PyTorch is on CUDA: layout changes, the product, the bias; passes over lists; rows.

A trace names kernels; a recorded list names operators, and one operator is several kernels of different kinds. Each
:class:`~roofcast.operators.operator_parts.Part` says the kind of one of them, what it moves, and how many elements or
rows its threads address one by one. Convolutions are in :mod:`roofcast.operators.convolution_kernels`.
Sources: PyTorch's and cuDNN's kernels by name in the own traces of H100 and H200 (hopper_torch).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from roofcast.core.precision import ELEMENT_BYTES, element_bytes, stated_precision
from roofcast.operators.convolution_kernels import convolve
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_parts import (
    Part,
    Recorded,
    is_channels_last,
    is_contiguous,
    is_dense,
    product_part,
    product_pipe,
    steps_of,
)
from roofcast.operators.traced_operators import parse_flag, parse_numbers


def spread_elements(r: Recorded) -> list[Part]:
    """Element-wise: vectorised where all operands lie alike and have one type, else element by element."""
    places = r.inputs
    if not places:
        return [Part(Operation.ELEMENTWISE, "vectorised", r.bytes_out)]
    result = r.outputs[0] if r.outputs and r.outputs[0] else r.operator.shapes[places[0]]
    moved = sum(r.bytes_in(i) for i in places) + r.bytes_out
    tensors = [i for i in places if math.prod(r.operator.shapes[i]) > 1]
    orders = {steps_of(r, i) for i in tensors}
    alike = all(r.operator.shapes[i] == result for i in tensors) and len(orders) == 1
    dense = alike and all(is_dense(r.operator.shapes[i], steps_of(r, i)) for i in tensors)
    widths = {r.width(i) for i in tensors if r.operator.dtypes[i] not in ("bool", "torch.bool")}
    elements = float(math.prod(result))
    touched = moved - r.bytes_out if r.operator.name.endswith("_") else 0.0
    if dense and len(widths) <= 1:
        return [Part(Operation.ELEMENTWISE, "vectorised", moved, touched=touched)]
    # Where the operands run along different dimensions, one of them is read across its lines.
    crossed = len({steps[-1] == 1 for steps in orders if steps[-1] != 0}) > 1
    work = "cast" if dense else "transposed" if crossed else "strided"
    return [Part(Operation.ELEMENTWISE, work, moved, elements, touched=touched)]


def draw_numbers(r: Recorded) -> list[Part]:
    """Random numbers, alone or beside what they drop."""
    moved = sum(r.bytes_in(i) for i in r.inputs) + r.bytes_out
    touched = moved - r.bytes_out if r.operator.name.endswith("_") else 0.0
    return [Part(Operation.ELEMENTWISE, "drawn", moved, r.elements_out, touched=touched)]


def copy_elements(r: Recorded) -> list[Part]:
    """Copies: dense ones vectorised (to shorter types too), to longer types and other orders element by element."""
    places = r.inputs
    if not places:
        return [Part(Operation.COPY, "vectorised", r.bytes_out)]
    source = places[-1] if r.short == "copy" and len(places) > 1 else places[0]
    shape, steps = r.operator.shapes[source], steps_of(r, source)
    moved = r.bytes_in(source) + r.bytes_out
    out = ELEMENT_BYTES.get(stated_precision(r.output_types[0]) or "fp32", 4.0) if r.output_types else 4.0
    ordered = any("contiguous_format" in a for a in r.operator.arguments)
    if r.short == "copy" and len(places) > 1:
        ordered = steps_of(r, places[0]) != steps
    inner = any("channels_last" in a for a in r.operator.arguments) and not is_channels_last(shape, steps)
    inner = inner and len(shape) >= 4 and shape[1] > 1 and math.prod(shape[2:]) > 1
    in_order = not inner and (is_contiguous(shape, steps) or (is_dense(shape, steps) and not ordered))
    elements = float(math.prod(r.outputs[0] if r.outputs else shape))
    if in_order and out <= r.width(source):
        return [Part(Operation.COPY, "vectorised", moved)]
    if in_order:
        return [Part(Operation.COPY, "cast", moved, elements)]
    longest = [step for n, step in zip(shape, steps, strict=True) if n > 1]
    crossed = inner or (bool(longest) and longest[-1] > 1)
    return [Part(Operation.COPY, "transposed" if crossed else "strided", moved, elements)]


def join_tensors(r: Recorded) -> list[Part]:
    """Cat and stack: everything read and written; 16 bytes at a time where what each input adds to a row allows it."""
    moved = sum(r.bytes_in(i) for i in r.inputs) + r.bytes_out
    at = (parse_numbers(r.operator, len(r.operator.arguments) - 1) or [0])[0]
    shapes = [(i, r.operator.shapes[i]) for i in r.inputs]
    # An empty tensor, as the first of a cache is, takes the kernel for all that does not lie in order.
    whole = all(
        math.prod(shape) > 0 and is_contiguous(shape, steps_of(r, i))
        and math.prod(shape[at % len(shape) :]) * r.width(i) % WIDE_LOAD == 0
        for i, shape in shapes
    )  # fmt: skip
    return [Part(Operation.COPY, "vectorised" if whole else "joined", moved, r.elements_out)]


WIDE_LOAD = 16.0
"""B of the widest load of a thread."""


def reduce_elements(r: Recorded) -> list[Part]:
    """Sums and extremes: everything read; a result is a row that threads add up together.

    Across the lines of memory a thread adds up a result of its own: no rows. Rows shorter than a warp share one.
    """
    elements = float(max(math.prod(r.operator.shapes[i]) for i in r.inputs))
    results = r.elements_out if r.outputs and r.outputs[0] else 1.0
    moved = sum(r.bytes_in(i) for i in r.inputs) + r.bytes_out
    if not runs_along_lines(r):
        return [Part(Operation.REDUCTION, "reduction across", moved, elements)]
    rows = results * min(1.0, elements / results / WARP) if results < elements else 0.0
    return [Part(Operation.REDUCTION, "reduction", moved, elements, rows)]


WARP = 32.0
"""Threads that add up a row of as many elements."""


def runs_along_lines(r: Recorded) -> bool:
    """Whether a reduction or scan runs along what lies side by side in memory; so where nothing says its dimensions."""
    at = max(r.inputs, key=lambda i: math.prod(r.operator.shapes[i]))
    shape, places = r.operator.shapes[at], parse_numbers(r.operator, 2 if "norm" in r.short else 1)
    if not places or not all(-len(shape) <= place < len(shape) for place in places):
        return True
    steps = steps_of(r, at)
    long = [place for place, n in enumerate(shape) if n > 1]
    return not long or min(long, key=lambda place: steps[place]) in {place % len(shape) for place in places}


def gather_rows(r: Recorded) -> list[Part]:
    """Rows of a table by index: only those that are asked for are touched; a block for each, of whatever length."""
    table = r.operator.shapes[r.inputs[0]]
    columns = math.prod(table[1:]) if len(table) > 1 else 1
    rows = r.elements_out / max(columns, 1)
    moved = 2.0 * r.bytes_out + 8.0 * rows
    if columns < 8:
        return [Part(Operation.GATHER, "random elements", moved, r.elements_out)]
    return [Part(Operation.GATHER, "rows", moved, rows)]


def gather_elements(r: Recorded) -> list[Part]:
    """An element by an index of its own for each result."""
    index = sum(r.bytes_in(i) for i in r.inputs[1:])
    return [Part(Operation.GATHER, "random elements", 2.0 * r.bytes_out + index, r.elements_out)]


def measure_loss(r: Recorded) -> list[Part]:
    """A loss of two tensors: an element-wise pass, and the sum over what it wrote."""
    elements = max(math.prod(r.operator.shapes[i]) for i in r.inputs)
    written = elements * max(r.width(i) for i in r.inputs)
    parts = [Part(Operation.ELEMENTWISE, "vectorised", sum(r.bytes_in(i) for i in r.inputs) + written)]
    if r.elements_out < elements:
        parts.append(Part(Operation.REDUCTION, "reduction", written, float(elements), what="sum"))
    return parts


def shuffle_elements(r: Recorded) -> list[Part]:
    """The same elements, or some of them, in another order, one by one."""
    moved = sum(r.bytes_in(i) for i in r.inputs) + r.bytes_out
    return [
        Part(Operation.COPY, "shuffled", moved, max(r.elements_out, float(math.prod(r.operator.shapes[r.inputs[0]]))))
    ]


def scatter_rows(r: Recorded) -> list[Part]:
    """Rows added or written where an index says, only those that are touched: by atomics, or sorted and then summed."""
    fill = r.bytes_out if not r.operator.name.endswith("_") else 0.0
    copied = [Part(Operation.COPY, "vectorised", 2.0 * fill, what="copy")] if fill else []
    width = r.width(r.inputs[0])
    if r.short == "index_put" and r.operator.arguments and r.operator.arguments[-1] == "True":
        indices = [math.prod(r.operator.shapes[i]) for i in r.inputs[1:-1]]
        given, count = float(math.prod(r.operator.shapes[r.inputs[-1]])), float(max(indices, default=1))
        summed = Part(Operation.GATHER, "sorted rows", 3.0 * given * width, max(count, given / WARP))
        return [*copied, *sort_indices(count), summed]
    elements = float(max([math.prod(r.operator.shapes[i]) for i in r.inputs[1:]] or [1]))
    work = "scatter elements" if r.short in ("scatter", "scatter_add", "scatter_reduce") else "scatter"
    return [Part(Operation.GATHER, work, 3.0 * elements * width, elements), *copied]


def sort_indices(count: float) -> list[Part]:
    """Radix sort of indices of 64 bits and of what stands at them, a digit at a time."""
    return [Part(Operation.SORT, "radix", 4.0 * INDEX * count, what="indices", count=RADIX_PASSES)]


RADIX_PASSES = 8.0
"""Passes that sort indices of 64 bits, a byte each."""


def embed_backward(r: Recorded) -> list[Part]:
    """Gradient of a table: filled with zeros, indices sorted, rows summed in parts and these added."""
    given = float(max(math.prod(r.operator.shapes[i]) for i in r.inputs))
    columns = r.outputs[0][-1] if r.outputs and r.outputs[0] else 1
    rows = given / max(columns, 1)
    if "bag" in r.short:
        rows = float(math.prod(r.operator.shapes[1])) if len(r.operator.shapes) > 1 else rows
    moved = 2.0 * rows * columns * r.width(r.inputs[0])
    return [
        Part(Operation.ELEMENTWISE, "vectorised", r.bytes_out, what="zeros"), *sort_indices(rows),
        *(Part(Operation.GATHER, "rows", moved, rows, what=what) for what in ("sums", "rows")),
    ]  # fmt: skip


def embed_bags(r: Recorded) -> list[Part]:
    """Bags of rows: those of all indices read, one row a bag written."""
    table = r.operator.shapes[0]
    indices = math.prod(r.operator.shapes[1])
    moved = indices * table[-1] * r.width(0) + r.elements_out * r.width(0) + 8.0 * indices
    return [Part(Operation.GATHER, "bags", moved, 0.0, float(indices))]


def pool(r: Recorded) -> list[Part]:
    """Windows: an element of the result reads all of its window."""
    backward = r.short.endswith("backward")
    window = math.prod(parse_numbers(r.operator, 2 if backward else 1) or [1])
    if "adaptive" in r.short:
        window = max(1, math.prod(r.operator.shapes[r.inputs[0]]) // max(int(r.elements_out), 1))
    moved = sum(r.bytes_in(i) for i in r.inputs) + r.bytes_out
    return [Part(Operation.POOLING, "windows", moved, r.elements_out * min(window, 9 if backward else window))]


TAPS = {"nearest": 1, "linear": 2, "bilinear": 4, "trilinear": 8, "bicubic": 16}
"""Kind of resampling -> elements that one of the larger image is made of."""
LOOPS_OVER_IMAGES = ("linear1d", "bilinear2d", "trilinear3d", "bicubic2d")
"""Resampling that starts a thread for each position and takes images and channels in a loop, each after the load
before: a GPU waits 1,048,576 times for memory where 1,024 images of 1,024 channels become 14 x 14."""


def resample(r: Recorded) -> list[Part]:
    """Images of another size: each element of the larger one is made of some of the smaller, forward and backward."""
    kind = next(k for k in sorted(TAPS, key=len, reverse=True) if k in r.short)
    larger = max(r.elements_out, *(float(math.prod(r.operator.shapes[i])) for i in r.inputs))
    moved = sum(r.bytes_in(i) for i in r.inputs) + r.bytes_out
    shape = r.operator.shapes[r.inputs[0]]
    in_turn = r.short.removeprefix("upsample_") in LOOPS_OVER_IMAGES and not is_channels_last(shape, steps_of(r, 0))
    waits = float(math.prod(shape[:2])) if in_turn else 0.0
    return [Part(Operation.POOLING, "windows", moved, larger * TAPS[kind], waits=waits)]


FORWARD_PASSES, BACKWARD_PASSES = 3.0, 5.0
"""Passes over a tensor of batch norm in training: read twice and written; of its gradient two tensors twice."""


def batch_norm(r: Recorded) -> list[Part]:
    """Batch norm: one pass of inference; of training two reads and a write, a block or so for each channel.

    Where channels run fastest cuDNN takes FP16 and FP32, kernels of PyTorch take bf16.
    """
    at = r.inputs[0]
    shape = r.operator.shapes[at]
    elements, tensor_bytes = float(math.prod(shape)), math.prod(shape) * r.width(at)
    channels = float(shape[1]) if len(shape) > 1 else float(shape[0])
    inner = is_channels_last(shape, steps_of(r, at))
    backward = r.short.endswith("backward")
    if not backward and not parse_flag(r.operator, 5):
        return [Part(Operation.NORMALISATION, "batch norm, fixed", 2.0 * tensor_bytes, elements)]
    native = inner and stated_precision(r.operator.dtypes[at]) == "bf16"
    kind = f"batch norm{', inner' * inner}{', native' * native}{', backward' * backward}"
    passes = BACKWARD_PASSES if backward else FORWARD_PASSES
    return [
        Part(
            Operation.NORMALISATION,
            kind,
            passes * tensor_bytes,
            elements,
            shape={} if inner else {"channels": channels},
        )
    ]


def group_norm(r: Recorded) -> list[Part]:
    """Group norm: the moments of each group by one block, element by element; then scaled, a number for each channel.

    Backward: sums for each channel, the gradient element by element from two tensors, and that of the weights.
    """
    at = r.inputs[0]
    shape = r.operator.shapes[at]
    elements, tensor_bytes = float(math.prod(shape)), math.prod(shape) * r.width(at)
    backward = r.short.endswith("backward")
    numbers = [v for i in range(len(r.operator.arguments)) for v in parse_numbers(r.operator, i)[:1]]
    groups = numbers[3] if len(numbers) > 3 else shape[1]
    rows = shape[0] * (shape[1] if backward else groups)
    tensors = 2.0 if backward else 1.0
    parts = [
        Part(Operation.NORMALISATION, "group norm", tensors * tensor_bytes, tensors * elements,
             waits=tensors * MOMENT_WAITS * math.ceil(elements / rows / BLOCK), what="moments"),
        Part(Operation.ELEMENTWISE, "strided", (tensors + 1.0) * tensor_bytes, elements, what="scaling"),
    ]  # fmt: skip
    if backward:
        small = float(shape[0] * shape[1])
        parts.append(Part(Operation.REDUCTION, "reduction", 8.0 * small, 2.0 * small, what="weights"))
    return parts


BLOCK = 512.0
"""Threads that add up the moments of a group, or a row of a layer norm four elements at a time by 128."""
MOMENT_WAITS = 1.35
"""Times DRAM's latency that a thread takes for an element there: 80 elements one after the other in 36 us (H100)."""


def layer_norm(r: Recorded) -> list[Part]:
    """Norms of rows: a block for each, which reads it twice; backward the same for the input, then the weights."""
    at = r.inputs[0]
    shape = r.operator.shapes[at]
    backward, squares = r.short.endswith("backward"), "rms" in r.short
    columns = math.prod(parse_numbers(r.operator, 2 if backward else 1)) or shape[-1]
    rows, tensor_bytes = math.prod(shape) / max(columns, 1), math.prod(shape) * r.width(at)
    kind = "rms norm" if squares else "layer norm"
    waits = (SQUARES_WAITS if squares else 2.0) * math.ceil(columns / BLOCK)
    if not backward:
        return [Part(Operation.NORMALISATION, kind, 2.0 * tensor_bytes, 0.0, rows, waits)]
    return [
        Part(Operation.NORMALISATION, kind, 3.0 * tensor_bytes, 0.0, rows, waits, what="input"),
        Part(Operation.NORMALISATION, "sums of columns", 2.0 * tensor_bytes, float(math.prod(shape)), what="weights"),
    ]


SQUARES_WAITS = 1.2
"""Times that a row's thread waits for each 512 elements where the mean is not asked for."""


def soften_rows(r: Recorded) -> list[Part]:
    """Softmax: rows read and written; wide ones are read once more, and what a gradient reads is two tensors."""
    read = sum(r.bytes_in(i) for i in r.inputs)
    at = r.inputs[0]
    shape, elements = r.operator.shapes[at], float(math.prod(r.operator.shapes[at]))
    place = (parse_numbers(r.operator, 2 if "backward" in r.short else 1) or [-1])[0]
    again = read if shape[place] * r.width(at) > WIDE_ROW else 0.0
    parts = [Part(Operation.SOFTMAX, "softmax rows", read + again + r.bytes_out, elements)]
    if r.short != "_safe_softmax":
        return parts
    # Rows of which all is masked become zeros: they are searched, and chosen element by element.
    return [
        Part(Operation.ELEMENTWISE, "vectorised", read + elements, what="masked"), *parts,
        Part(Operation.REDUCTION, "reduction", elements, elements, elements / shape[place], what="all masked"),
        Part(Operation.ELEMENTWISE, "strided", 2.0 * r.bytes_out, elements, what="zeros"),
    ]  # fmt: skip


WIDE_ROW = 2.0**17
"""B of a row of softmax from which the rows of all blocks outgrow L2 before they are read again: 50,257 elements
in FP32 (1.6 TB/s of twice their bytes, an H100) and not in bf16 (2.2)."""


def pick_losses(r: Recorded) -> list[Part]:
    """Negative log-likelihood: forward one warp picks an element a row; backward zeros, and an element a row."""
    if r.short.endswith("backward"):
        return [Part(Operation.ELEMENTWISE, "vectorised", r.bytes_out, what="zeros")]
    at = r.inputs[0]
    shape = r.operator.shapes[at]
    rows = math.prod(shape) / max(shape[1] if len(shape) > 1 else shape[0], 1)
    waits = LOSS_WAITS * rows / WARP if len(shape) <= 2 else 0.0
    return [Part(Operation.GATHER, "vectorised", SECTOR * rows, waits=waits)]


SECTOR = 32.0
"""B that memory gives at least."""
LOSS_WAITS = 0.23
"""Times DRAM's latency that a warp takes for 32 rows: 8,192 rows in 19 us, FP32 and bf16, H100 and H200 alike."""


def optimise(r: Recorded) -> list[Part]:
    """A pass of an optimiser over lists of tensors; numbers alone stay on the host."""
    moved = sum(r.bytes_in(i) for i in r.inputs)
    if not r.inputs:
        return []
    results = moved / max(lists_of(r), 1)
    short = r.short.removeprefix("_foreach_")
    fused = r.short.startswith("_fused_")
    written = 0.0 if short == "norm" else results * (3.0 if fused else 1.0)
    kernels = math.ceil(len(r.inputs) / max(lists_of(r), 1) / TENSORS_A_LAUNCH)
    return [Part(Operation.ELEMENTWISE, "lists", (moved + written) / kernels, count=float(kernels))]


TENSORS_A_LAUNCH = 64
"""Tensors that one launch over lists takes, about: PyTorch's tables hold 110 of one list, 30 of five."""


def lists_of(r: Recorded) -> int:
    """How many lists of tensors an operator has: as often as the first shape's run of shapes repeats."""
    shapes = [r.operator.shapes[i] for i in r.inputs]
    n = len(shapes)
    for k in (5, 4, 3, 2):
        if n % k == 0 and all(shapes[: n // k] == shapes[i * n // k : (i + 1) * n // k] for i in range(1, k)):
            return k
    return 1


def recur(r: Recorded) -> list[Part]:
    """A recurrent layer: the inputs' product at once, then a small product and the cells for each step.

    Backward: the same twice (gradients of states and of weights).
    """
    backward = r.short.endswith("backward")
    x, rest = r.operator.shapes[0], r.operator.shapes[1:]
    matrices, states = [s for s in rest if len(s) == 2], [s for s in rest if len(s) == 3]
    kind = stated_precision(r.operator.dtypes[0]) or "fp32"
    batch = float(states[0][1])
    steps = math.prod(x[:2]) / batch
    pipe, size = product_pipe(kind, r.switches.get("tf32_convolutions", True)), element_bytes(kind)
    parts, times = [], 2.0 if backward else 1.0
    for of_input, of_state in zip(matrices[::2], matrices[1::2], strict=True):
        n, k = map(float, of_state)
        parts.append(product_part(steps * batch, n, float(of_input[1]), kind, pipe, "inputs", times))
        step = product_part(batch, n, k, kind, pipe, "a step", steps)
        parts.append(dataclasses.replace(step, work="step of a layer"))
        if backward:
            parts.append(product_part(n, k, steps * batch, kind, pipe, "weights", 1.0))
        cells = batch * n
        parts.append(Part(Operation.ELEMENTWISE, "strided", 3.0 * cells * size, cells, what="cells",
                          count=steps * times))  # fmt: skip
        if backward:
            rows = steps * batch * n
            parts.append(Part(Operation.REDUCTION, "sums of columns", rows * size, rows, what="biases"))
    return parts


def sort_elements(r: Recorded) -> list[Part]:
    """Sorts and the largest of rows: a block for each short row, one radix sort of all where there is one row."""
    at = max(r.inputs, key=lambda i: math.prod(r.operator.shapes[i]))
    shape = r.operator.shapes[at]
    elements = float(math.prod(shape))
    rows = elements / max(shape[-1], 1)
    if r.short in ("topk", "median", "kthvalue"):
        picked = r.elements_out
        return [
            Part(Operation.SORT, "selection", 12.0 * elements, elements, rows),
            Part(Operation.SORT, "sort", 12.0 * picked, picked, what="of the largest"),
        ]
    if rows == 1.0:
        width = r.width(at)
        return [Part(Operation.SORT, "radix", 2.0 * (width + INDEX) * elements, what="a digit", count=width + 1.0)]
    return [Part(Operation.SORT, "sort", 12.0 * elements, elements)]


def sample_grid(r: Recorded) -> list[Part]:
    """Images read where a grid says: each element of the result is made of those around its place."""
    kind = "linear" if len(r.operator.shapes[0]) == 3 else "bilinear" if len(r.operator.shapes[0]) == 4 else "trilinear"
    moved = sum(r.bytes_in(i) for i in r.inputs) + r.bytes_out
    return [Part(Operation.GATHER, "windows", moved, r.elements_out * TAPS[kind])]


COLUMN_WAITS = {"cholesky": 1.2, "triangular": 4.0}
PIVOT_WAITS = 8.3
"""Times DRAM's latency that a column of a factorisation takes: 4,096 of Cholesky's in 1.6 ms, 2,048 of LU with pivots
and its solution in 5.6 (H100)."""


def factorise(r: Recorded) -> list[Part]:
    """Matrices factorised or solved: column after column; the sums of a column are the rest of the matrix."""
    shape = max((r.operator.shapes[i] for i in r.inputs), key=len)
    n, batch = float(max(shape[-2:])), float(math.prod(shape[:-2]))
    waits = next((w for name, w in COLUMN_WAITS.items() if name in r.short), PIVOT_WAITS)
    moved = sum(r.bytes_in(i) for i in r.inputs) + r.bytes_out
    return [Part(Operation.REDUCTION, "columns", moved, batch * n**3 / 3.0, waits=waits * n)]


def measure_distances(r: Recorded) -> list[Part]:
    """Distances of all rows of two matrices: their product, or differences element by element; then a root."""
    a, b = (r.operator.shapes[i] for i in r.inputs[:2])
    kind = stated_precision(r.operator.dtypes[r.inputs[0]]) or "fp32"
    m, n, k, batch = float(a[-2]), float(b[-2]), float(a[-1]), float(math.prod(a[:-2]))
    root = Part(Operation.ELEMENTWISE, "vectorised", 2.0 * r.bytes_out, what="root")
    if "euclidean" in r.short:
        pipe = product_pipe(kind, r.switches.get("tf32_products", False))
        return [product_part(m, n, k + 2.0, kind, pipe, "product", 1.0, batch), root]
    moved = sum(r.bytes_in(i) for i in r.inputs) + r.bytes_out
    return [Part(Operation.REDUCTION, "reduction", moved, batch * m * n * k, batch * m * n)]


INDEX = 8.0
"""B of an index, which is sorted with what it stands for."""


def scan_elements(r: Recorded) -> list[Part]:
    """Running sums; across the lines of memory a thread goes along each alone."""
    elements = float(max(math.prod(r.operator.shapes[i]) for i in r.inputs))
    if max(r.operator.shapes[r.inputs[0]]) == elements:
        return [Part(Operation.REDUCTION, "scan, flat", r.bytes_in(r.inputs[0]) + r.bytes_out)]
    slower = 1.0 if runs_along_lines(r) else ACROSS_LINES
    return [Part(Operation.REDUCTION, "scan",
                 r.bytes_in(r.inputs[0]) + r.bytes_out, slower * elements)]  # fmt: skip


ACROSS_LINES = 7.5
"""Times as long as a scan along the lines of memory: 3.10 ms for 0.42 (8192 x 8192 FP32, H100; H200 alike)."""


def transform(r: Recorded) -> list[Part]:
    """Fourier transforms: a pass over the data for each dimension, two for long ones."""
    at = r.inputs[0]
    moved, shape = r.bytes_in(at) + r.bytes_out, r.operator.shapes[at]
    lengths = [shape[d] for d in parse_numbers(r.operator, 1)] or [shape[-1]]
    passes = sum(max(1, math.ceil(math.log(n) / math.log(LONGEST_FFT))) if n > 1 else 0 for n in lengths)
    return [Part(Operation.FFT, "fourier", moved, count=float(max(passes, 1)))]


LONGEST_FFT = 4096.0
"""Elements that a block transforms at once (c64, H100: 4,096 at 2.8 TB/s of one pass, 1,048,576 at 2.7 of two)."""


def group_products(r: Recorded) -> list[Part]:
    """Products of groups of rows, each with a matrix of its own."""
    a, b = (r.operator.shapes[i] for i in r.inputs[:2])
    kind = stated_precision(r.operator.dtypes[r.inputs[0]]) or "bf16"
    groups, k, n = (b[0], b[-2], b[-1]) if len(b) == 3 else (1, b[-2], b[-1])
    m = math.prod(a) / k / groups
    return [product_part(m, n, k, kind, product_pipe(kind, False), "", 1.0, float(groups))]


WHOLE_INPUTS = frozenset(
    {"native_layer_norm", "native_layer_norm_backward", "_fused_rms_norm", "_fused_rms_norm_backward", "cumsum",
     "cumprod", "logcumsumexp", "embedding_dense_backward"}
)  # fmt: skip
"""Operators of PyTorch that first copy what does not lie in order (``expect_contiguous``): 63 of the 87 copies of a
training step of an MLP mixer, whose activations are transposed (hopper_torch)."""


def copy_inputs(r: Recorded) -> list[Part]:
    """The copies that such an operator makes of its inputs."""
    parts = []
    for i in r.inputs:
        shape, steps = r.operator.shapes[i], steps_of(r, i)
        if r.short in WHOLE_INPUTS and not is_contiguous(shape, steps):
            longest = [step for n, step in zip(shape, steps, strict=True) if n > 1]
            elements = float(math.prod(shape))
            moved = r.bytes_in(i) + elements * r.width(i)
            work = "transposed" if longest[-1] > 1 else "strided"
            parts.append(Part(Operation.COPY, work, moved, elements, what="copy of an input"))
    return parts


def share(text: str, make: Callable[[Recorded], list[Part]]) -> dict[str, Callable[[Recorded], list[Part]]]:
    """The same way for several names."""
    return dict.fromkeys(text.split(), make)


PARTS: dict[str, Callable[[Recorded], list[Part]]] = {
    **share("add sub mul div rsub addcmul addcdiv neg abs relu clamp clamp_min clamp_max where masked_fill eq ne lt le "
            "gt ge bitwise_and bitwise_or bitwise_not logical_and logical_or logical_not maximum minimum threshold "
            "threshold_backward leaky_relu leaky_relu_backward hardtanh hardtanh_backward sign floor ceil round "
            "remainder fmod lerp square triu tril native_dropout_backward masked_scatter gelu silu "
            "sigmoid tanh exp log log2 log1p expm1 sqrt rsqrt reciprocal pow erf sin cos mish elu softplus hardswish "
            "hardswish_backward hardsigmoid hardsigmoid_backward gelu_backward silu_backward sigmoid_backward "
            "tanh_backward floor_divide elu_backward softplus_backward mish_backward isnan isinf glu glu_backward "
            "_prelu_kernel _prelu_kernel_backward nan_to_num atan2 hypot tan log10 logit xlogy sgn mse_loss_backward "
            "smooth_l1_loss_backward huber_loss_backward binary_cross_entropy_backward log_sigmoid_forward "
            "log_sigmoid_backward arange logaddexp celu selu hardshrink softshrink clip rrelu_with_noise",
            spread_elements),
    **share("mse_loss smooth_l1_loss huber_loss soft_margin_loss binary_cross_entropy "
            "binary_cross_entropy_with_logits", measure_loss),
    **share("pixel_shuffle pixel_unshuffle channel_shuffle roll flip rot90 reflection_pad1d reflection_pad2d "
            "reflection_pad3d replication_pad1d replication_pad2d replication_pad3d reflection_pad1d_backward "
            "reflection_pad2d_backward replication_pad2d_backward repeat im2col col2im",
            shuffle_elements),
    **share("native_dropout bernoulli uniform normal randn rand rand_like randn_like", draw_numbers),
    **share("copy clone contiguous to _to_copy", copy_elements),
    **share("cat stack", join_tensors),
    **share("sum mean max min amax amin argmax argmin all any norm linalg_vector_norm var std var_mean prod aminmax "
            "count_nonzero logsumexp histc bincount", reduce_elements),
    **share("embedding index_select index", gather_rows),
    **share("gather take", gather_elements),
    **share("index_add scatter_add scatter index_put scatter_reduce index_copy", scatter_rows),
    **share("embedding_dense_backward _embedding_bag_backward _embedding_bag_dense_backward", embed_backward),
    **share("_embedding_bag _embedding_bag_forward_only", embed_bags),
    **share("max_pool2d_with_indices max_pool2d_with_indices_backward avg_pool2d avg_pool2d_backward "
            "max_pool3d_with_indices max_pool3d_with_indices_backward avg_pool3d avg_pool3d_backward "
            "_adaptive_avg_pool2d _adaptive_avg_pool2d_backward _adaptive_avg_pool3d _adaptive_avg_pool3d_backward "
            "adaptive_max_pool2d adaptive_max_pool3d", pool),
    **share(" ".join(f"{name}{back}" for back in ("", "_backward") for name in (
                "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact1d",
                "_upsample_nearest_exact2d", "_upsample_nearest_exact3d", "upsample_linear1d", "upsample_bilinear2d",
                "_upsample_bilinear2d_aa", "upsample_trilinear3d", "upsample_bicubic2d", "_upsample_bicubic2d_aa")),
            resample),
    **share("native_batch_norm native_batch_norm_backward cudnn_batch_norm cudnn_batch_norm_backward "
            "_native_batch_norm_legit", batch_norm),
    **share("native_layer_norm native_layer_norm_backward _fused_rms_norm _fused_rms_norm_backward", layer_norm),
    **share("native_group_norm native_group_norm_backward", group_norm),
    **share("_softmax _log_softmax _safe_softmax _softmax_backward_data _log_softmax_backward_data", soften_rows),
    **share("nll_loss_forward nll_loss2d_forward nll_loss_backward nll_loss2d_backward", pick_losses),
    **share("_cudnn_rnn _cudnn_rnn_backward", recur),
    **share("convolution convolution_backward", convolve),
    **share("grid_sampler_2d grid_sampler_3d", sample_grid),
    **share("linalg_cholesky_ex linalg_lu_factor_ex _linalg_solve_ex linalg_inv_ex linalg_solve_triangular "
            "linalg_qr geqrf _linalg_det _linalg_slogdet cholesky_solve linalg_lu linalg_lu_solve", factorise),
    **share("_euclidean_dist _cdist_forward", measure_distances),
    **share("sort topk argsort median kthvalue mode", sort_elements),
    **share("cumsum cumprod cummax cummin logcumsumexp", scan_elements),
    **share("_fft_c2c _fft_r2c _fft_c2r", transform),
    **share("_grouped_mm _scaled_grouped_mm", group_products),
}  # fmt: skip
"""Operator -> its kernels. Products, attention and softmax are one kernel by their recipe."""


def list_parts(r: Recorded) -> list[Part] | None:
    """The kernels of an operator; None where they are not known beyond its recipe. Empty: none on the device."""
    if r.short.startswith(("_foreach_", "_fused_adam", "_fused_sgd")):
        return optimise(r)
    make = PARTS.get(r.short)
    if make is None or not (r.inputs or r.outputs):
        return None
    try:
        return [*copy_inputs(r), *make(r)]
    except (IndexError, ValueError, ZeroDivisionError):
        return None
