r"""AMD's convolutions: the units that the algorithm in their name computes on, and what it reaches on a generation.

.. math:: M = l \, \sqrt{\tau_{bus}^2 + \tau_{pipe}^2}

M : s without launch. tau : s of the bytes and of the direct convolution's FLOPs, on matrix units where the solver is a
matrix product of rocBLAS, of Composable Kernel or an ``Xdlops`` one and the GPU has such, else on vector units: FP16
packed in Winograd and assembly, in FP32 where OpenCL computes; BF16 in FP32. l : 1, usual time of the generation.
k = 0.9 of what the source's kernel takes beside M travels.

Reason: MIOpen names its algorithm, and an algorithm in OpenCL or Winograd gains nothing from matrix units. Its kernels
are written for waves of 64 lanes and tuned for GCN and CDNA; RDNA runs them in two passes, from parameters of others.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, rate
from roofcast.core.precision import stated_precision
from roofcast.core.resource import Resource
from roofcast.core.waterfall import Cause as Step
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import carry_over, kept_share, replace_rows
from roofcast.models.physics.stages import OPERATORS, Forecast, Kept, Result
from roofcast.operators.kernel_names import Operation

SOLVER = re.compile(r"(?:^|/)(?:Conv(?:Ocl|Asm|Hip|Bin|Mlir|CK|MP|Winograd)|Gemm(?:Fwd|Bwd|Wrw)\w)")
"""MIOpen's names of its algorithms."""
ON_MATRIX_UNITS = re.compile(r"Xdlops|Gemm(?:Fwd|Bwd|Wrw)|ConvCK|Ck")
IN_FP32 = re.compile("Ocl")
KEPT_SHARE = 0.9
LEVELS = (("gfx10", 2.2), ("gfx11", 2.2), ("gfx900", 1.4))
"""l by the beginning of an architecture's name, 1 for others: miopen_conv, medians over MI100; RX 6800 XT and MI25."""

Seconds = tuple[FloatArray, FloatArray]


def model_convolutions(result: Result, read: Forecast) -> Result:
    """Forecasts, those of MIOpen's algorithms between GPUs of AMD by their own model."""
    pair, amounts = read.pair, read.pair.k.amounts
    names = pair.table.strings("kernel").tolist()
    solvers = {name: bool(SOLVER.search(str(name))) for name in set(names)}
    if pair.operators is None or not any(solvers.values()):
        return result
    flops, moved = amounts.flops_total, amounts.get(Resource.BYTES_DRAM)
    named = np.array([solvers[name] for name in names]) & (pair.operators.code >= 0)
    chosen = np.flatnonzero(named & (flops > 0) & (moved > 0))
    if not len(chosen):
        return result
    here = pair.rows(chosen)
    table, work = pair.table.select(chosen), (flops[chosen, None], moved[chosen, None])
    needs = (convolution_s(table, work, here.source.machines), convolution_s(table, work, here.target.machines))
    known = np.broadcast_to(needs[0] + needs[1], (len(chosen), result.time_s.shape[1]))
    kept = Kept(Operation.CONVOLUTION, KEPT_SHARE, KEPT_SHARE)
    found = np.where(np.isfinite(known), carry_over(needs, here, kept), np.nan)
    return replace_rows(result, chosen, found, np.where(np.isfinite(known), needs[0], 0.0), kept_share(here, kept))


def convolution_s(table: KernelTable, work: Seconds, machines: Machines) -> FloatArray:
    """M on one side; NaN for GPUs that are not AMD's. work : (r, 1) FLOP and B."""
    names = table.strings("kernel").tolist()
    precision = np.array([stated_precision(str(p)) for p in table.strings("precision").tolist()], np.object_)[:, None]

    def says(pattern: re.Pattern[str]) -> NDArray[np.bool_]:
        return np.array([bool(pattern.search(str(name))) for name in names], np.bool_)[:, None]

    def supply(resource: Resource, least: FloatArray) -> FloatArray:
        return np.fmax(rate(machines, resource), least)

    fp32 = rate(machines, Resource.FLOPS_FP32)
    fp16 = np.where(says(IN_FP32), fp32, supply(Resource.FLOPS_FP16, fp32))
    half, brain = precision == "fp16", precision == "bf16"
    vector = np.where(half, fp16, fp32)
    matrix = np.select(
        [half, brain], [supply(Resource.FLOPS_TENSOR_FP16, fp16), supply(Resource.FLOPS_TENSOR_BF16, fp32)],
        supply(Resource.FLOPS_TENSOR_FP32, fp32),
    )  # fmt: skip
    pipe = work[0] / np.where(says(ON_MATRIX_UNITS), matrix, vector)
    return np.hypot(work[1] / rate(machines, Resource.BYTES_DRAM), pipe) * machines.gather(usual_level)


def usual_level(p: Columns) -> FloatArray:
    """(p,) l; NaN for other vendors' GPUs."""
    level = p.told("architecture", lambda a: next((v for name, v in LEVELS if a.startswith(name)), 1.0))
    return np.where(p.told("vendor", lambda vendor: vendor == "AMD") > 0, level, np.nan)


CAUSE = Cause(
    name="library_convolutions",
    sentence="AMD's convolutions: the units that the algorithm in their name computes on, and what it reaches there",
    when="MIOpen's algorithms by name, with the convolution's amounts, between GPUs of AMD",
    corrects="matrix units that an algorithm does not use, RDNA without tuned kernels",
    taught_by="miopen_conv, six GPUs: 97 to 72 %",
    acts=(at(OPERATORS, model_convolutions),),
    steps=(Step.PIPES, Step.TENSOR, Step.DRAM),
    subject=Subject.OPERATOR,
)
