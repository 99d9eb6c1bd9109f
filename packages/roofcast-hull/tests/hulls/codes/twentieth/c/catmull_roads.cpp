#include <cmath>
#include <cstdio>
#include <vector>
// Road centre lines: Catmull-Rom through surveyed nodes, and the length of each piece.

struct P2 { double x, y; };

namespace {
const int kPieces = 30000;
const int kSamples = 16;

inline double cr(double a, double b, double c, double d, double t)
{
    return 0.5 * (2 * b + t * ((c - a) + t * ((2 * a - 5 * b + 4 * c - d) + t * (3 * b - a - 3 * c + d))));
}
}

void sample(const std::vector<P2>& node, std::vector<P2>& out)
{
    for (int p = 0; p < kPieces; ++p)
        for (int s = 0; s < kSamples; ++s) {
            double t = double(s) / kSamples;
            P2& o = out[p * kSamples + s];
            o.x = cr(node[p].x, node[p + 1].x, node[p + 2].x, node[p + 3].x, t);
            o.y = cr(node[p].y, node[p + 1].y, node[p + 2].y, node[p + 3].y, t);
        }
}

void lengths(const std::vector<P2>& pt, std::vector<double>& len)
{
    for (int p = 0; p < kPieces; ++p) {
        const P2* a = &pt[p * kSamples];
        double l = 0;
        for (int s = 1; s < kSamples; ++s)
            l += std::hypot(a[s].x - a[s - 1].x, a[s].y - a[s - 1].y);
        len[p] = l;
    }
}

void chainage(const std::vector<double>& len, std::vector<double>& km)
{
    double at = 0;
    for (size_t p = 0; p < len.size(); ++p) {
        km[p] = at;
        at += len[p];
    }
}

int main()
{
    std::vector<P2> node(kPieces + 3), pt(kPieces * kSamples);
    std::vector<double> len(kPieces), km(kPieces);
    for (int i = 0; i < kPieces + 3; i++) node[i] = {double(i), std::sin(i * 0.3)};
    sample(node, pt);
    lengths(pt, len);
    chainage(len, km);
    std::printf("%f\n", km.back());
}
