#include <cuda_runtime.h>
#include <vector>
namespace math {
template <typename T> class Vec3 {
 public:
  __host__ __device__ Vec3() : x_(0), y_(0), z_(0) {}
  __host__ __device__ Vec3(T x, T y, T z) : x_(x), y_(y), z_(z) {}
  __host__ __device__ Vec3 operator+(const Vec3& o) const { return Vec3(x_ + o.x_, y_ + o.y_, z_ + o.z_); }
  __host__ __device__ Vec3 operator*(T s) const { return Vec3(x_ * s, y_ * s, z_ * s); }
  __host__ __device__ Vec3& operator+=(const Vec3& o) { x_ += o.x_; y_ += o.y_; z_ += o.z_; return *this; }
  __host__ __device__ T dot(const Vec3& o) const { return x_ * o.x_ + y_ * o.y_ + z_ * o.z_; }
 private:
  T x_, y_, z_;
};
}
using Vec = math::Vec3<double>;
__global__ void advance(Vec* pos, Vec* vel, const Vec* acc, double* energy, int n, double dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Vec v = vel[i];
  v += acc[i] * dt;
  vel[i] = v;
  pos[i] = pos[i] + v * dt;
  energy[i] = 0.5 * v.dot(v);
}
int main(int argc, char** argv) {
  const int n = 1 << 20;
  std::vector<Vec> host(n);
  Vec *p, *v, *a; double* e;
  cudaMalloc((void**)&p, n * sizeof(Vec)); cudaMalloc((void**)&v, n * sizeof(Vec)); cudaMalloc((void**)&a, n * sizeof(Vec)); cudaMalloc((void**)&e, n * sizeof(double));
  cudaMemcpy(p, host.data(), n * sizeof(Vec), cudaMemcpyHostToDevice);
  for (int step = 0; step < 100; ++step) advance<<<(n + 127) / 128, 128>>>(p, v, a, e, n, 1e-3);
  cudaDeviceSynchronize();
}
