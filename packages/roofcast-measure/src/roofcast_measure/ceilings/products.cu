/* c = a b for square matrices, row by row in memory, n a multiple of the tile: 2 n^3 FLOPs.

   256 threads compute a tile of c; each keeps a square of SIDE x SIDE sums in registers, in groups of 16 bytes,
   and panels of 8 columns of a and rows of b pass through shared memory. */
#define PANEL 8
#define PRODUCT(name, type, side)                                                                           \
  extern "C" __global__ void name(const type* __restrict__ a, const type* __restrict__ b, type* c, int n) { \
    constexpr int TILE = 16 * side;                                                                         \
    constexpr int WIDE = 16 / sizeof(type);                                                                 \
    __align__(16) __shared__ type as[PANEL][TILE + 4], bs[PANEL][TILE];                                     \
    int x = threadIdx.x % 16, y = threadIdx.x / 16, row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;  \
    type sum[side][side], u[side], v[side];                                                                 \
    for (int i = 0; i < side; i++)                                                                          \
      for (int j = 0; j < side; j++) sum[i][j] = 0;                                                         \
    _Pragma("unroll 1") for (int k0 = 0; k0 < n; k0 += PANEL) {                                             \
      for (int i = threadIdx.x; i < PANEL * TILE; i += 256) {                                               \
        as[i % PANEL][i / PANEL] = a[(long long)(row0 + i / PANEL) * n + k0 + i % PANEL];                   \
        bs[i / TILE][i % TILE] = b[(long long)(k0 + i / TILE) * n + column0 + i % TILE];                    \
      }                                                                                                     \
      __syncthreads();                                                                                      \
      _Pragma("unroll") for (int k = 0; k < PANEL; k++) {                                                   \
        _Pragma("unroll") for (int i = 0; i < side; i++) {                                                  \
          u[i] = as[k][i / WIDE * 16 * WIDE + y * WIDE + i % WIDE];                                         \
          v[i] = bs[k][i / WIDE * 16 * WIDE + x * WIDE + i % WIDE];                                         \
        }                                                                                                   \
        _Pragma("unroll") for (int i = 0; i < side; i++)                                                    \
            _Pragma("unroll") for (int j = 0; j < side; j++) sum[i][j] += u[i] * v[j];                      \
      }                                                                                                     \
      __syncthreads();                                                                                      \
    }                                                                                                       \
    for (int i = 0; i < side; i++)                                                                          \
      for (int j = 0; j < side; j++)                                                                        \
        c[(long long)(row0 + i / WIDE * 16 * WIDE + y * WIDE + i % WIDE) * n + column0                      \
          + j / WIDE * 16 * WIDE + x * WIDE + j % WIDE] = sum[i][j];                                        \
  }

PRODUCT(product_fp32, float, 8)
PRODUCT(product_fp64, double, 4)
