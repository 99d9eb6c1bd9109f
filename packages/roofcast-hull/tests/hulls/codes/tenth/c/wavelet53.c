/* Reversible 5/3 wavelet of an image by lifting (rows), low and high half written apart.
 * Integer work, counted by hand. */
#include <stdio.h>
#include <stdlib.h>

#define W 1024
#define H 512

/* predict: odd samples minus the mean of their even neighbours (mirrored at the right end) */
void predict_rows(const int *restrict img, int *restrict high)
{
#pragma omp parallel for
    for (int y = 0; y < H; y++) {
        const int *row = img + y * W;
        for (int i = 0; i < W / 2; i++) {
            int right = 2 * i + 2 < W ? row[2 * i + 2] : row[W - 2];
            high[y * (W / 2) + i] = row[2 * i + 1] - ((row[2 * i] + right) >> 1);
        }
    }
}

/* update: even samples plus a quarter of the neighbouring details */
void update_rows(const int *restrict img, const int *restrict high, int *restrict low)
{
#pragma omp parallel for
    for (int y = 0; y < H; y++) {
        const int *row = img + y * W;
        const int *d = high + y * (W / 2);
        for (int i = 0; i < W / 2; i++) {
            int left = i > 0 ? d[i - 1] : d[0];
            low[y * (W / 2) + i] = row[2 * i] + ((left + d[i] + 2) >> 2);
        }
    }
}

/* dead-zone quantiser of the details, in place */
void deadzone(int *d, int n, int q)
{
    for (int i = 0; i < n; i++) {
        int v = d[i];
        int m = abs(v) / q;
        d[i] = v < 0 ? -m : m;
    }
}

int main(int argc, char **argv)
{
    int q = argc > 1 ? atoi(argv[1]) : 4;
    int *img = malloc(sizeof(int) * W * H), *lo = malloc(sizeof(int) * W * H / 2), *hi = malloc(sizeof(int) * W * H / 2);
    if (!img || !lo || !hi)
        return 1;
    for (int i = 0; i < W * H; i++)
        img[i] = (i * 37 + (i / W) * 11) % 256;
    predict_rows(img, hi);
    update_rows(img, hi, lo);
    deadzone(hi, W * H / 2, q);
    printf("%d %d\n", lo[12345], hi[777]);
    free(img); free(lo); free(hi);
    return 0;
}
