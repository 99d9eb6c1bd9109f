/* One pass of a least-significant-digit sort of record keys, and a small in-place sort for the tails. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NKEYS (1 << 18)
#define NBINS 256

static uint32_t keys[NKEYS], sorted[NKEYS];
static uint32_t hist[NBINS], start[NBINS];

static void digit_counts(const uint32_t *k, uint32_t *h, int shift)
{
    memset(h, 0, NBINS * sizeof(uint32_t));
    for (int i = 0; i < NKEYS; i++)
        h[(k[i] >> shift) & (NBINS - 1)]++;
}

static void bin_starts(const uint32_t *h, uint32_t *s)
{
    uint32_t sum = 0;
    for (int b = 0; b < NBINS; b++) {
        s[b] = sum;
        sum += h[b];
    }
}

static void shell_tail(uint32_t *a, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            uint32_t v = a[i];
            int j = i;
            while (j >= gap && a[j - gap] > v) {
                a[j] = a[j - gap];
                j -= gap;
            }
            a[j] = v;
        }
}

int main(void)
{
    for (int i = 0; i < NKEYS; i++)
        keys[i] = (uint32_t)rand() * 2654435761u;
    digit_counts(keys, hist, 24);
    bin_starts(hist, start);
    for (int i = 0; i < NKEYS; i++)
        sorted[start[keys[i] >> 24]++] = keys[i];
    shell_tail(sorted, 4096);
    for (int i = 1; i < 700; i++)
        if (sorted[i - 1] > sorted[i])
            return puts("unsorted"), 1;
    puts("ok");
    return 0;
}
