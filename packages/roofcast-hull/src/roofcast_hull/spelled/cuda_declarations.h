// What CUDA, C and C++ declare to the files that include them, as far as kernels and their launches need it, in our own
// words. A function without a body is known by name to the readers that follow; one with a body is read like the file's.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __CUDACC__ 1
#define __NVCC__ 1
#define CUDART_VERSION 12000
#define __CUDACC_VER_MAJOR__ 12
#define NULL 0
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define stdout 0
#define stderr 0
#define assert(...) ((void)0)
#define CUDART_CB
#define offsetof(t, m) __builtin_offsetof(t, m)
#define va_start(...)
#define va_end(...)
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#define SIZE_MAX 18446744073709551615ul
#define CHAR_BIT 8
#define RAND_MAX 2147483647
#define FLT_MAX 3.402823466e38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-7f
#define DBL_MAX 1.7976931348623157e308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.220446049250313e-16
#define INFINITY 3.4e38f
#define HUGE_VALF 3.4e38f
#define HUGE_VAL 1.7e308
#define NAN 1.0f
#define CUDART_INF_F 3.4e38f
#define CUDART_INF 1.7e308
#define CUDART_PI_F 3.14159265358979f
#define CUDART_PI 3.14159265358979323846
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_E 2.71828182845904523536
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_LN2 0.69314718055994530942
#define M_2_SQRTPI 1.12837916709551257390
#define M_1_PI 0.31830988618379067154
#define DISPATCHED_(...) { typedef float scalar_t; auto dispatched_ = __VA_ARGS__; dispatched_(); }
#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) DISPATCHED_(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(type, name, ...) DISPATCHED_(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) DISPATCHED_(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(more, type, name, ...) DISPATCHED_(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(more, most, type, name, ...) DISPATCHED_(__VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(more, type, name, ...) DISPATCHED_(__VA_ARGS__)
#define TORCH_CHECK(...) ((void)0)
#define AT_ASSERTM(...) ((void)0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() ((void)0)
#define PYBIND11_MODULE(name, m) static void bind_##name(Module_& m)
#define TORCH_LIBRARY(name, m) static void bind_##name(Module_& m)
#pragma clang force_cuda_host_device begin

typedef unsigned long size_t;
typedef long ssize_t;
typedef long ptrdiff_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef long time_t;
typedef long clock_t;
typedef long va_list;
typedef int int_fast32_t;
typedef unsigned uint_fast32_t;

// ---- what a missing header would declare ----
struct Unknown_ {
  template <class... A> Unknown_(A&&...);
  template <class T> operator T() const;
  template <class... A> Unknown_ operator()(A&&...) const;
  template <class A> Unknown_ operator[](A&&) const;
};

// ---- short vectors ----
#define VECTOR_(T, n) \
  struct n##1 { T x; }; struct n##2 { T x, y; }; struct n##3 { T x, y, z; }; struct n##4 { T x, y, z, w; }; \
  n##1 make_##n##1(T); n##2 make_##n##2(T, T); n##3 make_##n##3(T, T, T); n##4 make_##n##4(T, T, T, T); \
  template <> struct Vector_<n##1> { typedef T type; }; template <> struct Vector_<n##2> { typedef T type; }; \
  template <> struct Vector_<n##3> { typedef T type; }; template <> struct Vector_<n##4> { typedef T type; };
template <class V> struct Vector_ {};
VECTOR_(signed char, char) VECTOR_(unsigned char, uchar) VECTOR_(short, short) VECTOR_(unsigned short, ushort)
VECTOR_(int, int) VECTOR_(unsigned, uint) VECTOR_(long, long) VECTOR_(unsigned long, ulong)
VECTOR_(long long, longlong) VECTOR_(unsigned long long, ulonglong) VECTOR_(float, float) VECTOR_(double, double)
#define VECTORS_(op) \
  template <class V, class T = typename Vector_<V>::type> V operator op(const V&, const V&); \
  template <class V, class T = typename Vector_<V>::type> V operator op(const V&, T); \
  template <class V> V operator op(typename Vector_<V>::type, const V&); \
  template <class V, class T = typename Vector_<V>::type> V& operator op##=(V&, const V&); \
  template <class V, class T = typename Vector_<V>::type> V& operator op##=(V&, T);
VECTORS_(+) VECTORS_(-) VECTORS_(*) VECTORS_(/)
struct dim3 { unsigned x, y, z; constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} dim3(uint3); };
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
extern const __device__ int warpSize;

// ---- 16 bits ----
struct __half; struct __half2; struct __nv_bfloat16; struct __nv_bfloat162;
#define HALF_(H, H2) \
  struct H { unsigned short bits_; H() = default; H(float); H(double); H(int); H(unsigned); H(long); H(bool); H(short); operator float() const; H& operator+=(H); H& operator-=(H); H& operator*=(H); H& operator/=(H); H& operator=(float); }; \
  struct H2 { H x, y; H2() = default; H2(H, H); }; \
  H operator+(H, H); H operator-(H, H); H operator*(H, H); H operator/(H, H); H operator-(H); \
  bool operator<(H, H); bool operator>(H, H); bool operator<=(H, H); bool operator>=(H, H); bool operator==(H, H); bool operator!=(H, H); \
  H2 operator+(H2, H2); H2 operator-(H2, H2); H2 operator*(H2, H2); H2 operator/(H2, H2); H2& operator+=(H2&, H2); H2& operator*=(H2&, H2); \
  H __hadd(H, H); H __hsub(H, H); H __hmul(H, H); H __hdiv(H, H); H __hfma(H, H, H); H __hneg(H); H __habs(H); H __hmax(H, H); H __hmin(H, H); H __hadd_rn(H, H); H __hmul_rn(H, H); \
  bool __hgt(H, H); bool __hlt(H, H); bool __hge(H, H); bool __hle(H, H); bool __heq(H, H); bool __hisnan(H); \
  H2 __hadd2(H2, H2); H2 __hsub2(H2, H2); H2 __hmul2(H2, H2); H2 __hfma2(H2, H2, H2); H2 __h2div(H2, H2); H2 __hmax2(H2, H2); H2 __hmin2(H2, H2); H2 __hneg2(H2); H2 __habs2(H2); \
  float __low2float(H2); float __high2float(H2); H hexp(H); H hlog(H); H hsqrt(H); H hrsqrt(H); H hrcp(H); H htanh(H); H2 h2exp(H2); H2 h2sqrt(H2); H2 h2rsqrt(H2); H2 h2rcp(H2); H hceil(H); H hfloor(H); H hexp2(H); H hexp10(H); H hlog2(H); H hlog10(H); H hsin(H); H hcos(H); H hrint(H); H htrunc(H); bool __hne(H, H); \
  H __hsub_rn(H, H); H __hadd_sat(H, H); H __hsub_sat(H, H); H __hmul_sat(H, H); H __hfma_sat(H, H, H); H __hfma_relu(H, H, H); H2 __hfma2_sat(H2, H2, H2); H2 __hfma2_relu(H2, H2, H2); H2 __hadd2_rn(H2, H2); H2 __hsub2_rn(H2, H2); H2 __hmul2_rn(H2, H2); H2 __hadd2_sat(H2, H2); H2 __hsub2_sat(H2, H2); H2 __hmul2_sat(H2, H2); H2 __hcmadd(H2, H2, H2); \
  H2 h2exp2(H2); H2 h2exp10(H2); H2 h2log(H2); H2 h2log2(H2); H2 h2log10(H2); H2 h2sin(H2); H2 h2cos(H2); H2 h2tanh(H2); H2 h2ceil(H2); H2 h2floor(H2); H2 h2rint(H2); H2 h2trunc(H2); H2& operator-=(H2&, H2); H2& operator/=(H2&, H2); H2 operator-(H2);
HALF_(__half, __half2) HALF_(__nv_bfloat16, __nv_bfloat162)
typedef __half half; typedef __half2 half2; typedef __nv_bfloat16 nv_bfloat16; typedef __nv_bfloat162 nv_bfloat162; typedef __half __half_raw;
__half __float2half(float); __half __float2half_rn(float); float __half2float(__half); __half2 __float2half2_rn(float); float2 __half22float2(__half2);
__half2 __floats2half2_rn(float, float); __half __low2half(__half2); __half __high2half(__half2); __half2 __halves2half2(__half, __half);
__half2 __half2half2(__half); __half __int2half_rn(int); int __half2int_rn(__half); __half __double2half(double); __half2 make_half2(__half, __half); __half2 __float22half2_rn(float2); __half2 __lows2half2(__half2, __half2); __half2 __highs2half2(__half2, __half2); __half2 __low2half2(__half2); __half2 __high2half2(__half2); __half __ushort2half_rn(unsigned short); __half __short2half_rn(short); __half __uint2half_rn(unsigned); unsigned __half2uint_rn(__half); int __half2int_rz(__half); __half __float2half_rz(float); __half __float2half_ru(float); __half __float2half_rd(float);
__nv_bfloat16 __float2bfloat16(float); __nv_bfloat16 __float2bfloat16_rn(float); float __bfloat162float(__nv_bfloat16); __nv_bfloat162 __float2bfloat162_rn(float);
float2 __bfloat1622float2(__nv_bfloat162); __nv_bfloat162 __floats2bfloat162_rn(float, float); __nv_bfloat162 __halves2bfloat162(__nv_bfloat16, __nv_bfloat16); __nv_bfloat162 __float22bfloat162_rn(float2);
__nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16); __nv_bfloat16 __low2bfloat16(__nv_bfloat162); __nv_bfloat16 __high2bfloat16(__nv_bfloat162); __nv_bfloat162 make_bfloat162(__nv_bfloat16, __nv_bfloat16); __nv_bfloat162 __low2bfloat162(__nv_bfloat162); __nv_bfloat162 __high2bfloat162(__nv_bfloat162); __nv_bfloat162 __lows2bfloat162(__nv_bfloat162, __nv_bfloat162); __nv_bfloat162 __highs2bfloat162(__nv_bfloat162, __nv_bfloat162); __nv_bfloat16 __int2bfloat16_rn(int); int __bfloat162int_rn(__nv_bfloat16); __nv_bfloat16 __double2bfloat16(double); __nv_bfloat16 __float2bfloat16_rz(float);

// ---- mathematics ----
template <class T> struct Real_ { typedef double type; };
template <> struct Real_<float> { typedef float type; };
template <class A, class B> struct Both_ { typedef decltype(A() + B()) type; };
#define ONE_(n) template <class T> typename Real_<T>::type n(T); float n##f(float);
#define TWO_(n) template <class A, class B> typename Real_<typename Both_<A, B>::type>::type n(A, B); float n##f(float, float);
ONE_(sqrt) ONE_(rsqrt) ONE_(cbrt) ONE_(exp) ONE_(exp2) ONE_(exp10) ONE_(expm1) ONE_(log) ONE_(log2) ONE_(log10) ONE_(log1p) ONE_(sin) ONE_(cos) ONE_(tan) ONE_(asin) ONE_(acos) ONE_(atan) ONE_(sinh) ONE_(cosh) ONE_(tanh) ONE_(erf) ONE_(erfc) ONE_(floor) ONE_(ceil) ONE_(round) ONE_(rint) ONE_(trunc) ONE_(nearbyint) ONE_(fabs) ONE_(lgamma) ONE_(tgamma) ONE_(sinpi) ONE_(cospi) ONE_(normcdf) ONE_(asinh) ONE_(acosh) ONE_(atanh) ONE_(rcbrt)
TWO_(pow) TWO_(fmod) TWO_(atan2) TWO_(hypot) TWO_(fmin) TWO_(fmax) TWO_(copysign) TWO_(fdim) TWO_(remainder) TWO_(fdivide)
template <class A, class B, class C> typename Real_<typename Both_<A, typename Both_<B, C>::type>::type>::type fma(A, B, C); float fmaf(float, float, float); float norm3df(float, float, float); float rnorm3df(float, float, float); double norm3d(double, double, double);
int abs(int); long abs(long); long long abs(long long); float abs(float); double abs(double); long labs(long); long long llabs(long long);
template <class A, class B> constexpr auto min(A a, B b) -> typename Both_<A, B>::type; template <class A, class B> constexpr auto max(A a, B b) -> typename Both_<A, B>::type;
int umin(int, int); int umax(int, int); long lround(double); long lroundf(float); int isnan(double); int isinf(double); int isfinite(double); int signbit(double); double ldexp(double, int); float ldexpf(float, int);
void sincosf(float, float*, float*); void sincos(double, double*, double*); void sincos(float, float*, float*); void __sincosf(float, float*, float*); void sincospif(float, float*, float*); void sincospi(double, double*, double*); float modff(float, float*); double modf(double, double*); float frexpf(float, int*); double frexp(double, int*);
float __expf(float); float __exp10f(float); float __logf(float); float __log2f(float); float __log10f(float); float __sinf(float); float __cosf(float); float __tanf(float); float __powf(float, float); float __fdividef(float, float); float __saturatef(float); float __frcp_rn(float); float __fsqrt_rn(float); float __frsqrt_rn(float); float __fmaf_rn(float, float, float); float __fadd_rn(float, float); float __fsub_rn(float, float); float __fmul_rn(float, float); float __fdiv_rn(float, float); float __fmaf_rz(float, float, float); float __fadd_rz(float, float); float __fmul_rz(float, float);
double __dadd_rn(double, double); double __dsub_rn(double, double); double __dmul_rn(double, double); double __fma_rn(double, double, double); double __dsqrt_rn(double); double __drcp_rn(double); double __ddiv_rn(double, double);
int __float2int_rn(float); int __float2int_rd(float); int __float2int_rz(float); int __float2int_ru(float); unsigned __float2uint_rn(float); unsigned __float2uint_rz(float); float __int2float_rn(int); float __uint2float_rn(unsigned); double __int2double_rn(int); int __double2int_rn(double); int __double2int_rz(double); float __double2float_rn(double); long long __double2ll_rn(double); long long __float2ll_rn(float);
int __float_as_int(float); unsigned __float_as_uint(float); float __int_as_float(int); float __uint_as_float(unsigned); long long __double_as_longlong(double); double __longlong_as_double(long long);
int __popc(unsigned); int __popcll(unsigned long long); int __ffs(int); int __ffsll(long long); int __clz(int); int __clzll(long long); unsigned __brev(unsigned); unsigned long long __brevll(unsigned long long); int __mul24(int, int); unsigned __umul24(unsigned, unsigned); int __mulhi(int, int); unsigned __umulhi(unsigned, unsigned); unsigned long long __umul64hi(unsigned long long, unsigned long long); int __dp4a(int, int, int); unsigned __dp4a(unsigned, unsigned, unsigned); unsigned __byte_perm(unsigned, unsigned, unsigned); unsigned __funnelshift_l(unsigned, unsigned, unsigned); unsigned __funnelshift_r(unsigned, unsigned, unsigned); unsigned __usad(unsigned, unsigned, unsigned); int __sad(int, int, unsigned); int __hadd(int, int); unsigned __vabsdiffu4(unsigned, unsigned); unsigned __vadd4(unsigned, unsigned);

// ---- threads and memory ----
void __syncwarp(unsigned = 0xffffffffu); int __syncthreads_or(int); int __syncthreads_and(int); int __syncthreads_count(int); void __threadfence(); void __threadfence_block(); void __threadfence_system(); void __nanosleep(unsigned); void __trap(); void __brkpt(); long clock(); long long clock64(); unsigned __activemask(); void __prof_trigger(int);
template <class T> T __shfl_sync(unsigned, T, int, int = 32); template <class T> T __shfl_up_sync(unsigned, T, unsigned, int = 32); template <class T> T __shfl_down_sync(unsigned, T, unsigned, int = 32); template <class T> T __shfl_xor_sync(unsigned, T, int, int = 32); template <class T> T __shfl(T, int, int = 32); template <class T> T __shfl_up(T, unsigned, int = 32); template <class T> T __shfl_down(T, unsigned, int = 32); template <class T> T __shfl_xor(T, int, int = 32);
unsigned __ballot_sync(unsigned, int); int __any_sync(unsigned, int); int __all_sync(unsigned, int); unsigned __ballot(int); int __any(int); int __all(int); template <class T> unsigned __match_any_sync(unsigned, T); template <class T> unsigned __match_all_sync(unsigned, T, int*); template <class T> T __reduce_add_sync(unsigned, T); template <class T> T __reduce_max_sync(unsigned, T); template <class T> T __reduce_min_sync(unsigned, T); template <class T> T __reduce_or_sync(unsigned, T);
template <class T> T __ldg(const T*); template <class T> T __ldcs(const T*); template <class T> T __ldcg(const T*); template <class T> T __ldca(const T*); template <class T> T __ldlu(const T*); template <class T> T __ldcv(const T*); template <class T> void __stcs(T*, T); template <class T> void __stcg(T*, T); template <class T> void __stwt(T*, T); template <class T> void __stwb(T*, T);
template <class T, class U> T atomicAdd(T*, U); template <class T, class U> T atomicSub(T*, U); template <class T, class U> T atomicMin(T*, U); template <class T, class U> T atomicMax(T*, U); template <class T, class U> T atomicExch(T*, U); template <class T, class U> T atomicAnd(T*, U); template <class T, class U> T atomicOr(T*, U); template <class T, class U> T atomicXor(T*, U); template <class T, class U, class V> T atomicCAS(T*, U, V); template <class T, class U> T atomicInc(T*, U); template <class T, class U> T atomicDec(T*, U); template <class T, class U> T atomicAdd_block(T*, U); template <class T, class U> T atomicAdd_system(T*, U);
void __pipeline_commit(); void __pipeline_wait_prior(int); template <class A, class B> void __pipeline_memcpy_async(A* to, const B* from, size_t bytes, size_t = 0) { for (size_t k = 0; k < bytes / sizeof(A); k++) to[k] = ((const A*)from)[k]; }
void __assume(bool); unsigned __cvta_generic_to_shared(const void*); void launch_inside_a_kernel(); bool __isShared(const void*); bool __isGlobal(const void*);

// ---- the C library ----
extern "C" {
int printf(const char*, ...); int fprintf(int, const char*, ...); int sprintf(char*, const char*, ...); int snprintf(char*, size_t, const char*, ...); int puts(const char*); int scanf(const char*, ...); int fflush(int); int putchar(int);
void* malloc(size_t); void* calloc(size_t, size_t); void* realloc(void*, size_t); void free(void*); void exit(int); void abort(); int atoi(const char*); long atol(const char*); long long atoll(const char*); double atof(const char*); long strtol(const char*, char**, int); unsigned long strtoul(const char*, char**, int); long long strtoll(const char*, char**, int); unsigned long long strtoull(const char*, char**, int); double strtod(const char*, char**); float strtof(const char*, char**); int sscanf(const char*, const char*, ...); int rand(); void srand(unsigned); double drand48(); void srand48(long); int rand_r(unsigned*); long random();
void* memset(void*, int, size_t); void* memcpy(void*, const void*, size_t); int memcmp(const void*, const void*, size_t); size_t strlen(const char*); int strcmp(const char*, const char*); int strncmp(const char*, const char*, size_t); char* strcpy(char*, const char*); long time(long*); void* aligned_alloc(size_t, size_t); int posix_memalign(void**, size_t, size_t); char* getenv(const char*); int getopt(int, char**, const char*); 
}
typedef struct FILE FILE; FILE* fopen(const char*, const char*); int fclose(FILE*); size_t fread(void*, size_t, size_t, FILE*); size_t fwrite(const void*, size_t, size_t, FILE*); int fscanf(FILE*, const char*, ...); int fprintf(FILE*, const char*, ...); char* fgets(char*, int, FILE*);
struct timeval { long tv_sec, tv_usec; }; struct timespec { long tv_sec, tv_nsec; }; int gettimeofday(timeval*, void*); int clock_gettime(int, timespec*); extern const int CLOCK_MONOTONIC, CLOCKS_PER_SEC, CLOCK_REALTIME;

// ---- the runtime of CUDA ----
enum cudaError_t { cudaSuccess, cudaErrorUnknown, cudaErrorMemoryAllocation, cudaErrorInvalidValue }; typedef cudaError_t cudaError;
struct CUstream_st; typedef CUstream_st* cudaStream_t; struct CUevent_st; typedef CUevent_st* cudaEvent_t; struct CUgraph_st; typedef CUgraph_st* cudaGraph_t; struct CUgraphExec_st; typedef CUgraphExec_st* cudaGraphExec_t; struct cudaArray_; typedef cudaArray_* cudaArray_t; typedef cudaArray_ cudaArray; struct cudaTexels_ { char byte; }; typedef cudaTexels_* cudaTextureObject_t; typedef cudaTexels_* cudaSurfaceObject_t; struct CUmemPool_; typedef CUmemPool_* cudaMemPool_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout }; enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual }; enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum { cudaStreamNonBlocking = 1, cudaStreamDefault = 0, cudaEventDisableTiming = 2, cudaEventDefault = 0, cudaMemAttachGlobal = 1, cudaCpuDeviceId = -1, cudaHostAllocDefault = 0, cudaHostAllocMapped = 2, cudaHostAllocPortable = 1, cudaDevAttrMultiProcessorCount = 16, cudaDevAttrCooperativeLaunch = 95, cudaMemAdviseSetReadMostly = 1, cudaMemAdviseSetPreferredLocation = 3, cudaResourceTypeArray = 0, cudaResourceTypeLinear = 2, cudaResourceTypePitch2D = 3, cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1, cudaFilterModePoint = 0, cudaFilterModeLinear = 1, cudaAddressModeClamp = 1, cudaAddressModeWrap = 0, cudaAddressModeBorder = 3, cudaChannelFormatKindFloat = 2, cudaChannelFormatKindUnsigned = 1 };
struct cudaDeviceProp { char name[256]; size_t totalGlobalMem, sharedMemPerBlock; int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor, cooperativeLaunch, memoryClockRate, memoryBusWidth, concurrentKernels; };
struct cudaExtent { size_t width, height, depth; }; struct cudaPitchedPtr { void* ptr; size_t pitch, xsize, ysize; }; struct cudaPos { size_t x, y, z; }; struct cudaChannelFormatDesc { int x, y, z, w, f; }; struct cudaLaunchConfig_t { dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream; void* attrs; unsigned numAttrs; };
struct cudaTextureDesc { int addressMode[3], filterMode, readMode, sRGB, normalizedCoords; float borderColor[4]; }; struct cudaResourceDesc { int resType; struct { struct { cudaArray_t array; } array; struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear; struct { void* devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D; } res; };
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc(); cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, int); cudaExtent make_cudaExtent(size_t, size_t, size_t); cudaPitchedPtr make_cudaPitchedPtr(void*, size_t, size_t, size_t); cudaPos make_cudaPos(size_t, size_t, size_t);
extern "C" { int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0); }
template <class T> cudaError_t cudaMalloc(T**, size_t); template <class T> cudaError_t cudaMallocManaged(T**, size_t, unsigned = 1); template <class T> cudaError_t cudaMallocHost(T**, size_t, unsigned = 0); template <class T> cudaError_t cudaHostAlloc(T**, size_t, unsigned = 0); template <class T> cudaError_t cudaMallocAsync(T**, size_t, cudaStream_t); template <class T> cudaError_t cudaMallocPitch(T**, size_t*, size_t, size_t);
template <class T> cudaError_t cudaMemcpyToSymbol(const T&, const void*, size_t, size_t = 0, int = 1); template <class T> cudaError_t cudaMemcpyFromSymbol(void*, const T&, size_t, size_t = 0, int = 1); template <class T> cudaError_t cudaGetSymbolAddress(void**, const T&); template <class T> cudaError_t cudaMemcpyToSymbolAsync(const T&, const void*, size_t, size_t, int, cudaStream_t);
const char* cudaGetErrorString(cudaError_t); const char* cudaGetErrorName(cudaError_t); template <class F, class... A> cudaError_t cudaLaunchKernel(F, dim3, dim3, void**, A...); template <class F, class... A> cudaError_t cudaLaunchCooperativeKernel(F, dim3, dim3, void**, A...); template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t*, void (*)(P...), A&&...);
#define RUNTIME_(n) template <class... A> cudaError_t n(A&&...);
RUNTIME_(cudaFree) RUNTIME_(cudaFreeHost) RUNTIME_(cudaFreeAsync) RUNTIME_(cudaFreeArray) RUNTIME_(cudaMemcpy) RUNTIME_(cudaMemcpyAsync) RUNTIME_(cudaMemcpy2D) RUNTIME_(cudaMemcpy2DAsync) RUNTIME_(cudaMemcpy3D) RUNTIME_(cudaMemcpy2DToArray) RUNTIME_(cudaMemcpyToArray) RUNTIME_(cudaMemset) RUNTIME_(cudaMemsetAsync) RUNTIME_(cudaMemset2D) RUNTIME_(cudaMallocArray) RUNTIME_(cudaMalloc3D) RUNTIME_(cudaMalloc3DArray) RUNTIME_(cudaDeviceSynchronize) RUNTIME_(cudaThreadSynchronize) RUNTIME_(cudaDeviceReset) RUNTIME_(cudaSetDevice) RUNTIME_(cudaGetDevice) RUNTIME_(cudaGetDeviceCount) RUNTIME_(cudaGetDeviceProperties) RUNTIME_(cudaDeviceGetAttribute) RUNTIME_(cudaDeviceSetCacheConfig) RUNTIME_(cudaDeviceSetLimit) RUNTIME_(cudaDeviceSetSharedMemConfig) RUNTIME_(cudaGetLastError) RUNTIME_(cudaPeekAtLastError) RUNTIME_(cudaStreamCreate) RUNTIME_(cudaStreamCreateWithFlags) RUNTIME_(cudaStreamCreateWithPriority) RUNTIME_(cudaStreamDestroy) RUNTIME_(cudaStreamSynchronize) RUNTIME_(cudaStreamWaitEvent) RUNTIME_(cudaStreamBeginCapture) RUNTIME_(cudaStreamEndCapture) RUNTIME_(cudaStreamAttachMemAsync) RUNTIME_(cudaEventCreate) RUNTIME_(cudaEventCreateWithFlags) RUNTIME_(cudaEventRecord) RUNTIME_(cudaEventSynchronize) RUNTIME_(cudaEventElapsedTime) RUNTIME_(cudaEventDestroy) RUNTIME_(cudaEventQuery) RUNTIME_(cudaFuncSetAttribute) RUNTIME_(cudaFuncSetCacheConfig) RUNTIME_(cudaFuncGetAttributes) RUNTIME_(cudaOccupancyMaxActiveBlocksPerMultiprocessor) RUNTIME_(cudaOccupancyMaxPotentialBlockSize) RUNTIME_(cudaMemPrefetchAsync) RUNTIME_(cudaMemAdvise) RUNTIME_(cudaMemGetInfo) RUNTIME_(cudaGraphInstantiate) RUNTIME_(cudaGraphLaunch) RUNTIME_(cudaGraphDestroy) RUNTIME_(cudaGraphExecDestroy) RUNTIME_(cudaCreateTextureObject) RUNTIME_(cudaDestroyTextureObject) RUNTIME_(cudaCreateSurfaceObject) RUNTIME_(cudaHostGetDevicePointer) RUNTIME_(cudaHostRegister) RUNTIME_(cudaDeviceEnablePeerAccess) RUNTIME_(cudaProfilerStart) RUNTIME_(cudaProfilerStop) RUNTIME_(cudaLaunchHostFunc) RUNTIME_(cudaDriverGetVersion) RUNTIME_(cudaRuntimeGetVersion) RUNTIME_(cudaDeviceGetStreamPriorityRange)
// Textures are arrays whose rows have 16384 texels (2048 x 2048 where there are planes); between texels the nearest is read.
template <class T> T tex1Dfetch(cudaTextureObject_t t, int i) { return ((const T*)t)[i]; }
template <class T> T tex1D(cudaTextureObject_t t, float x) { int i = (int)x; return ((const T*)t)[i < 0 ? 0 : i]; }
template <class T> T tex2D(cudaTextureObject_t t, float x, float y) { int i = (int)x; int j = (int)y; return ((const T*)t)[(j < 0 ? 0 : j) * 16384 + (i < 0 ? 0 : i)]; }
template <class T> T tex2DLod(cudaTextureObject_t t, float x, float y, float) { int i = (int)x; int j = (int)y; return ((const T*)t)[(j < 0 ? 0 : j) * 16384 + (i < 0 ? 0 : i)]; }
template <class T> T tex3D(cudaTextureObject_t t, float x, float y, float z) { int i = (int)x; int j = (int)y; int k = (int)z; return ((const T*)t)[((size_t)(k < 0 ? 0 : k) * 2048 + (j < 0 ? 0 : j)) * 2048 + (i < 0 ? 0 : i)]; }
template <class T> T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer) { int i = (int)x; int j = (int)y; return ((const T*)t)[((size_t)layer * 2048 + (j < 0 ? 0 : j)) * 2048 + (i < 0 ? 0 : i)]; }
template <class T> void surf1Dwrite(T v, cudaSurfaceObject_t s, int x, int = 0) { *(T*)((char*)s + x) = v; }
template <class T> void surf2Dwrite(T v, cudaSurfaceObject_t s, int x, int y, int = 0) { *(T*)((char*)s + (size_t)y * 65536 + x) = v; }
template <class T> void surf2Dread(T* v, cudaSurfaceObject_t s, int x, int y, int = 0) { *v = *(const T*)((const char*)s + (size_t)y * 65536 + x); }
template <class T> T surf2Dread(cudaSurfaceObject_t s, int x, int y, int = 0) { return *(const T*)((const char*)s + (size_t)y * 65536 + x); }

// ---- the C++ library ----
namespace std {
using ::size_t; using ::ptrdiff_t; using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t; using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t; using ::uintptr_t; using ::intptr_t; typedef decltype(nullptr) nullptr_t;
using ::sqrt; using ::exp; using ::log; using ::log2; using ::log10; using ::pow; using ::sin; using ::cos; using ::tan; using ::tanh; using ::sinh; using ::cosh; using ::atan; using ::atan2; using ::asin; using ::acos; using ::fabs; using ::abs; using ::floor; using ::ceil; using ::round; using ::trunc; using ::fmod; using ::fma; using ::fmin; using ::fmax; using ::hypot; using ::cbrt; using ::erf; using ::exp2; using ::expm1; using ::log1p; using ::copysign; using ::lround; using ::isnan; using ::isinf; using ::isfinite; using ::malloc; using ::free; using ::calloc; using ::exit; using ::abort; using ::atoi; using ::atof; using ::atol; using ::strtol; using ::strtoul; using ::strtoll; using ::strtoull; using ::strtod; using ::strtof; using ::atoll; using ::sscanf; using ::rand; using ::srand; using ::printf; using ::fprintf; using ::snprintf; using ::memcpy; using ::memset; using ::strcmp; using ::strlen; using ::time; using ::clock; using ::getenv; using ::puts; using ::sqrtf; using ::fabsf; using ::expf; using ::fopen; using ::fclose; using ::FILE; using ::rint; using ::remainder; using ::memcmp; using ::tgamma; using ::lgamma; using ::fflush; using ::signbit;
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; } template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; } template <class T> constexpr const T& clamp(const T& v, const T& lo, const T& hi) { return v < lo ? lo : hi < v ? hi : v; }
template <class T, T v> struct integral_constant { static constexpr T value = v; typedef T value_type; typedef integral_constant type; constexpr operator T() const { return v; } constexpr T operator()() const { return v; } };
typedef integral_constant<bool, true> true_type; typedef integral_constant<bool, false> false_type; template <bool v> using bool_constant = integral_constant<bool, v>;
template <class A, class B> struct is_same : false_type {}; template <class A> struct is_same<A, A> : true_type {}; template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <class T> struct remove_const { typedef T type; }; template <class T> struct remove_const<const T> { typedef T type; }; template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> struct remove_reference { typedef T type; }; template <class T> struct remove_reference<T&> { typedef T type; }; template <class T> struct remove_reference<T&&> { typedef T type; }; template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_cv { typedef T type; }; template <class T> struct remove_cv<const T> { typedef T type; }; template <class T> struct remove_cv<volatile T> { typedef T type; }; template <class T> using remove_cv_t = typename remove_cv<T>::type; template <class T> using decay_t = remove_cv_t<remove_reference_t<T>>; template <class T> struct decay { typedef decay_t<T> type; }; template <class T> struct remove_pointer { typedef T type; }; template <class T> struct remove_pointer<T*> { typedef T type; }; template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> struct is_floating_point : false_type {}; template <> struct is_floating_point<float> : true_type {}; template <> struct is_floating_point<double> : true_type {}; template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value; template <class T> struct is_integral : bool_constant<!is_floating_point<T>::value && __is_integral(T)> {}; template <class T> inline constexpr bool is_integral_v = is_integral<T>::value; template <class T> struct is_arithmetic : bool_constant<__is_arithmetic(T)> {}; template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value; template <class T> struct is_pointer : bool_constant<__is_pointer(T)> {}; template <class T> struct is_trivially_copyable : true_type {}; template <class T> inline constexpr bool is_trivially_copyable_v = true; template <class T> struct is_signed : bool_constant<(T(-1) < T(0))> {}; template <class T> inline constexpr bool is_signed_v = is_signed<T>::value; template <class T> struct is_unsigned : bool_constant<!(T(-1) < T(0))> {}; template <class B, class D> struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <bool c, class T = void> struct enable_if {}; template <class T> struct enable_if<true, T> { typedef T type; }; template <bool c, class T = void> using enable_if_t = typename enable_if<c, T>::type; template <bool c, class A, class B> struct conditional { typedef A type; }; template <class A, class B> struct conditional<false, A, B> { typedef B type; }; template <bool c, class A, class B> using conditional_t = typename conditional<c, A, B>::type; template <class T> struct make_unsigned { typedef unsigned type; }; template <class T> using make_unsigned_t = typename make_unsigned<T>::type; template <class...> using void_t = void;
template <class T> constexpr remove_reference_t<T>&& move(T&& v) { return (remove_reference_t<T>&&)v; } template <class T> constexpr T&& forward(remove_reference_t<T>& v) { return (T&&)v; } template <class T> void swap(T& a, T& b) { T c = a; a = b; b = c; } template <class T> T declval(); template <class T> T* addressof(T&);
template <class T> struct numeric_limits { static constexpr T max() { return T(__is_floating_point(T) ? 3.4e38 : sizeof(T) == 1 ? 127 : sizeof(T) == 2 ? 32767 : sizeof(T) == 4 ? 2147483647 : 9223372036854775807l); } static constexpr T lowest() { return -max(); } static constexpr T min() { return __is_floating_point(T) ? T(1e-37) : T(-max()); } static constexpr T infinity() { return max(); } static constexpr T epsilon() { return T(sizeof(T) == 4 ? 1.2e-7 : 2.2e-16); } static constexpr T quiet_NaN() { return T(1); } };
template <class A, class B> struct pair { A first; B second; }; template <class A, class B> pair<A, B> make_pair(A, B); template <class T> struct initializer_list { const T* p_; size_t n_; const T* begin() const; const T* end() const; size_t size() const; }; template <class T> T min(initializer_list<T>); template <class T> T max(initializer_list<T>);
template <class T, size_t N> struct array { T data_[N]; constexpr T& operator[](size_t k) { return data_[k]; } constexpr const T& operator[](size_t k) const { return data_[k]; } constexpr size_t size() const { return N; } T* data() { return data_; } const T* data() const { return data_; } T* begin() { return data_; } T* end() { return data_ + N; } const T* begin() const { return data_; } const T* end() const { return data_ + N; } const T* cbegin() const { return data_; } const T* cend() const { return data_ + N; } void fill(const T&); };
template <class T, size_t N = 0> struct span { T* data_; size_t n_; template <class V> span(V&& v) : data_(v.data()), n_(v.size()) {} template <class V, size_t M> span(V (&v)[M]) : data_(v), n_(M) {} span(T* p, size_t n) : data_(p), n_(n) {} size_t size() const { return n_; } T* data() const { return data_; } T* begin() const { return data_; } T* end() const { return data_ + n_; } T& operator[](size_t k) const { return data_[k]; } };
template <class V> auto begin(V& v) -> decltype(v.begin()) { return v.begin(); } template <class V> auto end(V& v) -> decltype(v.end()) { return v.end(); } template <class T, size_t N> T* begin(T (&a)[N]) { return a; } template <class T, size_t N> T* end(T (&a)[N]) { return a + N; }
template <class T, class A = int> struct vector { T* data_; size_t n_; vector() {} vector(size_t n) : n_(n) {} vector(size_t n, const T& v) : n_(n) {} vector(initializer_list<T>); template <class I> vector(I a, I b); void resize(size_t n) { n_ = n; } void assign(size_t n, const T&) { n_ = n; } size_t size() const { return n_; } bool empty() const; T* data() { return data_; } const T* data() const { return data_; } T& operator[](size_t k) { return data_[k]; } const T& operator[](size_t k) const { return data_[k]; } T& at(size_t k) { return data_[k]; } const T& at(size_t k) const { return data_[k]; } T* begin() { return data_; } T* end() { return data_ + n_; } const T* begin() const { return data_; } const T* end() const { return data_ + n_; } const T* cbegin() const { return data_; } const T* cend() const { return data_ + n_; } T& front() { return data_[0]; } T& back() { return data_[n_ - 1]; } const T& front() const { return data_[0]; } const T& back() const { return data_[n_ - 1]; } void push_back(const T&); template <class... B> void emplace_back(B&&...); void reserve(size_t); void clear(); void pop_back(); void swap(vector&); template <class... B> T* insert(B&&...); };
template <class U> struct vector<vector<U, int>, int> { typedef vector<U, int> T; T* data_; size_t n_; size_t row_n_; vector() {} vector(size_t n) : n_(n) {} vector(size_t n, const T& v) : n_(n), row_n_(v.n_) {} vector(initializer_list<T>); template <class I> vector(I a, I b); void resize(size_t n) { n_ = n; } void resize(size_t n, const T& v) { n_ = n; row_n_ = v.n_; } void assign(size_t n, const T& v) { n_ = n; row_n_ = v.n_; } size_t size() const { return n_; } bool empty() const; T* data() { return data_; } const T* data() const { return data_; } T& operator[](size_t k) { return data_[k]; } const T& operator[](size_t k) const { return data_[k]; } T& at(size_t k) { return data_[k]; } const T& at(size_t k) const { return data_[k]; } T* begin() { return data_; } T* end() { return data_ + n_; } const T* begin() const { return data_; } const T* end() const { return data_ + n_; } const T* cbegin() const { return data_; } const T* cend() const { return data_ + n_; } T& front() { return data_[0]; } T& back() { return data_[n_ - 1]; } const T& front() const { return data_[0]; } const T& back() const { return data_[n_ - 1]; } void push_back(const T&); template <class... B> void emplace_back(B&&...); void reserve(size_t); void clear(); void pop_back(); void swap(vector&); template <class... B> T* insert(B&&...); };
template <class T> struct valarray { T* data_; size_t n_; valarray() {} valarray(size_t n) : n_(n) {} valarray(const T&, size_t n) : n_(n) {} size_t size() const { return n_; } T& operator[](size_t k) { return data_[k]; } const T& operator[](size_t k) const { return data_[k]; } void resize(size_t n) { n_ = n; } };
struct string { string(); string(const char*); template <class... A> string(A...); const char* c_str() const; size_t size() const; string operator+(const string&) const; string& operator+=(const string&); bool operator==(const string&) const; bool empty() const; size_t length() const; size_t find(const string&) const; string substr(size_t, size_t = 0) const; }; template <class T> string to_string(T); int stoi(const string&); long stol(const string&); double stod(const string&); unsigned long stoul(const string&); string operator+(const char*, const string&);
struct ostream { template <class T> ostream& operator<<(const T&) const; ostream& operator<<(ostream& (*)(ostream&)) const; void flush(); }; extern ostream cout, cerr, clog; ostream& endl(ostream&); struct Manipulator_ {}; Manipulator_ setprecision(int); Manipulator_ setw(int); extern Manipulator_ fixed, scientific, boolalpha, hex, dec; struct ifstream { template <class... A> ifstream(A&&...); }; struct ofstream { template <class... A> ofstream(A&&...); }; struct stringstream { stringstream(); string str() const; template <class T> stringstream& operator<<(const T&); };
template <class T> struct complex { T re_, im_; constexpr complex() : re_(0), im_(0) {} constexpr complex(T r) : re_(r), im_(0) {} constexpr complex(T r, T i) : re_(r), im_(i) {} constexpr T real() const { return re_; } constexpr T imag() const { return im_; } void real(T r) { re_ = r; } void imag(T i) { im_ = i; } complex& operator+=(const complex& o) { re_ += o.re_; im_ += o.im_; return *this; } complex& operator-=(const complex& o) { re_ -= o.re_; im_ -= o.im_; return *this; } complex& operator*=(const complex& o) { T r = re_ * o.re_ - im_ * o.im_; im_ = re_ * o.im_ + im_ * o.re_; re_ = r; return *this; } complex& operator*=(T o) { re_ *= o; im_ *= o; return *this; } complex& operator/=(T o) { re_ /= o; im_ /= o; return *this; } };
template <class T> complex<T> operator+(const complex<T>& a, const complex<T>& b) { return complex<T>(a.re_ + b.re_, a.im_ + b.im_); } template <class T> complex<T> operator-(const complex<T>& a, const complex<T>& b) { return complex<T>(a.re_ - b.re_, a.im_ - b.im_); } template <class T> complex<T> operator*(const complex<T>& a, const complex<T>& b) { return complex<T>(a.re_ * b.re_ - a.im_ * b.im_, a.re_ * b.im_ + a.im_ * b.re_); } template <class T, class U> complex<T> operator*(U a, const complex<T>& b) { return complex<T>(a * b.re_, a * b.im_); } template <class T, class U> complex<T> operator*(const complex<T>& b, U a) { return complex<T>(a * b.re_, a * b.im_); } template <class T, class U> complex<T> operator/(const complex<T>& b, U a) { return complex<T>(b.re_ / a, b.im_ / a); } template <class T> complex<T> operator/(const complex<T>& a, const complex<T>& b) { T d = b.re_ * b.re_ + b.im_ * b.im_; return complex<T>((a.re_ * b.re_ + a.im_ * b.im_) / d, (a.im_ * b.re_ - a.re_ * b.im_) / d); } template <class T, class U> complex<T> operator+(const complex<T>& b, U a) { return complex<T>(b.re_ + a, b.im_); } template <class T, class U> complex<T> operator+(U a, const complex<T>& b) { return complex<T>(a + b.re_, b.im_); } template <class T, class U> complex<T> operator-(const complex<T>& b, U a) { return complex<T>(b.re_ - a, b.im_); } template <class T, class U> complex<T> operator-(U a, const complex<T>& b) { return complex<T>(a - b.re_, -b.im_); } template <class T> complex<T> operator-(const complex<T>& b) { return complex<T>(-b.re_, -b.im_); } template <class T> complex<T> conj(const complex<T>& a) { return complex<T>(a.re_, -a.im_); } template <class T> T norm(const complex<T>& a) { return a.re_ * a.re_ + a.im_ * a.im_; } template <class T> T abs(const complex<T>& a) { return sqrt(a.re_ * a.re_ + a.im_ * a.im_); } template <class T> T real(const complex<T>& a) { return a.re_; } template <class T> T imag(const complex<T>& a) { return a.im_; } template <class T> T arg(const complex<T>& a) { return atan2(a.im_, a.re_); } template <class T> complex<T> polar(T r, T t) { return complex<T>(r * cos(t), r * sin(t)); } template <class T> complex<T> exp(const complex<T>& a) { T e = exp(a.re_); return complex<T>(e * cos(a.im_), e * sin(a.im_)); }
#define SIGN_(n, op) template <class T = void> struct n { constexpr T operator()(const T& a, const T& b) const { return a op b; } }; template <> struct n<void> { template <class A, class B> constexpr auto operator()(const A& a, const B& b) const { return a op b; } };
SIGN_(plus, +) SIGN_(minus, -) SIGN_(multiplies, *) SIGN_(divides, /) SIGN_(bit_and, &) SIGN_(bit_or, |) SIGN_(bit_xor, ^)
template <class F> struct function; template <class R, class... A> struct function<R(A...)> { template <class F> function(F); R operator()(A...) const; }; template <class T, class D = int> struct unique_ptr { T* p_; unique_ptr(T* p = nullptr) : p_(p) {} T* get() const { return p_; } T* operator->() const { return p_; } T& operator*() const { return *p_; } void reset(T* = nullptr); T* release(); }; template <class T, class D> struct unique_ptr<T[], D> { T* p_; unique_ptr(T* p = nullptr) : p_(p) {} template <class E> unique_ptr(T* p, E) : p_(p) {} T* get() const { return p_; } T& operator[](size_t k) const { return p_[k]; } }; template <class T> struct shared_ptr { T* p_; T* get() const { return p_; } T* operator->() const { return p_; } }; template <class T, class... A> unique_ptr<T> make_unique(A&&...); template <class T, class... A> shared_ptr<T> make_shared(A&&...);
struct mt19937 { mt19937(unsigned long = 0); unsigned operator()(); }; typedef mt19937 default_random_engine; typedef mt19937 mt19937_64; typedef mt19937 minstd_rand; struct random_device { unsigned operator()(); }; template <class T = double> struct uniform_real_distribution { uniform_real_distribution(T = 0, T = 1); template <class G> T operator()(G&); }; template <class T = int> struct uniform_int_distribution { uniform_int_distribution(T = 0, T = 1); template <class G> T operator()(G&); }; template <class T = double> struct normal_distribution { normal_distribution(T = 0, T = 1); template <class G> T operator()(G&); };
template <class... A> void iota(A&&...); template <class... A> void fill(A&&...); template <class... A> void fill_n(A&&...); template <class... A> void generate(A&&...); template <class... A> void sort(A&&...); template <class... A> void copy(A&&...); template <class I, class T, class... A> T accumulate(I, I, T, A&&...); template <class... A> void for_each(A&&...); template <class... A> void transform(A&&...); template <class... A> void random_shuffle(A&&...); template <class... A> void shuffle(A&&...); template <class... A> bool all_of(A&&...); template <class... A> bool equal(A&&...); template <class... A> void partial_sum(A&&...); template <class I, class J, class T, class... A> T inner_product(I, I, J, T, A&&...); template <class P, class I, class J, class T, class... A> double transform_reduce(P, I, J, T, A&&...); template <class I> double reduce(I, I); template <class I, class T, class... A> T reduce(I, I, T, A&&...); template <class I, class... A> I max_element(I, I, A&&...); template <class I, class... A> I min_element(I, I, A&&...); template <class... A> long count_if(A&&...); template <class... A> long count(A&&...); template <class... A> void for_each_n(A&&...); template <class... A> void copy_n(A&&...); template <class... A> void replace_if(A&&...); template <class... A> void inclusive_scan(A&&...); template <class... A> void exclusive_scan(A&&...); template <class... A> void adjacent_difference(A&&...); template <class... A> void reverse(A&&...); struct Execution_ {}; namespace execution { extern Execution_ seq, par, par_unseq, unseq; } template <class I, class T, class... A> T reduce(Execution_, I, I, T, A&&...);
struct runtime_error { runtime_error(const string&); const char* what() const; }; struct exception { const char* what() const; }; struct invalid_argument { invalid_argument(const string&); }; template <class T> T exchange(T& a, T b) { T c = a; a = b; return c; }
namespace chrono { struct Moment_ { template <class T> Moment_ operator-(T) const; double count() const; Moment_ time_since_epoch() const; }; struct high_resolution_clock { static Moment_ now(); typedef Moment_ time_point; }; typedef high_resolution_clock steady_clock; typedef high_resolution_clock system_clock; template <class A = double, class B = int> struct duration { template <class T> duration(T); double count() const; }; struct milliseconds; struct microseconds; struct nanoseconds; struct seconds; template <class D> Moment_ duration_cast(Moment_); }
typedef integral_constant<int, 1000> milli; typedef integral_constant<int, 1000000> micro; typedef integral_constant<int, 1000000000> nano;
}
namespace cuda { namespace std = ::std; }
struct cuFloatComplex_ { float x, y; }; typedef float2 cuFloatComplex; typedef float2 cuComplex; typedef double2 cuDoubleComplex;
inline float2 make_cuFloatComplex(float a, float b) { return make_float2(a, b); } inline float2 make_cuComplex(float a, float b) { return make_float2(a, b); } inline double2 make_cuDoubleComplex(double a, double b) { return make_double2(a, b); } inline float cuCrealf(float2 a) { return a.x; } inline float cuCimagf(float2 a) { return a.y; } inline double cuCreal(double2 a) { return a.x; } inline double cuCimag(double2 a) { return a.y; } inline float2 cuCaddf(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); } inline float2 cuCsubf(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); } inline float2 cuCmulf(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } inline double2 cuCadd(double2 a, double2 b) { return make_double2(a.x + b.x, a.y + b.y); } inline double2 cuCsub(double2 a, double2 b) { return make_double2(a.x - b.x, a.y - b.y); } inline double2 cuCmul(double2 a, double2 b) { return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } inline float2 cuCdivf(float2 a, float2 b) { float s = 1.0f / (b.x * b.x + b.y * b.y); return make_float2((a.x * b.x + a.y * b.y) * s, (a.y * b.x - a.x * b.y) * s); } inline float2 cuCfmaf(float2 a, float2 b, float2 c) { return make_float2(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y); } inline double2 cuCfma(double2 a, double2 b, double2 c) { return make_double2(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y); } inline float2 cuConjf(float2 a) { return make_float2(a.x, -a.y); } inline double2 cuConj(double2 a) { return make_double2(a.x, -a.y); } inline float cuCabsf(float2 a) { return sqrtf(a.x * a.x + a.y * a.y); } inline double cuCabs(double2 a) { return sqrt(a.x * a.x + a.y * a.y); }

// ---- thrust ----
namespace thrust {
template <class T> struct device_ptr { T* p_; device_ptr(T* p = nullptr) : p_(p) {} T* get() const { return p_; } device_ptr operator+(size_t k) const { return device_ptr(p_ + k); } T& operator*() const { return *p_; } T& operator[](size_t k) const { return p_[k]; } };
template <class T> struct device_vector { T* data_; size_t n_; device_vector() {} device_vector(size_t n) : n_(n) { cudaMalloc(&data_, n * sizeof(T)); } device_vector(size_t n, const T& v) : n_(n) { cudaMalloc(&data_, n * sizeof(T)); } template <class V> device_vector(const V&); template <class I> device_vector(I a, I b); void resize(size_t n) { n_ = n; cudaMalloc(&data_, n * sizeof(T)); } size_t size() const { return n_; } T* data() { return data_; } T* begin() { return data_; } T* end() { return data_ + n_; } T& operator[](size_t k) { return data_[k]; } template <class V> device_vector& operator=(const V&); };
template <class T> struct host_vector { T* data_; size_t n_; host_vector() {} host_vector(size_t n) : n_(n) {} host_vector(size_t n, const T&) : n_(n) {} template <class V> host_vector(const V&); size_t size() const { return n_; } T* data() { return data_; } T* begin() { return data_; } T* end() { return data_ + n_; } T& operator[](size_t k) { return data_[k]; } };
template <class T> T* raw_pointer_cast(T* p) { return p; } template <class T> T* raw_pointer_cast(device_ptr<T> p) { return p.p_; } template <class T> device_ptr<T> device_pointer_cast(T* p) { return device_ptr<T>(p); }
using std::complex; using std::plus; using std::minus; using std::multiplies; template <class T> struct maximum { T operator()(const T& a, const T& b) const { return a < b ? b : a; } }; template <class T> struct minimum { T operator()(const T& a, const T& b) const { return b < a ? b : a; } }; template <class T> struct less { bool operator()(const T& a, const T& b) const { return a < b; } }; template <class T> struct greater { bool operator()(const T& a, const T& b) const { return a > b; } }; template <class T> struct square { T operator()(const T& a) const { return a * a; } }; template <class T> struct negate { T operator()(const T& a) const { return -a; } };
struct Policy_ {}; extern Policy_ device, host, seq; namespace cuda { struct On_ { template <class S> Policy_ on(S) const; }; extern On_ par; } template <class... A> Unknown_ reduce(A&&...); template <class... A> void transform(A&&...); template <class... A> Unknown_ transform_reduce(A&&...); template <class... A> void fill(A&&...); template <class... A> void sequence(A&&...); template <class... A> void copy(A&&...); template <class... A> void sort(A&&...); template <class... A> void sort_by_key(A&&...); template <class... A> void inclusive_scan(A&&...); template <class... A> void exclusive_scan(A&&...); template <class... A> void for_each(A&&...); template <class... A> void for_each_n(A&&...); template <class... A> void tabulate(A&&...); template <class... A> void generate(A&&...); template <class... A> Unknown_ inner_product(A&&...); template <class... A> Unknown_ count_if(A&&...); template <class... A> Unknown_ max_element(A&&...); template <class... A> Unknown_ min_element(A&&...); template <class... A> Unknown_ reduce_by_key(A&&...); template <class... A> Unknown_ make_zip_iterator(A&&...); template <class... A> Unknown_ make_tuple(A&&...); template <class T> struct counting_iterator { counting_iterator(T); }; template <class T> counting_iterator<T> make_counting_iterator(T); template <class... A> void gather(A&&...); template <class... A> void scatter(A&&...); template <class... A> Unknown_ copy_if(A&&...); template <class... A> Unknown_ unique(A&&...); template <class... A> Unknown_ remove_if(A&&...);
}

// ---- groups of threads ----
namespace cooperative_groups {
struct thread_block { static unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); } static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; } static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; } static void sync() { __syncthreads(); } static uint3 group_index() { return blockIdx; } static uint3 thread_index() { return threadIdx; } static dim3 group_dim() { return blockDim; } static dim3 dim_threads() { return blockDim; } };
struct grid_group { static unsigned long long thread_rank() { return (unsigned long long)(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * (blockDim.x * blockDim.y * blockDim.z) + (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)); } static unsigned long long size() { return (unsigned long long)(gridDim.x * gridDim.y * gridDim.z) * (blockDim.x * blockDim.y * blockDim.z); } static unsigned long long num_threads() { return size(); } static unsigned block_rank() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); } static unsigned num_blocks() { return gridDim.x * gridDim.y * gridDim.z; } static void sync() { __syncthreads(); } static bool is_valid() { return true; } };
template <unsigned N, class P = void> struct thread_block_tile { static unsigned thread_rank() { return thread_block::thread_rank() % N; } static constexpr unsigned size() { return N; } static constexpr unsigned num_threads() { return N; } static unsigned meta_group_rank() { return thread_block::thread_rank() / N; } static unsigned meta_group_size() { return (thread_block::size() + N - 1) / N; } static void sync() { __syncwarp(); } template <class T> static T shfl(T v, int k) { return __shfl_sync(0xffffffffu, v, k, N); } template <class T> static T shfl_down(T v, unsigned k) { return __shfl_down_sync(0xffffffffu, v, k, N); } template <class T> static T shfl_up(T v, unsigned k) { return __shfl_up_sync(0xffffffffu, v, k, N); } template <class T> static T shfl_xor(T v, unsigned k) { return __shfl_xor_sync(0xffffffffu, v, k, N); } static unsigned ballot(int v) { return __ballot_sync(0xffffffffu, v); } static int any(int v) { return __any_sync(0xffffffffu, v); } static int all(int v) { return __all_sync(0xffffffffu, v); } };
typedef thread_block_tile<32> coalesced_group; typedef thread_block thread_group;
inline thread_block this_thread_block() { return thread_block(); } inline grid_group this_grid() { return grid_group(); } inline coalesced_group coalesced_threads() { return coalesced_group(); } template <unsigned N, class G> thread_block_tile<N> tiled_partition(const G&) { return thread_block_tile<N>(); } template <class G> void sync(const G& g) { g.sync(); }
template <class T> struct plus { T operator()(T a, T b) const { return a + b; } }; template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } }; template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } }; template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class G, class T, class F> T reduce(const G& g, T v, F f) { for (unsigned k = G::size() / 2; k > 0; k /= 2) v = f(v, __shfl_xor_sync(0xffffffffu, v, k, G::size())); return v; }
template <class G, class T, class F> T inclusive_scan(const G& g, T v, F f) { for (unsigned k = 1; k < G::size(); k *= 2) { T o = __shfl_up_sync(0xffffffffu, v, k, G::size()); if (G::thread_rank() >= k) v = f(v, o); } return v; } template <class G, class T> T inclusive_scan(const G& g, T v) { return inclusive_scan(g, v, plus<T>()); } template <class G, class T> T exclusive_scan(const G& g, T v) { return inclusive_scan(g, v, plus<T>()) - v; }
template <class G, class A, class B> void memcpy_async(const G& g, A* to, const B* from, size_t bytes) { for (size_t k = g.thread_rank(); k < bytes / sizeof(A); k += g.size()) to[k] = ((const A*)from)[k]; } template <class G> void wait(const G& g) { g.sync(); }
}

// ---- blocks of cub ----
namespace cub {
struct Sum { template <class T> T operator()(const T& a, const T& b) const { return a + b; } }; struct Max { template <class T> T operator()(const T& a, const T& b) const { return a < b ? b : a; } }; struct Min { template <class T> T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS, BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY }; enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_STRIPED }; enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_WARP_SCANS, BLOCK_SCAN_RAKING_MEMOIZE };
template <class T, int W = 32> struct WarpReduce { struct TempStorage { int none; }; WarpReduce(TempStorage&) {} template <class F> T Reduce(T v, F f) { for (int k = W / 2; k > 0; k /= 2) { T o = __shfl_down_sync(0xffffffffu, v, k, W); v = f(v, o); } return v; } T Sum(T v) { return Reduce(v, cub::Sum()); } };
template <class T, int B, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1> struct BlockReduce { struct TempStorage { T warps[(B * Y * Z + 31) / 32]; }; TempStorage& s_; BlockReduce(TempStorage& s) : s_(s) {} template <class F> T Reduce(T v, F f) { int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); for (int k = 16; k > 0; k /= 2) { T o = __shfl_down_sync(0xffffffffu, v, k); v = f(v, o); } if (t % 32 == 0) s_.warps[t / 32] = v; __syncthreads(); if (t == 0) for (int w = 1; w < (B * Y * Z + 31) / 32; w++) v = f(v, s_.warps[w]); return v; } T Sum(T v) { return Reduce(v, cub::Sum()); } };
template <class T, int B, BlockScanAlgorithm A = BLOCK_SCAN_WARP_SCANS> struct BlockScan { struct TempStorage { T warps[(B + 31) / 32]; }; TempStorage& s_; BlockScan(TempStorage& s) : s_(s) {} void InclusiveSum(T v, T& out) { int t = threadIdx.x; for (int k = 1; k < 32; k *= 2) { T o = __shfl_up_sync(0xffffffffu, v, k); if (t % 32 >= k) v = v + o; } if (t % 32 == 31) s_.warps[t / 32] = v; __syncthreads(); T sum = T(0); for (int w = 0; w < (B + 31) / 32; w++) if (w < t / 32) sum = sum + s_.warps[w]; out = v + sum; } void ExclusiveSum(T v, T& out) { T all; InclusiveSum(v, all); out = all - v; } void ExclusiveSum(T v, T& out, T& total) { T all; InclusiveSum(v, all); out = all - v; __syncthreads(); if (threadIdx.x == B - 1) s_.warps[0] = all; __syncthreads(); total = s_.warps[0]; } };
template <class T, int B, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT> struct BlockLoad { struct TempStorage { int none; }; BlockLoad(TempStorage&) {} template <class P> void Load(P p, T (&v)[N]) { for (int k = 0; k < N; k++) v[k] = p[threadIdx.x * N + k]; } template <class P> void Load(P p, T (&v)[N], int valid) { for (int k = 0; k < N; k++) if (threadIdx.x * N + k < valid) v[k] = p[threadIdx.x * N + k]; } };
template <class P, class T, int N> void LoadDirectStriped(int t, P p, T (&v)[N]) { for (int k = 0; k < N; k++) v[k] = p[t + k * blockDim.x]; }
#define DEVICE_(n, f) struct n { template <class... A> static cudaError_t f(A&&...); };
struct DeviceReduce { template <class... A> static cudaError_t Sum(A&&...); template <class... A> static cudaError_t Reduce(A&&...); template <class... A> static cudaError_t Max(A&&...); template <class... A> static cudaError_t Min(A&&...); }; struct DeviceScan { template <class... A> static cudaError_t ExclusiveSum(A&&...); template <class... A> static cudaError_t InclusiveSum(A&&...); }; struct DeviceRadixSort { template <class... A> static cudaError_t SortKeys(A&&...); template <class... A> static cudaError_t SortPairs(A&&...); };
}

// ---- matrix units ----
namespace nvcuda { namespace wmma {
struct row_major {}; struct col_major {}; struct matrix_a {}; struct matrix_b {}; struct accumulator {}; enum layout_t { mem_row_major, mem_col_major }; namespace precision { struct tf32 {}; struct b1 {}; struct u4 {}; struct s4 {}; }
template <class T> struct Element_ { typedef T type; }; template <> struct Element_<precision::tf32> { typedef float type; };
template <class U, int M, int N, int K, class T, class L = void> struct fragment { static constexpr int rows = M, cols = N; typename Element_<T>::type x[M * N / 32]; static constexpr int num_elements = M * N / 32; };
template <int M, int N, int K, class T, class L> struct fragment<matrix_a, M, N, K, T, L> { typename Element_<T>::type x[M * K / 32]; static constexpr int num_elements = M * K / 32; };
template <int M, int N, int K, class T, class L> struct fragment<matrix_b, M, N, K, T, L> { typename Element_<T>::type x[K * N / 32]; static constexpr int num_elements = K * N / 32; };
template <int M, int N, int K, class T, class L> void __load_tile(fragment<matrix_a, M, N, K, T, L>& f, const typename Element_<T>::type* p, unsigned ld, row_major) { for (int k = 0; k < M * K / 32; k++) { int at = k * 32 + threadIdx.x % 32; f.x[k] = p[at / K * ld + at % K]; } }
template <int M, int N, int K, class T, class L> void __load_tile(fragment<matrix_a, M, N, K, T, L>& f, const typename Element_<T>::type* p, unsigned ld, col_major) { for (int k = 0; k < M * K / 32; k++) { int at = k * 32 + threadIdx.x % 32; f.x[k] = p[at / M * ld + at % M]; } }
template <int M, int N, int K, class T, class L> void __load_tile(fragment<matrix_b, M, N, K, T, L>& f, const typename Element_<T>::type* p, unsigned ld, row_major) { for (int k = 0; k < K * N / 32; k++) { int at = k * 32 + threadIdx.x % 32; f.x[k] = p[at / N * ld + at % N]; } }
template <int M, int N, int K, class T, class L> void __load_tile(fragment<matrix_b, M, N, K, T, L>& f, const typename Element_<T>::type* p, unsigned ld, col_major) { for (int k = 0; k < K * N / 32; k++) { int at = k * 32 + threadIdx.x % 32; f.x[k] = p[at / K * ld + at % K]; } }
template <class U, int M, int N, int K, class T, class L> void load_matrix_sync(fragment<U, M, N, K, T, L>& f, const typename Element_<T>::type* p, unsigned ld) { __load_tile(f, p, ld, L()); }
template <int M, int N, int K, class T> void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* p, unsigned ld, layout_t l) { for (int k = 0; k < M * N / 32; k++) { int at = k * 32 + threadIdx.x % 32; f.x[k] = l == mem_row_major ? p[at / N * ld + at % N] : p[at / M * ld + at % M]; } }
template <int M, int N, int K, class T> void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& f, unsigned ld, layout_t l) { for (int k = 0; k < M * N / 32; k++) { int at = k * 32 + threadIdx.x % 32; if (l == mem_row_major) p[at / N * ld + at % N] = f.x[k]; else p[at / M * ld + at % M] = f.x[k]; } }
template <class U, int M, int N, int K, class T, class L, class V> void fill_fragment(fragment<U, M, N, K, T, L>& f, V v) { for (int k = 0; k < fragment<U, M, N, K, T, L>::num_elements; k++) f.x[k] = v; }
template <class T> struct Products_ { static constexpr int bits = 16; }; template <> struct Products_<precision::tf32> { static constexpr int bits = 19; }; template <> struct Products_<signed char> { static constexpr int bits = 8; }; template <> struct Products_<unsigned char> { static constexpr int bits = 8; }; template <> struct Products_<double> { static constexpr int bits = 64; }; template <> struct Products_<__nv_bfloat16> { static constexpr int bits = 17; };
}}
void __matrix_multiply(int products, int bits); void __shared_traffic(int bytes);
namespace nvcuda { namespace wmma {
template <int M, int N, int K, class T, class D, class LA, class LB> void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LA>& a, const fragment<matrix_b, M, N, K, T, LB>& b, const fragment<accumulator, M, N, K, D>& c) { __matrix_multiply(M * N * K, Products_<T>::bits); }
inline float __float_to_tf32(float v) { return v; }
}}

// ---- random numbers: what they take is in no file ----
// Sizes as cuRAND has them; numbers that nobody knows, from as many operations: Marsaglia's xorshift with a counter (XORWOW), ten rounds
// of four words (Philox). Skipping to a sequence of XORWOW multiplies by powers of its matrix: some 20,000 operations.
unsigned __unknown_number(); void __operations(int count);
struct curandStateXORWOW { unsigned d, v[5]; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
typedef curandStateXORWOW curandStateXORWOW_t; typedef curandStateXORWOW curandState; typedef curandStateXORWOW curandState_t;
struct curandStatePhilox4_32_10 { uint4 ctr, output; uint2 key; unsigned STATE; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW* s) { for (int k = 0; k < 5; k++) s->v[k] = __unknown_number(); s->d = __unknown_number(); s->boxmuller_flag = 0; s->boxmuller_flag_double = 0; s->boxmuller_extra = 0.0f; s->boxmuller_extra_double = 0.0; __operations(20000); }
void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10* s) { unsigned n = __unknown_number(); s->ctr.x = n; s->ctr.y = n; s->ctr.z = n; s->ctr.w = n; s->key.x = n; s->key.y = n; s->output.x = n; s->output.y = n; s->output.z = n; s->output.w = n; s->STATE = 0; s->boxmuller_flag = 0; __operations(120); }
unsigned curand(curandStateXORWOW* s) { unsigned t = s->v[0] ^ (s->v[0] >> 2); s->v[0] = s->v[1]; s->v[1] = s->v[2]; s->v[2] = s->v[3]; s->v[3] = s->v[4]; s->v[4] = (s->v[4] ^ (s->v[4] << 4)) ^ (t ^ (t << 1)); s->d += 362437u; return s->v[4] + s->d; }
unsigned curand(curandStatePhilox4_32_10* s) { s->ctr.x += 1u; __operations(26); return s->output.x ^ s->ctr.x; }
uint4 curand4(curandStatePhilox4_32_10* s) { s->ctr.x += 1u; __operations(100); uint4 r; r.x = s->output.x ^ s->ctr.x; r.y = s->output.y; r.z = s->output.z; r.w = s->output.w; return r; }
template <class S> float curand_uniform(S* s) { return curand(s) * 2.3283064e-10f + 1.1641532e-10f; }
template <class S> double curand_uniform_double(S* s) { unsigned long long x = curand(s); unsigned long long y = curand(s); return (x ^ (y << 21)) * 1.1102230246251565e-16 + 5.5511151231257827e-17; }
template <class S> float curand_normal(S* s) { float u = curand_uniform(s); return sqrtf(-2.0f * __logf(u)) * __sinf(6.2831853f * u); }
template <class S> float2 curand_normal2(S* s) { float u = curand_uniform(s); float v = curand_uniform(s); float r = sqrtf(-2.0f * logf(u)); float a; float b; sincospif(2.0f * v, &a, &b); return make_float2(r * a, r * b); }
template <class S> double curand_normal_double(S* s) { double u = curand_uniform_double(s); return sqrt(-2.0 * log(u)) * sinpi(2.0 * u); }
inline float4 curand_uniform4(curandStatePhilox4_32_10* s) { uint4 r = curand4(s); return make_float4(r.x * 2.3283064e-10f + 1.1641532e-10f, r.y * 2.3283064e-10f + 1.1641532e-10f, r.z * 2.3283064e-10f + 1.1641532e-10f, r.w * 2.3283064e-10f + 1.1641532e-10f); }
inline float4 curand_normal4(curandStatePhilox4_32_10* s) { float4 u = curand_uniform4(s); float r = sqrtf(-2.0f * logf(u.x)); float q = sqrtf(-2.0f * logf(u.z)); float a; float b; float c; float d; sincospif(2.0f * u.y, &a, &b); sincospif(2.0f * u.w, &c, &d); return make_float4(r * a, r * b, q * c, q * d); }
// ---- tensors of PyTorch: their sizes come from whoever calls ----
namespace at {
struct Tensor; struct Options_ { template <class T> Options_ dtype(T) const; template <class T> Options_ device(T) const; template <class T> Options_ requires_grad(T) const; Options_(); template <class T> Options_(T); };
struct Device_ { bool is_cuda() const; long index() const; int type() const; };
struct Tensor {
  long size(long) const; long stride(long) const; long numel() const; long dim() const; long ndimension() const; Unknown_ sizes() const; Unknown_ strides() const; int scalar_type() const; int dtype() const; int type() const; Device_ device() const; Options_ options() const; bool is_cuda() const; bool is_contiguous() const; bool defined() const; long element_size() const; long get_device() const;
  template <class T> T* data_ptr() const; template <class T> const T* const_data_ptr() const; template <class T> T* mutable_data_ptr() const; template <class T> T* data() const; void* data_ptr() const;
  Tensor contiguous() const; Tensor clone() const; Tensor detach() const; template <class T> Tensor to(T) const; template <class... A> Tensor view(A...) const; template <class... A> Tensor reshape(A...) const; Tensor zero_() const; template <class T> Tensor fill_(T) const; template <class... A> Tensor sum(A...) const;
};
template <class... A> Tensor empty_like(A&&...); template <class... A> Tensor zeros_like(A&&...); template <class... A> Tensor ones_like(A&&...); template <class... A> Tensor empty(A&&...); template <class... A> Tensor zeros(A&&...); template <class... A> Tensor ones(A&&...); template <class... A> Tensor full(A&&...);
extern const int kFloat, kHalf, kBFloat16, kDouble, kInt, kLong, kByte, kBool, kCUDA, kFloat32, kFloat64, kFloat16, kInt32, kInt64;
namespace cuda { cudaStream_t getCurrentCUDAStream(long = 0); struct CUDAGuard { template <class T> CUDAGuard(T); }; }
}
namespace torch { using namespace at; }
namespace c10 { namespace cuda { struct CUDAGuard { template <class T> CUDAGuard(T); }; cudaStream_t getCurrentCUDAStream(long = 0); } }
#pragma clang force_cuda_host_device end
