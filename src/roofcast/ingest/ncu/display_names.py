"""What Nsight Compute's details page calls its metrics.

The details page prints "Duration" where the raw page prints ``gpu__time_duration.sum``. A name means one metric,
but for the few that two sections use: those stand under "section/name".
"""

from __future__ import annotations

from roofcast.ingest.ncu.metric_columns import STALL_REASONS

SPELLED = {"lg": "LG", "mio": "MIO", "imc": "IMC", "gmma": "GMMA"}

DISPLAY_NAMES: dict[str, str] = {
    # GPU Speed Of Light Throughput (before 2021: GPU Speed Of Light, with SOL in front of the names)
    "Duration": "gpu__time_duration.sum",
    "Elapsed Cycles": "gpc__cycles_elapsed.max",
    "SM Active Cycles": "sm__cycles_active.avg",
    "SM Frequency": "gpc__cycles_elapsed.avg.per_second",
    "DRAM Frequency": "dram__cycles_elapsed.avg.per_second",
    "Memory Frequency": "dram__cycles_elapsed.avg.per_second",
    "Compute (SM) Throughput": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "Compute (SM) [%]": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "SM [%]": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "SOL SM": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "Memory Throughput": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "Memory [%]": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "SOL Memory": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "DRAM Throughput": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "SOL DRAM": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "SOL FB": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "L1/TEX Cache Throughput": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "SOL L1/TEX Cache": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "SOL TEX": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "L2 Cache Throughput": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "SOL L2 Cache": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "SOL L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    # Compute Workload Analysis
    "Executed Ipc Active": "sm__inst_executed.avg.per_cycle_active",
    "Executed Ipc Elapsed": "sm__inst_executed.avg.per_cycle_elapsed",
    "Issued Ipc Active": "sm__inst_issued.avg.per_cycle_active",
    "Issue Slots Busy": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "Issue Slots Max": "sm__inst_issued.max.pct_of_peak_sustained_active",
    "Max. Issued Slots Busy": "sm__inst_issued.max.pct_of_peak_sustained_elapsed",
    "SM Busy": "sm__instruction_throughput.avg.pct_of_peak_sustained_active",
    # Memory Workload Analysis
    "Memory Workload Analysis/Memory Throughput": "dram__bytes.sum.per_second",
    "Mem Busy": "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed",
    "Max Bandwidth": "gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed",
    "Mem Pipes Busy": "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "L1/TEX Hit Rate": "l1tex__t_sector_hit_rate.pct",
    "L1 Hit Rate": "l1tex__t_sector_hit_rate.pct",
    "L2 Hit Rate": "lts__t_sector_hit_rate.pct",
    "L2 Compression Success Rate": "lts__average_gcomp_input_sector_success_rate.pct",
    "L2 Compression Ratio": "lts__average_gcomp_output_sector_compression_achieved_rate.ratio",
    "L2 Compression Input Sectors": "lts__gcomp_input_sectors.sum",
    "L2 Persisting Size": "launch__persisting_l2_cache_size",
    "Local Memory Spilling Requests": "derived__local_spilling_requests",
    "Local Memory Spilling Request Overhead": "derived__local_spilling_requests_pct",
    "Shared Memory Spilling Requests": "derived__shared_spilling_requests",
    "Shared Memory Spilling Request Overhead": "derived__shared_spilling_requests_pct",
    "L2 Sector Misses": "lts__t_sectors_lookup_miss.sum",
    "L2 Sector Misses from Promotion": "lts__t_sectors_lookup_miss_data_promoted.sum",
    "L2 Sector Promotion Misses": "derived__lts__t_sectors_lookup_miss_data_promoted_pct",
    # Scheduler Statistics
    "One or More Eligible": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "No Eligible": "smsp__issue_inst0.avg.pct_of_peak_sustained_active",
    "Issued Warp Per Scheduler": "smsp__issue_active.avg.per_cycle_active",
    "Active Warps Per Scheduler": "smsp__warps_active.avg.per_cycle_active",
    "Eligible Warps Per Scheduler": "smsp__warps_eligible.avg.per_cycle_active",
    "Theoretical Warps Per Scheduler": "smsp__maximum_warps_avg_per_active_cycle",
    "GPU Maximum Warps Per Scheduler": "smsp__warps_active.avg.peak_sustained",
    "Instructions Per Active Issue Slot": "smsp__inst_executed_per_issue_active.ratio",
    # Warp State Statistics
    "Warp Cycles Per Issued Instruction": "smsp__average_warp_latency_per_inst_issued.ratio",
    "Warp Cycles Per Executed Instruction": "smsp__average_warps_active_per_inst_executed.ratio",
    "Warp Cycles Per Issue Active": "smsp__average_warps_active_per_issue_active.ratio",
    "Avg. Active Threads Per Warp": "smsp__thread_inst_executed_per_inst_executed.ratio",
    "Avg. Not Predicated Off Threads Per Warp": "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    **{
        f"Stall {' '.join(SPELLED.get(w, w.title()) for w in reason.split('_'))}": (
            f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
        )
        for reason in STALL_REASONS
    },
    "Selected": "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio",
    # Instruction Statistics
    "Executed Instructions": "smsp__inst_executed.sum",
    "Issued Instructions": "smsp__inst_issued.sum",
    "Avg. Executed Instructions Per Scheduler": "smsp__inst_executed.avg",
    "Avg. Issued Instructions Per Scheduler": "smsp__inst_issued.avg",
    # Launch Statistics
    "Grid Size": "launch__grid_size",
    "Block Size": "launch__block_size",
    "Threads": "launch__thread_count",
    "Cluster Size": "launch__cluster_size",
    "Preferred Cluster Size": "launch__preferred_cluster_size",
    "Registers Per Thread": "launch__registers_per_thread",
    "Static Shared Memory Per Block": "launch__shared_mem_per_block_static",
    "Dynamic Shared Memory Per Block": "launch__shared_mem_per_block_dynamic",
    "Driver Shared Memory Per Block": "launch__shared_mem_per_block_driver",
    "Shared Memory Configuration Size": "launch__shared_mem_config_size",
    "Waves Per SM": "launch__waves_per_multiprocessor",
    "# SMs": "device__attribute_multiprocessor_count",
    "# TPCs": "launch__tpc_count",
    "Stack Size": "launch__stack_size",
    "Uses Green Context": "launch__uses_green_context",
    "Function Cache Configuration": "launch__func_cache_config",
    "Cluster Scheduling Policy": "launch__cluster_scheduling_policy",
    # Occupancy
    "Theoretical Occupancy": "sm__maximum_warps_per_active_cycle_pct",
    "Theoretical Active Warps per SM": "sm__maximum_warps_avg_per_active_cycle",
    "Achieved Occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "Achieved Active Warps Per SM": "sm__warps_active.avg.per_cycle_active",
    "Block Limit SM": "launch__occupancy_limit_blocks",
    "Block Limit Registers": "launch__occupancy_limit_registers",
    "Block Limit Shared Mem": "launch__occupancy_limit_shared_mem",
    "Block Limit Warps": "launch__occupancy_limit_warps",
    "Block Limit Barriers": "launch__occupancy_limit_barriers",
    "Max Active Clusters": "launch__cluster_max_active",
    "Max Cluster Size": "launch__cluster_max_potential_size",
    "Overall GPU Occupancy": "launch__occupancy_cluster_gpu_pct",
    "Cluster Occupancy": "launch__occupancy_cluster_pct",
    # GPU and Memory Workload Distribution
    **{
        f"{kind} {shown} {state} Cycles": f"{unit}__cycles_{state.lower()}.{rollup}"
        for kind, rollup in (("Average", "avg"), ("Total", "sum"))
        for shown, unit in (
            *(("SM", "sm"), ("SMSP", "smsp"), ("L1", "l1tex"), ("L2", "lts")),
            *(("DRAM", "dram"), ("MC Channel", "mcc")),
        )
        for state in ("Active", "Elapsed")
    },
    # Source Counters
    "Branch Instructions": "smsp__inst_executed_op_branch.sum",
    "Branch Instructions Ratio": "derived__smsp__inst_executed_op_branch_pct",
    "Branch Efficiency": "smsp__sass_average_branch_targets_threads_uniform.pct",
    "Avg. Divergent Branches": "smsp__sass_branch_targets_threads_divergent.avg",
    # Memory Workload Analysis Tables
    "L1TEX Hit Rate For Global Loads": "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
    "L1TEX Hit Rate For Global Stores": "l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct",
    "L2 Hit Rate For Loads": "lts__t_sector_op_read_hit_rate.pct",
    "L2 Hit Rate For Stores": "lts__t_sector_op_write_hit_rate.pct",
    "L1TEX Sectors": "l1tex__t_sectors.sum",
    "Average Bytes Per Sector For Global Loads": "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
    "Average Bytes Per Sector For Global Stores": "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio",
    # NVLink
    "Received Bytes": "nvlrx__bytes.sum",
    "Transmitted Bytes": "nvltx__bytes.sum",
}
"""Name on the details page -> metric; "section/name" where one name means two metrics."""


def metric_of_display_name(section: str, name: str, unit: str = "") -> str | None:
    """The metric behind a name of the details page; None where it is not known.

    section, name : as printed. unit : as printed; tells the two metrics called "Memory Throughput" apart in files
        that name no section.

    >>> metric_of_display_name("Memory Workload Analysis", "Memory Throughput")
    'dram__bytes.sum.per_second'
    >>> metric_of_display_name("", "Memory Throughput", "Gbyte/second")
    'dram__bytes.sum.per_second'
    >>> metric_of_display_name("GPU Speed Of Light Throughput", "Memory Throughput", "%")
    'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed'
    """
    if name == "Memory Throughput" and unit.lower().endswith(("byte/s", "byte/second", "b/s")):
        section = "Memory Workload Analysis"
    return DISPLAY_NAMES.get(f"{section}/{name}", DISPLAY_NAMES.get(name))
