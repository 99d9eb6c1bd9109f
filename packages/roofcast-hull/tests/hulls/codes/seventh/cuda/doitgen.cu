// doitgen: sum(r,q,p) = sum_s A(r,q,s) C4(s,p), written back to A afterwards (multiresolution analysis).
// 2 operations per (r,q,p,s), by hand.
#include <cstdio>
#include <cuda_runtime.h>

#define NR 64
#define NQ 80
#define NP 96
#define DATA_TYPE double

#define DIM_THREAD_BLOCK_X 32
#define DIM_THREAD_BLOCK_Y 8

__global__ void doitgen_kernel1(DATA_TYPE *sum, DATA_TYPE *A, DATA_TYPE *C4)
{
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	int q = blockIdx.y * blockDim.y + threadIdx.y;
	int r = blockIdx.z;

	if ((p < NP) && (q < NQ))
	{
		DATA_TYPE acc = 0;
		for (int s = 0; s < NP; s++)
		{
			acc += A[r * (NQ * NP) + q * NP + s] * C4[s * NP + p];
		}
		sum[r * (NQ * NP) + q * NP + p] = acc;
	}
}

__global__ void doitgen_kernel2(DATA_TYPE *sum, DATA_TYPE *A)
{
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	int q = blockIdx.y * blockDim.y + threadIdx.y;
	int r = blockIdx.z;

	if ((p < NP) && (q < NQ))
	{
		A[r * (NQ * NP) + q * NP + p] = sum[r * (NQ * NP) + q * NP + p];
	}
}

int main()
{
	static DATA_TYPE A[NR][NQ][NP], C4[NP][NP];
	for (int i = 0; i < NR; i++)
		for (int j = 0; j < NQ; j++)
			for (int k = 0; k < NP; k++)
				A[i][j][k] = ((DATA_TYPE) i * j + k) / NP;
	for (int i = 0; i < NP; i++)
		for (int j = 0; j < NP; j++)
			C4[i][j] = ((DATA_TYPE) i * j) / NP;

	DATA_TYPE *A_gpu, *C4_gpu, *sum_gpu;
	cudaMalloc((void **) &A_gpu, sizeof(A));
	cudaMalloc((void **) &C4_gpu, sizeof(C4));
	cudaMalloc((void **) &sum_gpu, sizeof(A));
	cudaMemcpy(A_gpu, A, sizeof(A), cudaMemcpyHostToDevice);
	cudaMemcpy(C4_gpu, C4, sizeof(C4), cudaMemcpyHostToDevice);

	dim3 block(DIM_THREAD_BLOCK_X, DIM_THREAD_BLOCK_Y);
	dim3 grid(NP / DIM_THREAD_BLOCK_X, NQ / DIM_THREAD_BLOCK_Y, NR);
	doitgen_kernel1<<<grid, block>>>(sum_gpu, A_gpu, C4_gpu);
	doitgen_kernel2<<<grid, block>>>(sum_gpu, A_gpu);
	cudaDeviceSynchronize();

	cudaMemcpy(A, A_gpu, sizeof(A), cudaMemcpyDeviceToHost);
	printf("%0.2lf\n", A[1][1][1]);
	cudaFree(A_gpu);
	cudaFree(C4_gpu);
	cudaFree(sum_gpu);
	return 0;
}
