"""Properties that differ between two GPUs, in which a forecast is taken apart."""

from __future__ import annotations

from enum import StrEnum


class Property(StrEnum):
    """What a waterfall changes from the source to the target, in this order.

    Each level evaluates the model on a processor that has the target's properties up to that one and the source's from
    there on, so that the changes add up to the whole difference. What one of them shows depends on those before it.
    """

    CONDITIONS = "conditions"
    FLOOR = "launch_floor"
    CLOCK = "clock"
    SMS = "sms"
    DRAM = "dram"
    L2_CAPACITY = "l2_capacity"
    L2 = "l2"
    FP64 = "fp64"
    PIPES = "pipes"
    TENSOR = "tensor"
    L1 = "l1"
    LATENCY = "latency"
    CODE = "code"
    OTHER = "other"
    LEARNED = "learned"
    SOURCES = "other_sources"

    @property
    def label(self) -> str:
        """Short human name."""
        return LABELS[self]


LABELS: dict[Property, str] = {
    Property.CONDITIONS: "conditions",
    Property.FLOOR: "launch floor",
    Property.CLOCK: "SM clock",
    Property.SMS: "SM count and blocks",
    Property.DRAM: "DRAM bandwidth",
    Property.L2_CAPACITY: "L2 capacity",
    Property.L2: "L2 bandwidth",
    Property.FP64: "FP64 pipe",
    Property.PIPES: "FP32, integer, issue",
    Property.TENSOR: "tensor pipes",
    Property.L1: "L1, shared, load/store",
    Property.LATENCY: "latency",
    Property.CODE: "code on the target",
    Property.OTHER: "other properties",
    Property.LEARNED: "learned residual",
    Property.SOURCES: "other sources",
}

PROPERTIES = tuple(Property)
"""All of them, in the order of a waterfall."""
