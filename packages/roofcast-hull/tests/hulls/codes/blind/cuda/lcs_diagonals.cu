#include <cuda_runtime.h>
#include <algorithm>
using namespace std;

const int L = 4096;
const int PITCH = L + 1;

__global__ void diagonal(const char *a, const char *b, int *table, int diag, int first, int count)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count) return;
    int i = first + t;
    int j = diag - i;
    int up = table[(i - 1) * PITCH + j];
    int left = table[i * PITCH + j - 1];
    int corner = table[(i - 1) * PITCH + j - 1];
    table[i * PITCH + j] = a[i - 1] == b[j - 1] ? corner + 1 : max(up, left);
}

int main()
{
    char *a, *b;
    int *table;
    cudaMalloc(&a, L);
    cudaMalloc(&b, L);
    cudaMalloc(&table, sizeof(int) * PITCH * PITCH);
    cudaMemset(table, 0, sizeof(int) * PITCH * PITCH);
    for (int diag = 2; diag <= 2 * L; ++diag) {
        int first = max(1, diag - L), last = min(L, diag - 1), count = last - first + 1;
        diagonal<<<(count + 127) / 128, 128>>>(a, b, table, diag, first, count);
    }
    cudaDeviceSynchronize();
    return 0;
}
