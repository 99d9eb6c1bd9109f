// PLINK-like 2 bit genotypes of a dairy herd, marker-major.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANIMALS = 4096, MARKERS = 2000, BYTES = ANIMALS / 4 };

static uint8_t bed[MARKERS][BYTES];
static int8_t dosage[MARKERS][ANIMALS];
static float freq[MARKERS];
static float ebv[ANIMALS];
static float effect[MARKERS];

static void unpack(void)
{
    for (int m = 0; m < MARKERS; ++m)
        for (int q = 0; q < BYTES; ++q) {
            uint8_t v = bed[m][q];
            for (int k = 0; k < 4; ++k) {
                dosage[m][4 * q + k] = (int8_t)(v & 3);
                v >>= 2;
            }
        }
}

static void frequencies(void)
{
    for (int m = 0; m < MARKERS; ++m) {
        int s = 0;
        for (int a = 0; a < ANIMALS; ++a)
            s += dosage[m][a];
        freq[m] = s / (2.0f * ANIMALS);
    }
}

static void breeding_values(void)
{
    for (int a = 0; a < ANIMALS; ++a) {
        float acc = 0;
        for (int m = 0; m < MARKERS; ++m)
            acc += (dosage[m][a] - 2 * freq[m]) * effect[m];
        ebv[a] = acc;
    }
}

int main(void)
{
    for (int m = 0; m < MARKERS; m++) {
        effect[m] = (m % 17 - 8) * 1e-3f;
        for (int q = 0; q < BYTES; q++) bed[m][q] = (uint8_t)(rand() & 0xAA);
    }
    unpack();
    frequencies();
    breeding_values();
    printf("%f %f\n", freq[3], ebv[12]);
    return 0;
}
