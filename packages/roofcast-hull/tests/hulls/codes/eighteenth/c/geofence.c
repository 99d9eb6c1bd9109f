/* Which vehicle fixes are inside of the depot's fence, and how large is the fence? */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define FIXES 60000
#define CORNERS 48

typedef struct { float e, n; } fix_t;

static fix_t fence[CORNERS];
static fix_t fixes[FIXES];
static bool inside[FIXES];

void test_fixes(void)
{
#pragma omp parallel for
    for (int f = 0; f < FIXES; f++) {
        const float px = fixes[f].e, py = fixes[f].n;
        bool odd = false;
        for (int i = 0, j = CORNERS - 1; i < CORNERS; j = i++) {
            if ((fence[i].n > py) == (fence[j].n > py))
                continue;
            float cut = (fence[j].e - fence[i].e) * (py - fence[i].n) / (fence[j].n - fence[i].n) + fence[i].e;
            if (px < cut)
                odd = !odd;
        }
        inside[f] = odd;
    }
}

int main(void)
{
    for (int i = 0; i < CORNERS; i++) {
        float t = i / (float)CORNERS;
        fence[i].e = (i % 2 ? 900.f : 600.f) * (1.f - 2.f * (t > 0.25f && t < 0.75f)) * (0.2f + t);
        fence[i].n = (t < 0.5f ? 1.f : -1.f) * 700.f * (0.5f + (i % 5) * 0.1f);
    }
    for (int f = 0; f < FIXES; f++)
        fixes[f] = (fix_t){ rand() % 2000 - 1000.f, rand() % 2000 - 1000.f };
    test_fixes();
    int n = 0;
    for (int f = 0; f < FIXES; f++)
        n += inside[f];
    printf("%d\n", n);
    return 0;
}
