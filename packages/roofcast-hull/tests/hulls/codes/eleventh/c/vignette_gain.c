/* Lens vignetting: radial gain map, then applied to an interleaved 16-bit frame. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <math.h>

#define WIDTH  640
#define HEIGHT 480

static float gain[WIDTH * HEIGHT];
static uint16_t frame[WIDTH * HEIGHT * 3];
static uint16_t fixed[WIDTH * HEIGHT * 3];

static void build_gain(float *g, int w, int h, float k1, float k2)
{
    const float cx = 0.5f * (float)w, cy = 0.5f * (float)h;
    const float inv = 1.0f / sqrtf(cx * cx + cy * cy);

    for (int y = 0; y < h; y++) {
        float dy = ((float)y - cy) * inv;
        for (int x = 0; x < w; x++) {
            float dx = ((float)x - cx) * inv;
            float r2 = dx * dx + dy * dy;
            g[y * w + x] = 1.0f + r2 * (k1 + r2 * k2);
        }
    }
}

static void apply_gain(const uint16_t *src, const float *g, uint16_t *dst, int n)
{
    for (int i = 0; i < n; i++) {
        const float k = g[i];
        for (int c = 0; c < 3; c++) {
            float v = (float)src[3 * i + c] * k + 0.5f;
            if (v > 65535.0f)
                v = 65535.0f;
            dst[3 * i + c] = (uint16_t)v;
        }
    }
}

int main(void)
{
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        frame[i] = (uint16_t)(rand() & 0xffff);
    build_gain(gain, WIDTH, HEIGHT, 0.31f, 0.12f);
    apply_gain(frame, gain, fixed, WIDTH * HEIGHT);
    printf("%u %u\n", fixed[0], fixed[WIDTH * 3 + 7]);
    return 0;
}
