#include <algorithm>
#include <cstdio>
#include <memory>

constexpr int SCANS = 1500;
constexpr int BINS = 2000;
constexpr int REACH = 10;
constexpr int LIBRARY = 200;

struct Matrix {
    int rows, cols;
    std::unique_ptr<float[]> data;
    Matrix(int r, int c) : rows(r), cols(c), data(new float[r * c]()) {}
    float* operator[](int r) { return data.get() + r * cols; }
    const float* operator[](int r) const { return data.get() + r * cols; }
};

void chromatograms(const float* scans, float* total_ion, float* base_peak) {
    for (int s = 0; s < SCANS; ++s) {
        float sum = 0.f, top = 0.f;
        for (int b = 0; b < BINS; ++b) {
            const float v = scans[s * BINS + b];
            sum += v;
            top = std::max(top, v);
        }
        total_ion[s] = sum;
        base_peak[s] = top;
    }
}

// subtract the smallest value near each bin
void flatten_baseline(const float* scans, float* out) {
    for (int s = 0; s < SCANS; ++s)
        for (int b = REACH; b < BINS - REACH; ++b) {
            float low = scans[s * BINS + b - REACH];
            for (int k = 1 - REACH; k <= REACH; ++k)
                low = std::min(low, scans[s * BINS + b + k]);
            out[s * (BINS - 2 * REACH) + b - REACH] = scans[s * BINS + b] - low;
        }
}

void library_scores(const float* scans, const float* library, const float* inv_scan,
                    const float* inv_library, float* score) {
    for (int s = 0; s < SCANS; ++s) {
        const float* x = scans + s * BINS;
        for (int l = 0; l < LIBRARY; ++l) {
            const float* y = library + l * BINS;
            float dot = 0.f;
            for (int b = 0; b < BINS; ++b) dot += x[b] * y[b];
            score[s * LIBRARY + l] = dot * inv_scan[s] * inv_library[l];
        }
    }
}

int main() {
    Matrix scans(SCANS, BINS), flat(SCANS, BINS - 2 * REACH), library(LIBRARY, BINS), score(SCANS, LIBRARY);
    Matrix tic(1, SCANS), bpc(1, SCANS), inv_s(1, SCANS), inv_l(1, LIBRARY);
    for (int s = 0; s < SCANS; ++s) {
        for (int b = 0; b < BINS; ++b) scans[s][b] = 1.f + (s * 31 + b * 17) % 101;
        inv_s[0][s] = 4e-4f;
    }
    for (int l = 0; l < LIBRARY; ++l) {
        for (int b = 0; b < BINS; ++b) library[l][b] = (l + b) % 37 == 0 ? 50.f : 0.f;
        inv_l[0][l] = 2.7e-3f;
    }
    chromatograms(scans[0], tic[0], bpc[0]);
    flatten_baseline(scans[0], flat[0]);
    library_scores(scans[0], library[0], inv_s[0], inv_l[0], score[0]);
    std::printf("%f %f %f %f\n", tic[0][3], bpc[0][3], flat[5][5], score[7][7]);
}
