/* A frame of a camera at a telescope: bias of each row from its overscan, flat field. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NY   1024
#define NX   1024
#define OVER 32
#define RAWX (NX + OVER)

typedef struct { int ny, nx; float *pix; } frame;

static void debias(const uint16_t *restrict raw, float *restrict out, float gain)
{
#pragma omp parallel for
    for (int y = 0; y < NY; y++) {
        const uint16_t *row = raw + (size_t)y * RAWX;
        float bias = 0.0f;
        for (int x = NX; x < RAWX; x++)
            bias += row[x];
        bias /= OVER;
        for (int x = 0; x < NX; x++)
            out[(size_t)y * NX + x] = (row[x] - bias) * gain;
    }
}

static void flatten(frame *img, const frame *flat)
{
    const float lowest = 0.2f;
    for (int i = 0; i < img->ny * img->nx; i++) {
        if (flat->pix[i] < lowest)
            img->pix[i] = 0.0f;
        else
            img->pix[i] /= flat->pix[i];
    }
}

int main(void)
{
    uint16_t *raw = malloc(sizeof(uint16_t) * NY * RAWX);
    frame img = {.ny = NY, .nx = NX, .pix = malloc(sizeof(float) * NY * NX)};
    frame flat = {.ny = NY, .nx = NX, .pix = malloc(sizeof(float) * NY * NX)};
    for (int i = 0; i < NY * RAWX; i++)
        raw[i] = (uint16_t)(1000 + i % 313);
    for (int i = 0; i < NY * NX; i++)
        flat.pix[i] = 0.15f + 0.001f * (float)(i % 1000);
    debias(raw, img.pix, 1.7f);
    flatten(&img, &flat);
    printf("%g\n", img.pix[5000]);
    free(raw); free(img.pix); free(flat.pix);
    return 0;
}
