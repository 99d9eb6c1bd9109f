// Reference evapotranspiration of a season: Hargreaves-Samani by day and cell, then the water balance of each cell.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <hip/hip_runtime.h>

#define DAYS 153
#define LAT  256
#define LON  512
#define CELLS (LAT * LON)

__global__ void et0(const float *tmin, const float *tmax, const float *ra, float *et)
{
    int lon = threadIdx.x;
    int lat = blockIdx.x;
    int day = blockIdx.y;
    int k = (day * LAT + lat) * LON + lon;
    float mean = 0.5f * (tmax[k] + tmin[k]);
    float e = 0.0023f * 0.408f * ra[day * LAT + lat] * (mean + 17.8f) * sqrtf(fmaxf(tmax[k] - tmin[k], 0.f));
    et[k] = e;
}

__global__ void deficit(const float *et, const float *rain, float *worst)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= CELLS) return;
    float store = 0.f, low = 0.f;
    const float *e = et + c, *r = rain + c;
    for (int d = 0; d < DAYS; d++, e += CELLS, r += CELLS) {
        store = fminf(store + *r - *e, 0.f);
        low = fminf(low, store);
    }
    worst[c] = low;
}

int main()
{
    size_t n = (size_t)DAYS * CELLS;
    float *lo, *hi, *ra, *et, *rain, *w;
    hipMallocManaged(&lo, n * sizeof(float));
    hipMallocManaged(&hi, n * sizeof(float));
    hipMallocManaged(&et, n * sizeof(float));
    hipMallocManaged(&rain, n * sizeof(float));
    hipMallocManaged(&ra, DAYS * LAT * sizeof(float));
    hipMallocManaged(&w, CELLS * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        lo[i] = 8.f + (i * 7 % 13);
        hi[i] = lo[i] + 6.f + (i % 9);
        rain[i] = i % 6 == 0 ? 12.f : 0.f;
    }
    for (int i = 0; i < DAYS * LAT; i++) ra[i] = 35.f + 5.f * sinf(i * 0.001f);
    et0<<<dim3(LAT, DAYS), LON>>>(lo, hi, ra, et);
    deficit<<<CELLS / 256, 256>>>(et, rain, w);
    hipDeviceSynchronize();
    printf("%f %f\n", et[1000], w[1000]);
    return 0;
}
