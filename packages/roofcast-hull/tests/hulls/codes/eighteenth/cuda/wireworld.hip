#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

enum : signed char { EMPTY = 0, HEAD = 1, TAIL = 2, WIRE = 3 };
const int N = 3072;

// the rim of the board is always empty and never written
__global__ void generation(const signed char* now, signed char* next)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int r = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (c >= N - 1 || r >= N - 1) return;
    int heads = 0;
    for (int dr = -1; dr <= 1; dr++)
        for (int dc = -1; dc <= 1; dc++)
            if (dr != 0 || dc != 0)
                heads += now[(r + dr) * N + c + dc] == HEAD;
    signed char s = now[r * N + c], t = s;
    if (s == HEAD) t = TAIL;
    else if (s == TAIL) t = WIRE;
    else if (s == WIRE && (heads == 1 || heads == 2)) t = HEAD;
    next[r * N + c] = t;
}

int main()
{
    signed char *a, *b;
    hipMallocManaged(&a, N * N);
    hipMallocManaged(&b, N * N);
    for (int i = 0; i < N * N; i++) { int v = rand() % 10; a[i] = v < 4 ? WIRE : v == 4 ? HEAD : v == 5 ? TAIL : EMPTY; b[i] = 0; }
    dim3 blk(64, 4), grd((N - 2 + 63) / 64, (N - 2 + 3) / 4);
    for (int g = 0; g < 10; g++) {
        if (g & 1) generation<<<grd, blk>>>(b, a);
        else generation<<<grd, blk>>>(a, b);
    }
    hipDeviceSynchronize();
    printf("%d\n", a[N + 5]);
    return 0;
}
