/* Slime mould toy: agents smell the trail ahead, turn, walk and leave more of it; the trail spreads and fades. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 512
#define AGENTS 100000
#define WRAP(v) ((v) & (SIDE - 1))

typedef struct {
    float x[AGENTS], y[AGENTS], dir[AGENTS];
} swarm_t;

static swarm_t swarm;
static float trail[SIDE][SIDE], spread[SIDE][SIDE];

static float smell(float x, float y, float dir)
{
    int ix = WRAP((int)(x + 9.0f * cosf(dir)));
    int iy = WRAP((int)(y + 9.0f * sinf(dir)));
    return trail[iy][ix];
}

void turn(swarm_t *s)
{
    #pragma omp parallel for
    for (int a = 0; a < AGENTS; a++) {
        float left = smell(s->x[a], s->y[a], s->dir[a] - 0.5f);
        float ahead = smell(s->x[a], s->y[a], s->dir[a]);
        float right = smell(s->x[a], s->y[a], s->dir[a] + 0.5f);
        float bend = 0.0f;
        if (left > ahead && left > right)
            bend = -0.3f;
        else if (right > ahead)
            bend = 0.3f;
        s->dir[a] += bend;
    }
}

void walk(swarm_t *s, float speed)
{
    for (int a = 0; a < AGENTS; a++) {
        s->x[a] = fmodf(s->x[a] + speed * cosf(s->dir[a]) + SIDE, SIDE);
        s->y[a] = fmodf(s->y[a] + speed * sinf(s->dir[a]) + SIDE, SIDE);
    }
}

void leave_trail(const swarm_t *s)
{
    for (int a = 0; a < AGENTS; a++)
        trail[(int)s->y[a] & (SIDE - 1)][(int)s->x[a] & (SIDE - 1)] += 1.0f;
}

void fade(float keep)
{
    #pragma omp parallel for
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++) {
            float sum = 0.0f;
            for (int dr = -1; dr <= 1; dr++)
                for (int dc = -1; dc <= 1; dc++)
                    sum += trail[WRAP(r + dr)][WRAP(c + dc)];
            spread[r][c] = keep * sum / 9.0f;
        }
}

int main(void)
{
    for (int a = 0; a < AGENTS; a++) {
        swarm.x[a] = rand() % SIDE;
        swarm.y[a] = rand() % SIDE;
        swarm.dir[a] = 0.001f * (rand() % 6283);
    }
    turn(&swarm);
    walk(&swarm, 1.0f);
    leave_trail(&swarm);
    fade(0.95f);
    printf("%f\n", spread[10][20]);
    return 0;
}
