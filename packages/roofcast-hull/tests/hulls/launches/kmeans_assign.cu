#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void assign(const float *feature, const float *clusters, int *membership, int npoints, int nclusters, int nfeatures) {
  unsigned int point_id = threadIdx.x + blockDim.x * blockIdx.x;
  int index = 0;
  if (point_id < npoints) {
    float min_dist = 3.40282347e+38;
    for (int i = 0; i < nclusters; i++) {
      float dist = 0; float ans = 0;
      for (int l = 0; l < nfeatures; l++) ans += (feature[l * npoints + point_id] - clusters[i * nfeatures + l]) * (feature[l * npoints + point_id] - clusters[i * nfeatures + l]);
      dist = ans;
      if (dist < min_dist) { min_dist = dist; index = i; }
    }
    membership[point_id] = index;
  }
}
int main() {
  int npoints = 1000000, nclusters = 5, nfeatures = 34; float *f, *cl; int *m;
  cudaMalloc((void **)&f, npoints * nfeatures * sizeof(float)); cudaMalloc((void **)&cl, nclusters * nfeatures * sizeof(float)); cudaMalloc((void **)&m, npoints * sizeof(int));
  assign<<<(npoints + 255) / 256, 256>>>(f, cl, m, npoints, nclusters, nfeatures);
}