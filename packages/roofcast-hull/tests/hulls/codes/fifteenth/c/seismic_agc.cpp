// automatic gain control of seismic traces: each sample over the RMS of a window around it
#include <cmath>
#include <cstdio>
#include <vector>

static const int NTRACE = 240;
static const int NT = 2000;
static const int HALF = 25;

void agc(const float *in, float *out)
{
#pragma omp parallel for schedule(static)
    for (int tr = 0; tr < NTRACE; tr++) {
        const float *x = in + tr * NT;
        float *y = out + tr * NT;
        for (int t = HALF; t < NT - HALF; t++) {
            float power = 0.0f;
            for (int k = -HALF; k <= HALF; k++)
                power += x[t + k] * x[t + k];
            y[t] = x[t] / std::sqrt(power / (2 * HALF + 1) + 1e-12f);
        }
    }
}

int main()
{
    std::vector<float> in(NTRACE * NT), out(NTRACE * NT, 0.0f);
    for (int i = 0; i < NTRACE * NT; i++) in[i] = std::sin(0.3f * i) * std::exp(-0.001f * (i % NT));
    agc(in.data(), out.data());
    std::printf("%f\n", out[NT + 300]);
}
