// Territories of a strategy map: who owns a cell is whose castle is nearest (weighted).
#include <stdio.h>
#include <float.h>

#define MAPW 640
#define MAPH 480
#define CASTLES 40

typedef struct { float x, y, w; } castle;

static castle castles[CASTLES];
static int owner[MAPH * MAPW];

void claim(void)
{
    for (int cell = 0; cell < MAPW * MAPH; cell++) {
        const float cx = cell % MAPW;
        const float cy = cell / MAPW;
        float best = FLT_MAX;
        int who = -1;
        for (int k = 0; k < CASTLES; k++) {
            float dx = castles[k].x - cx;
            float dy = castles[k].y - cy;
            float d = (dx * dx + dy * dy) * castles[k].w;
            if (d < best) {
                best = d;
                who = k;
            }
        }
        owner[cell] = who;
    }
}

void tally(int area[CASTLES])
{
    for (int k = 0; k < CASTLES; k++)
        area[k] = 0;
    for (int cell = 0; cell < MAPW * MAPH; cell++)
        area[owner[cell]]++;
}

int main(void)
{
    int area[CASTLES];
    for (int k = 0; k < CASTLES; k++)
        castles[k] = (castle){(k * 97) % MAPW, (k * 61) % MAPH, 1.0f + 0.05f * (k % 7)};
    claim();
    tally(area);
    for (int k = 0; k < 5; k++)
        printf("castle %d: %d cells\n", k, area[k]);
    return 0;
}
