"""What the session of an Nsight Compute report says: the GPUs, the tool's version, the profiling options."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CLOCK_CONTROL = re.compile(rb"--clock-control[=\s\x00]+\"?(base|none|reset|boost)\b", re.IGNORECASE)
CACHE_CONTROL = re.compile(rb"--cache-control[=\s\x00]+\"?(all|none|flush-none)\b", re.IGNORECASE)
PREFIX = "device__attribute_"


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU of the session."""

    name: str
    numbers: Mapping[str, float]
    """Metric name of each attribute -> value."""


@dataclass
class Session:
    """Facts about the whole report, gathered from all its blocks."""

    devices: dict[int, Device] = field(default_factory=dict)
    tool: str = ""
    clock_control: str = "base"
    cache_state: str = "cold"
    said: set[str] = field(default_factory=set)
    """Options that the report itself states."""

    @property
    def assumed(self) -> tuple[str, ...]:
        """What is ncu's default because the report does not say."""
        missing = [
            n for n, key in (("locked base clock", "clock"), ("flushed caches", "cache")) if key not in self.said
        ]
        return (f"assumed ncu's default: {' and '.join(missing)} (the report does not say)",) if missing else ()

    def device_of(self, numbers: Mapping[str, float]) -> Device | None:
        """The GPU that ran a launch, by its index; the only one where the launch does not say."""
        for key in (f"{PREFIX}device_index", "launch__device_id"):
            index = numbers.get(key)
            if index is not None and math.isfinite(index) and int(index) in self.devices:
                return self.devices[int(index)]
        return next(iter(self.devices.values())) if len(self.devices) == 1 else None


def gather_session(session: Session, header: Any) -> None:
    """Add what one block header tells."""
    found = header.session
    for device in found.device:
        numbers = {}
        for attribute in device.attribute:
            kind = attribute.value.WhichOneof("kind")
            if kind not in (None, "text"):
                name = attribute.name.decode("utf-8", "replace")
                numbers[name if name.startswith(PREFIX) else PREFIX + name] = float(getattr(attribute.value, kind))
        session.devices[device.id] = Device(device.name.decode("utf-8", "replace"), numbers)
    for version in found.version:
        if version.key == b"Nsight Compute Target":
            session.tool = f"Nsight Compute {version.value.decode('utf-8', 'replace').partition(' ')[0]}"
    read_options(session, found.command, found.options.clock_control)


def read_options(session: Session, command: bytes, clock_control: bytes) -> None:
    """Clock and cache control where the report states them; nothing else of the command line is kept.

    A command line that names neither means ncu's defaults. Options of ncu come before the profiled program and its
    arguments, so the first match is the right one.
    """
    if command.strip():
        clock, cache = CLOCK_CONTROL.search(command), CACHE_CONTROL.search(command)
        session.clock_control = "none" if clock and clock.group(1).lower() != b"base" else "base"
        session.cache_state = "warm" if cache and cache.group(1).lower() != b"all" else "cold"
        session.said |= {"clock", "cache"}
    elif clock_control.lower() in (b"base", b"none"):
        session.clock_control = clock_control.lower().decode("ascii")
        session.said.add("clock")
