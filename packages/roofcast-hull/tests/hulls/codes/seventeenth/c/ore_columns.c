/* Block model of an open pit: worth of blocks, best depth of columns, slopes. */
#include <stdio.h>
#include <stdlib.h>

#define NX 200
#define NY 150
#define NZ 40
#define NBLOCK (NX * NY * NZ)
#define CUTOFF 0.35f
#define PAY 61.5f
#define MILL 14.0f
#define DIG 6.5f

typedef struct {
    float *grade, *worth;
    float *best;
    int *depth, *eased;
} Model;

static float grade_[NBLOCK], worth_[NBLOCK], best_[NX * NY];
static int depth_[NX * NY], eased_[NX * NY];

static inline int larger(int a, int b) { return a > b ? a : b; }

static void block_worth(const Model *m)
{
    for (long i = 0; i < NBLOCK; ++i) {
        float g = m->grade[i];
        m->worth[i] = g > CUTOFF ? g * PAY - MILL - DIG : -DIG;
    }
}

/* columns are dug from the top (z = NZ - 1) downwards */
static void best_depth(const Model *m)
{
    for (int y = 0; y < NY; ++y)
        for (int x = 0; x < NX; ++x) {
            float acc = 0.0f, top = 0.0f;
            int at = 0;
            for (int z = NZ - 1; z >= 0; --z) {
                acc += m->worth[(z * NY + y) * NX + x];
                if (acc > top) {
                    top = acc;
                    at = NZ - z;
                }
            }
            m->best[y * NX + x] = top;
            m->depth[y * NX + x] = at;
        }
}

static void ease_slopes(const Model *m)
{
    const int *d = m->depth;
    for (int y = 1; y < NY - 1; ++y)
        for (int x = 1; x < NX - 1; ++x) {
            int i = y * NX + x;
            int beside = larger(larger(d[i - 1], d[i + 1]), larger(d[i - NX], d[i + NX]));
            m->eased[i] = larger(d[i], beside - 1);
        }
}

int main(void)
{
    Model m = { grade_, worth_, best_, depth_, eased_ };
    for (int i = 0; i < NBLOCK; ++i)
        grade_[i] = (float)((i % 5003 * 7919) % 1000) * 0.0008f;
    block_worth(&m);
    best_depth(&m);
    ease_slopes(&m);
    printf("%g %g %d\n", worth_[77], best_[500], eased_[3 * NX + 9]);
    return 0;
}
