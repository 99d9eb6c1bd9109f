/* Umbrella smoothing of a closed mesh in which every vertex has six neighbours. */
#include <stdio.h>
#include <stdlib.h>

#define NV 60000
#define DEG 6

struct vec { float x, y, z; };

static struct vec pos[NV], out[NV];
static int ring[NV][DEG];

void fair(float lambda)
{
    for (int v = 0; v < NV; v++) {
        struct vec s = {0, 0, 0};
        for (int k = 0; k < DEG; k++) {
            const struct vec *q = &pos[ring[v][k]];
            s.x += q->x;
            s.y += q->y;
            s.z += q->z;
        }
        out[v].x = pos[v].x + lambda * (s.x * (1.0f / DEG) - pos[v].x);
        out[v].y = pos[v].y + lambda * (s.y * (1.0f / DEG) - pos[v].y);
        out[v].z = pos[v].z + lambda * (s.z * (1.0f / DEG) - pos[v].z);
    }
}

int main(void)
{
    for (int v = 0; v < NV; v++) {
        pos[v] = (struct vec){rand() / 1e9f, rand() / 1e9f, rand() / 1e9f};
        int hop[DEG] = {1, NV - 1, 245, NV - 245, 246, NV - 246};
        for (int k = 0; k < DEG; k++) ring[v][k] = (v + hop[k]) % NV;
    }
    fair(0.5f);
    printf("%f %f %f\n", out[0].x, out[0].y, out[0].z);
    return 0;
}
