/* The HIP runtime as a few functions with plain arguments: hipcc compiles this on the machine with the AMD GPU, so that
   nothing here depends on how a release of ROCm lays out its structures. Every function returns 0 or an error, whose
   text bridge_error() gives. */
#include <hip/hip_runtime.h>

#include <cstring>
#include <string>

namespace {
std::string said;

int checked(hipError_t status, const char* what) {
  if (status == hipSuccess) return 0;
  said = std::string(what) + ": " + hipGetErrorName(status);
  return 1;
}
}  // namespace

#define TRY(call) \
  if (checked(call, #call)) return 1

extern "C" {
struct BridgeInfo {
  char name[256], architecture[256], bus[64];
  long long sm_count, l2_bytes, memory_bytes, clock_khz, memory_khz, bus_bits, runtime;
};

const char* bridge_error() { return said.c_str(); }

int bridge_count(int* count) {
  TRY(hipInit(0));
  TRY(hipGetDeviceCount(count));
  return 0;
}

int bridge_open(int device, BridgeInfo* info, hipStream_t* stream) {
  hipDeviceProp_t known;
  int version = 0;
  TRY(hipSetDevice(device));
  TRY(hipGetDeviceProperties(&known, device));
  TRY(hipRuntimeGetVersion(&version));
  std::strncpy(info->name, known.name, sizeof(info->name) - 1);
  std::strncpy(info->architecture, known.gcnArchName, sizeof(info->architecture) - 1);
  TRY(hipDeviceGetPCIBusId(info->bus, sizeof(info->bus), device));
  info->sm_count = known.multiProcessorCount;
  info->l2_bytes = known.l2CacheSize;
  info->memory_bytes = (long long)known.totalGlobalMem;
  info->clock_khz = known.clockRate;
  info->memory_khz = known.memoryClockRate;
  info->bus_bits = known.memoryBusWidth;
  info->runtime = version;
  TRY(hipStreamCreateWithFlags(stream, hipStreamNonBlocking));
  return 0;
}

int bridge_load(const char* path, hipModule_t* module) {
  TRY(hipModuleLoad(module, path));
  return 0;
}

int bridge_kernel(hipModule_t module, const char* name, hipFunction_t* kernel, int* known) {
  TRY(hipModuleGetFunction(kernel, module, name));
  TRY(hipFuncGetAttribute(known, HIP_FUNC_ATTRIBUTE_NUM_REGS, *kernel));
  TRY(hipFuncGetAttribute(known + 1, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, *kernel));
  TRY(hipFuncGetAttribute(known + 2, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, *kernel));
  return 0;
}

int bridge_free_bytes(size_t* bytes) {
  size_t all = 0;
  TRY(hipMemGetInfo(bytes, &all));
  return 0;
}

int bridge_allocate(size_t bytes, void** at) {
  TRY(hipMalloc(at, bytes));
  return 0;
}

int bridge_release(void* at) {
  TRY(hipFree(at));
  return 0;
}

int bridge_upload(void* to, const void* from, size_t bytes) {
  TRY(hipMemcpy(to, from, bytes, hipMemcpyHostToDevice));
  TRY(hipDeviceSynchronize());
  return 0;
}

int bridge_download(void* to, const void* from, size_t bytes) {
  TRY(hipMemcpy(to, from, bytes, hipMemcpyDeviceToHost));
  return 0;
}

int bridge_wait(hipStream_t stream) {
  TRY(hipStreamSynchronize(stream));
  return 0;
}

int bridge_capture(hipStream_t stream) {
  TRY(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  return 0;
}

int bridge_launch(hipStream_t stream, hipFunction_t kernel, const unsigned* grid, const unsigned* block, void** values) {
  TRY(hipModuleLaunchKernel(kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0, stream, values, nullptr));
  return 0;
}

int bridge_captured(hipStream_t stream, hipGraph_t* graph, hipGraphExec_t* ready) {
  TRY(hipStreamEndCapture(stream, graph));
  TRY(hipGraphInstantiate(ready, *graph, nullptr, nullptr, 0));
  return 0;
}

int bridge_run(hipStream_t stream, hipGraphExec_t ready) {
  TRY(hipGraphLaunch(ready, stream));
  return 0;
}

int bridge_time(hipStream_t stream, hipGraphExec_t ready, float* milliseconds) {
  static hipEvent_t start = nullptr, end = nullptr;
  if (!start) {
    TRY(hipEventCreate(&start));
    TRY(hipEventCreate(&end));
  }
  TRY(hipEventRecord(start, stream));
  TRY(hipGraphLaunch(ready, stream));
  TRY(hipEventRecord(end, stream));
  TRY(hipEventSynchronize(end));
  TRY(hipEventElapsedTime(milliseconds, start, end));
  return 0;
}

int bridge_drop(hipGraph_t graph, hipGraphExec_t ready) {
  TRY(hipGraphExecDestroy(ready));
  TRY(hipGraphDestroy(graph));
  return 0;
}

int bridge_close(hipStream_t stream) {
  TRY(hipStreamDestroy(stream));
  return 0;
}
}
