// Decision values of a support vector machine with a cubic kernel.
#include <cstdio>
#include <memory>

namespace svm {

constexpr int kSamples = 1500;
constexpr int kVectors = 200;
constexpr int kFeatures = 36;

template <int D>
inline float dot(const float* a, const float* b)
{
    float s = 0.f;
    for (int d = 0; d < D; ++d) s += a[d] * b[d];
    return s;
}

inline float cube(float v) { return v * v * v; }

void decide(const float* x, const float* sv, const float* alpha, float rho, float gamma, float* out)
{
    for (int i = 0; i < kSamples; ++i) {
        float f = -rho;
        for (int v = 0; v < kVectors; ++v)
            f += alpha[v] * cube(gamma * dot<kFeatures>(x + i * kFeatures, sv + v * kFeatures) + 1.0f);
        out[i] = f;
    }
}

}  // namespace svm

int main()
{
    using namespace svm;
    auto x = std::make_unique<float[]>(kSamples * kFeatures);
    auto sv = std::make_unique<float[]>(kVectors * kFeatures);
    auto alpha = std::make_unique<float[]>(kVectors);
    auto out = std::make_unique<float[]>(kSamples);
    for (int i = 0; i < kSamples * kFeatures; ++i) x[i] = (i % 101) / 101.0f - 0.5f;
    for (int i = 0; i < kVectors * kFeatures; ++i) sv[i] = (i % 97) / 97.0f - 0.5f;
    for (int i = 0; i < kVectors; ++i) alpha[i] = i % 2 ? 0.4f : -0.4f;
    decide(x.get(), sv.get(), alpha.get(), 0.1f, 0.05f, out.get());
    int pos = 0;
    for (int i = 0; i < kSamples; ++i) pos += out[i] > 0;
    std::printf("%d positive\n", pos);
}
