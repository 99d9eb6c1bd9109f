// Roots that are compared, used, or both.
extern "C" __global__ void compared_f64(const double* x, const double* y, int* out, double r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (sqrt(x[i] * x[i] + y[i] * y[i]) < r) out[i] = 1;
}
extern "C" __global__ void compared_f32(const float* x, const float* y, int* out, float r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (sqrtf(x[i] * x[i] + y[i] * y[i]) < r) out[i] = 1;
}
extern "C" __global__ void selected_f64(const double* x, double* out, double r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double a = x[i];
  out[i] = sqrt(a) > r ? a * 3.0 : a + 1.0;
}
extern "C" __global__ void stored_f64(const double* x, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sqrt(x[i]);
}
extern "C" __global__ void stored_f32(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = sqrtf(x[i]) * 2.0f;
}
extern "C" __global__ void both_f64(const double* x, double* out, double r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double s = sqrt(x[i]);
  if (s < r) out[i] = s * 2.0;
}
extern "C" __global__ void both_f32(const float* x, float* out, float r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = sqrtf(x[i]);
  out[i] = s < r ? s : r;
}
