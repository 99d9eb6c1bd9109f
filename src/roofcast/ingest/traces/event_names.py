"""What the names of API calls, copies and communication kernels in a trace say."""

from __future__ import annotations

import re
from functools import lru_cache

from roofcast.core.timeline import Api, Collective, HostMemory, Way

LAUNCH = re.compile(r"launch(?!hostfunc)", re.I)
COPY = re.compile(r"mem(?:cpy|set)", re.I)
SYNCHRONISE = re.compile(r"synchronize|streamquery\b.*block", re.I)
RECORD = re.compile(r"eventrecord", re.I)
WAIT = re.compile(r"streamwait(?:event|value)", re.I)

COLLECTIVES: tuple[tuple[str, Collective], ...] = (
    (r"all_?-?reduce|cross_device_reduce", Collective.ALL_REDUCE),
    (r"reduce_?-?scatter", Collective.REDUCE_SCATTER),
    (r"all_?-?gather", Collective.ALL_GATHER),
    (r"all_?-?to_?-?all", Collective.ALL_TO_ALL),
    (r"broadcast", Collective.BROADCAST),
    (r"send|recv|p2p", Collective.POINT_TO_POINT),
    (r"reduce", Collective.REDUCE),
)
LIBRARY = re.compile(r"\bnccl|\brccl|nccldev|ncclkernel|msccl|nvshmem|multimem_|cross_device_reduce|one_?shot_all|"
                     r"two_?shot_all|deep_?ep::|c10d::|quickreduce|oneccl", re.I)  # fmt: skip

HOST_SIDES = {"pageable": HostMemory.PAGEABLE, "pinned": HostMemory.PINNED, "managed": HostMemory.MANAGED}


@lru_cache(maxsize=4096)
def api_of(name: str) -> Api:
    """What a call of CUDA or HIP asks for.

    >>> api_of("cudaLaunchKernel_v7000").name, api_of("hipStreamSynchronize").name, api_of("cudaStreamWaitEvent").name
    ('LAUNCH', 'SYNCHRONISE', 'WAIT')
    """
    for pattern, api in ((WAIT, Api.WAIT), (SYNCHRONISE, Api.SYNCHRONISE), (RECORD, Api.RECORD), (COPY, Api.COPY)):
        if pattern.search(name):
            return api
    return Api.LAUNCH if LAUNCH.search(name) else Api.OTHER


@lru_cache(maxsize=65536)
def collective_of(name: str) -> Collective:
    """The collective that a communication kernel performs; NONE for other kernels.

    >>> collective_of("ncclDevKernel_AllReduce_Sum_bf16_RING_LL()").name, collective_of("reduce_kernel").name
    ('ALL_REDUCE', 'NONE')
    """
    if not LIBRARY.search(name):
        return Collective.NONE
    return named_collective(name)


def named_collective(text: str) -> Collective:
    """The collective that a text names; OTHER where it names none.

    >>> named_collective("_allgather_base").name, named_collective("reduce_scatter_tensor_coalesced").name
    ('ALL_GATHER', 'REDUCE_SCATTER')
    """
    folded = text.lower()
    return next((kind for pattern, kind in COLLECTIVES if re.search(pattern, folded)), Collective.OTHER)


@lru_cache(maxsize=4096)
def way_of(name: str) -> Way:
    """The way of a copy, in the words of any profiler.

    >>> way_of("Memcpy HtoD (Pinned -> Device)").name, way_of("[CUDA memcpy Device-to-Host]").name
    ('HOST_TO_DEVICE', 'DEVICE_TO_HOST')
    >>> way_of("MEMORY_COPY_HOST_TO_DEVICE").name, way_of("CopyDeviceToDevice").name, way_of("Memcpy PtoP").name
    ('HOST_TO_DEVICE', 'DEVICE_TO_DEVICE', 'PEER')
    """
    folded = re.sub(r"[^a-z0-9]", "", name.lower())
    folded = folded.replace("deviceto", "dto").replace("hostto", "hto").replace("peerto", "pto")
    folded = re.sub(r"to(device|host|peer|array|unifieddevice|unifiedhost)", lambda m: "to" + m[1][0], folded)
    for pattern, way in (
        (r"hto[da]", Way.HOST_TO_DEVICE), (r"[da]toh", Way.DEVICE_TO_HOST), (r"ptop|peer|p2p", Way.PEER),
        (r"[da]to[da]|dtou", Way.DEVICE_TO_DEVICE), (r"htoh", Way.HOST_TO_HOST),
    ):  # fmt: skip
        if re.search(pattern, folded):
            return way
    return Way.UNKNOWN


def host_memory_of(text: str) -> HostMemory:
    """How the host's side was allocated, where a text says so."""
    folded = text.lower()
    return next((kind for word, kind in HOST_SIDES.items() if word in folded), HostMemory.UNKNOWN)
