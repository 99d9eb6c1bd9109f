/* int8 fully connected layer of a keyword model; accumulators in 32 bits, result in float. */
#include <stdint.h>
#include <stdio.h>

enum { OUT = 1024, IN = 512 };

static int8_t weight[OUT][IN];
static int8_t act[IN];
static int32_t bias[OUT];
static float scale[OUT];
static float result[OUT];

void qlinear_relu(void)
{
    for (int o = 0; o < OUT; o++) {
        int32_t acc = bias[o];
        const int8_t *w = weight[o];
        for (int i = 0; i < IN; i += 4) {
            acc += (int32_t)w[i] * act[i];
            acc += (int32_t)w[i + 1] * act[i + 1];
            acc += (int32_t)w[i + 2] * act[i + 2];
            acc += (int32_t)w[i + 3] * act[i + 3];
        }
        float y = (float)acc * scale[o];
        result[o] = y > 0.0f ? y : 0.0f;
    }
}

int main(void)
{
    for (int o = 0; o < OUT; o++) {
        bias[o] = o - 500;
        scale[o] = 0.01f + 1e-5f * o;
        for (int i = 0; i < IN; i++) weight[o][i] = (int8_t)((o * 31 + i * 17) % 255 - 127);
    }
    for (int i = 0; i < IN; i++) act[i] = (int8_t)(i % 100 - 50);
    qlinear_relu();
    printf("%f %f\n", result[0], result[OUT - 1]);
    return 0;
}
