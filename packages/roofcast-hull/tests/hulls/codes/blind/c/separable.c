#define W 1024
#define H 1024
#define R 3

static float tmp[H * W];

void separable(const float *restrict src, float *restrict dst, const float taps[2 * R + 1])
{
#pragma omp parallel for
    for (int y = 0; y < H; y++)
        for (int x = R; x < W - R; x++) {
            float s = 0;
            for (int k = -R; k <= R; k++)
                s += taps[k + R] * src[y * W + x + k];
            tmp[y * W + x] = s;
        }
#pragma omp parallel for
    for (int y = R; y < H - R; y++)
        for (int x = R; x < W - R; x++) {
            float s = 0;
            for (int k = -R; k <= R; k++)
                s += taps[k + R] * tmp[(y + k) * W + x];
            dst[y * W + x] = s;
        }
}
