"""Counters of the eight steps: this program once more, under the profiler, and its report as versions of a kernel."""

from __future__ import annotations

import re
import sys

import numpy as np

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable, as_text
from roofcast_measure import profile_tools as tools
from roofcast_measure.gpp import VERSIONS
from roofcast_measure.profile_plan import Plan, Request, plan_ncu
from roofcast_measure.profile_run import reports

KERNELS = "gpp_v"
VERSION = re.compile(r"gpp_(?P<version>v\d)\b")
SUMS = ("time_s", "flops_", "ops_", "insts_", "bytes_", "atomics_")


def request_of(name: str, device: int, force: bool, *, plain: bool = False, clock: str = "none") -> Request:
    """Every version once, and nothing else, under the profiler."""
    path = ("--plain",) if plain else ()
    program = (sys.executable, "-m", "roofcast", "measure", "gpp", "--once", "--device", str(device), *path)
    return Request(program, name, kernel=KERNELS, force=force, clock=clock)


def plan_counters(request: Request, told: str | None) -> Plan | str:
    """The profiler's command, or one line on why nothing can be counted here."""
    if tools.has_amd():
        return "of AMD GPUs, rocprof-compute counts: rocprof-compute profile -n gpp -- roofcast measure gpp --once"
    ncu = tools.find_tool("ncu", told)
    if ncu is None:
        return "Nsight Compute (ncu) is not here: install it or give --ncu PATH"
    if tools.counters_forbidden():
        return tools.REMEDY
    try:
        tools.ncu_version(ncu)
    except RoofcastError as error:
        return str(error)
    plan = plan_ncu(request, ncu, tools.compute_capability())
    if (old := reports(plan)) and not request.force:
        raise RoofcastError(f"{old[0].name} is there already: -f overwrites it, --report names another")
    return plan


def by_version(kernels: KernelTable) -> KernelTable:
    """One row per version, labelled: amounts and times of its launches together, the rest from the first."""
    matches = [VERSION.search(str(name)) for name in kernels.strings("kernel")]
    names = np.array([m["version"] if m else "" for m in matches], dtype=np.object_)
    present = [v for v in VERSIONS if (names == v).any()]
    if not present:
        raise RoofcastError("the report holds none of the nine versions")
    groups = [np.flatnonzero(names == v) for v in present]
    first = kernels.select([int(g[0]) for g in groups])
    sums = {
        name: (np.array([values[g].sum() for g in groups]), first.origin_of(name))
        for name, values in kernels.numeric.items()
        if name.startswith(SUMS) and "_per_" not in name
    }
    labelled = first.with_columns(**sums)
    return KernelTable(
        numeric=labelled.numeric, origin=labelled.origin, text=labelled.text,
        extra={**labelled.extra, "label": as_text(present)}, flags=labelled.flags, provenance=labelled.provenance,
    )  # fmt: skip
