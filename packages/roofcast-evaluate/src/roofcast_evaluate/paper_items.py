"""What the four papers print, item by item, and what computes the same numbers here.

Every number of ours is computed when it is asked for. What needs measurements that nobody has without the authors' GPUs
stands with its command; what needs the authors' files says where they are from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.resource import Resource
from roofcast_evaluate.paper_figures import EXAMPLE, find_example

Numbers = Sequence[float]

PAPERS = {
    "van_lanker": "L. Van Lanker et al., Euro-Par 2024: projection with kernel-specific ceilings",
    "yang": "C. Yang, arXiv 2008.11326: eight steps on a V100",
    "srivastava": "A. Srivastava et al.: cross-GPU prediction report",
    "nugteren": "C. Nugteren, H. Corporaal, Computing Frontiers 2012: the boat hull",
}
GPU_NEEDED = "needs a GPU"
ROOFS = (Resource.FLOPS_FP64, Resource.BYTES_DRAM, Resource.BYTES_L2, Resource.BYTES_L1)
TABLE_1 = {
    "V100 PCIe 32GB": (6890, 846, 2460, 13963), "A100 SXM4 40GB": (9476, 1375, 4710, 19492),
    "A100 SXM4 80GB": (9476, 1678, 4710, 19492), "H100 PCIe 80GB": (24979, 1907, 7758, 25330),
}  # fmt: skip
"""GPU of the catalog -> FP64 GFLOP/s and GB/s of DRAM, L2 and L1, as Van Lanker's Table 1 prints them. Its V100 is a
card in a slot: 6,890 of 7,066 GFLOP/s at 1.38 GHz, where the SXM2 board has 7,834."""


@dataclass(frozen=True)
class Item:
    """One item of a paper."""

    paper: str
    """Of :data:`PAPERS`."""
    name: str
    command: str
    """What prints it, or where it is."""
    printed: Numbers | str = ()
    """What the paper prints."""
    find: Callable[[], Numbers] | None = None
    """What computes the same numbers; None where nothing does without a GPU."""
    unit: str = ""
    ours: str = ""
    """What is said instead of a number, or beside it."""
    data: str = ""
    """The data set whose files it needs."""
    alike: bool = True
    """Whether the numbers are of the same thing, so that their ratio says something."""


def find_roofs(name: str) -> Callable[[], Numbers]:
    """A function that gives a GPU's usable FP64 GFLOP/s and GB/s of DRAM, L2 and L1 from the catalog."""

    def find() -> Numbers:
        from roofcast.catalog import parse_target

        processor = parse_target(name).processor
        return [processor.rate(r) / 1e9 for r in ROOFS]

    return find


def find_warps() -> Numbers:
    """Warps per SM of v0 to v8, from threads and registers."""
    from roofcast.catalog import parse_target
    from roofcast.core.machines import Machines
    from roofcast.formulas.occupancy import residency
    from roofcast.models.published.resident_blocks import sm_limits
    from roofcast_measure.gpp import SYSTEMS, published

    machine = Machines.of([parse_target(published().gpu).processor], np.zeros(1, np.intp), np.full(1, np.nan))
    steps = published().of(SYSTEMS[0])
    sm = sm_limits(machine)
    return [float(np.ravel(residency(s.block_threads, s.regs_per_thread, 0.0, sm).warps)[0]) for s in steps]


def find_peaks() -> Numbers:
    """Per cent of the peak that 58 % fused multiply-adds reach, TFLOP/s of it, and v8 in per cent of both peaks."""
    from roofcast_measure.gpp import SYSTEMS, published

    facts = published()
    reached = facts.flops_per_s_peak * (1 + facts.fma_fraction) / 2
    best = facts.of(SYSTEMS[0])[-1].flops_per_s
    return [
        100 * reached / facts.flops_per_s_peak, reached / 1e12, 100 * best / reached,
        100 * best / facts.flops_per_s_peak,
    ]  # fmt: skip


def find_intensities() -> Numbers:
    """FLOP/B of v3 and v4 at DRAM, from the derived counters."""
    from roofcast_measure.gpp import derived_table

    table = derived_table()
    return [float(v) for v in (table.column("flops_fp64") / table.column("bytes_dram"))[3:5]]


STEPS = ("special-pipe", "divergence", "special-pipe", "thread-reuse", "occupancy", "cache-blocking",
         "partial-sectors", "occupancy")  # fmt: skip
"""The rule that is each step of the paper: divisions, branches, roots, band loop, iw loop, blocking, order of the
indices, launch bounds."""


def find_advice() -> Numbers:
    """Per cent that the advice forecasts for each of the eight steps, from the counters of the version before."""
    from roofcast.advice.ranking import advise
    from roofcast_measure.gpp import derived_table

    table, gains = derived_table(), []
    for version, rule in enumerate(STEPS):
        findings = [f for f in advise(table.select([version])).findings if f.rule == rule]
        gains.append(100 * findings[0].saved_s / findings[0].time_s if findings else 0.0)
    return gains


def measure_steps() -> Numbers:
    """Per cent of the time that each step took off, as the paper's table has it."""
    from roofcast_measure.gpp import SYSTEMS, published

    return list_gains(np.array([s.time_s for s in published().of(SYSTEMS[0])]))


HOPPER, HOPPER_LARGE = "H100 SXM5 80GB", "H200 SXM 141GB"


def measure_own_steps(gpu: str) -> Callable[[], Numbers]:
    """A function that gives per cent of the time that each step of our own programs took off on a GPU."""
    from roofcast_measure.gpp import measured_table

    return lambda: list_gains(measured_table(gpu).column("time_s"))


def forecast_steps(source: str | None, target: str) -> Callable[[], Numbers]:
    """A function that gives per cent that each step is forecast to take off on a GPU.

    source : the GPU that our own programs were measured on; None: V100, by the paper's times and derived counters.
    """

    def find() -> Numbers:
        from roofcast.forecasting.forecast import forecast
        from roofcast_measure.gpp import derived_table, measured_table

        table = measured_table(source) if source is not None else derived_table()
        return list_gains(forecast(table, target).estimate.time_s[:, 0])

    return find


def list_gains(times: FloatArray) -> list[float]:
    """Per cent that each version takes off the one before."""
    return [float(v) for v in 100 * (1 - times[1:] / times[:-1])]


def list_hopper_steps() -> Iterator[Item]:
    """What each step is worth on Hopper, measured, and from V100 and back, forecast."""
    measuring = 'roofcast measure gpp --measured "H100 SXM5 80GB" -o h100.csv'
    yield Item(
        "yang", "each step on H100, our programs", measuring, tuple(measure_steps()), measure_own_steps(HOPPER), "%",
        "printed: V100; v0 to v5 are other code: 72 to 94 registers where the paper's take 136 to 170, so that "
        "blocking costs 28 to 8 warps instead of 12 to 8", alike=False,
    )  # fmt: skip
    for name, command, printed, source, target, remark in (
        ("each step on H100, forecast from V100", f'roofcast forecast gpp.csv --to "{HOPPER}"',
         measure_own_steps(HOPPER), None, HOPPER, "printed: measured on H100, our programs"),
        ("each step on V100, forecast from H100", 'roofcast forecast h100.csv --to "V100 SXM2 16GB"',
         measure_steps, HOPPER, "V100 SXM2 16GB", "printed: V100, the paper's programs"),
        ("each step on H200, forecast from H100", f'roofcast forecast h100.csv --to "{HOPPER_LARGE}"',
         measure_own_steps(HOPPER_LARGE), HOPPER, HOPPER_LARGE, "printed: measured on H200, the same programs"),
    ):  # fmt: skip
        yield Item(
            "yang", name, command, tuple(printed()), forecast_steps(source, target), "%", remark, alike=False
        )  # fmt: skip


PAID = 5.0
"""Percent of the time from which a step of the paper paid: the others are within what tile sizes and clocks change."""


def count_right_steps() -> Numbers:
    """Steps among the first two pieces of advice on the version before: of those that paid, and of all eight."""
    from roofcast.advice.ranking import advise
    from roofcast_measure.gpp import derived_table

    table = derived_table()
    first = [[f.rule for f in advise(table.select([v])).findings[:2]] for v in range(len(STEPS))]
    right = [rule in rules for rule, rules in zip(STEPS, first, strict=True)]
    return [float(sum(r for r, off in zip(right, measure_steps(), strict=True) if off >= PAID)), float(sum(right))]


def find_registers() -> Numbers:
    """Registers per thread of our own v0 to v8 as NVRTC compiles them for sm_70."""
    from roofcast_measure.gpp_code import read_code

    return [float(v.registers) for v in read_code((70,))]


def find_loop_registers() -> Numbers:
    """The same of v6 to v8 with the paper's loop over bands, in strides of 64."""
    from roofcast_measure.gpp_code import read_code

    return [float(v.registers) for v in read_code((70,), plain=True)[6:]]


def find_scores(experiment: str, model: str = "occupancy_efficiency") -> Callable[[], Numbers]:
    """A function that gives MAPE in per cent, median ratio, and per cent within 10, 25 and 50 %."""

    def find() -> Numbers:
        from roofcast_evaluate.experiments import run_report_experiment

        s = run_report_experiment(model, experiment).scores[0]
        return [100 * s.mape, s.median_ratio, 100 * s.within_10, 100 * s.within_25, 100 * s.within_50]

    return find


def find_error(experiment: str, model: str) -> Callable[[], Numbers]:
    """A function that gives the MAPE in per cent."""
    return lambda: find_scores(experiment, model)()[:1]


def find_hull(processor: str) -> Callable[[], Numbers]:
    """A function that gives least and most milliseconds of the case study's kernels, and those of its transfers."""

    def find() -> Numbers:
        from roofcast.catalog import parse_target
        from roofcast_hull.application import forecast_application, load_application

        (hull,) = forecast_application(load_application(find_example()), [parse_target(processor).processor], {})
        return [1e3 * hull.kernels_low_s, 1e3 * hull.kernels_high_s, 1e3 * hull.transfers_s]

    return find


def count_classes() -> Numbers:
    """Classes of the table."""
    from roofcast_hull.classes import FAMILIES

    return [float(sum(family.row is not None for family in FAMILIES))]


LEFT_ERRORS = ("new-gpu", "new-configuration", "new-kernel")


def list_regressors() -> Iterator[Item]:
    """Table 6: a row per regressor."""
    from roofcast_evaluate.report_experiments import TABLE_6

    for model, printed in TABLE_6.items():

        def find(name: str = model) -> Numbers:
            return [find_error(experiment, name)()[0] for experiment in LEFT_ERRORS]

        seeded = (
            "by the seed of its trees, which the report does not state" if "forest" in model or "boost" in model else ""
        )
        yield Item(
            "srivastava", f"Table 6: {model}, three experiments",
            f"roofcast evaluate micro16 --experiment new-gpu --model {model}", printed, find, "%", seeded, "micro16",
        )  # fmt: skip


def list_items() -> list[Item]:
    """All items, by paper."""
    return [
        Item(
            "van_lanker",
            "Eq. 1 to 10",
            "roofcast forecast FILE --model van_lanker",
            ours="formulas/roofline.py; scalar twins in tests",
        ),
        *(
            Item(
                "van_lanker",
                f"Table 1: {name}: FP64; DRAM, L2, L1",
                f'roofcast gpus "{name}"',
                printed,
                find_roofs(name),
                "GFLOP/s; GB/s",
            )
            for name, printed in TABLE_1.items()
        ),
        Item("van_lanker", "its micro-benchmarks", "roofcast measure ceilings -o my-gpu.toml", ours=GPU_NEEDED),
        Item(
            "van_lanker",
            "Fig. 1: machine code of both",
            "roofcast sass a.cubin --against GPU",
            ours="[machine code](sass.md)",
        ),
        Item(
            "van_lanker", "Fig. 2: rooflines, interval", "roofcast roofline FILE --to GPU -o f.svg", ours="both panels"
        ),
        Item(
            "van_lanker",
            "Fig. 4: Hydro1D",
            "roofcast measure suite --kernel hydro1d",
            "-5.83 to 4.45 %",
            ours=f"{GPU_NEEDED}; own program, checked; drawn of its kind",
        ),
        Item(
            "van_lanker",
            "Fig. 5, 6: PolyBench, KNN",
            'roofcast measure suite --kernel "polybench\\|knn"',
            "under-used GPUs missed",
            ours=f"drawn, H100 to H200; {GPU_NEEDED} for the rest; cause `few_blocks`",
        ),
        Item(
            "van_lanker",
            "Fig. 8: LULESH",
            "roofcast measure suite --kernel corners",
            "20.26 %",
            ours=f"{GPU_NEEDED}; its forces' access; drawn of its kind",
        ),
        Item(
            "van_lanker",
            "Fig. 7, 9: Quicksilver, MiniMDock",
            'roofcast measure suite --kernel "transport|docking"',
            "5.9, 10.2 %",
            ours=f"{GPU_NEEDED}; own programs of their kinds, checked; drawn of their kinds",
        ),
        Item(
            "van_lanker",
            "future: applications; unified memory",
            "roofcast app TRACE --to GPU",
            ours="[applications](applications.md)",
        ),
        Item(
            "van_lanker",
            "future: AMD, Intel",
            "roofcast forecast rocprof.csv --to MI300X",
            ours="[reading](reading.md#amd-and-intel)",
        ),
        Item(
            "van_lanker",
            "what it misses: L2 capacity, small grids, lanes",
            "[causes](causes.md)",
            ours="`cache`, `few_blocks`; idle lanes counted",
        ),
        Item(
            "yang",
            "Table I: times and rates, typed in",
            "roofcast measure gpp --published [--system Si-510]",
            ours="the 18 rows",
        ),
        Item(
            "yang",
            "Table I: warps per SM of v0 to v8, from registers",
            "formulas/occupancy.py",
            (12, 12, 12, 12, 8, 12, 8, 8, 16),
            find_warps,
        ),
        Item(
            "yang",
            "58 % FMA: share of the peak, TFLOP/s; v8 of both",
            "roofcast measure gpp --published",
            (79, 5.3, 70, 55),
            find_peaks,
            "%; TFLOP/s; %, %",
        ),
        Item(
            "yang",
            "registers of v0 to v8",
            "roofcast measure gpp --code --sm 70",
            (154, 160, 160, 154, 170, 136, 178, 184, 128),
            find_registers,
            ours="our own programs, NVRTC for sm_70",
            alike=False,
        ),
        Item(
            "yang",
            "registers of v6 to v8 with the paper's loop, bands in strides of 64",
            "roofcast measure gpp --code --plain --sm 70",
            (178, 184, 128),
            find_loop_registers,
            ours="no cap binds; ours above hold a tile of 12 bands",
            alike=False,
        ),
        Item(
            "yang",
            "what compilers undo",
            "roofcast measure gpp --code --plain",
            "v2: no gain",
            ours="v1 and v2 are one hot loop",
        ),
        Item("yang", "times, rates", "roofcast measure gpp", "1.691 to 0.717 s", ours=GPU_NEEDED),
        Item(
            "yang",
            "Fig. 1, 3, 5, 6: FLOP/B of v3, v4",
            "roofcast roofline gpp.csv --versions v3:v5 -o gpp.svg",
            (7.4, 12.5),
            find_intensities,
            "FLOP/B",
            "v3 is printed as below 7.4",
        ),
        Item(
            "yang",
            "Fig. 2, 4, 7, 8: samples by line, hit rates",
            "roofcast roofline before.ncu-rep after.ncu-rep",
            ours="[versions](roofline.md#versions)",
        ),
        Item(
            "yang",
            "each step as advice: gain forecast from the version before",
            "roofcast advise gpp.csv",
            tuple(measure_steps()),
            find_advice,
            "%",
            "printed: what the step took off, by Table I",
            alike=False,
        ),
        Item(
            "yang",
            "steps among the first two pieces of advice: of the four that took off 5 % and more, of eight",
            "roofcast advise gpp.csv",
            (4, 8),
            count_right_steps,
        ),
        *list_hopper_steps(),
        Item("yang", "counters", "roofcast measure profile -- ./app", ours="23 metrics, three passes"),
        Item("srivastava", "Algorithm 1", "--model occupancy_efficiency", ours="566 predictions to nine digits"),
        Item(
            "srivastava",
            "Table 3, new GPU: MAPE; median ratio; within 10, 25, 50 %",
            "roofcast evaluate micro16 --experiment new-gpu --model occupancy_efficiency",
            (86.62, 1.03, 16.3, 30.37, 51.11),
            find_scores("new-gpu"),
            "%; 1; %",
            data="micro16",
        ),
        Item(
            "srivastava",
            "Table 4, new configuration: the same",
            "roofcast evaluate micro16 --experiment new-configuration --model occupancy_efficiency",
            (871.52, 1.00, 17.24, 22.41, 46.55),
            find_scores("new-configuration"),
            "%; 1; %",
            data="micro16",
        ),
        Item(
            "srivastava",
            "Table 5, new kernel: MAPE",
            "roofcast evaluate micro16 --experiment new-kernel --model occupancy_efficiency",
            (9.8,),
            find_error("new-kernel", "occupancy_efficiency"),
            "%",
            data="micro16",
        ),
        Item(
            "srivastava",
            "Table 5 with the default model",
            "roofcast evaluate micro16 --experiment new-kernel --model hybrid",
            (9.8,),
            find_error("new-kernel", "hybrid"),
            "%",
            "12 pairs of one kernel; printed: the paper's model",
            "micro16",
            alike=False,
        ),
        *list_regressors(),
        Item(
            "srivastava",
            "Table 2: configurations",
            "roofcast measure suite --list",
            "71; its files 63, 60, 60, 60",
            ours="71: the 63, eight ours",
        ),
        Item("srivastava", "ten trials", "roofcast measure suite", ours=GPU_NEEDED),
        Item("srivastava", "Table 1: GPUs", 'roofcast gpus "TITAN V"', ours="with sources"),
        Item(
            "srivastava", "faulty GTX TITAN X", "roofcast evaluate micro16 --screen", ours="12 of 16 kernels impossible"
        ),
        Item("nugteren", "Table 1: classes", "roofcast hull --classes", (11,), count_classes),
        Item("nugteren", "Table 2, 3: processors", 'roofcast gpus "GTX 470"', ours="the same figures"),
        Item(
            "nugteren",
            "Fig. 2 to 6: hulls",
            'roofcast hull CLASS --on "GTX 470,GTS 250" --complexity 1:1000 -o hull.svg',
            ours="[hull](hull.md)",
        ),
        *(
            Item(
                "nugteren",
                f"Table 4, 5, Fig. 7: {name}: kernels, transfers",
                f"roofcast hull {EXAMPLE}",
                printed,
                find_hull(name),
                "ms",
                "printed bus rates do not give printed transfers",
            )
            for name, printed in (("GTX 470", (1.66, 2.32, 0.95)), ("GTS 250", (3.21, 4.24, 1.90)))
        ),
        Item("nugteren", "Fig. 1: on a roofline", f"roofcast hull {EXAMPLE} --roofline -o fig1.svg", ours="drawn"),
        Item(
            "nugteren",
            "future: from code; PolyBench",
            "roofcast hull --from-source kernels.cu",
            ours="C, CUDA; all 30 tested",
        ),
        Item(
            "nugteren",
            "future: overlap, processors",
            "`[machine]` in an application file",
            ours="[hull](hull.md#application-files)",
        ),
        Item("nugteren", "future: at run time", "roofcast hull CLASS --fit 100us", ours="`roofcast.select`"),
    ]
