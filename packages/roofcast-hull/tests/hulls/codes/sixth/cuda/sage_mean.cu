// GraphSAGE neighbourhood mean: 10 sampled neighbours a node, 96 features.
// One block a node, one thread a feature, so reads of a neighbour's row coalesce.
// Operations: 10 additions and one multiplication for each result.
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>
#include <random>
#include <vector>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
   if (code != cudaSuccess)
   {
      fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
      exit(code);
   }
}

constexpr int NODES = 20000;
constexpr int FEATURES = 96;
constexpr int FANOUT = 10;

__global__ void sage_mean(const float *feat, const int *neighbour, float *agg)
{
   const int v = blockIdx.x;
   const int f = threadIdx.x;
   float sum = 0.0f;
   for (int k = 0; k < FANOUT; k++)
   {
      const int u = neighbour[v * FANOUT + k];
      sum += feat[u * FEATURES + f];
   }
   agg[v * FEATURES + f] = sum * (1.0f / FANOUT);
}

int main()
{
   std::mt19937 gen(3);
   std::uniform_int_distribution<int> pick(0, NODES - 1);
   std::vector<float> feat((size_t)NODES * FEATURES, 1.0f);
   std::vector<int> nbr((size_t)NODES * FANOUT);
   for (auto &u : nbr) u = pick(gen);

   float *d_feat, *d_agg;
   int *d_nbr;
   gpuErrchk(cudaMalloc((void **)&d_feat, feat.size() * sizeof(float)));
   gpuErrchk(cudaMalloc((void **)&d_agg, feat.size() * sizeof(float)));
   gpuErrchk(cudaMalloc((void **)&d_nbr, nbr.size() * sizeof(int)));
   gpuErrchk(cudaMemcpy(d_feat, feat.data(), feat.size() * sizeof(float), cudaMemcpyHostToDevice));
   gpuErrchk(cudaMemcpy(d_nbr, nbr.data(), nbr.size() * sizeof(int), cudaMemcpyHostToDevice));

   for (int warm = 0; warm < 3; warm++)
      sage_mean<<<NODES, FEATURES>>>(d_feat, d_nbr, d_agg);
   gpuErrchk(cudaDeviceSynchronize());

   auto t0 = std::chrono::steady_clock::now();
   for (int r = 0; r < 50; r++)
      sage_mean<<<NODES, FEATURES>>>(d_feat, d_nbr, d_agg);
   gpuErrchk(cudaDeviceSynchronize());
   auto t1 = std::chrono::steady_clock::now();

   gpuErrchk(cudaMemcpy(feat.data(), d_agg, feat.size() * sizeof(float), cudaMemcpyDeviceToHost));
   printf("agg[0]=%f  %.2f us\n", feat[0], std::chrono::duration<double, std::micro>(t1 - t0).count() / 50);
   return 0;
}
