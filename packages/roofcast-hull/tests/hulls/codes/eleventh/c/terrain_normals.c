#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MAPW 1024
#define MAPH 768

typedef struct vec3 { float x, y, z; } vec3;

static float height[MAPH][MAPW];
static vec3 normal[MAPH][MAPW];
static uint8_t lit[MAPH][MAPW];

static inline int clampi(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }

static inline float dot3(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

void height_to_normals(float scale)
{
    for (int y = 0; y < MAPH; ++y) {
        int up = clampi(y - 1, 0, MAPH - 1);
        int dn = clampi(y + 1, 0, MAPH - 1);
        for (int x = 0; x < MAPW; ++x) {
            int lt = clampi(x - 1, 0, MAPW - 1);
            int rt = clampi(x + 1, 0, MAPW - 1);
            float nx = (height[y][lt] - height[y][rt]) * scale;
            float ny = (height[up][x] - height[dn][x]) * scale;
            float inv = 1.0f / sqrtf(nx * nx + ny * ny + 1.0f);
            vec3 n = { nx * inv, ny * inv, inv };
            normal[y][x] = n;
        }
    }
}

void light_map(vec3 sun, float ambient)
{
    for (int y = 0; y < MAPH; ++y)
        for (int x = 0; x < MAPW; ++x) {
            float d = fmaxf(dot3(normal[y][x], sun), 0.0f);
            lit[y][x] = (uint8_t)(255.0f * fminf(ambient + d, 1.0f));
        }
}

int main(void)
{
    for (int y = 0; y < MAPH; ++y)
        for (int x = 0; x < MAPW; ++x)
            height[y][x] = 10.0f * sinf(0.02f * x) * cosf(0.03f * y);
    vec3 sun = { 0.48f, 0.36f, 0.8f };
    height_to_normals(0.5f);
    light_map(sun, 0.15f);
    printf("%d %d\n", lit[10][10], lit[500][900]);
    return 0;
}
