/* A periodic wave, one step of Lax and Wendroff. */
#include <stdlib.h>
#include <string.h>

void lax_wendroff(const float *u, float *next, int n, float c)
{
    int i;
    float a = 0.5f * c, b = 0.5f * c * c;

    for (i = 0; i < n; i++) {
        int left = (i + n - 1) % n;
        int right = (i + 1) % n;
        next[i] = u[i] - a * (u[right] - u[left]) + b * (u[right] - 2.0f * u[i] + u[left]);
    }
}

int main(int argc, char *argv[])
{
    int n = 250000, t;
    float *u = malloc(n * sizeof(float)), *next = malloc(n * sizeof(float));
    memset(u, 0, n * sizeof(float));
    u[n / 2] = 1.0f;
    for (t = 0; t < 20; t++) {
        lax_wendroff(u, next, n, 0.4f);
        memcpy(u, next, n * sizeof(float));
    }
    return 0;
}
