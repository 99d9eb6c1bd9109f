r"""Energy of a launch on a target: what its amounts switch and move, beside the idle board.

.. math:: E = T \min\Big(P_{board}, P_{idle} + \frac{1}{T} \Big[s V^2 \big(e_{SM} f N T + \sum_r e_r a_r\big)
    + e_m D + e_x B\Big]\Big)

T : s, forecast. s : 1, joules of the process node over those at 16 nm. V : 1, voltage over the full one at the clock f
(:mod:`roofcast.formulas.energy`). N : SMs that have a block. a_r : amounts on the chip, e_r their joules. D : B that
DRAM moves on the target, e_m J/B of its type. B : B from an L2 of two partitions, D at least, e_x J/B, whose wires
follow neither node nor SM clock; other L2s are among a_r. Where no instructions were counted, a third of what is left
up to the board's power is added: code does more than its FLOPs and bytes. NaN where the board power is not known.

Constants were fitted to the watts of dvfs_hkbu (30 kernels at 20 clocks of a GTX 1080 Ti), each drawn towards the
published one of a K40 times 0.4 (28 to 16 nm).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, column, has_stacked_memory
from roofcast.core.normal import deviations_around
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.core.results import Energy, Estimate
from roofcast.formulas.energy import NODES, board_power_w, clock_under_load_hz, energy_ends_j, voltage_share
from roofcast.formulas.values import combine, or_zero
from roofcast.models.kernel_amounts import amounts_of

PICO = 1e-12
"""J in a pJ, the unit of all fitted energies."""


@dataclass(frozen=True)
class Joules:
    """What operations, bytes and waiting take: pJ at 16 nm and full voltage, each with its share of the instruction."""

    fp32: float
    fp64: float
    """Of a FLOP."""
    narrow_fp64: float
    """On FP64 units 1/32 as wide as FP32's, which hold the rest of the SM awake meanwhile."""
    instruction: float
    """Of one thread: integers, addresses, loads; every instruction that is no counted FLOP's."""
    shared: float
    l1: float
    l2: float
    """Of a byte."""
    sm_cycle: float
    """Clock tree and schedulers of an SM with work, per cycle."""
    gddr5: float
    """Of a byte from DRAM, controller and links on the chip included; other types in proportion (``MEMORY``)."""
    idle_share: float
    """Of the board's power, drawn at full clocks without work, with memory on the board."""

    def of(self, resource: Resource) -> float:
        """PJ of a unit of a resource; 0 where none is known."""
        picojoules = {
            Resource.FLOPS_FP64: self.fp64, Resource.FLOPS_FP32: self.fp32, Resource.FLOPS_FP16: self.fp32 / 2,
            Resource.FLOPS_BF16: self.fp32 / 2, Resource.BYTES_SHARED: self.shared, Resource.BYTES_L1: self.l1,
            Resource.BYTES_L2: self.l2,
        }  # fmt: skip
        return picojoules.get(resource, TENSOR_PJ.get(resource, 0.0))


PUBLISHED = Joules(10.0, 32.0, 32.0, 28.0, 17.0, 19.0, 50.0, 380.0, 112.0, 0.3)
"""A K40's at 28 nm times 0.4 [Arunkumar2019], GDDR5's 14 pJ a bit [OConnor2017]; cycles of an SM: assumed."""
FITTED = Joules(11.1, 32.0, 220.0, 21.0, 7.0, 16.0, 20.0, 450.0, 82.0, 0.31)
"""The same, drawn towards the watts of dvfs_hkbu (``tools/teaching/watts.py``)."""
TENSOR_PJ: dict[Resource, float] = {
    Resource.FLOPS_TENSOR_FP64: 28.0, Resource.FLOPS_TENSOR_FP32: 9.0, Resource.FLOPS_TENSOR_TF32: 6.0,
    Resource.FLOPS_TENSOR_FP16: 3.0, Resource.FLOPS_TENSOR_BF16: 3.0, Resource.FLOPS_TENSOR_FP8: 1.5,
    Resource.OPS_TENSOR_INT8: 1.5, Resource.FLOPS_TENSOR_FP4: 0.75,
}  # fmt: skip
"""pJ of a FLOP of matrix units at 16 nm, loads and instructions of a product included: fitted to what 50 cards sustain
in 16 bits (torch_gemm_peak), the others in proportion to the operands' width."""
TENSOR_ALONE = 0.5
"""Of those, what the matrix units take where loads and instructions were counted beside them. Tiles of 128 x 256 move
0.039 B through shared memory, 0.008 through L1 and 0.012 through L2 for a FLOP (counters of a product on an A100):
with their instructions the other half, as A100s of 400 W hold 262 TFLOP/s (torch_gemm_peak) of about 290 at boost."""
PRODUCT_PJ = 19.7
"""The same of an FP32 FLOP on vector units: 8 % of error over 164 rates, 10 with each architecture left out."""
PRODUCT_REACH = 0.91
"""Share of the FP32 peak at its clock that products of libraries reach; fitted with the two above."""
MEMORY: tuple[tuple[str, float], ...] = (
    ("HBM", 0.915), ("GDDR7", 0.8), ("GDDR6", 0.97), ("GDDR", 1.0), ("LPDDR", 0.5),
    ("DDR", 1.8),
)  # fmt: skip
"""Joules of a byte by memory type over GDDR5's: devices of GDDR6X and GDDR6 take 7.25 and 7.5 pJ a bit (Micron's
comparison of ultra-bandwidth memories). HBM: 75 pJ a byte with controllers and links, own streams of an H100 and an
H200 (3.0 and 4.3 TB/s at 544 and 688 W, 125 W idle at full clock, 44 pJ a byte through L2); devices alone take less
(3.9 pJ a bit of HBM2 [OConnor2017])."""
ACROSS_L2 = 29.0
"""pJ of a counted byte of an L2 of two partitions, whatever the node: wires across a die of 800 mm2 do not shrink with
its transistors. Own copies of 8 MiB in the L2 of an H100 and an H200: 2.3 and 3.0 TB/s at 270 and 301 W, of which 124
are idle and 37 the clocks of SMs: 44 pJ a byte of the copy, which L2 counts 1.5 times."""
COUNTED_ACROSS = 1.5
"""Bytes that such an L2 counts for one that an SM asks for: half of them pass both partitions."""
IDLE_STACKED = 0.57
"""Idle share of boards with HBM over that of others: A100 about 60 of 400 W, H100 110 of 700; T4 26 of 70."""
PRICED = frozenset({*TENSOR_PJ, *FLOPS_VECTOR, Resource.BYTES_SHARED, Resource.BYTES_L1, Resource.BYTES_L2})
"""Amounts on the chip that take energy of their own."""
UNCOUNTED_SHARE = 0.35
"""Of what is left up to the board's power, where no instructions were counted."""
DOUBT = 0.2
"""Standard deviation of the log power: 0.12 on a known GPU (dvfs_hkbu, kernels left out), and the nodes' scaling."""
CORRECTION = (0.4, 2.5)
"""Bounds of what a measured power makes of the joules: beyond, it is another card's or a mean over pauses."""
TRANSACTIONS = ("gld_transactions", "gst_transactions", "tex_transactions")
"""nvprof's, a sector of 32 bytes each since Maxwell."""


def joules_scale(p: Columns) -> FloatArray:
    """(p,) joules of an operation over those at 16 nm; 1 where the node is unknown."""
    return np.array([NODES.get(v, (1.0, 0.0))[0] for v in p.number("process_nm").tolist()])


def full_clock_hz(p: Columns) -> FloatArray:
    """(p,) clock that takes the full voltage: the node's, or the card's boost where that is higher or no node known."""
    return np.fmax([NODES.get(v, (1.0, 0.0))[1] for v in p.number("process_nm").tolist()], p.number("clock_hz_boost"))


def idle_scale(p: Columns) -> FloatArray:
    """(p,) idle share of the board's power over that of boards without HBM."""
    return np.where(has_stacked_memory(p) > 0, IDLE_STACKED, 1.0)


def idle_w(p: Columns) -> FloatArray:
    """(p,) W of boards at full clocks without work; NaN where their power is unknown."""
    return np.asarray(FITTED.idle_share * p.number("tdp_w") * idle_scale(p))


def memory_scale(p: Columns) -> FloatArray:
    """(p,) joules of a byte from DRAM over those of GDDR5."""
    return p.told("memory_type", lambda t: next((v for n, v in MEMORY if t.upper().startswith(n)), 1.0))


def product_limit(p: Columns, pipe: Resource) -> FloatArray:
    r"""(p,) FLOP/s that the board's power leaves to products of libraries; infinite where they were measured.

    .. math:: P_{max} = P_b f / f_b, \qquad P_{idle} + s V(f)^2 (e P_b / f_b + e_{SM} N) f = P_{board}

    P_b : FLOP/s of the units at the boost clock f_b, as far as products reach it. e : J of a FLOP. The other symbols
    are those of this module. Reason: within its board's power a card holds the boost clock; beyond, the clock falls.
    """
    supply, vector = p.supply(pipe), pipe is Resource.FLOPS_FP32
    measured = p.supply(pipe, "matmul").own if vector else ~supply.estimated
    boost = p.number("clock_hz_boost")
    at_boost = PRODUCT_REACH * supply.theory_per_s if vector else supply.per_s
    joules = PRODUCT_PJ if vector else TENSOR_PJ[pipe]
    with quietly():
        cycle = PICO * joules_scale(p) * (joules * at_boost / boost + FITTED.sm_cycle * p.number("sm_count"))
        idle = idle_w(p)
        clock = clock_under_load_hz(cycle, idle, p.number("tdp_w"), full_clock_hz(p), boost)
    limit = at_boost * clock / boost
    return np.where(np.isnan(p.number("tdp_w")) | np.isnan(limit) | measured, np.inf, limit)


def across_l2(p: Columns) -> FloatArray:
    """(p,) pJ of a byte from an L2 of two partitions, beside the node's and the clock's; 0 for others."""
    return np.where(p.number("l2_partitions") > 1, ACROSS_L2, 0.0)


def narrow_fp64(p: Columns) -> FloatArray:
    """(p,) 1 where FP64 units are less than an eighth of FP32's."""
    wide, narrow = (p.supply(r).theory_per_s for r in (Resource.FLOPS_FP32, Resource.FLOPS_FP64))
    return np.asarray(narrow * 8.0 < wide, dtype=np.float64)


def switched_joules(
    kernels: KernelTable, machines: Machines, joules: Joules, changes: AmountChanges | None = None
) -> tuple[FloatArray, FloatArray]:
    """(n, m) J that the counted amounts switch on the chip at full voltage and 16 nm; (n, 1) whether they are all."""
    amounts = amounts_of(kernels)
    counts = {r: or_zero(v)[:, None] for r, v in amounts.by_resource.items() if r in PRICED}
    sectors = combine(np.add, [or_zero(kernels.counter(name)) for name in TRANSACTIONS])
    l1 = amounts.get(Resource.BYTES_L1)
    counts[Resource.BYTES_L1] = np.where(np.isnan(l1), 32.0 * sectors, l1)[:, None]
    if changes is not None:
        counts = {r: changes.on_target(r, v) for r, v in counts.items()}
    total: FloatArray = np.zeros((len(kernels), 1))
    threads: FloatArray = total
    counted = ~np.isnan(amounts.get(Resource.INSTS_ISSUED))[:, None]
    across = machines.gather(across_l2) > 0
    for resource, amount in counts.items():
        pj = joules.of(resource)
        if resource is Resource.BYTES_L2:
            total = total + np.where(across, 0.0, amount * pj)
        elif resource is Resource.FLOPS_FP64:
            total = total + amount * np.where(machines.gather(narrow_fp64) > 0, joules.narrow_fp64, pj)
        else:
            bare = PRODUCT_PJ if resource is Resource.FLOPS_FP32 else pj
            tensor_pj = TENSOR_ALONE * pj if resource in TENSOR_PJ else pj
            total = total + amount * np.where(counted, tensor_pj, bare)
        if resource.is_compute and resource not in FLOPS_TENSOR:
            threads = threads + amount / 2.0
    issued = amounts.get(Resource.INSTS_ISSUED)[:, None]
    issued = issued if changes is None else changes.on_target(Resource.INSTS_ISSUED, issued)
    lanes = kernels.column("threads_per_inst")
    lanes = np.where(lanes > 0, lanes, 32.0)[:, None]
    others = np.maximum(or_zero(issued) * lanes - threads, 0.0)
    return PICO * (total + joules.instruction * others), counted


@dataclass(frozen=True)
class Draw:
    """What n launches draw on some machines; broadcastable to (n, m)."""

    idle_w: FloatArray
    board_w: FloatArray
    dynamic_j: FloatArray
    """J of one launch beside the idle board."""
    chip_j: FloatArray
    """Those among them that follow the voltage of the SMs."""

    def power_w(self, time_s: FloatArray) -> FloatArray:
        """Mean power of a launch."""
        return board_power_w(self.idle_w, self.dynamic_j, time_s, self.board_w)


def draw_of(
    kernels: KernelTable, machines: Machines, time_s: FloatArray, dram_s: FloatArray | None,
    changes: AmountChanges | None = None, joules: Joules = FITTED,
) -> Draw:  # fmt: skip
    """What launches draw. machines : index and clocks that broadcast to (n, m). dram_s : s that DRAM alone needs."""
    board = machines.gather("tdp_w")
    idle = joules.idle_share * board * machines.gather(idle_scale)
    amounts, counted = switched_joules(kernels, machines, joules, changes)
    grid = kernels.column("grid_blocks")[:, None]
    sms = machines.gather("sm_count")
    busy = np.where(grid > 0, np.minimum(sms, grid), sms)
    share = voltage_share(machines.clock_hz, machines.gather(full_clock_hz))
    awake = joules.sm_cycle * PICO * busy * machines.clock_hz * time_s
    chip = dynamic = machines.gather(joules_scale) * share**2 * (amounts + awake)
    through = amounts_of(kernels).get(Resource.BYTES_L2)[:, None]
    through = or_zero(through if changes is None else changes.on_target(Resource.BYTES_L2, through))
    if dram_s is not None:
        moved = or_zero(dram_s) * or_zero(machines.rate(Resource.BYTES_DRAM))
        dynamic = dynamic + PICO * joules.gddr5 * moved * machines.gather(memory_scale)
        # What comes from DRAM has crossed L2, counted or not.
        through = np.maximum(through, COUNTED_ACROSS * moved)
    dynamic = dynamic + PICO * machines.gather(across_l2) * through
    left = np.maximum((board - idle) * time_s - dynamic, 0.0)
    return Draw(idle, board, np.where(counted, dynamic, dynamic + UNCOUNTED_SHARE * left), chip)


@quietly(overflow=True)
def measure_energy(
    kernels: KernelTable, sources: Machines, targets: Machines, estimate: Estimate, coverage: float,
    changes: AmountChanges | None = None,
) -> Energy:  # fmt: skip
    """Joules of n launches on m targets.

    sources : index (n,), clocks (n,). targets : index (1, m), clocks (n, m). A power measured on the source corrects
    what the amounts say by the same factor on the targets.
    """
    dram = Resource.BYTES_DRAM
    time = estimate.time_s
    there = draw_of(kernels, targets, time, estimate.time_s_by_resource_target.get(dram), changes)
    sure = deviations_around(coverage) * DOUBT
    uncounted = np.isnan(kernels.column("insts_issued"))[:, None]
    doubt = np.where(uncounted, np.hypot(sure, np.log(there.board_w / there.power_w(time))), sure)
    measured = kernels.column("power_w")[:, None]
    if np.any(measured > 0):
        own_s, own_dram = kernels.column("time_s")[:, None], estimate.time_s_by_resource_source.get(dram)
        here = draw_of(kernels, column(sources), own_s, None if own_dram is None else own_dram[:, None])
        factor = (measured - here.idle_w) * own_s / here.dynamic_j
        known = (measured > 0) & (factor > 0)
        there = replace(there, dynamic_j=there.dynamic_j * np.where(known, np.clip(factor, *CORRECTION), 1.0))
        doubt = np.where(known, sure, doubt)
    energy = there.power_w(time) * time
    least, most = energy_ends_j(
        energy, time, estimate.time_low_s, estimate.time_high_s, np.exp(doubt), there.idle_w, there.board_w
    )
    return Energy(energy, np.fmin(least, energy), np.fmax(most, energy))
