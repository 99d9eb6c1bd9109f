// Quality of a decoded frame: squared error of a plane, and the map of absolute errors for the viewer.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T, int W, int H>
struct Plane {
    std::vector<T> px = std::vector<T>(W * H);
    const T* line(int y) const { return px.data() + y * W; }
    T* line(int y) { return px.data() + y * W; }
};

using Luma = Plane<uint8_t, 1280, 720>;

uint64_t squared_error(const Luma& a, const Luma& b)
{
    uint64_t sse = 0;
    for (int y = 0; y < 720; ++y) {
        const uint8_t* p = a.line(y);
        const uint8_t* q = b.line(y);
        for (int x = 0; x < 1280; ++x) {
            const int d = p[x] - q[x];
            sse += d * d;
        }
    }
    return sse;
}

void error_map(const Luma& a, const Luma& b, Luma& out, int gain)
{
    for (int y = 0; y < 720; ++y)
        for (int x = 0; x < 1280; ++x) {
            int e = std::abs(a.line(y)[x] - b.line(y)[x]) * gain;
            out.line(y)[x] = static_cast<uint8_t>(e > 255 ? 255 : e);
        }
}

int main()
{
    Luma a, b, map;
    for (int i = 0; i < 1280 * 720; ++i) {
        a.px[i] = static_cast<uint8_t>(i * 5);
        b.px[i] = static_cast<uint8_t>(i * 5 + (i % 3));
    }
    const uint64_t sse = squared_error(a, b);
    error_map(a, b, map, 8);
    std::printf("%.2f dB\n", 10 * std::log10(255.0 * 255.0 * 1280 * 720 / sse));
}
