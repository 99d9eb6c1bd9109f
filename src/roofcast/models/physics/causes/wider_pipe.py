r"""What a source does beyond a pipe's peak, or a GPU has no pipe for, runs on the next wider one.

.. math:: \tau = \frac{V}{P'}, \qquad P' = \begin{cases} P_{TF32} & \text{FP32, } V / T_s > 1.1 \, P_{FP32} \\
    P_{tensor} & \text{half precision, where a GPU has such} \\ \max(P_{FP16}, h \, P_{FP32}) & \text{else} \end{cases}

tau : s. V : FLOPs as the algorithm has them. P : FLOP/s. T_s : s on the source. h : ``fp32_mix``.

Reason: nobody counted the instructions, and libraries choose the pipe. A rate above a pipe's peak proves that another
one did the work: FP32 products of matrices on tensor units (TF32). Half precision on GPUs whose FP16 rate is a token
(1/64 on Pascal) is computed in FP32, with half the bytes (cuDNN's pseudo-half). Work of a tensor pipe that a GPU lacks
runs on its vector units.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines, rate
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import ROOFS, Pair, Roofs, has_no_counters

BEYOND = 1.1
"""Times its peak that a pipe cannot be: clocks exceed the rated boost by less than that."""

HALF = (Resource.FLOPS_FP16, Resource.FLOPS_BF16, Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_TENSOR_BF16)


def half_rate(machines: Machines, resource: Resource, fp32_mix: float) -> FloatArray:
    """FLOP/s that a library reaches in half precision: on tensor pipes, else on the better of two vector pipes."""
    tensor = Resource.FLOPS_TENSOR_BF16 if resource.value.endswith("bf16") else Resource.FLOPS_TENSOR_FP16
    vector = np.fmax(rate(machines, Resource.FLOPS_FP16), fp32_mix * rate(machines, Resource.FLOPS_FP32))
    on_tensor = np.fmax(rate(machines, tensor), rate(machines, Resource.FLOPS_TENSOR_FP16))
    return np.where(on_tensor > 0, on_tensor, vector)


def tf32_rate(machines: Machines) -> FloatArray:
    """FLOP/s of single-precision products on tensor units, else in FP32."""
    on_tensor = rate(machines, Resource.FLOPS_TENSOR_TF32)
    return np.where(on_tensor > 0, on_tensor, rate(machines, Resource.FLOPS_FP32))


def widen_pipes(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs with FLOPs that nobody counted on the pipes that can have computed them."""
    free = has_no_counters(pair.k)
    if not free.any():
        return roofs
    sides = (pair.source.machines, pair.target.machines)
    for resource in (*HALF, Resource.FLOPS_FP32, Resource.FLOPS_TENSOR_TF32):
        flops = pair.k.amounts.flops.get(resource)
        if flops is None or not (flops > 0).any():
            continue
        amount = flops[:, None]
        moved = free & (amount > 0)
        if resource in HALF:
            rates = [half_rate(machines, resource, pair.c.fp32_mix) for machines in sides]
            # A tensor pipe that both have is the one that the input named.
            if resource.value.startswith("flops_tensor"):
                moved = moved & np.isnan(rate(sides[0], resource) + rate(sides[1], resource))
        else:
            rates = [tf32_rate(machines) for machines in sides]
            if resource is Resource.FLOPS_FP32:
                beyond = amount > BEYOND * pair.time_s * rate(sides[0], resource)
                moved = moved & beyond & (rates[0] > rate(sides[0], resource))
            else:
                moved = moved & np.isnan(rate(sides[0], resource) + rate(sides[1], resource))
        if moved.any():
            # One row each stays one row on the source.
            moved_rows = np.asarray(moved.any(axis=1, keepdims=True))
            roofs = roofs.put(resource, moved_rows, amount / rates[0], moved, amount / rates[1])
    return roofs


CAUSE = Cause(
    name="wider_pipe",
    sentence="what a source does beyond a pipe's peak, or a GPU has no pipe for, runs on the next wider one",
    when="FLOPs of the algorithm, no counters",
    corrects="TF32 taken for FP32, half precision on GPUs without fast FP16, tensor work on GPUs without tensor pipes",
    taught_by="torchvision_cnn 222 to 18 %, torch_gemm_peak 94 to 62 % (with explained_share); cuDNN's documentation",
    acts=(at(ROOFS, widen_pipes),),
    properties=(Property.PIPES, Property.TENSOR),
)
