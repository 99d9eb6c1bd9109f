// Inclination of many devices from gyroscope and accelerometer; redundant sensors weighed together.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

constexpr int kDevices = 600, kTicks = 500;
constexpr int kSamples = 100000, kRedundant = 4;

class TiltFilter {
public:
    float step(float rate, float measured) {
        const float predicted = angle_ + 0.01f * (rate - bias_);
        const float error = measured - predicted;
        angle_ = predicted + 0.02f * error;
        bias_ -= 0.001f * error;
        return angle_;
    }

private:
    float angle_ = 0.0f;
    float bias_ = 0.0f;
};

template <typename T>
struct Strided {
    T* base;
    std::ptrdiff_t pitch;
    T& operator[](std::ptrdiff_t i) const { return base[i * pitch]; }
};

void track(const float* gyro, const float* ax, const float* az, float* tilt) {
    for (int d = 0; d < kDevices; ++d) {
        TiltFilter filter;
        for (int t = 0; t < kTicks; ++t) {
            const int i = d * kTicks + t;
            tilt[i] = filter.step(gyro[i], std::atan2(ax[i], az[i]));
        }
    }
}

void fuse(float* readings, const float* weight, float* best) {
    const Strided<float> a{readings, kRedundant}, b{readings + 1, kRedundant};
    const Strided<float> c{readings + 2, kRedundant}, d{readings + 3, kRedundant};
    for (int t = 0; t < kSamples; ++t)
        best[t] = weight[0] * a[t] + weight[1] * b[t] + weight[2] * c[t] + weight[3] * d[t];
}

int main() {
    std::vector<float> gyro(kDevices * kTicks), ax(gyro.size()), az(gyro.size()), tilt(gyro.size());
    std::vector<float> readings(kSamples * kRedundant), best(kSamples);
    const float weight[kRedundant] = {0.4f, 0.3f, 0.2f, 0.1f};
    for (std::size_t i = 0; i < gyro.size(); ++i) {
        gyro[i] = 0.1f * std::cos(0.01f * i);
        ax[i] = std::sin(0.0003f * i);
        az[i] = 1.0f;
    }
    for (std::size_t i = 0; i < readings.size(); ++i)
        readings[i] = 20.0f + 0.1f * (i % 7);
    track(gyro.data(), ax.data(), az.data(), tilt.data());
    fuse(readings.data(), weight, best.data());
    std::printf("%g %g\n", tilt[1234], best[10]);
}
