// LC-MS run: total ion current and base peak of each scan, then intensities relative to the base peak
#include <cstdint>
#include <cstdio>
#include <vector>

template <int S, int C>
class Run {
public:
    Run() : counts_(S * C), relative_(S * C), tic_(S), base_(S), where_(S) {}
    float &at(int s, int c) { return counts_[s * C + c]; }
    void chromatogram();
    void relative();
    float tic(int s) const { return tic_[s]; }
    int rel(int s, int c) const { return relative_[s * C + c]; }

private:
    std::vector<float> counts_;
    std::vector<uint16_t> relative_;
    std::vector<float> tic_, base_;
    std::vector<int> where_;
};

template <int S, int C>
void Run<S, C>::chromatogram()
{
    for (int s = 0; s < S; ++s) {
        float total = 0.0f, top = 0.0f;
        int best = 0;
        for (int c = 0; c < C; ++c) {
            const float v = counts_[s * C + c];
            total += v;
            if (v > top) {
                top = v;
                best = c;
            }
        }
        tic_[s] = total;
        base_[s] = top;
        where_[s] = best;
    }
}

template <int S, int C>
void Run<S, C>::relative()
{
    for (int s = 0; s < S; ++s) {
        const float k = 1000.0f / base_[s];
        for (int c = 0; c < C; ++c)
            relative_[s * C + c] = static_cast<uint16_t>(counts_[s * C + c] * k + 0.5f);
    }
}

int main()
{
    Run<3000, 2048> run;
    for (int s = 0; s < 3000; ++s)
        for (int c = 0; c < 2048; ++c) run.at(s, c) = 1.0f + (s * 31 + c * 17) % 5000;
    run.chromatogram();
    run.relative();
    std::printf("%f %d\n", run.tic(4), run.rel(4, 9));
}
