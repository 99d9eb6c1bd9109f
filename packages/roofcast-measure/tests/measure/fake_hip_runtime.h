// The HIP runtime without a GPU, for tests of the bridge: launches run on the CPU through the suite's shim (the library
// that ROOFCAST_FAKE_SHIM names). A "code object" is the text that was compiled.
#pragma once
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

enum hipError_t { hipSuccess, hipErrorOutOfMemory, hipErrorNotFound, hipErrorLaunchFailure };
inline const char* hipGetErrorName(hipError_t e) {
  const char* names[] = {"hipSuccess", "hipErrorOutOfMemory", "hipErrorNotFound", "hipErrorLaunchFailure"};
  return names[e];
}
struct hipDeviceProp_t {
  char name[256], gcnArchName[256];
  size_t totalGlobalMem;
  int multiProcessorCount, l2CacheSize, clockRate, memoryClockRate, memoryBusWidth;
};
struct Module { std::string text; };
struct Kernel { std::string name; };
struct Launch {
  std::string name;
  unsigned grid[3], block[3];
  std::vector<unsigned long long> values;
};
struct Graph { std::vector<Launch> launches; };
struct Stream { Graph* capturing = nullptr; };
struct Event { std::chrono::steady_clock::time_point at; };
using hipModule_t = Module*;
using hipFunction_t = Kernel*;
using hipGraph_t = Graph*;
using hipGraphExec_t = Graph*;
using hipGraphNode_t = void*;
using hipStream_t = Stream*;
using hipEvent_t = Event*;
enum { hipStreamNonBlocking = 1, hipStreamCaptureModeThreadLocal = 1 };
enum hipMemcpyKind { hipMemcpyHostToDevice, hipMemcpyDeviceToHost };
enum hipFunction_attribute {
  HIP_FUNC_ATTRIBUTE_NUM_REGS, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES
};

static const size_t ALL = 1ull << 30;
static size_t used = 0;
static void* shim = nullptr;

inline hipError_t hipInit(unsigned) {
  shim = dlopen(std::getenv("ROOFCAST_FAKE_SHIM"), RTLD_NOW);
  return shim ? hipSuccess : hipErrorNotFound;
}
inline hipError_t hipGetDeviceCount(int* n) { return *n = 1, hipSuccess; }
inline hipError_t hipSetDevice(int) { return hipSuccess; }
inline hipError_t hipRuntimeGetVersion(int* v) { return *v = 60'300'042, hipSuccess; }
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int) {
  *p = {};
  std::strcpy(p->name, "AMD Instinct MI210");
  std::strcpy(p->gcnArchName, "gfx90a:sramecc+:xnack-");
  p->totalGlobalMem = ALL, p->multiProcessorCount = 2, p->l2CacheSize = 1 << 16;
  p->clockRate = 1'700'000, p->memoryClockRate = 1'600'000, p->memoryBusWidth = 4096;
  return hipSuccess;
}
inline hipError_t hipDeviceGetPCIBusId(char* id, int, int) { return std::strcpy(id, "0000:C3:00.0"), hipSuccess; }
inline hipError_t hipStreamCreateWithFlags(hipStream_t* s, int) { return *s = new Stream, hipSuccess; }
inline hipError_t hipStreamDestroy(hipStream_t s) { return delete s, hipSuccess; }
inline hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
inline hipError_t hipDeviceSynchronize() { return hipSuccess; }
inline hipError_t hipModuleLoad(hipModule_t* m, const char* path) {
  std::ifstream file(path);
  *m = new Module{{std::istreambuf_iterator<char>(file), {}}};
  return hipSuccess;
}
inline hipError_t hipModuleGetFunction(hipFunction_t* f, hipModule_t m, const char* name) {
  auto count = (int (*)(const char*))dlsym(shim, "roofcast_arguments");
  if (count(name) < 0 || m->text.find(name) == std::string::npos) return hipErrorNotFound;
  return *f = new Kernel{name}, hipSuccess;
}
inline hipError_t hipFuncGetAttribute(int* v, hipFunction_attribute a, hipFunction_t) {
  return *v = a == HIP_FUNC_ATTRIBUTE_NUM_REGS ? 24 : 0, hipSuccess;
}
inline hipError_t hipMemGetInfo(size_t* left, size_t* all) { return *left = ALL - used, *all = ALL, hipSuccess; }
inline hipError_t hipMalloc(void** at, size_t n) {
  if (n > ALL - used) return hipErrorOutOfMemory;
  *at = std::calloc(n + 16, 1);
  std::memcpy(*at, &n, sizeof n);
  *at = (char*)*at + 16;
  return used += n, hipSuccess;
}
inline hipError_t hipFree(void* at) {
  size_t n;
  std::memcpy(&n, (char*)at - 16, sizeof n);
  std::free((char*)at - 16);
  return used -= n, hipSuccess;
}
inline hipError_t hipMemcpy(void* to, const void* from, size_t n, hipMemcpyKind) {
  return std::memcpy(to, from, n), hipSuccess;
}
inline hipError_t hipStreamBeginCapture(hipStream_t s, int) { return s->capturing = new Graph, hipSuccess; }
inline hipError_t hipStreamEndCapture(hipStream_t s, hipGraph_t* g) {
  *g = s->capturing;
  return s->capturing = nullptr, hipSuccess;
}
inline hipError_t hipGraphInstantiate(hipGraphExec_t* e, hipGraph_t g, hipGraphNode_t*, char*, size_t) {
  return *e = new Graph(*g), hipSuccess;
}
inline hipError_t hipGraphExecDestroy(hipGraphExec_t e) { return delete e, hipSuccess; }
inline hipError_t hipGraphDestroy(hipGraph_t g) { return delete g, hipSuccess; }
inline hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                        unsigned bz, unsigned, hipStream_t s, void** values, void**) {
  auto count = (int (*)(const char*))dlsym(shim, "roofcast_arguments");
  Launch one{f->name, {gx, gy, gz}, {bx, by, bz}, {}};
  for (int i = 0; i < count(f->name.c_str()); i++) {
    one.values.push_back(0);
    // Reads up to 8 bytes: what lies behind a narrow value is not used.
    std::memcpy(&one.values.back(), values[i], 4);
    std::memcpy((char*)&one.values.back() + 4, (char*)values[i] + 4, 4);
  }
  return s->capturing->launches.push_back(one), hipSuccess;
}
inline hipError_t hipGraphLaunch(hipGraphExec_t e, hipStream_t) {
  auto launch = (int (*)(const char*, const unsigned*, const unsigned*, void**))dlsym(shim, "roofcast_launch");
  for (Launch& one : e->launches) {
    std::vector<void*> values;
    for (auto& v : one.values) values.push_back(&v);
    if (launch(one.name.c_str(), one.grid, one.block, values.data())) return hipErrorLaunchFailure;
  }
  return hipSuccess;
}
inline hipError_t hipEventCreate(hipEvent_t* e) { return *e = new Event, hipSuccess; }
inline hipError_t hipEventRecord(hipEvent_t e, hipStream_t) {
  return e->at = std::chrono::steady_clock::now(), hipSuccess;
}
inline hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
inline hipError_t hipEventElapsedTime(float* ms, hipEvent_t a, hipEvent_t b) {
  return *ms = std::chrono::duration<float, std::milli>(b->at - a->at).count(), hipSuccess;
}
