/* How steep a picture is. */
#include <math.h>
#define H 1080
#define W 1920

void gradient_size(const unsigned char *restrict in, float *restrict out)
{
    for (int y = 1; y < H - 1; y++) {
        for (int x = 1; x < W - 1; x++) {
            const int gx = in[y * W + x + 1] - in[y * W + x - 1];
            const int gy = in[(y + 1) * W + x] - in[(y - 1) * W + x];
            out[y * W + x] = sqrtf((float)(gx * gx + gy * gy));
        }
    }
}
