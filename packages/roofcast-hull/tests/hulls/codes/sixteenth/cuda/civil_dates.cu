// Columns of a warehouse: days since 1970 split into year, month and day; then turnover by month.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

static constexpr int N = 8 * 1024 * 1024;
static constexpr int FIRST_YEAR = 1992, YEARS = 8;

__global__ void split_dates(const int *__restrict__ days, int16_t *__restrict__ year, uint8_t *__restrict__ month, uint8_t *__restrict__ day)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    const int z = days[i] + 719468;
    const int era = z / 146097;
    const int doe = z - era * 146097;
    const int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const int doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    const int mp = (5 * doy + 2) / 153;
    const int m = mp < 10 ? mp + 3 : mp - 9;
    day[i] = (uint8_t)(doy - (153 * mp + 2) / 5 + 1);
    month[i] = (uint8_t)m;
    year[i] = (int16_t)(yoe + era * 400 + (m <= 2));
}

__global__ void monthly_turnover(const int16_t *__restrict__ year, const uint8_t *__restrict__ month, const float *__restrict__ amount,
                                 float *__restrict__ turnover)
{
    __shared__ float acc[YEARS * 12];
    if (threadIdx.x < YEARS * 12) acc[threadIdx.x] = 0.f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x)
        atomicAdd(&acc[(year[i] - FIRST_YEAR) * 12 + month[i] - 1], amount[i]);
    __syncthreads();
    if (threadIdx.x < YEARS * 12) atomicAdd(&turnover[threadIdx.x], acc[threadIdx.x]);
}

int main()
{
    int *days; int16_t *y; uint8_t *m, *d; float *amount, *turnover;
    cudaMallocManaged(&days, N * sizeof(int));
    cudaMallocManaged(&y, N * sizeof(int16_t));
    cudaMallocManaged(&m, N);
    cudaMallocManaged(&d, N);
    cudaMallocManaged(&amount, N * sizeof(float));
    cudaMallocManaged(&turnover, YEARS * 12 * sizeof(float));
    for (int i = 0; i < N; i++) { days[i] = 8036 + (int)((i * 2654435761u) % 2900u); amount[i] = 1.0f + i % 100; }
    cudaMemset(turnover, 0, YEARS * 12 * sizeof(float));
    split_dates<<<N / 512, 512>>>(days, y, m, d);
    monthly_turnover<<<256, 256>>>(y, m, amount, turnover);
    cudaDeviceSynchronize();
    printf("%d-%d-%d %g\n", y[5], m[5], d[5], turnover[3]);
}
