/* A population of simple spiking neurons and the input that it sends on. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NCELL 30000
#define NPRE  512
#define NPOST 2048

struct regime { float a, b, c, d; };

static float v[NCELL], u[NCELL], drive[NCELL];
static uint8_t fired[NCELL];

static void advance(struct regime k, float *restrict v, float *restrict u, const float *restrict in,
                    uint8_t *restrict spike, int n)
{
    for (int i = 0; i < n; i++) {
        float vi = v[i], ui = u[i];
        vi += 0.5f * (0.04f * vi * vi + 5.0f * vi + 140.0f - ui + in[i]);
        vi += 0.5f * (0.04f * vi * vi + 5.0f * vi + 140.0f - ui + in[i]);
        ui += k.a * (k.b * vi - ui);
        const int s = vi >= 30.0f;
        v[i] = s ? k.c : vi;
        u[i] = s ? ui + k.d : ui;
        spike[i] = (uint8_t)s;
    }
}

static void propagate(const float w[NPRE][NPOST], const uint8_t *spike, float *current)
{
    for (int j = 0; j < NPOST; j++)
        current[j] = 0.0f;
    for (int i = 0; i < NPRE; i++) {
        const float on = (float)spike[i];
        for (int j = 0; j < NPOST; j++)
            current[j] += on * w[i][j];
    }
}

int main(void)
{
    static float w[NPRE][NPOST], post[NPOST];
    const struct regime regular = {.a = 0.02f, .b = 0.2f, .c = -65.0f, .d = 8.0f};
    for (int i = 0; i < NCELL; i++) {
        v[i] = -65.0f + (float)(i % 90);
        u[i] = -13.0f;
        drive[i] = (float)(i % 11);
    }
    for (int i = 0; i < NPRE; i++)
        for (int j = 0; j < NPOST; j++)
            w[i][j] = 0.001f * (float)((i * 13 + j) % 17);
    advance(regular, v, u, drive, fired, NCELL);
    propagate((const float (*)[NPOST])w, fired, post);
    printf("%g %g %d %g\n", v[80], u[80], fired[95], post[7]);
    return 0;
}
