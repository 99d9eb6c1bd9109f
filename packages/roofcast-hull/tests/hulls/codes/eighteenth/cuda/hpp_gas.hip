// HPP lattice gas. Bits: 0 east, 1 north, 2 west, 3 south. Periodic box.
#include <hip/hip_runtime.h>
#include <stdlib.h>
#include <stdio.h>

#define LX 4096
#define LY 2048

__global__ void collide(unsigned char* cell)
{
    int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    unsigned char s = cell[i];
    // head-on pairs turn by a quarter
    unsigned char m = (s ^ (s >> 1)) & (s ^ (s >> 2) ^ 1) & ((s >> 1) ^ (s >> 3) ^ 1) & 1;
    cell[i] = m ? s ^ 15 : s;
}

__global__ void propagate(const unsigned char* from, unsigned char* to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int xm = (x - 1) & (LX - 1), xp = (x + 1) & (LX - 1);
    int ym = (y - 1) & (LY - 1), yp = (y + 1) & (LY - 1);
    to[y * LX + x] = (from[y * LX + xm] & 1) | (from[yp * LX + x] & 2) |
                     (from[y * LX + xp] & 4) | (from[ym * LX + x] & 8);
}

int main()
{
    unsigned char *a, *b;
    hipMallocManaged(&a, LX * LY);
    hipMallocManaged(&b, LX * LY);
    for (int i = 0; i < LX * LY; i++) a[i] = rand() & 15;
    for (int t = 0; t < 20; t++) {
        hipLaunchKernelGGL(collide, dim3(LX * LY / 256), dim3(256), 0, 0, a);
        hipLaunchKernelGGL(propagate, dim3(LX / 256, LY), dim3(256), 0, 0, a, b);
        unsigned char* s = a; a = b; b = s;
    }
    hipDeviceSynchronize();
    int n = 0;
    for (int i = 0; i < LX * LY; i++) n += __builtin_popcount(a[i]);
    printf("particles %d\n", n);
    return 0;
}
