// cell transmission model of a long motorway: sending and receiving flows between cells, then conservation
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int CELLS = 1000000;

struct Road {
    double free_speed = 0.028, wave = 0.006, jam = 150.0, cap = 0.55;
};

void interface_flow(const Road &road, const std::vector<double> &rho, std::vector<double> &q)
{
    for (int i = 1; i < CELLS; ++i) {
        const double send = std::min(road.free_speed * rho[i - 1], road.cap);
        const double receive = road.wave * (road.jam - rho[i]);
        q[i] = std::min(send, receive);
    }
}

void conserve(std::vector<double> &rho, const std::vector<double> &q, double lambda)
{
    for (int i = 0; i < CELLS; ++i)
        rho[i] += lambda * (q[i] - q[i + 1]);
}

int main()
{
    Road road;
    std::vector<double> rho(CELLS), q(CELLS + 1, 0.3);
    for (int i = 0; i < CELLS; ++i) rho[i] = 20.0 + (i / 1000 % 2) * 60.0;
    for (int t = 0; t < 10; ++t) {
        interface_flow(road, rho, q);
        conserve(rho, q, 1.0);
    }
    std::printf("%f\n", rho[1000]);
}
