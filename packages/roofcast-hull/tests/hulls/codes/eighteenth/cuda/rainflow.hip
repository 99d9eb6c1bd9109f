// Fatigue: rainflow ranges of turning points, one strain gauge per thread, ASTM E1049 with a small stack.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cmath>

const int GAUGES = 4096, POINTS = 2048, DEPTH = 64;

__global__ void count_damage(const float* load, float* damage, float slope)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= GAUGES) return;
    float stack[DEPTH];
    int top = 0;
    float d = 0.f;
    for (int t = 0; t < POINTS; t++) {
        stack[top++] = load[t * GAUGES + g];
        while (top >= 3) {
            float x = fabsf(stack[top - 1] - stack[top - 2]);
            float y = fabsf(stack[top - 2] - stack[top - 3]);
            if (x < y) break;
            d += powf(y, slope);
            stack[top - 3] = stack[top - 1];
            top -= 2;
        }
        if (top == DEPTH) top = 1;
    }
    damage[g] = d;
}

int main()
{
    float *load, *dmg;
    hipMallocManaged(&load, (size_t)GAUGES * POINTS * sizeof(float));
    hipMallocManaged(&dmg, GAUGES * sizeof(float));
    for (int t = 0; t < POINTS; t++)
        for (int g = 0; g < GAUGES; g++)
            load[t * GAUGES + g] = (t & 1 ? 1.f : -1.f) * (1.f + sinf(0.01f * t * (1 + g % 7)));
    count_damage<<<GAUGES / 64, 64>>>(load, dmg, 3.f);
    hipDeviceSynchronize();
    printf("%f\n", dmg[9]);
    return 0;
}
