"""Small files as AMD's profilers write them."""

from __future__ import annotations

# A matrix product and a copy on MI200: every kind of request and operation occurs, LDS with bank conflicts too.
MI200_COUNTERS: dict[str, tuple[float, float]] = {
    "SQ_WAVES": (1024, 4096), "SQ_INSTS": (500_000, 40_000), "SQ_INSTS_LDS": (60_000, 0),
    "SQ_INSTS_VALU_ADD_F64": (10, 0), "SQ_INSTS_VALU_MUL_F64": (20, 0), "SQ_INSTS_VALU_FMA_F64": (300, 0),
    "SQ_INSTS_VALU_TRANS_F64": (4, 0), "SQ_INSTS_VALU_ADD_F32": (1_000, 0), "SQ_INSTS_VALU_MUL_F32": (2_000, 0),
    "SQ_INSTS_VALU_FMA_F32": (30_000, 0), "SQ_INSTS_VALU_TRANS_F32": (500, 0), "SQ_INSTS_VALU_ADD_F16": (7, 0),
    "SQ_INSTS_VALU_MUL_F16": (8, 0), "SQ_INSTS_VALU_FMA_F16": (9, 0), "SQ_INSTS_VALU_TRANS_F16": (1, 0),
    "SQ_INSTS_VALU_INT32": (5_000, 100), "SQ_INSTS_VALU_MFMA_MOPS_F16": (11_000, 0),
    "SQ_INSTS_VALU_MFMA_MOPS_BF16": (12_000, 0), "SQ_INSTS_VALU_MFMA_MOPS_F32": (13_000, 0),
    "SQ_INSTS_VALU_MFMA_MOPS_F64": (14_000, 0), "SQ_INSTS_VALU_MFMA_MOPS_I8": (15_000, 0),
    "TCP_TOTAL_CACHE_ACCESSES_sum": (400_000, 262_144), "TCC_REQ_sum": (90_000, 131_072),
    "TCC_HIT_sum": (60_000, 0), "TCC_MISS_sum": (30_000, 131_072), "TCC_EA_RDREQ_sum": (20_000, 65_536),
    "TCC_EA_RDREQ_32B_sum": (5_000, 0), "TCC_EA_WRREQ_sum": (9_000, 65_536), "TCC_EA_WRREQ_64B_sum": (8_000, 65_536),
    "SQ_LDS_IDX_ACTIVE": (70_000, 0), "SQ_LDS_BANK_CONFLICT": (20_000, 0), "SQ_WAVE_CYCLES": (160_000, 300_000),
    "SQ_BUSY_CU_CYCLES": (20_000, 30_000), "SQ_THREAD_CYCLES_VALU": (3_200_000, 640_000),
    "SQ_ACTIVE_INST_VALU": (100_000, 10_000), "GRBM_GUI_ACTIVE": (300_000, 20_000),
}  # fmt: skip

ABOUT = "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,"
ABOUT += "Accum_VGPR,SGPR,wave_size,obj"
KERNELS = (
    '0,"gemm<float, 64>(float*, float const*) [clone .kd]",2,65536,256,16384,0,64,32,48,64,0x7f00',
    '1,"copy(double*, double*) (.kd)",2,262144,256,0,0,8,0,16,64,0x7f01',
)
TIMES = ((1_411_551_767_635_712, 1_411_551_767_835_712), (1_411_551_768_000_000, 1_411_551_768_015_000))


def pmc_perf(counters: dict[str, tuple[float, float]] = MI200_COUNTERS, about: str = ABOUT) -> bytes:
    """A ``pmc_perf.csv`` of rocprof-compute with two dispatches."""
    lines = [",".join([about, *counters, "Start_Timestamp,End_Timestamp"])]
    for i, kernel in enumerate(KERNELS):
        lines.append(",".join([kernel, *(str(v[i]) for v in counters.values()), f"{TIMES[i][0]},{TIMES[i][1]}"]))
    return ("\r\n".join(lines) + "\r\n").encode()


SYSINFO = (
    b"workload_name,command,hostname,compute_partition,gpu_model,gpu_arch,gpu_l1,gpu_l2,cu_per_gpu,simd_per_cu,"
    b"wave_size,max_waves_per_cu,max_sclk,cur_sclk,lds_banks_per_cu,hbm_bw,num_xcd\n"
    b"gemm,./secret --key 1,node7,NA,MI210,gfx90a,16,8192,104,4,64,32,1700,1700,32,1638.4,1\n"
)
ROOFLINE = (
    b"device,HBMBw,HBMBwLow,hbmBwHigh,L2Bw,L2BwLow,L2BwHigh,L1Bw,L1BwLow,L1BwHigh,LDSBw,LDSBwLow,LDSBwHigh,"
    b"FP32Flops,FP32FlopsLow,FP32FlopsHigh,FP64Flops,FP64FlopsLow,FP64FlopsHigh,MFMAF16Flops,MFMAF16FlopsLow,"
    b"MFMAF16FlopsHigh,MFMAI8Ops,MFMAFI8OpsLow,MFMAI8OpsHigh\n"
    b"0,1380,1379,1381,5000,4999,5001,9200,9199,9201,17700,17690,17710,20900,20800,21000,20200,20100,20300,"
    b"165000,164000,166000,166400,166000,167000\n"
    b"1,1390,1389,1391,5040,5030,5050,9240,9230,9250,18200,18100,18300,20950,20900,21000,20300,20200,20400,"
    b"165200,165100,165300,166900,166800,167000\n"
)
ROCPROF_V1 = (
    b"Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,"
    b"FetchSize,WriteSize,L2CacheHit,SQ_WAVES,TCC_HIT[0],TCC_HIT[1],TCC_MISS[0],TCC_MISS[1],"
    b"DispatchNs,BeginNs,EndNs,CompleteNs,DurationNs\n"
    b'0,"copy(double*, double*) [clone .kd]",0,0,0,9,9,262144,256,512,0,8,0,16,64,0x0,0x7f,'
    b"2048,1024.5,25,4096,30,40,50,60,100,200,15200,15300,15000\n"
)
COLLECTION_HEAD = (
    b'"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id",'
    b'"Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count",'
    b'"Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"\n'
)


def collection_line(dispatch: int, counter: str, value: float, agent: str = "Agent 4") -> bytes:
    """A line of a ``counter_collection.csv``."""
    kernel = "scale(float*, int)"
    return (
        f'{dispatch},{dispatch},"{agent}",1,77,77,131072,5,"{kernel}",128,1024,0,12,4,32,"{counter}",{value:.6f},'
        f"{1000 * dispatch},{1000 * dispatch + 9000}\n"
    ).encode()


COLLECTION = COLLECTION_HEAD + b"".join(
    collection_line(d, name, value)
    for d in (1, 2)
    for name, value in (
        ("SQ_WAVES", 2048), ("TCC_EA0_RDREQ", 1000), ("TCC_EA0_RDREQ_32B", 10), ("TCC_BUBBLE", 900),
        ("TCC_EA0_WRREQ", 500), ("TCC_EA0_WRREQ_64B", 400), ("TCC_REQ", 300), ("TCC_REQ", 300),
    )
)  # fmt: skip
LISTING = (
    b"\xef\xbb\xbfID,Process ID,Process Name,Host Name,Kernel Name,Kernel Time,Context,Stream,Section Name,Metric Name,"
    b"Metric Unit,Metric Value\n"
    b"0,9,app,127.0.0.1,push,now,1,16,metrics,SQ_INSTS_VALU,inst,4812510269\n"
    b"0,9,app,127.0.0.1,push,now,1,16,metrics,FetchSize,bytes,8545223000\n"
    b"0,9,app,127.0.0.1,push,now,1,16,metrics,WriteSize,bytes,6175734000\n"
    b"0,9,app,127.0.0.1,push,now,1,16,metrics,time,us,76648.267\n"
)
AGENTS = (
    b'"Node_Id","Logical_Node_Id","Agent_Type","Cpu_Cores_Count","Simd_Count","Cu_Count","Max_Waves_Per_Cu","Num_Xcc",'
    b'"Name","Vendor_Name","Product_Name"\n'
    b'0,0,"CPU",64,0,0,0,1,"AMD EPYC","CPU","AMD EPYC"\n'
    b'4,1,"GPU",0,1216,304,32,8,"gfx942","AMD","AMD Instinct MI300X"\n'
)

AMD_SAMPLES: dict[str, tuple[bytes, ...]] = {
    "rocprof-compute": (pmc_perf(),),
    "rocprof-results": (ROCPROF_V1,),
    "rocprof-counters": (COLLECTION,),
}
