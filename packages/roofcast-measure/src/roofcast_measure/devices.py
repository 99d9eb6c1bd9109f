"""Which GPU a measurement runs on: NVIDIA's by cuda-core, AMD's by hipcc."""

from __future__ import annotations

from roofcast.core.errors import RoofcastError
from roofcast_measure.driver import Driver
from roofcast_measure.profile_tools import has_amd

ONLY_NVIDIA = (
    "ceilings are measured on NVIDIA GPUs alone, this machine has AMD's: `roofcast measure suite` and `gpp` run here, "
    "`rocprof-compute profile` measures ceilings that roofcast reads (docs/measure.md, AMD)"
)


def open_device(number: int) -> Driver:
    """The GPU of that number."""
    if has_amd():
        from roofcast_measure.hip_driver import HipDriver

        return HipDriver(number)
    from roofcast_measure.cuda_driver import open_driver

    return open_driver(number)


def open_nvidia(number: int) -> Driver:
    """The same, for what is measured on NVIDIA GPUs alone."""
    if has_amd():
        raise RoofcastError(ONLY_NVIDIA)
    return open_device(number)
