/* Filters on images, as programs write them: clamped borders, row pointers, several outputs. */
#include <math.h>
#define H 768
#define W 1024

static int clamp(int v, int low, int high) {
    if (v < low) return low;
    if (v > high) return high;
    return v;
}

static inline float *row_of(float *image, int y) { return image + y * W; }

void blur_clamped(const float *in, float *out) {
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float sum = 0.0f;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += in[clamp(y + dy, 0, H - 1) * W + clamp(x + dx, 0, W - 1)];
            out[y * W + x] = sum / 9.0f;
        }
}

void gain_rows(const float *in, float *out, float gain) {
    for (int y = 0; y < H; y++) {
        const float *from = in + y * W;
        float *to = out + y * W;
        for (int x = 0; x < W; x++)
            to[x] = gain * from[x];
    }
}

void sobel(const float *in, float *gx, float *gy) {
    for (int y = 1; y < H - 1; y++) {
        const float *up = &in[(y - 1) * W], *mid = &in[y * W], *down = &in[(y + 1) * W];
        for (int x = 1; x < W - 1; x++) {
            gx[y * W + x] = up[x + 1] - up[x - 1] + 2 * (mid[x + 1] - mid[x - 1]) + down[x + 1] - down[x - 1];
            gy[y * W + x] = down[x - 1] - up[x - 1] + 2 * (down[x] - up[x]) + down[x + 1] - up[x + 1];
        }
    }
}

void brighten_helper(float *image, float by) {
    for (int y = 0; y < H; y++) {
        float *p = row_of(image, y);
        for (int x = 0; x < W; x++)
            p[x] += by;
    }
}

void to_ycbcr(const float *r, const float *g, const float *b, float *luma, float *cb, float *cr) {
    for (int i = 0; i < H * W; i++) {
        luma[i] = 0.299f * r[i] + 0.587f * g[i] + 0.114f * b[i];
        cb[i] = 0.5f * b[i] - 0.169f * r[i] - 0.331f * g[i];
        cr[i] = 0.5f * r[i] - 0.419f * g[i] - 0.081f * b[i];
    }
}

void halve(const float in[H][W], float out[H / 2][W / 2]) {
    for (int y = 0; y < H / 2; y++)
        for (int x = 0; x < W / 2; x++)
            out[y][x] = 0.25f * (in[2 * y][2 * x] + in[2 * y][2 * x + 1] + in[2 * y + 1][2 * x] + in[2 * y + 1][2 * x + 1]);
}

void double_nearest(const float in[H][W], float out[2 * H][2 * W]) {
    for (int y = 0; y < 2 * H; y++)
        for (int x = 0; x < 2 * W; x++)
            out[y][x] = in[y / 2][x / 2];
}

/* Columns are summed: one value for each x. */
void column_sums(const float in[H][W], float sums[W]) {
    for (int x = 0; x < W; x++) {
        sums[x] = 0;
        for (int y = 0; y < H; y++)
            sums[x] += in[y][x];
    }
}

void flip(const float in[H][W], float out[H][W]) {
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            out[y][x] = in[H - 1 - y][W - 1 - x];
}

/* A table decides: a gather. */
void look_up(const unsigned char *in, const float table[256], float *out) {
    for (int i = 0; i < H * W; i++)
        out[i] = table[in[i]];
}

/* The loop ends where the data says. */
void mandelbrot(int *iterations) {
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            float cr = x * 0.003f - 2.0f, ci = y * 0.003f - 1.2f, zr = 0, zi = 0;
            int n = 0;
            while (zr * zr + zi * zi < 4.0f && n < 256) {
                float t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
                n++;
            }
            iterations[y * W + x] = n;
        }
}
