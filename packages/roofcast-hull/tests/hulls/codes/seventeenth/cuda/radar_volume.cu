// Rain rates of the lowest sweep and column products of a radar volume. Codes: dBZ = code / 2 - 32, none is 0.
#include <cstdio>
#include <cstdlib>
typedef unsigned char code_t;

#define SWEEPS 9
#define RAYS 360
#define GATES 1000

struct MarshallPalmer { float a, invb, hailcap; };

__global__ void rain_rate(const code_t *codes, float *rate, MarshallPalmer zr)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int ray = blockIdx.y;
    if (g >= GATES) return;
    int at = ray * GATES + g;
    code_t c = codes[at];
    float r = 0.0f;
    if (c > 0) {
        float dbz = fminf(0.5f * c - 32.0f, zr.hailcap);
        float z = powf(10.0f, 0.1f * dbz);
        r = powf(z / zr.a, zr.invb);
    }
    rate[at] = r;
}

__global__ void column_products(const code_t *volume, code_t *highest, code_t *top, int cells, code_t threshold)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    const code_t *v = volume + i;
    code_t best = 0, lid = 0;
    int s = 0;
    while (s < SWEEPS) {
        code_t c = *v;
        best = max(best, c);
        lid = c >= threshold ? (code_t)s : lid;
        v += cells;
        ++s;
    }
    highest[i] = best;
    top[i] = lid;
}

int main(void)
{
    const int cells = RAYS * GATES;
    code_t *h = (code_t *)malloc(SWEEPS * cells);
    for (int i = 0; i < SWEEPS * cells; i++) h[i] = (code_t)((i * 31 + i / 977) % 190);
    code_t *vol, *hi, *top; float *rate;
    cudaMalloc(&vol, SWEEPS * cells);
    cudaMalloc(&hi, cells);
    cudaMalloc(&top, cells);
    cudaMalloc(&rate, cells * sizeof(float));
    cudaMemcpy(vol, h, SWEEPS * cells, cudaMemcpyHostToDevice);
    MarshallPalmer zr = {200.0f, 0.625f, 53.0f};
    rain_rate<<<dim3((GATES + 127) / 128, RAYS), 128>>>(vol, rate, zr);
    column_products<<<(cells + 255) / 256, 256>>>(vol, hi, top, cells, 100);
    float one;
    cudaMemcpy(&one, rate + 1234, sizeof one, cudaMemcpyDeviceToHost);
    printf("%f\n", one);
    free(h);
    return 0;
}
