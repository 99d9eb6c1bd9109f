// Full search of motion vectors, compensation, energy of what is left.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int W = 640, H = 352, B = 16, R = 7;
using Plane = std::vector<uint8_t>;

struct Vec {
    int16_t dx, dy;
    int32_t cost;
};

void search(const Plane &cur, const Plane &ref, std::vector<Vec> &mv) {
#pragma omp parallel for collapse(2)
    for (int by = 0; by < H / B; ++by)
        for (int bx = 0; bx < W / B; ++bx) {
            Vec best{0, 0, 1 << 30};
            for (int dy = -R; dy <= R; ++dy) {
                const int y0 = by * B + dy;
                if (y0 < 0 || y0 + B > H) continue;
                for (int dx = -R; dx <= R; ++dx) {
                    const int x0 = bx * B + dx;
                    if (x0 < 0 || x0 + B > W) continue;
                    int sad = 0;
                    for (int j = 0; j < B; ++j)
                        for (int i = 0; i < B; ++i)
                            sad += std::abs(cur[(by * B + j) * W + bx * B + i] - ref[(y0 + j) * W + x0 + i]);
                    if (sad < best.cost) best = {int16_t(dx), int16_t(dy), sad};
                }
            }
            mv[by * (W / B) + bx] = best;
        }
}

void compensate(const Plane &ref, const std::vector<Vec> &mv, Plane &pred) {
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            const Vec &v = mv[(y / B) * (W / B) + x / B];
            pred[y * W + x] = ref[(y + v.dy) * W + x + v.dx];
        }
}

void block_energy(const Plane &cur, const Plane &pred, std::vector<int> &energy) {
    for (int by = 0; by < H; by += 8)
        for (int bx = 0; bx < W; bx += 8) {
            int e = 0;
            for (int j = 0; j < 8; ++j)
                for (int i = 0; i < 8; ++i) {
                    const int d = cur[(by + j) * W + bx + i] - pred[(by + j) * W + bx + i];
                    e += d * d;
                }
            energy[(by / 8) * (W / 8) + bx / 8] = e;
        }
}

int main() {
    Plane cur(W * H), ref(W * H), pred(W * H);
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            ref[y * W + x] = uint8_t((x * x + 3 * y) >> 3);
            cur[y * W + x] = uint8_t(((x + 2) * (x + 2) + 3 * (y - 1)) >> 3);
        }
    std::vector<Vec> mv((W / B) * (H / B));
    std::vector<int> energy((W / 8) * (H / 8));
    search(cur, ref, mv);
    compensate(ref, mv, pred);
    block_energy(cur, pred, energy);
    std::printf("%d %d %d\n", mv[300].dx, mv[300].dy, energy[900]);
}
