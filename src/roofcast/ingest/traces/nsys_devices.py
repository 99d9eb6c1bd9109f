"""The GPUs that an Nsight Systems export or an nvprof capture names, by the number that its other tables use."""

from __future__ import annotations

import math
from typing import Any

from roofcast.core.timeline import Device
from roofcast.ingest.traces.sqlite import Database

GPUS = "TARGET_INFO_GPU"
CUDA_NUMBERS = "TARGET_INFO_CUDA_DEVICE"
OLD = "CUPTI_ACTIVITY_KIND_DEVICE"
MAX_NAME = 200


def read_devices(database: Database) -> dict[int, Device]:
    """Device number -> what is known of it."""
    found: dict[int, Device] = {}
    gpus: dict[int, Device] = {}
    wanted = ("id", "cuDevice", "name", "smCount", "totalMemory", "computeMajor", "computeMinor")
    for identity, number, *facts in database.rows(GPUS, wanted):
        if isinstance(identity, int):
            # GPUs that CUDA does not see (integrated graphics) have no number of CUDA and no multiprocessors.
            device = device_of(number if isinstance(number, int) else identity, facts)
            gpus[identity] = device
            if not isinstance(facts[1], int) or facts[1] > 0:
                found.setdefault(device.number, device)
    for identity, number in database.rows(CUDA_NUMBERS, ("gpuId", "cudaId")):
        if isinstance(number, int) and identity in gpus:
            found[number] = gpus[identity]
    strings = {k: v for k, v in database.rows("StringTable", ("_id_", "value")) if isinstance(k, int)}
    old = ("id", "name", "numMultiprocessors", "globalMemorySize", "computeCapabilityMajor", "computeCapabilityMinor")
    for identity, name, *facts in database.rows(OLD, old):
        if isinstance(identity, int):
            text = strings.get(name, "") if isinstance(name, int) else name
            found.setdefault(identity, device_of(identity, [text, *facts]))
    return found


def device_of(number: int, facts: list[Any]) -> Device:
    """A device from name, multiprocessors, memory and compute capability."""
    name, sms, memory, major, minor = facts
    known = isinstance(major, int) and isinstance(minor, int) and major > 0
    return Device(
        name=str(name)[:MAX_NAME] if isinstance(name, str) else "",
        number=number,
        sm_count=positive(sms),
        capacity_bytes_dram=positive(memory),
        compute_capability=f"{major}.{minor}" if known else "",
    )


def positive(value: Any) -> float:
    """A number above zero; NaN for anything else."""
    return float(value) if isinstance(value, (int, float)) and 0 < value < 1e18 else math.nan
