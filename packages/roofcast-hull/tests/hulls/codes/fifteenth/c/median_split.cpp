// k-d tree of survey points, built in place by median splits
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Point {
    float c[3];
};

static void build(std::vector<Point> &pts, int lo, int hi, int axis)
{
    if (hi - lo < 2)
        return;
    const int mid = (lo + hi) / 2;
    std::nth_element(pts.begin() + lo, pts.begin() + mid, pts.begin() + hi,
                     [axis](const Point &a, const Point &b) { return a.c[axis] < b.c[axis]; });
    build(pts, lo, mid, (axis + 1) % 3);
    build(pts, mid + 1, hi, (axis + 1) % 3);
}

int main()
{
    std::vector<Point> pts(65536);
    for (auto &p : pts)
        for (float &v : p.c) v = std::rand() / (float)RAND_MAX;
    build(pts, 0, (int)pts.size(), 0);
    std::printf("%f\n", pts[pts.size() / 2].c[0]);
}
