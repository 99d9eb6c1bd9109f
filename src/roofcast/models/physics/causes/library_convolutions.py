r"""AMD's convolutions: the units that the algorithm in their name computes on, and clocks that rise as it runs.

.. math:: M = l \left(\tau_{bus} + \tau_{L2} + \frac{\tau_{pipe}}{\min(1, n / (64 S))}\right), \qquad
    T_t - a_t = R_t\!\left(M_t \left(R_s^{-1}(T_s - a_s) / M_s\right)^k\right)

.. math:: R(t) = \begin{cases} \rho \, t & \rho \, t < t_r \\ t + t_r (1 - 1 / \rho) & \text{else} \end{cases}

M : s without launch at full clocks. tau : s of the bytes in DRAM and in L2, and of the direct convolution's FLOPs, on
matrix units where the solver is a matrix product of rocBLAS, of Composable Kernel or an ``Xdlops`` one and the GPU has
such, else on vector units: FP16 packed in Winograd and assembly, in FP32 where OpenCL computes; BF16 in FP32; none in
FFTs. n : 1, weights of a gradient in OpenCL, one a lane, S : 1, SMs of 64 lanes; else n is enough. l : 1, usual time
over the need. k : what the source's kernel takes beside M, and its code for another architecture does as well.
R : s on clocks that rise. rho : 1, of full clocks over those of an idle GPU. t_r : s until clocks are up. a : s of the
launch.

Reason: MIOpen names its algorithm, and an algorithm in OpenCL or Winograd gains nothing from matrix units. The names
are those of its search (Find), which runs each algorithm once after compiling it; boards that lower their clocks when
idle begin slowly. Whatever the algorithm and the source, the RX 6800 XT takes 2.2 to 3 times as long as its rates say
below 2 ms, and as long as they say from 5 ms on; a level for its generation errs to both sides.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, rate
from roofcast.core.precision import stated_precision
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import TAKEN_LEAST, kept_share, launch_s, replace_rows
from roofcast.models.physics.stages import OPERATORS, Kept, PairRoofs, Result
from roofcast.operators.kernel_names import Operation

SOLVER = re.compile(
    r"(?:^|/)(?:Conv(?:Ocl|Asm|Hip|Bin|Mlir|CK|MP|Winograd)|Gemm(?:Fwd|Bwd|Wrw)\w)|(?:^|miopen/)fft(?:/|$)"
)
"""MIOpen's names of its algorithms."""
ON_MATRIX_UNITS = re.compile(r"Xdlops|Gemm(?:Fwd|Bwd|Wrw)|ConvCK|Ck")
IN_FP32 = re.compile("Ocl")
IN_MEMORY = re.compile(r"(?:^|/)fft(?:/|$)")
LANE_A_WEIGHT = re.compile("OclBwdWrW")
LANES = 64.0
"""Lanes of the vector units of a compute unit."""
PROBLEM = re.compile(r"^(\d+)-\d+-\d+-(\d+)x(\d+)-(\d+)-\d+-\d+-\d+-.*?(?:_g(\d+))?$")
"""MIOpen's key of a problem: channels, height, width, filter, channels of the other side, ...; groups last."""
NO_PROBLEM = (np.inf, 1.0, 1.0, 1.0, 1.0)
USUAL = 2.5
"""l: miopen_conv's six GPUs."""
KEPT_SHARE = 0.85
"""1; k of :mod:`roofcast.models.physics.causes.library_efficiency` for MIOpen's kernels."""
RISING = (("gfx10", 3.0, 3.5e-3), ("gfx11", 3.0, 3.5e-3), ("gfx12", 3.0, 3.5e-3), ("gfx900", 1.4, 10e-3))
"""rho and t_r, s, by the beginning of an architecture's name; servers' GPUs do not idle. miopen_conv: RX 6800 XT from
five others, MI25."""


def model_convolutions(result: Result, read: PairRoofs) -> Result:
    """Forecasts, those of MIOpen's algorithms between GPUs of AMD by their own model."""
    pair, amounts = read.pair, read.pair.k.amounts
    if pair.operators is None:
        return result
    names = pair.table.strings("kernel").tolist()
    solvers = {name: bool(SOLVER.search(str(name))) for name in set(names)}
    if not any(solvers.values()):
        return result
    flops, moved = amounts.flops_total, amounts.get(Resource.BYTES_DRAM)
    named = np.array([solvers[name] for name in names]) & (pair.operators.code >= 0)
    chosen = np.flatnonzero(named & (flops > 0) & (moved > 0))
    if not len(chosen):
        return result
    here = pair.rows(chosen)
    table, work = pair.table.select(chosen), (flops[chosen, None], moved[chosen, None])
    source, target = here.source.machines, here.target.machines
    needs = [convolution_s(table, work, machines) for machines in (source, target)]
    share = kept_share(here, Kept(Operation.CONVOLUTION, KEPT_SHARE, KEPT_SHARE))
    beside_s, beside_t = launch_s(here, 0.0)
    took = np.maximum(here.time_s - beside_s, TAKEN_LEAST * here.time_s)
    steady = needs[1] * np.power(settle_clocks(took, *rise(source)) / needs[0], share)
    times = (here.time_s - took) * beside_t / beside_s + raise_clocks(steady, *rise(target))
    need_s = np.where(np.isfinite(times), raise_clocks(needs[0], *rise(source)), 0.0)
    return replace_rows(result, chosen, times, need_s, share)


def rise(machines: Machines) -> tuple[FloatArray, FloatArray]:
    """Share of clocks that an idle GPU lacks, and s until they are up: rho and t_r."""
    return machines.gather(idle_ratio), machines.gather(rise_s)


def idle_ratio(p: Columns) -> FloatArray:
    """(p,) rho."""
    return p.told("architecture", lambda a: next((idle for name, idle, _ in RISING if a.startswith(name)), 1.0))


def rise_s(p: Columns) -> FloatArray:
    """(p,) t_r, s."""
    return p.told("architecture", lambda a: next((s for name, _, s in RISING if a.startswith(name)), 0.0))


def known_vendor(p: Columns) -> FloatArray:
    """(p,) 1 for AMD's GPUs, else NaN."""
    return p.told("vendor", lambda vendor: 1.0 if vendor == "AMD" else np.nan)


def raise_clocks(seconds: FloatArray, idle: FloatArray, until_s: FloatArray) -> FloatArray:
    """R: s of work that begins on an idle GPU's clocks. seconds : at full clocks. idle : rho. until_s : t_r.

    >>> raise_clocks(np.array([1e-3, 9e-3]), np.array(3.0), np.array(3e-3)).round(6).tolist()
    [0.003, 0.011]
    """
    return np.minimum(idle * seconds, seconds + until_s * (1.0 - 1.0 / idle))


def settle_clocks(seconds: FloatArray, idle: FloatArray, until_s: FloatArray) -> FloatArray:
    """The inverse: s at full clocks.

    >>> settle_clocks(np.array([3e-3, 11e-3]), np.array(3.0), np.array(3e-3)).round(6).tolist()
    [0.001, 0.009]
    """
    return np.maximum(seconds / idle, seconds - until_s * (1.0 - 1.0 / idle))


def convolution_s(table: KernelTable, work: tuple[FloatArray, FloatArray], machines: Machines) -> FloatArray:
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
    lanes = np.where(says(LANE_A_WEIGHT), weights_of(table), np.inf)
    filled = np.fmin(lanes / (LANES * machines.gather("sm_count")), 1.0)
    bus = work[1] / rate(machines, Resource.BYTES_DRAM) + np.nan_to_num(work[1] / rate(machines, Resource.BYTES_L2))
    return np.asarray(USUAL * machines.gather(known_vendor) * (bus + np.where(says(IN_MEMORY), 0.0, pipe / filled)))


def weights_of(table: KernelTable) -> FloatArray:
    """(r, 1) weights of MIOpen's problems; infinitely many where a configuration is no such."""
    known: dict[str, float] = {}
    configurations = [str(text) for text in table.strings("config").tolist()]
    for text in set(configurations):
        match = PROBLEM.match(text)
        inner, height, width, outer, groups = (float(v or 1) for v in match.groups()) if match else NO_PROBLEM
        known[text] = inner * outer * height * width / groups
    return np.array([known[text] for text in configurations])[:, None]


CAUSE = Cause(
    name="library_convolutions",
    sentence="AMD's convolutions: the units that the algorithm in their name computes on, and clocks that rise",
    when="MIOpen's algorithms by name, with the convolution's amounts, between GPUs of AMD",
    corrects="matrix units that an algorithm does not use, boards that a search finds at idle clocks",
    taught_by="miopen_conv, six GPUs: 97 to 60 %",
    acts=(at(OPERATORS, model_convolutions),),
    properties=(Property.PIPES, Property.TENSOR, Property.DRAM, Property.CLOCK),
    subject=Subject.OPERATOR,
)
