// GPS fixes to slippy-map tiles, and traffic counts on a coarse map.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define FIXES (1 << 23)
#define ZOOM 16
#define MAPW 256

__global__ void to_pixels(const double2 *lonlat, int2 *tile)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double2 p = lonlat[i];
    double s = sin(p.y * 0.017453292519943295);
    double mx = (p.x + 180.0) / 360.0;
    double my = 0.5 - 0.25 * log((1.0 + s) / (1.0 - s)) / 3.14159265358979324;
    tile[i] = make_int2((int)(mx * (1 << ZOOM)), (int)(my * (1 << ZOOM)));
}

__global__ void traffic(const int2 *tile, unsigned *map, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cx = tile[i].x >> 8;
    int cy = tile[i].y >> 8;
    atomicAdd(map + cy * MAPW + cx, 1u);
}

int main()
{
    double2 *ll; int2 *tile; unsigned *map;
    cudaMallocManaged(&ll, FIXES * sizeof(double2));
    cudaMallocManaged(&tile, FIXES * sizeof(int2));
    cudaMallocManaged(&map, MAPW * MAPW * sizeof(unsigned));
    for (int i = 0; i < FIXES; i++) {
        ll[i].x = 360.0 * (rand() / (RAND_MAX + 1.0)) - 180.0;
        ll[i].y = 160.0 * (rand() / (RAND_MAX + 1.0)) - 80.0;
    }
    cudaMemset(map, 0, MAPW * MAPW * sizeof(unsigned));
    to_pixels<<<FIXES / 256, 256>>>(ll, tile);
    traffic<<<FIXES / 256, 256>>>(tile, map, FIXES);
    cudaDeviceSynchronize();
    printf("%u\n", map[100 * MAPW + 30]);
    return 0;
}
