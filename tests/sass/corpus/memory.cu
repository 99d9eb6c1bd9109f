// Access widths and spaces; a private array and spills.
extern "C" __global__ void widths(char *out, const char *a, int n) {
  int i = threadIdx.x;
  out[i] = a[i];
  ((short *)out)[i + n] = ((const short *)a)[i];
  ((int *)out)[i + n] = ((const int *)a)[i];
  ((int2 *)out)[i + n] = ((const int2 *)a)[i];
  ((int4 *)out)[i + n] = ((const int4 *)a)[i];
}
extern "C" __global__ void shared_widths(int4 *out, const int4 *a) {
  __shared__ int4 wide[64];
  __shared__ char narrow[64];
  wide[threadIdx.x] = a[threadIdx.x];
  narrow[threadIdx.x] = (char)a[threadIdx.x].x;
  __syncthreads();
  int4 v = wide[63 - threadIdx.x];
  v.x += narrow[63 - threadIdx.x];
  out[threadIdx.x] = v;
}
extern "C" __global__ void private_array(float *out, const int *index, int n) {
  float local[64];
  for (int i = 0; i < 64; ++i) local[i] = out[i * n];
  for (int i = 0; i < n; ++i) local[index[i] & 63] += 1.5f;
  float sum = 0.0f;
  for (int i = 0; i < 64; ++i) sum += local[i] * index[i];
  out[threadIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(1024, 2) spilling(double *out, const double *a, int n) {
  double x[24];
#pragma unroll
  for (int i = 0; i < 24; ++i) x[i] = a[threadIdx.x + i * n];
  for (int j = 0; j < n; ++j) {
#pragma unroll
    for (int i = 0; i < 24; ++i) x[i] = x[i] * x[(i * 7 + 3) % 24] + a[j * 24 + i];
  }
#pragma unroll
  for (int i = 0; i < 24; ++i) out[threadIdx.x + i * n] = x[i];
}
extern "C" __global__ void stencil(double *out, const double *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i < n - 1) out[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
}
