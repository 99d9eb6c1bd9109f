/* Ultrasound back end: log-compressed envelope of the beams, then the sector is laid out on the screen. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BEAMS 128
#define DEPTH 1024
#define OUT_H 512
#define OUT_W 512

struct iq { float i, q; };

static struct iq echo[BEAMS][DEPTH];
static uint8_t env[BEAMS][DEPTH];
static uint8_t screen[OUT_H][OUT_W];

static inline float clampf(float v, float lo, float hi)
{
    return fminf(fmaxf(v, lo), hi);
}

void compress(float range_db)
{
    for (int b = 0; b < BEAMS; b++)
        for (int d = 0; d < DEPTH; d++) {
            const struct iq s = echo[b][d];
            float power = s.i * s.i + s.q * s.q + 1e-12f;
            float db = 10.0f * log10f(power);
            env[b][d] = (uint8_t)(255.0f * clampf(db / range_db + 1.0f, 0.0f, 1.0f));
        }
}

void scan_convert(float half_angle)
{
    #pragma omp parallel for
    for (int y = 0; y < OUT_H; y++)
        for (int x = 0; x < OUT_W; x++) {
            float px = (x - OUT_W / 2) / (float)OUT_H, py = y / (float)OUT_H;
            float r = sqrtf(px * px + py * py) * (DEPTH - 1);
            float a = (atan2f(px, py) / half_angle + 1.0f) * 0.5f * (BEAMS - 1);
            if (a < 0.0f || a >= BEAMS - 1 || r >= DEPTH - 1) {
                screen[y][x] = 0;
                continue;
            }
            int b = (int)a, d = (int)r;
            float fb = a - b, fd = r - d;
            float near = env[b][d] + fb * (env[b + 1][d] - env[b][d]);
            float far = env[b][d + 1] + fb * (env[b + 1][d + 1] - env[b][d + 1]);
            screen[y][x] = (uint8_t)(near + fd * (far - near));
        }
}

int main(void)
{
    for (int b = 0; b < BEAMS; b++)
        for (int d = 0; d < DEPTH; d++) {
            echo[b][d].i = cosf(0.3f * d) * expf(-0.003f * d);
            echo[b][d].q = sinf(0.3f * d + b) * expf(-0.003f * d);
        }
    compress(60.0f);
    scan_convert(0.6f);
    printf("%d\n", screen[200][256]);
    return 0;
}
