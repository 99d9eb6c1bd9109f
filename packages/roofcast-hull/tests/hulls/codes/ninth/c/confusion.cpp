// Confusion matrix of a classifier over a large evaluation set.
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

constexpr int kClasses = 10;
constexpr std::size_t kSamples = 10'000'000;

void accumulate_confusion(const std::vector<std::uint8_t>& truth,
                          const std::vector<std::uint8_t>& predicted,
                          std::vector<std::int64_t>& matrix)
{
    for (std::size_t i = 0; i < truth.size(); ++i)
        matrix[truth[i] * kClasses + predicted[i]]++;
}

int main()
{
    std::mt19937 gen(1234);
    std::uniform_int_distribution<int> label(0, kClasses - 1);
    std::bernoulli_distribution right(0.9);

    std::vector<std::uint8_t> truth(kSamples), predicted(kSamples);
    for (std::size_t i = 0; i < kSamples; ++i) {
        truth[i] = static_cast<std::uint8_t>(label(gen));
        predicted[i] = right(gen) ? truth[i] : static_cast<std::uint8_t>(label(gen));
    }

    std::vector<std::int64_t> matrix(kClasses * kClasses, 0);
    accumulate_confusion(truth, predicted, matrix);

    std::int64_t diagonal = 0;
    for (int c = 0; c < kClasses; ++c)
        diagonal += matrix[c * kClasses + c];
    std::printf("accuracy %.4f\n", double(diagonal) / double(kSamples));
    return 0;
}
