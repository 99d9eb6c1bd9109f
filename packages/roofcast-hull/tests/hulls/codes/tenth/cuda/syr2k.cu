/*
 * C = beta*C + alpha*(A*B^T + B*A^T), the whole square, one element a thread.
 * By hand: 4 operations a step of k, 3 at the end. A and B are read by rows i and j.
 * Verified: counted twice by reading; compiled with nvcc, not run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define N 1024
#define M 1024
#define DIM_THREAD_BLOCK_X 32
#define DIM_THREAD_BLOCK_Y 8

typedef float DATA_TYPE;

__global__ void syr2k_kernel(DATA_TYPE alpha, DATA_TYPE beta, const DATA_TYPE *a, const DATA_TYPE *b, DATA_TYPE *c)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;

	if ((i < N) && (j < N))
	{
		DATA_TYPE acc = 0;
		int k;
		for (k = 0; k < M; k++)
		{
			acc += a[i * M + k] * b[j * M + k] + b[i * M + k] * a[j * M + k];
		}
		c[i * N + j] = beta * c[i * N + j] + alpha * acc;
	}
}

static void init_arrays(DATA_TYPE *A, DATA_TYPE *B, DATA_TYPE *C)
{
	int i, j;
	for (i = 0; i < N; i++)
	{
		for (j = 0; j < N; j++)
		{
			C[i * N + j] = ((DATA_TYPE)i * j + 2) / N;
		}
		for (j = 0; j < M; j++)
		{
			A[i * M + j] = ((DATA_TYPE)i * j) / N;
			B[i * M + j] = ((DATA_TYPE)i * j + 1) / N;
		}
	}
}

int main(int argc, char *argv[])
{
	DATA_TYPE *A = (DATA_TYPE *)malloc(N * M * sizeof(DATA_TYPE));
	DATA_TYPE *B = (DATA_TYPE *)malloc(N * M * sizeof(DATA_TYPE));
	DATA_TYPE *C = (DATA_TYPE *)malloc(N * N * sizeof(DATA_TYPE));
	DATA_TYPE *A_gpu, *B_gpu, *C_gpu;

	init_arrays(A, B, C);
	cudaMalloc((void **)&A_gpu, sizeof(DATA_TYPE) * N * M);
	cudaMalloc((void **)&B_gpu, sizeof(DATA_TYPE) * N * M);
	cudaMalloc((void **)&C_gpu, sizeof(DATA_TYPE) * N * N);
	cudaMemcpy(A_gpu, A, sizeof(DATA_TYPE) * N * M, cudaMemcpyHostToDevice);
	cudaMemcpy(B_gpu, B, sizeof(DATA_TYPE) * N * M, cudaMemcpyHostToDevice);
	cudaMemcpy(C_gpu, C, sizeof(DATA_TYPE) * N * N, cudaMemcpyHostToDevice);

	dim3 block(DIM_THREAD_BLOCK_X, DIM_THREAD_BLOCK_Y);
	dim3 grid((N + block.x - 1) / block.x, (N + block.y - 1) / block.y);
	syr2k_kernel<<<grid, block>>>(1.5f, 1.2f, A_gpu, B_gpu, C_gpu);
	cudaError_t error = cudaDeviceSynchronize();
	if (error != cudaSuccess)
	{
		fprintf(stderr, "syr2k: %s\n", cudaGetErrorString(error));
		return 1;
	}
	cudaMemcpy(C, C_gpu, sizeof(DATA_TYPE) * N * N, cudaMemcpyDeviceToHost);
	printf("C[N-1][N-1] = %g\n", C[N * N - 1]);

	cudaFree(A_gpu);
	cudaFree(B_gpu);
	cudaFree(C_gpu);
	free(A);
	free(B);
	free(C);
	return 0;
}
