// A CUDA driver without a GPU, for tests of the real cuda-core: it keeps what it is told to launch and runs it on the
// CPU through the suite's shim (the library that ROOFCAST_FAKE_SHIM names). Only what the tests call is there; anything
// else answers "not supported" and says its name.
#include <cuda.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {
struct Kernel {
  std::string name;
};
struct Library {
  std::map<std::string, Kernel> kernels;
  std::string code;
};
struct Launch {
  std::string name;
  unsigned grid[3], block[3];
  std::vector<unsigned long long> values;
};
struct Graph {
  std::vector<Launch> launches;
};
struct Stream {
  Graph* capturing = nullptr;
};
struct Event {
  std::chrono::steady_clock::time_point at;
};

using LaunchFunction = int (*)(const char*, const unsigned*, const unsigned*, void**);
using CountFunction = int (*)(const char*);
LaunchFunction shim_launch;
CountFunction shim_arguments;
CUcontext current = nullptr;
int context;
size_t allocated = 0;
std::map<CUdeviceptr, size_t> sizes;
constexpr size_t TOTAL = 1ull << 31;

CUresult run(const Launch& one) {
  std::vector<void*> pointers;
  for (const auto& v : one.values) pointers.push_back(const_cast<unsigned long long*>(&v));
  return shim_launch(one.name.c_str(), one.grid, one.block, pointers.data()) ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
}

CUresult unsupported() { return CUDA_ERROR_NOT_SUPPORTED; }

CUresult init(unsigned) {
  void* shim = dlopen(std::getenv("ROOFCAST_FAKE_SHIM"), RTLD_NOW);
  if (!shim) return CUDA_ERROR_UNKNOWN;
  shim_launch = reinterpret_cast<LaunchFunction>(dlsym(shim, "roofcast_launch"));
  shim_arguments = reinterpret_cast<CountFunction>(dlsym(shim, "roofcast_arguments"));
  return CUDA_SUCCESS;
}
CUresult driver_version(int* v) { return *v = 12090, CUDA_SUCCESS; }
CUresult device_count(int* n) { return *n = 1, CUDA_SUCCESS; }
CUresult device_get(CUdevice* d, int i) { return *d = i, i ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS; }
CUresult device_name(char* name, int size, CUdevice) { return std::snprintf(name, size, "Fake A100"), CUDA_SUCCESS; }
CUresult device_bus(char* name, int size, CUdevice) { return std::snprintf(name, size, "0000:01:00.0"), CUDA_SUCCESS; }
CUresult device_memory(size_t* n, CUdevice) { return *n = TOTAL, CUDA_SUCCESS; }
CUresult device_attribute(int* v, CUdevice_attribute a, CUdevice) {
  switch (a) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *v = 8; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *v = 0; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *v = 2; break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *v = 1 << 20; break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: *v = 1410000; break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: *v = 1215000; break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: *v = 5120; break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *v = 32; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *v = 512; break;
    default: *v = 0;
  }
  return CUDA_SUCCESS;
}
CUresult context_retain(CUcontext* c, CUdevice) { return *c = reinterpret_cast<CUcontext>(&context), CUDA_SUCCESS; }
CUresult context_release(CUdevice) { return CUDA_SUCCESS; }
CUresult context_set(CUcontext c) { return current = c, CUDA_SUCCESS; }
CUresult context_get(CUcontext* c) { return *c = current, CUDA_SUCCESS; }
CUresult context_push(CUcontext c) { return current = c, CUDA_SUCCESS; }
CUresult context_pop(CUcontext* c) { return *c = current, CUDA_SUCCESS; }
CUresult context_device(CUdevice* d) { return *d = 0, CUDA_SUCCESS; }
CUresult synchronise() { return CUDA_SUCCESS; }
CUresult priorities(int* low, int* high) { return *low = *high = 0, CUDA_SUCCESS; }

CUresult stream_create(CUstream* s, unsigned, int) { return *s = reinterpret_cast<CUstream>(new Stream), CUDA_SUCCESS; }
CUresult stream_destroy(CUstream) { return CUDA_SUCCESS; }
CUresult stream_wait(CUstream) { return CUDA_SUCCESS; }
CUresult stream_context(CUstream, CUcontext* c) { return *c = reinterpret_cast<CUcontext>(&context), CUDA_SUCCESS; }
CUresult stream_device(CUstream, CUdevice* d) { return *d = 0, CUDA_SUCCESS; }
CUresult capture_begin(CUstream s, CUstreamCaptureMode) {
  reinterpret_cast<Stream*>(s)->capturing = new Graph;
  return CUDA_SUCCESS;
}
CUresult capture_end(CUstream s, CUgraph* g) {
  auto* stream = reinterpret_cast<Stream*>(s);
  *g = reinterpret_cast<CUgraph>(stream->capturing);
  stream->capturing = nullptr;
  return CUDA_SUCCESS;
}
CUresult capture_status(CUstream s, CUstreamCaptureStatus* status) {
  auto* stream = reinterpret_cast<Stream*>(s);
  bool is = stream && stream->capturing;
  *status = is ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult capture_info(CUstream s, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* g, const CUgraphNode** d,
                      size_t* n) {
  capture_status(s, status);
  if (id) *id = 1;
  if (g) *g = reinterpret_cast<CUgraph>(reinterpret_cast<Stream*>(s)->capturing);
  if (d) *d = nullptr;
  if (n) *n = 0;
  return CUDA_SUCCESS;
}
CUresult graph_instantiate(CUgraphExec* e, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS* p) {
  *e = reinterpret_cast<CUgraphExec>(new Graph(*reinterpret_cast<Graph*>(g)));
  p->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return CUDA_SUCCESS;
}
CUresult graph_instantiate_flags(CUgraphExec* e, CUgraph g, unsigned long long) {
  *e = reinterpret_cast<CUgraphExec>(new Graph(*reinterpret_cast<Graph*>(g)));
  return CUDA_SUCCESS;
}
CUresult graph_upload(CUgraphExec, CUstream) { return CUDA_SUCCESS; }
CUresult graph_launch(CUgraphExec e, CUstream) {
  for (const Launch& one : reinterpret_cast<Graph*>(e)->launches)
    if (CUresult r = run(one)) return r;
  return CUDA_SUCCESS;
}
CUresult graph_destroy(CUgraph) { return CUDA_SUCCESS; }
CUresult graph_exec_destroy(CUgraphExec) { return CUDA_SUCCESS; }

CUresult object_create(CUuserObject* o, void*, CUhostFn, unsigned, unsigned) {
  return *o = reinterpret_cast<CUuserObject>(&context), CUDA_SUCCESS;
}
CUresult object_release(CUuserObject, unsigned) { return CUDA_SUCCESS; }
CUresult object_retain(CUgraph, CUuserObject, unsigned, unsigned) { return CUDA_SUCCESS; }
CUresult object_let_go(CUgraph, CUuserObject, unsigned) { return CUDA_SUCCESS; }

CUresult event_create(CUevent* e, unsigned) { return *e = reinterpret_cast<CUevent>(new Event), CUDA_SUCCESS; }
CUresult event_record(CUevent e, CUstream) {
  reinterpret_cast<Event*>(e)->at = std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}
CUresult event_wait(CUevent) { return CUDA_SUCCESS; }
CUresult event_elapsed(float* ms, CUevent a, CUevent b) {
  auto d = reinterpret_cast<Event*>(b)->at - reinterpret_cast<Event*>(a)->at;
  *ms = std::chrono::duration<float, std::milli>(d).count();
  return CUDA_SUCCESS;
}
CUresult event_destroy(CUevent e) { return delete reinterpret_cast<Event*>(e), CUDA_SUCCESS; }

CUresult library_load(CUlibrary* l, const void* code, CUjit_option*, void**, unsigned, CUlibraryOption*, void**, unsigned) {
  if (std::memcmp(code, "\x7f" "ELF", 4)) return CUDA_ERROR_INVALID_IMAGE;
  return *l = reinterpret_cast<CUlibrary>(new Library), CUDA_SUCCESS;
}
CUresult library_unload(CUlibrary) { return CUDA_SUCCESS; }
CUresult library_kernel(CUkernel* k, CUlibrary l, const char* name) {
  if (shim_arguments(name) < 0) return CUDA_ERROR_NOT_FOUND;
  auto& found = reinterpret_cast<Library*>(l)->kernels[name];
  found.name = name;
  return *k = reinterpret_cast<CUkernel>(&found), CUDA_SUCCESS;
}
CUresult kernel_function(CUfunction* f, CUkernel k) { return *f = reinterpret_cast<CUfunction>(k), CUDA_SUCCESS; }
CUresult kernel_attribute(int* v, CUfunction_attribute a, CUkernel, CUdevice) {
  *v = a == CU_FUNC_ATTRIBUTE_NUM_REGS ? 24 : 0;
  return CUDA_SUCCESS;
}
CUresult launch(const CUlaunchConfig* c, CUfunction f, void** arguments, void**) {
  auto* kernel = reinterpret_cast<Kernel*>(f);
  Launch one{kernel->name, {c->gridDimX, c->gridDimY, c->gridDimZ}, {c->blockDimX, c->blockDimY, c->blockDimZ}, {}};
  for (int i = 0; i < shim_arguments(kernel->name.c_str()); i++) {
    one.values.push_back(0);
    std::memcpy(&one.values.back(), arguments[i], 8);
  }
  auto* stream = reinterpret_cast<Stream*>(c->hStream);
  if (stream->capturing) return stream->capturing->launches.push_back(one), CUDA_SUCCESS;
  return run(one);
}
CUresult launch_plain(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, CUstream s, void** arguments, void** extra) {
  CUlaunchConfig c{gx, gy, gz, bx, by, bz, shared, s, nullptr, 0};
  return launch(&c, f, arguments, extra);
}

CUresult mem_info(size_t* free, size_t* total) { return *total = TOTAL, *free = TOTAL - allocated, CUDA_SUCCESS; }
CUresult mem_alloc(CUdeviceptr* p, size_t n) {
  if (n > TOTAL - allocated) return CUDA_ERROR_OUT_OF_MEMORY;
  *p = reinterpret_cast<CUdeviceptr>(std::aligned_alloc(256, (n + 255) / 256 * 256));
  allocated += sizes[*p] = n;
  return CUDA_SUCCESS;
}
CUresult mem_free(CUdeviceptr p) {
  if (!sizes.count(p)) return CUDA_ERROR_INVALID_VALUE;
  allocated -= sizes[p];
  sizes.erase(p);
  std::free(reinterpret_cast<void*>(p));
  return CUDA_SUCCESS;
}
CUresult to_device(CUdeviceptr d, const void* s, size_t n) { return std::memcpy(reinterpret_cast<void*>(d), s, n), CUDA_SUCCESS; }
CUresult to_host(void* d, CUdeviceptr s, size_t n) { return std::memcpy(d, reinterpret_cast<void*>(s), n), CUDA_SUCCESS; }
CUresult to_device_later(CUdeviceptr d, const void* s, size_t n, CUstream) { return to_device(d, s, n); }
CUresult to_host_later(void* d, CUdeviceptr s, size_t n, CUstream) { return to_host(d, s, n); }
CUresult pinned_alloc(void** p, size_t n, unsigned) { return *p = std::malloc(n), CUDA_SUCCESS; }
CUresult pinned_free(void* p) { return std::free(p), CUDA_SUCCESS; }
CUresult error_name(CUresult e, const char** s) { return *s = e == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR", CUDA_SUCCESS; }

template <class F>
void* address(F f) {
  return reinterpret_cast<void*>(f);
}
const std::map<std::string, void*> known = {
    {"cuInit", address(init)}, {"cuDriverGetVersion", address(driver_version)},
    {"cuDeviceGetCount", address(device_count)}, {"cuDeviceGet", address(device_get)},
    {"cuDeviceGetName", address(device_name)}, {"cuDeviceGetPCIBusId", address(device_bus)},
    {"cuDeviceTotalMem", address(device_memory)}, {"cuDeviceGetAttribute", address(device_attribute)},
    {"cuDevicePrimaryCtxRetain", address(context_retain)}, {"cuDevicePrimaryCtxRelease", address(context_release)},
    {"cuCtxSetCurrent", address(context_set)}, {"cuCtxGetCurrent", address(context_get)},
    {"cuCtxPushCurrent", address(context_push)}, {"cuCtxPopCurrent", address(context_pop)},
    {"cuCtxGetDevice", address(context_device)}, {"cuCtxSynchronize", address(synchronise)},
    {"cuCtxGetStreamPriorityRange", address(priorities)}, {"cuStreamCreateWithPriority", address(stream_create)},
    {"cuStreamDestroy", address(stream_destroy)}, {"cuStreamSynchronize", address(stream_wait)},
    {"cuStreamGetCtx", address(stream_context)}, {"cuStreamGetDevice", address(stream_device)},
    {"cuStreamBeginCapture", address(capture_begin)}, {"cuStreamEndCapture", address(capture_end)},
    {"cuStreamIsCapturing", address(capture_status)}, {"cuStreamGetCaptureInfo", address(capture_info)},
    {"cuGraphInstantiateWithParams", address(graph_instantiate)}, {"cuGraphInstantiate", address(graph_instantiate_flags)},
    {"cuGraphUpload", address(graph_upload)}, {"cuGraphLaunch", address(graph_launch)},
    {"cuGraphDestroy", address(graph_destroy)}, {"cuGraphExecDestroy", address(graph_exec_destroy)},
    {"cuUserObjectCreate", address(object_create)}, {"cuUserObjectRelease", address(object_release)},
    {"cuGraphRetainUserObject", address(object_retain)}, {"cuGraphReleaseUserObject", address(object_let_go)}, {"cuEventCreate", address(event_create)}, {"cuEventRecord", address(event_record)},
    {"cuEventSynchronize", address(event_wait)}, {"cuEventElapsedTime", address(event_elapsed)},
    {"cuEventDestroy", address(event_destroy)}, {"cuLibraryLoadData", address(library_load)},
    {"cuLibraryUnload", address(library_unload)}, {"cuLibraryGetKernel", address(library_kernel)},
    {"cuKernelGetFunction", address(kernel_function)}, {"cuKernelGetAttribute", address(kernel_attribute)},
    {"cuLaunchKernelEx", address(launch)}, {"cuLaunchKernel", address(launch_plain)},
    {"cuMemGetInfo", address(mem_info)}, {"cuMemAlloc", address(mem_alloc)}, {"cuMemFree", address(mem_free)},
    {"cuMemcpyHtoD", address(to_device)}, {"cuMemcpyDtoH", address(to_host)},
    {"cuMemcpyHtoDAsync", address(to_device_later)}, {"cuMemcpyDtoHAsync", address(to_host_later)},
    {"cuMemHostAlloc", address(pinned_alloc)}, {"cuMemFreeHost", address(pinned_free)},
    {"cuGetErrorName", address(error_name)}, {"cuGetErrorString", address(error_name)},
};

// One stub per unknown name, so that it can say which one was called.
template <int N>
struct Stub {
  static std::string name;
  static CUresult call() {
    if (std::getenv("ROOFCAST_FAKE_VERBOSE")) std::fprintf(stderr, "fake driver: %s is not there\n", name.c_str());
    return CUDA_ERROR_NOT_SUPPORTED;
  }
};
template <int N>
std::string Stub<N>::name;
int next_stub = 0;
template <int... N>
void* stub(const std::string& name, std::integer_sequence<int, N...>) {
  void* found = address(unsupported);
  ((N == next_stub ? (Stub<N>::name = name, found = address(Stub<N>::call), 0) : 0), ...);
  next_stub++;
  return found;
}
}  // namespace

#undef cuGetProcAddress
extern "C" CUresult cuGetProcAddress_v2(const char* name, void** function, int, cuuint64_t,
                                        CUdriverProcAddressQueryResult* status) {
  if (!std::strncmp(name, "cuGetProcAddress", 16)) return *function = address(cuGetProcAddress_v2), CUDA_SUCCESS;
  auto found = known.find(name);
  *function = found != known.end() ? found->second : stub(name, std::make_integer_sequence<int, 900>{});
  if (status) *status = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}
