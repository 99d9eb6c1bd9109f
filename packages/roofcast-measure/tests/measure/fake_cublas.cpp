// A cuBLAS without a GPU: cublasGemmEx as its documentation declares it, for column-major matrices in host memory.
#include <cstdint>
#include <cstring>

static float bf16(uint16_t bits) {
  uint32_t whole = (uint32_t)bits << 16;
  float value;
  std::memcpy(&value, &whole, 4);
  return value;
}
static double get(const void* data, int type, long at) {
  switch (type) {
    case 0: return ((const float*)data)[at];
    case 1: return ((const double*)data)[at];
    case 2: return (double)((const _Float16*)data)[at];
    case 3: return ((const int8_t*)data)[at];
    case 14: return bf16(((const uint16_t*)data)[at]);
  }
  return 0;
}
static void put(void* data, int type, long at, double value) {
  if (type == 0) ((float*)data)[at] = (float)value;
  if (type == 1) ((double*)data)[at] = value;
  if (type == 2) ((_Float16*)data)[at] = (_Float16)value;
  if (type == 10) ((int32_t*)data)[at] = (int32_t)value;
  if (type == 14) {
    float rounded = (float)value;
    uint32_t whole;
    std::memcpy(&whole, &rounded, 4);
    ((uint16_t*)data)[at] = (uint16_t)((whole + 0x8000) >> 16);
  }
}
static double scalar(const void* at, int compute) {
  return compute == 70 ? *(const double*)at : compute == 72 ? *(const int32_t*)at : *(const float*)at;
}

extern "C" {
int cublasCreate_v2(void** handle) { return *handle = (void*)0x51, 0; }
int cublasDestroy_v2(void* handle) { return handle == (void*)0x51 ? 0 : 1; }
int cublasSetStream_v2(void* handle, void*) { return handle == (void*)0x51 ? 0 : 1; }
int cublasGetVersion_v2(void*, int* version) { return *version = 120804, 0; }
int cublasGemmEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha, const void* a, int type_a,
                 int lda, const void* b, int type_b, int ldb, const void* beta, void* c, int type_c, int ldc, int compute,
                 int algorithm) {
  if (handle != (void*)0x51) return 1;
  if (algorithm != -1 || (compute != 64 && compute != 68 && compute != 70 && compute != 72 && compute != 77)) return 7;
  for (int column = 0; column < n; column++)
    for (int row = 0; row < m; row++) {
      double sum = 0;
      for (int i = 0; i < k; i++)
        sum += get(a, type_a, transa ? i + (long)row * lda : row + (long)i * lda) *
               get(b, type_b, transb ? column + (long)i * ldb : i + (long)column * ldb);
      double before = scalar(beta, compute);
      put(c, type_c, row + (long)column * ldc, scalar(alpha, compute) * sum + (before ? before * get(c, type_c, 0) : 0));
    }
  return 0;
}
}
