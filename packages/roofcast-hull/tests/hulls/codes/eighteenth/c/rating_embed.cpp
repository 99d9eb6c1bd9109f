// Recommender: predicted stars of logged (user, film) pairs.
#include <cstdio>
#include <random>
#include <vector>

namespace rec {

constexpr int kUsers = 20000, kFilms = 4000, kDim = 32;
constexpr int kLogged = 300000;

struct Log { std::vector<int> user, film; std::vector<float> stars; };

void predict(const Log& log, const float* __restrict p, const float* __restrict q, float mean, std::vector<float>& out)
{
#pragma omp parallel for
    for (int n = 0; n < kLogged; ++n) {
        const float* pu = p + static_cast<long>(log.user[n]) * kDim;
        const float* qi = q + static_cast<long>(log.film[n]) * kDim;
        float dot = mean;
        for (int d = 0; d < kDim; ++d)
            dot += pu[d] * qi[d];
        out[n] = dot;
    }
}

}  // namespace rec

int main()
{
    using namespace rec;
    std::mt19937 gen(3);
    std::normal_distribution<float> g(0.f, 0.2f);
    std::vector<float> p(kUsers * kDim), q(kFilms * kDim), guess(kLogged);
    for (auto& v : p) v = g(gen);
    for (auto& v : q) v = g(gen);
    Log log{std::vector<int>(kLogged), std::vector<int>(kLogged), std::vector<float>(kLogged)};
    for (int n = 0; n < kLogged; ++n) {
        log.user[n] = gen() % kUsers;
        log.film[n] = gen() % kFilms;
        log.stars[n] = 1 + gen() % 5;
    }
    predict(log, p.data(), q.data(), 3.4f, guess);
    std::printf("%f against %f\n", guess[10], log.stars[10]);
}
