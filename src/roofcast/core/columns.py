"""The columns of a kernel table: every name that roofcast understands, with unit and meaning.

Amounts are :class:`roofcast.core.resource.Resource` members; what stands here beside them describes a launch.
All numeric values are plain SI floats; shares are fractions in [0, 1]. NaN means absent, never zero.
"""

from __future__ import annotations

from enum import IntEnum

from roofcast.core.resource import Resource


class Origin(IntEnum):
    """Where a value comes from. Reports keep the three kinds apart."""

    ABSENT = 0
    COUNTED = 1
    """Read from a hardware counter, a timer or the launch record."""
    DERIVED = 2
    """Computed from counted values by an identity."""
    ASSUMED = 3
    """A default; nothing in the input says so."""


TEXT_COLUMNS: dict[str, str] = {
    "kernel": "name as given by the profiler, demangled where the profiler did so",
    "kernel_mangled": "linker symbol, where recorded",
    "config": "what distinguishes runs of the same kernel (sizes, tuning parameters)",
    "gpu": "source GPU as the file prints it",
    "compute_capability": "e.g. 8.0, where recorded",
    "cache_state": "cold (flushed before the run) or warm, where known",
    "clock_control": "base (locked by the profiler) or none, where known",
    "timer": "device (the GPU records start and end, as profilers and traces do) or host (calls that a program times)",
    "precision": "fp64, fp32, fp16, bf16, tf32, fp8 ... where one name describes the kernel",
    "grid": "grid size (x, y, z)",
    "block": "block size (x, y, z)",
    "dataset": "data set name in tables of measurements",
    "collective": "what several GPUs do together (all_reduce, ...); empty for a kernel of one GPU",
    "source_file": "file that the launch was read from (name only)",
    "refused": "why a launch of source code has no amounts",
}

NUMERIC_COLUMNS: dict[str, str] = {
    "launch": "1; index of the launch in its file, from 0",
    "time_s": "s; duration of the launch",
    "time_std_s": "s; standard deviation of repeated measurements",
    "launches": "1; launches that the row stands for, where it is the mean over several",
    "time_total_s": "s; time of all of them",
    "migration_stall_s": "s; of the duration, at most so much was spent waiting for pages of unified memory",
    "migration_stall_least_s": "s; of the duration, at least so much, by launches of the same kernel beside no pages",
    "migration_handled_s": "s; of the duration, faults were handled or pages moved so long, on demand of the kernel",
    "migration_untimed_s": "s; of what may have been spent waiting, no page moved so long: handling that nobody timed",
    "migration_untimed_least_s": "s; of that, at least so much, by the number of faults",
    "migration_resident_bytes": "B; of pages that moved to the device, at least so much was there at once in the run",
    "migration_bytes": "B; pages that moved in the run, this launch's share of them by its duration",
    "migration_s": "s; page moves and faults of the run, this launch's share of them by its duration",
    "clock_hz": "Hz; SM clock during the measurement",
    "clock_hz_common": "Hz; SM clock that most launches in the file share, where it does not say whether it was locked",
    "clock_hz_dram": "Hz; memory clock during the measurement",
    "clock_hz_l2": "Hz; L2 clock during the measurement",
    "sm_count": "1; SMs (CUs) of the source GPU as recorded",
    "capacity_bytes_dram": "B; device memory of the source GPU as recorded",
    "grid_blocks": "1; thread blocks of the launch",
    "block_threads": "1; threads per block",
    "block_threads_x": "1; threads per block along x, the fastest dimension",
    "regs_per_thread": "1; registers per thread",
    "smem_bytes_per_block": "B; shared memory per block, static + dynamic, without the driver's share",
    "smem_bytes_per_block_driver": "B; shared memory that the driver reserves per block",
    "smem_bytes_per_sm": "B; shared-memory carve-out configured for the launch",
    "threads_per_inst": "1; active threads per warp instruction, in (0, warp size]",
    "occupancy_fraction": "1; achieved occupancy: active warps over the SM's maximum",
    "occupancy_theoretical_fraction": "1; occupancy that the resources allow, as recorded",
    "waves_per_sm": "1; waves of blocks, as recorded",
    "flops": "FLOP; all floating-point work where no split by precision is known",
    "insts_fp64_add": "1; FP64 additions (thread instructions, predicated on)",
    "insts_fp64_mul": "1; FP64 multiplications",
    "insts_fp64_fma": "1; FP64 fused multiply-adds",
    "insts_fp32_add": "1; FP32 additions",
    "insts_fp32_mul": "1; FP32 multiplications",
    "insts_fp32_fma": "1; FP32 fused multiply-adds",
    "insts_fp16_add": "1; FP16 packed additions",
    "insts_fp16_mul": "1; FP16 packed multiplications",
    "insts_fp16_fma": "1; FP16 packed fused multiply-adds",
    "insts_thread": "1; thread instructions executed",
    "insts_executed": "1; warp instructions executed",
    "insts_tensor": "1; warp instructions of the tensor pipe",
    "flops_phantom_fp16": "FLOP; register moves that the hardware counts as FP16 work; not part of flops_fp16",
    "bytes_dram_read": "B; DRAM reads",
    "bytes_dram_write": "B; DRAM writes",
    "bytes_l2_sm": "B; L2 traffic of the SMs alone, without what L2 partitions ask of each other",
    "bytes_shared_by_groups": "B; what groups of four warps that multiply as one spare; of rows from source code",
    "bytes_shared_useful": "B; shared-memory bytes that instructions asked for",
    "shared_wavefronts": "1; data-stage passes of shared-memory instructions",
    "shared_bank_conflicts": "1; extra passes caused by bank conflicts",
    "wavefronts_l1": "1; data-stage passes of accesses to global memory; of rows derived from source code",
    "loads_in_turn": "1; loads of a thread that wait for each other; of rows derived from source code",
    "loads_in_turn_beyond_l1": "1; those of them that L1 does not answer",
    "loads_in_turn_new": "1; those of them that are the first of the launch to touch their bytes",
    "bytes_read_again": "B; L2 reads beyond the first of each byte, of arrays that most blocks read; from source code",
    "bytes_read_over": "B; L2 reads of blocks beyond their own first of each byte; of rows from source code",
    "bytes_between_reads": "B; what a block takes in before it reads those once more; of rows from source code",
    "bytes_tables": "B; arrays that all blocks read and an SM's L1 holds from block to block; from source code",
    "bytes_l2_tables": "B; L2 traffic of the blocks for those, each block by itself; from source code",
    "loads_in_turn_tables": "1; loads in turn beyond L1 that are of those arrays; from source code",
    "cycles_atomic_in_turn": "cycles; of an SM, in which atomics update one element in turn; of rows from source code",
    "bytes_local": "B; L1 traffic of local memory (spills, private arrays)",
    "bytes_compulsory": "B; least DRAM traffic any implementation needs",
    "working_set_bytes": "B; distinct bytes touched",
    "l1_hit_fraction": "1; L1 hit rate",
    "l2_hit_fraction": "1; L2 hit rate",
    "bytes_per_sector_load": "B; useful bytes per 32-byte sector of global loads",
    "bytes_per_sector_store": "B; useful bytes per 32-byte sector of global stores",
    "ipc_active": "1; warp instructions per cycle of an active SM",
    "sm_active_fraction": "1; cycles with a resident warp over elapsed cycles, mean over SMs",
    "divergent_branch_fraction": "1; divergent branches over branches",
    "atomic_inst_fraction": "1; atomic warp instructions, on global or shared memory, over all",
    "atomic_swap_fraction": "1; compare-and-swaps over atomic warp instructions",
    "local_inst_fraction": "1; accesses to local memory (spills, private arrays) over warp instructions",
    "shared_wavefronts_per_inst": "1; passes of the shared-memory data stage per warp instruction of any kind",
    "shared_conflicts_per_wavefront": "1; share of those passes that bank conflicts cause",
    "issues_per_inst": "1; issue slots per warp instruction executed: 1 without replays",
    "insts_per_thread": "1; thread instructions per launched thread",
    "insts_shared": "1; warp instructions on shared memory (loads, stores, atomics)",
    "sectors_uncoalesced": "1; 32-byte sectors of global accesses beyond what perfect coalescing needs",
    "l1_load_hit_fraction": "1; L1 hit rate of global loads",
    "l2_read_hit_fraction": "1; L2 hit rate of reads",
    "l2_write_hit_fraction": "1; L2 hit rate of writes",
    "warp_latency_cycles_per_inst": "cycles; cycles of a resident warp between two instructions that it issues",
    **{
        f"stall_{reason}_per_inst": f"cycles; of these, waiting for: {why}"
        for reason, why in {
            "barrier": "a block barrier",
            "branch_resolving": "a branch target",
            "dispatch_stall": "the dispatcher",
            "drain": "stores to drain at exit",
            "gmma": "warp-group matrix instructions",
            "imc_miss": "a miss of the constant cache",
            "lg_throttle": "a full queue for global and local memory",
            "long_scoreboard": "data from global, local or texture memory",
            "math_pipe_throttle": "a busy arithmetic pipe",
            "membar": "a memory barrier",
            "mio_throttle": "a full queue for shared memory and special functions",
            "misc": "other reasons",
            "no_instruction": "instruction fetch",
            "not_selected": "the scheduler, which issued another warp",
            "selected": "nothing: it issues",
            "short_scoreboard": "data from shared memory or a special function",
            "sleeping": "a sleep instruction",
            "tex_throttle": "a full texture queue",
            "wait": "a fixed latency",
        }.items()
    },
    "power_w": "W; mean board power",
    "host_floor_s": "s; what the host takes of a library call, by the times that stay while sizes grow",
    "bytes_collective": "B; data of one GPU in a collective, the larger of what goes in and what comes out",
    "gpus_collective": "1; GPUs that take part in a collective",
    "shape_m": "1; rows of the result of a matrix product",
    "shape_n": "1; columns of the result of a matrix product",
    "shape_k": "1; length of the sums of a matrix product",
    "shape_batch": "1; matrix products of one launch",
    "shape_rows": "1; vectors that a softmax or a norm works on",
    "bytes_l2_stored": "B; L2 traffic of stores alone; of rows derived from source code",
    "words_constant": "1; words of constant memory that lanes of a warp take in turn; of rows from source code",
    "data_decide": "1; what data decide: 0 nothing, 1 conditions, 2 what elements are touched, 3 how many updates meet "
    "in one of them or how long something is looked for; from source code",
}

RESOURCE_COLUMNS: dict[str, str] = {
    r.value: f"{r.unit}; {r.label}"
    + (" (wavefronts x 128 B: what the hardware spends)" if r == Resource.BYTES_SHARED else "")
    for r in Resource
}

ALL_NUMERIC: dict[str, str] = {**NUMERIC_COLUMNS, **RESOURCE_COLUMNS}
