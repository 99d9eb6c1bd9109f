// A bank of independent scalar Kalman filters, one for each sensor channel.
// Checked: compiles, runs; operations of one channel counted by hand (8).
#include <cstdio>
#include <random>
#include <vector>

class KalmanBank {
public:
    KalmanBank(int channels, double process_noise, double sensor_noise)
        : n_(channels), q_(process_noise), r_(sensor_noise), x_(channels, 0.0), p_(channels, 1.0) {}

    void update(const std::vector<double>& z)
    {
        for (int i = 0; i < n_; ++i) {
            const double p = p_[i] + q_;
            const double gain = p / (p + r_);
            x_[i] += gain * (z[i] - x_[i]);
            p_[i] = (1.0 - gain) * p;
        }
    }

    double estimate(int i) const { return x_[i]; }

private:
    int n_;
    double q_, r_;
    std::vector<double> x_, p_;
};

int main()
{
    constexpr int kChannels = 2000;
    constexpr int kSteps = 100;
    KalmanBank bank(kChannels, 1e-4, 0.25);
    std::mt19937 rng(7);
    std::normal_distribution<double> noise(0.0, 0.5);
    std::vector<double> z(kChannels);
    for (int s = 0; s < kSteps; ++s) {
        for (int i = 0; i < kChannels; ++i) z[i] = 0.01 * i + noise(rng);
        bank.update(z);
    }
    std::printf("%f %f\n", bank.estimate(0), bank.estimate(kChannels - 1));
    return 0;
}
