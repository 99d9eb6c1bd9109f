/* roofcast
title = "General Plasmon Pole self-energy: nine versions that take the eight optimisation steps"
source = "Yang2020, sec. III (steps) and Table I; the formulas are those of the generalised plasmon-pole model"
precision = "fp64"
tolerance = 1e-11
configurations = [{ nbands = 500, ngpown = 100, ncouls = 10000, nw = 2, blocks = 1280 }]
check = { nbands = 67, ngpown = 3, ncouls = 131, nw = 2, blocks = 3 }
[values]
limit_one = 2.0
limit_two = 0.5
tolerance_zero = 0.0001
cutoff = 4.0
nothing = 0.0
[arrays]
wtilde = "c128[ngpown * ncouls] in"
eps = "c128[ngpown * ncouls] in"
aqsn = "c128[nbands * ncouls] in"
aqsm = "c128[nbands * ngpown] in"
aqsm_by_band = "c128[ngpown * nbands] transpose aqsm nbands"
wx = "f64[nbands * nw] between -2 2"
wx_by_band = "f64[nw * nbands] transpose wx nbands"
occupation = "f64[nbands] in"
coulomb = "f64[ngpown] in"
partial = "f64[4 * nw * blocks] out"
sums = "f64[4 * nw] out"
[kernels.gpp_v0]
grid = ["blocks"]
block = [128]
arguments = "wtilde eps aqsn aqsm wx occupation coulomb partial nbands:i32 ngpown:i32 ncouls:i32 nw:i32 limit_one:f64 limit_two:f64 tolerance_zero:f64 cutoff:f64 nothing:f64"
access = "one thread per (band, igp, ig), iw unrolled; complex divisions, moduli, three-way branch"
threads = "blocks * 128"
static = "bound"
flops_fp64 = "nbands * ngpown * ncouls * ((26 + SQRT64) + nw * (62 + 3 * SQRT64 + p_first * 47 + p_second * 54))"
bytes_dram_read = "16 * (2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown) + 8 * (nbands * nw + nbands + ngpown)"
bytes_dram_write = "32 * nw * blocks"
[kernels.gpp_v1]
grid = ["blocks"]
block = [128]
arguments = "wtilde eps aqsn aqsm wx occupation coulomb partial nbands:i32 ngpown:i32 ncouls:i32 nw:i32 limit_one:f64 limit_two:f64 tolerance_zero:f64 cutoff:f64 nothing:f64"
access = "divisions become reciprocals"
threads = "blocks * 128"
static = "bound"
flops_fp64 = "nbands * ngpown * ncouls * ((26 + SQRT64) + nw * (44 + 3 * SQRT64 + p_first * 29 + p_second * 36))"
bytes_dram_read = "16 * (2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown) + 8 * (nbands * nw + nbands + ngpown)"
bytes_dram_write = "32 * nw * blocks"
[kernels.gpp_v2]
grid = ["blocks"]
block = [128]
arguments = "wtilde eps aqsn aqsm wx occupation coulomb partial nbands:i32 ngpown:i32 ncouls:i32 nw:i32 limit_one:f64 limit_two:f64 tolerance_zero:f64 cutoff:f64 nothing:f64"
access = "the three-way branch becomes two-way over zeroed results"
threads = "blocks * 128"
static = "bound"
flops_fp64 = "nbands * ngpown * ncouls * ((26 + SQRT64) + nw * (44 + 3 * SQRT64 + p_first * 29 + p_second * 36))"
bytes_dram_read = "16 * (2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown) + 8 * (nbands * nw + nbands + ngpown)"
bytes_dram_write = "32 * nw * blocks"
[kernels.gpp_v3]
grid = ["blocks"]
block = [128]
arguments = "wtilde eps aqsn aqsm wx occupation coulomb partial nbands:i32 ngpown:i32 ncouls:i32 nw:i32 limit_one:f64 limit_two:f64 tolerance_zero:f64 cutoff:f64 nothing:f64"
access = "moduli become squares"
threads = "blocks * 128"
static = "bound"
flops_fp64 = "nbands * ngpown * ncouls * (26 + nw * (44 + p_first * 29 + p_second * 36))"
bytes_dram_read = "16 * (2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown) + 8 * (nbands * nw + nbands + ngpown)"
bytes_dram_write = "32 * nw * blocks"
[kernels.gpp_v4]
grid = ["blocks"]
block = [128]
arguments = "wtilde eps aqsn aqsm wx occupation coulomb partial nbands:i32 ngpown:i32 ncouls:i32 nw:i32 limit_one:f64 limit_two:f64 tolerance_zero:f64 cutoff:f64 nothing:f64"
access = "the band loop moves into the thread"
threads = "blocks * 128"
static = "bound"
flops_fp64 = "nbands * ngpown * ncouls * (26 + nw * (44 + p_first * 29 + p_second * 36))"
bytes_dram_read = "16 * (2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown) + 8 * (nbands * nw + nbands + ngpown)"
bytes_dram_write = "32 * nw * blocks"
[kernels.gpp_v5]
grid = ["blocks"]
block = [128]
arguments = "wtilde eps aqsn aqsm wx occupation coulomb partial nbands:i32 ngpown:i32 ncouls:i32 nw:i32 iw:i32 limit_one:f64 limit_two:f64 tolerance_zero:f64 cutoff:f64 nothing:f64"
access = "the iw loop moves outside the kernel"
repeat = "iw: nw"
threads = "blocks * 128"
static = "bound"
flops_fp64 = "nbands * ngpown * ncouls * (26 + 44 + p_first * 29 + p_second * 36)"
bytes_dram_read = "16 * (2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown) + 8 * (nbands * nw + nbands + ngpown)"
bytes_dram_write = "32 * 1 * blocks"
[kernels.gpp_v6]
grid = ["blocks"]
block = [128]
arguments = "wtilde eps aqsn aqsm wx occupation coulomb partial nbands:i32 ngpown:i32 ncouls:i32 nw:i32 iw:i32 limit_one:f64 limit_two:f64 tolerance_zero:f64 cutoff:f64 nothing:f64"
access = "cache blocking: ig in 128 blocks, bands in tiles of 12 whose factors stay in registers"
repeat = "iw: nw"
threads = "blocks * 128"
static = "bound"
flops_fp64 = "ceil(nbands / 12) * 12 * ngpown * (2 * 128 + ncouls * (24 + 44 + p_first * 29 + p_second * 36))"
bytes_dram_read = "16 * (2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown) + 8 * (nbands * nw + nbands + ngpown)"
bytes_dram_write = "32 * 1 * blocks"
[kernels.gpp_v7]
grid = ["blocks"]
block = [128]
arguments = "wtilde eps aqsn aqsm_by_band wx_by_band occupation coulomb partial nbands:i32 ngpown:i32 ncouls:i32 nw:i32 iw:i32 limit_one:f64 limit_two:f64 tolerance_zero:f64 cutoff:f64 nothing:f64"
access = "arrays indexed by band become contiguous along band"
repeat = "iw: nw"
threads = "blocks * 128"
static = "bound"
flops_fp64 = "ceil(nbands / 12) * 12 * ngpown * (2 * 128 + ncouls * (24 + 44 + p_first * 29 + p_second * 36))"
bytes_dram_read = "16 * (2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown) + 8 * (nbands * nw + nbands + ngpown)"
bytes_dram_write = "32 * 1 * blocks"
[kernels.gpp_v8]
grid = ["blocks"]
block = [512]
arguments = "wtilde eps aqsn aqsm_by_band wx_by_band occupation coulomb partial nbands:i32 ngpown:i32 ncouls:i32 nw:i32 iw:i32 limit_one:f64 limit_two:f64 tolerance_zero:f64 cutoff:f64 nothing:f64"
access = "512 threads per block, at most 128 registers"
repeat = "iw: nw"
threads = "blocks * 512"
static = "bound"
flops_fp64 = "ceil(nbands / 12) * 12 * ngpown * (2 * 128 + ncouls * (24 + 44 + p_first * 29 + p_second * 36))"
bytes_dram_read = "16 * (2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown) + 8 * (nbands * nw + nbands + ngpown)"
bytes_dram_write = "32 * 1 * blocks"
[kernels.gpp_reduce]
grid = ["4 * nw"]
block = [128]
arguments = "partial sums blocks:i32"
access = "one block per quantity; coalesced"
threads = "4 * nw * 128"
static = "bound"
flops_fp64 = "4 * nw * (blocks + 127)"
bytes_l2 = "32 * nw * blocks"
bytes_dram_read = "32 * nw * blocks"
bytes_dram_write = "32 * nw"
*/
struct __align__(16) Complex {
  double re, im;
};

__device__ inline Complex times(Complex a, Complex b) {
  Complex c = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return c;
}

__device__ inline Complex times(Complex a, double b) {
  Complex c = {a.re * b, a.im * b};
  return c;
}

__device__ inline Complex conjugate(Complex a) {
  Complex c = {a.re, -a.im};
  return c;
}

__device__ inline double square(Complex a) { return a.re * a.re + a.im * a.im; }

__device__ inline double modulus(Complex a) { return sqrt(square(a)); }

__device__ inline Complex by_division(Complex a, Complex b) {
  double d = square(b);
  Complex n = times(a, conjugate(b));
  Complex c = {n.re / d, n.im / d};
  return c;
}

__device__ inline Complex by_reciprocal(Complex a, Complex b) {
  return times(times(a, conjugate(b)), 1.0 / square(b));
}

struct Limits {
  double one, two, zero, cutoff, nothing;
};

struct Pair {
  Complex sch, ssx;
};

template <bool RECIPROCAL>
__device__ inline Complex quotient(Complex a, Complex b) {
  return RECIPROCAL ? by_reciprocal(a, b) : by_division(a, b);
}

/* The third arm of v0 and v1: a function of its own, given a zero that only the header knows. Else today's compilers
   make v2 of v1 by themselves, instruction for instruction (what PLAIN shows). */
#ifdef PLAIN
__device__ inline Pair third_arm(double) { return {{0.0, 0.0}, {0.0, 0.0}}; }
#else
__device__ __noinline__ Pair third_arm(double nothing) { return {{nothing, nothing}, {nothing, nothing}}; }
#endif

/* v0 and v1: three-way branch; RECIPROCAL says how to divide (v1). */
template <bool RECIPROCAL>
__device__ inline Pair three_way(double wx, Complex wtilde, Complex eps, Limits limits) {
  Pair out;
  Complex wdiff = {wx - wtilde.re, -wtilde.im};
  Complex delw = quotient<RECIPROCAL>(wtilde, wdiff);
  double far = modulus(wdiff), near = modulus(delw);
  if (far > limits.two && near < limits.one) {
    Complex wtilde2 = times(wtilde, wtilde);
    Complex cden = {wx * wx - wtilde2.re, -wtilde2.im};
    out.sch = times(delw, eps);
    out.ssx = quotient<RECIPROCAL>(times(wtilde2, eps), cden);
  } else if (near > limits.zero) {
    Complex wtilde2 = times(wtilde, wtilde);
    Complex shifted = {delw.re + 0.5, delw.im};
    Complex cden = times(times(wtilde2, 4.0), shifted);
    out.sch.re = out.sch.im = 0.0;
    out.ssx = quotient<RECIPROCAL>(times(times(times(wtilde2, eps), delw), -1.0), cden);
  } else {
    out = third_arm(limits.nothing);
  }
  if (modulus(out.ssx) > limits.cutoff * modulus(eps) && wx < 0.0) out.ssx.re = out.ssx.im = 0.0;
  return out;
}

/* v2 and later: two-way branch over zeroed results; SQUARES compares squares instead of moduli (v3). */
template <bool SQUARES>
__device__ inline Pair two_way(double wx, Complex wtilde, Complex eps, Limits limits) {
  Pair out = {{0.0, 0.0}, {0.0, 0.0}};
  Complex wdiff = {wx - wtilde.re, -wtilde.im};
  Complex delw = by_reciprocal(wtilde, wdiff);
  double far = SQUARES ? square(wdiff) : modulus(wdiff);
  double near = SQUARES ? square(delw) : modulus(delw);
  double two = SQUARES ? limits.two * limits.two : limits.two;
  double one = SQUARES ? limits.one * limits.one : limits.one;
  double zero = SQUARES ? limits.zero * limits.zero : limits.zero;
  if (far > two && near < one) {
    Complex wtilde2 = times(wtilde, wtilde);
    Complex cden = {wx * wx - wtilde2.re, -wtilde2.im};
    out.sch = times(delw, eps);
    out.ssx = by_reciprocal(times(wtilde2, eps), cden);
  } else if (near > zero) {
    Complex wtilde2 = times(wtilde, wtilde);
    Complex shifted = {delw.re + 0.5, delw.im};
    Complex cden = times(times(wtilde2, 4.0), shifted);
    out.ssx = by_reciprocal(times(times(times(wtilde2, eps), delw), -1.0), cden);
  }
  double size = SQUARES ? square(out.ssx) : modulus(out.ssx);
  double most = SQUARES ? limits.cutoff * limits.cutoff * square(eps) : limits.cutoff * modulus(eps);
  if (size > most && wx < 0.0) {
    out.ssx.re = 0.0;
    out.ssx.im = 0.0;
  }
  return out;
}

struct Sums {
  Complex ach, asx;
};

__device__ inline void accumulate(Sums& sums, Pair pair, Complex product, double occupation) {
  Complex sch = times(product, pair.sch);
  Complex ssx = times(times(product, occupation), pair.ssx);
  sums.ach.re += sch.re;
  sums.ach.im += sch.im;
  sums.asx.re += ssx.re;
  sums.asx.im += ssx.im;
}

/* Sum of one value over the threads of a block, written by its first thread. */
__device__ inline void block_sum(double mine, double* total) {
  __shared__ double part[512];
  int t = threadIdx.x;
  part[t] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) *total = part[0];
  __syncthreads();
}

__device__ inline void write_sums(const Sums& sums, double* partial, int iw) {
  int blocks = gridDim.x, block = blockIdx.x;
  block_sum(sums.ach.re, partial + (4 * iw + 0) * blocks + block);
  block_sum(sums.ach.im, partial + (4 * iw + 1) * blocks + block);
  block_sum(sums.asx.re, partial + (4 * iw + 2) * blocks + block);
  block_sum(sums.asx.im, partial + (4 * iw + 3) * blocks + block);
}

__device__ inline Complex product_of(Complex aqsm, Complex aqsn, double coulomb) {
  return times(times(conjugate(aqsm), aqsn), coulomb);
}

extern "C" __global__ void gpp_reduce(const double* __restrict__ partial, double* __restrict__ sums, int blocks) {
  double mine = 0.0;
  for (int b = threadIdx.x; b < blocks; b += blockDim.x) mine += partial[blockIdx.x * blocks + b];
  block_sum(mine, sums + blockIdx.x);
}

/* Bands whose factors a thread of v6 to v8 keeps in registers. */
#define TILE 12
#define ARRAYS                                                                                                   \
  const Complex *__restrict__ wtilde, const Complex *__restrict__ eps, const Complex *__restrict__ aqsn,         \
      const Complex *__restrict__ aqsm, const double *__restrict__ wx, const double *__restrict__ occupation,    \
      const double *__restrict__ coulomb
#define SIZES int nbands, int ngpown, int ncouls, int nw
#define LIMITS double limit_one, double limit_two, double tolerance_zero, double cutoff, double nothing
#define GIVEN wtilde, eps, aqsn, aqsm, wx, occupation, coulomb, partial, nbands, ngpown, ncouls, nw
#define KERNEL(name, bounds, function, ...)                                                                      \
  extern "C" __global__ void __launch_bounds__ bounds                                                            \
  name(ARRAYS, double *__restrict__ partial, SIZES, __VA_ARGS__) {                                               \
    Limits limits = {limit_one, limit_two, tolerance_zero, cutoff, nothing};                                   \
    function;                                                                                                    \
  }

/* v0 to v3: one thread per (band, igp, ig), iw unrolled. */
template <int VERSION>
__device__ inline void collapsed(ARRAYS, double *__restrict__ partial, SIZES, Limits limits) {
  Sums sums[2] = {};
  long long count = (long long)nbands * ngpown * ncouls;
  long long stride = (long long)gridDim.x * blockDim.x;
  for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += stride) {
    int ig = (int)(at % ncouls);
    int igp = (int)(at / ncouls % ngpown);
    int band = (int)(at / ncouls / ngpown);
    Complex pole = wtilde[igp * ncouls + ig], strength = eps[igp * ncouls + ig];
    Complex product = product_of(aqsm[band * ngpown + igp], aqsn[band * ncouls + ig], coulomb[igp]);
#pragma unroll
    for (int iw = 0; iw < 2; iw++) {
      double energy = wx[band * nw + iw];
      Pair pair = VERSION < 2 ? three_way<VERSION == 1>(energy, pole, strength, limits)
                              : two_way<VERSION == 3>(energy, pole, strength, limits);
      accumulate(sums[iw], pair, product, occupation[band]);
    }
  }
  write_sums(sums[0], partial, 0);
  write_sums(sums[1], partial, 1);
}

/* v4 (IWS = 2: iw unrolled) and v5 (IWS = 1: iw is the kernel's): the band loop is the thread's. */
template <int IWS>
__device__ inline void banded(ARRAYS, double *__restrict__ partial, SIZES, int first_iw, Limits limits) {
  Sums sums[IWS] = {};
  int count = ngpown * ncouls;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    int ig = at % ncouls, igp = at / ncouls;
    Complex pole = wtilde[at], strength = eps[at];
    for (int band = 0; band < nbands; band++) {
      Complex product = product_of(aqsm[band * ngpown + igp], aqsn[band * ncouls + ig], coulomb[igp]);
#pragma unroll
      for (int iw = 0; iw < IWS; iw++) {
        Pair pair = two_way<true>(wx[band * nw + first_iw + iw], pole, strength, limits);
        accumulate(sums[iw], pair, product, occupation[band]);
      }
    }
  }
#pragma unroll
  for (int iw = 0; iw < IWS; iw++) write_sums(sums[iw], partial, first_iw + iw);
}

/* v6 to v8: ig in 128 interleaved blocks, bands in tiles. BY_BAND: aqsm and wx contiguous along band (v7).
   The tile's factors stay in registers over the whole ig loop: that is the reuse, and what the registers go to.
   PLAIN: the paper's loops as they stand, which today's compilers keep within 80 registers, so that no cap can bind. */
template <bool BY_BAND>
__device__ inline void blocked(ARRAYS, double *__restrict__ partial, SIZES, int iw, Limits limits) {
  const int ig_blocks = 128;
  int igp_step = BY_BAND ? nbands : 1, band_step = BY_BAND ? 1 : ngpown;
  const double* energies = BY_BAND ? wx + iw * nbands : wx + iw;
  int energy_step = BY_BAND ? 1 : nw;
  Sums sums = {};
#ifdef PLAIN
  const int band_blocks = 64;
  int count = band_blocks * ngpown * ig_blocks;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    int igp = at / ig_blocks % ngpown;
    for (int ig = at % ig_blocks; ig < ncouls; ig += ig_blocks) {
      Complex pole = wtilde[igp * ncouls + ig], strength = eps[igp * ncouls + ig];
      for (int band = at / ig_blocks / ngpown; band < nbands; band += band_blocks) {
        Complex product = product_of(aqsm[band * band_step + igp * igp_step], aqsn[band * ncouls + ig], coulomb[igp]);
        accumulate(sums, two_way<true>(energies[band * energy_step], pole, strength, limits), product, occupation[band]);
      }
    }
  }
#else
  int count = (nbands + TILE - 1) / TILE * ngpown * ig_blocks;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
    int igp = at / ig_blocks % ngpown, first = at / ig_blocks / ngpown * TILE;
    const Complex* tile = aqsm + first * band_step + igp * igp_step;
    Complex left[TILE];
    double energy[TILE], filled[TILE];
#pragma unroll
    for (int k = 0; k < TILE; k++) {
      /* beyond the last band the product is zero */
      bool real = first + k < nbands;
      left[k].re = left[k].im = energy[k] = filled[k] = 0.0;
      if (real) {
        left[k] = times(conjugate(tile[k * band_step]), coulomb[igp]);
        energy[k] = energies[(first + k) * energy_step];
        filled[k] = occupation[first + k];
      }
    }
    for (int ig = at % ig_blocks; ig < ncouls; ig += ig_blocks) {
      Complex pole = wtilde[igp * ncouls + ig], strength = eps[igp * ncouls + ig];
#pragma unroll
      for (int k = 0; k < TILE; k++) {
        int band = first + k < nbands ? first + k : nbands - 1;
        Complex product = times(left[k], aqsn[band * ncouls + ig]);
        accumulate(sums, two_way<true>(energy[k], pole, strength, limits), product, filled[k]);
      }
    }
  }
#endif
  write_sums(sums, partial, iw);
}

KERNEL(gpp_v0, (128), collapsed<0>(GIVEN, limits), LIMITS)
KERNEL(gpp_v1, (128), collapsed<1>(GIVEN, limits), LIMITS)
KERNEL(gpp_v2, (128), collapsed<2>(GIVEN, limits), LIMITS)
KERNEL(gpp_v3, (128), collapsed<3>(GIVEN, limits), LIMITS)
KERNEL(gpp_v4, (128), banded<2>(GIVEN, 0, limits), LIMITS)
KERNEL(gpp_v5, (128), banded<1>(GIVEN, iw, limits), int iw, LIMITS)
/* (128, 1): a compiler that aims at three blocks per SM would spill to stay within 168 registers */
KERNEL(gpp_v6, (128, 1), blocked<false>(GIVEN, iw, limits), int iw, LIMITS)
KERNEL(gpp_v7, (128, 1), blocked<true>(GIVEN, iw, limits), int iw, LIMITS)
/* one block of 512 threads fits only with 128 registers each: the cap of v8 */
KERNEL(gpp_v8, (512), blocked<true>(GIVEN, iw, limits), int iw, LIMITS)
#undef TILE
#undef ARRAYS
#undef SIZES
#undef LIMITS
#undef GIVEN
#undef KERNEL
