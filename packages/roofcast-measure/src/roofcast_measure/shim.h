/* The part of CUDA that the suite uses, on a CPU: so the same .cu file computes without a GPU.

   Blocks run one after the other; the threads of a block are fibers that take turns at __syncthreads(). A kernel whose
   block never synchronises runs as a plain loop over its threads. One operating-system thread: atomics are additions. */
#pragma once
#ifdef __APPLE__
#define _XOPEN_SOURCE 700
#define _DARWIN_C_SOURCE
#endif
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) alignas(bytes)
#define __launch_bounds__(...)

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};
static Dim3 gridDim, blockDim, blockIdx, threadIdx;

using std::max;
using std::min;

namespace shim {
constexpr size_t STACK_BYTES = 16 * 1024;

struct Fiber {
  ucontext_t context;
  Dim3 index;
  bool done = false;
};

static std::vector<Fiber> fibers;
static std::vector<char> stacks;
static ucontext_t scheduler;
static size_t current = 0;
static bool fibered = false;
static void (*body)(void**) = nullptr;
static void** body_arguments = nullptr;
static bool failed = false;

inline void entry() {
  body(body_arguments);
  fibers[current].done = true;
  swapcontext(&fibers[current].context, &scheduler);
}

inline Dim3 thread_index(unsigned t) {
  Dim3 index;
  index.x = t % blockDim.x;
  index.y = t / blockDim.x % blockDim.y;
  index.z = t / blockDim.x / blockDim.y;
  return index;
}

/* All fibers up to their next barrier or their end, until none is left. */
inline void run_block_in_fibers(unsigned threads) {
  if (fibers.size() < threads) {
    fibers.resize(threads);
    stacks.resize(threads * STACK_BYTES);
  }
  for (unsigned t = 0; t < threads; t++) {
    Fiber& f = fibers[t];
    f.done = false;
    f.index = thread_index(t);
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = stacks.data() + t * STACK_BYTES;
    f.context.uc_stack.ss_size = STACK_BYTES;
    f.context.uc_link = nullptr;
    makecontext(&f.context, entry, 0);
  }
  for (unsigned left = threads; left > 0;) {
    left = 0;
    for (unsigned t = 0; t < threads; t++) {
      if (fibers[t].done) continue;
      current = t;
      threadIdx = fibers[t].index;
      swapcontext(&scheduler, &fibers[t].context);
      left += !fibers[t].done;
    }
  }
}

inline void run(void (*kernel)(void**), bool synchronises, const unsigned* grid, const unsigned* block, void** arguments) {
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {block[0], block[1], block[2]};
  body = kernel;
  body_arguments = arguments;
  fibered = synchronises;
  unsigned threads = block[0] * block[1] * block[2];
  for (unsigned z = 0; z < grid[2]; z++)
    for (unsigned y = 0; y < grid[1]; y++)
      for (unsigned x = 0; x < grid[0]; x++) {
        blockIdx = {x, y, z};
        if (synchronises) {
          run_block_in_fibers(threads);
          continue;
        }
        for (unsigned t = 0; t < threads; t++) {
          threadIdx = thread_index(t);
          kernel(arguments);
        }
      }
}

template <auto kernel>
struct Call;

template <class... A, void (*kernel)(A...)>
struct Call<kernel> {
  template <size_t... I>
  static void with(void** arguments, std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_reference_t<A>*>(arguments[I])...);
  }
  static void call(void** arguments) { with(arguments, std::index_sequence_for<A...>{}); }
  static constexpr int arguments = sizeof...(A);
};

struct Entry {
  const char* name;
  void (*call)(void**);
  int arguments;
  bool synchronises;
};
}  // namespace shim

/* A barrier in a kernel that was said to have none would be silently ignored: it is reported instead. */
inline void __syncthreads() {
  if (!shim::fibered) {
    shim::failed = true;
    return;
  }
  swapcontext(&shim::fibers[shim::current].context, &shim::scheduler);
}

template <class T>
inline T atomicAdd(T* address, T value) {
  T old = *address;
  *address += value;
  return old;
}

template <class T>
inline T atomicCAS(T* address, T seen, T value) {
  T old = *address;
  if (old == seen) *address = value;
  return old;
}
