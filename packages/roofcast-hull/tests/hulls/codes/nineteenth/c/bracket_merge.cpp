// three exposures -> one radiance map
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define PIX (1024 * 768)

static float dark[PIX], mid[PIX], bright[PIX], radiance[PIX], shown[PIX];

static float hat(float z)
{
    return std::min(z, 1.f - z) + 1e-3f;
}

void merge(float t0, float t1, float t2)
{
    for (int i = 0; i < PIX; ++i) {
        float w0 = hat(dark[i]), w1 = hat(mid[i]), w2 = hat(bright[i]);
        radiance[i] = (w0 * dark[i] / t0 + w1 * mid[i] / t1 + w2 * bright[i] / t2) / (w0 + w1 + w2);
    }
}

float log_average()
{
    double s = 0;
    for (int i = 0; i < PIX; ++i)
        s += std::log(1e-4f + radiance[i]);
    return std::exp(s / PIX);
}

void reinhard(float key, float white)
{
    const float iw2 = 1.f / (white * white);
    for (int i = 0; i < PIX; ++i) {
        float l = key * radiance[i];
        shown[i] = std::pow(l * (1.f + l * iw2) / (1.f + l), 1 / 2.2f);
    }
}

int main()
{
    for (int i = 0; i < PIX; ++i) {
        float e = std::rand() / (float)RAND_MAX;
        dark[i] = std::min(1.f, e * 0.25f);
        mid[i] = std::min(1.f, e);
        bright[i] = std::min(1.f, e * 4);
    }
    merge(0.25f, 1.f, 4.f);
    reinhard(0.18f / log_average(), 2.f);
    std::printf("%f\n", shown[4242]);
}
