// Special functions whose expansions have a fast path in line and a slow path as a subroutine.
extern "C" __global__ void divide_f64(double *out, const double *a, const double *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] / b[i];
}
extern "C" __global__ void roots_f64(double *out, const double *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrt(a[i]) + 1.0 / a[i] + rsqrt(a[i] + 2.0);
}
extern "C" __global__ void divide_f32(float *out, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] / b[i] + sqrtf(a[i]) + 1.0f / b[i];
}
extern "C" __global__ void logarithms(double *out, float *out32, const double *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = log(a[i]);
    out32[i] = logf((float)a[i]) + __expf((float)a[i]);
  }
}
extern "C" __global__ void waves(double *out, float *out32, const double *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = sin(a[i]) * exp(a[i]);
    out32[i] = sinf((float)a[i]) + tanhf((float)a[i]);
  }
}
extern "C" __global__ void powers(double *out, const double *a, const double *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = pow(a[i], b[i]);
}
extern "C" __global__ void integer_divide(long long *out, const long long *a, const long long *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] / b[i] + (long long)(threadIdx.x % (n + 1));
}
