// Short-wave radiation: layers of two-stream reflectance combined from the ground up, fluxes from the top down.
#include <cmath>
#include <cstdio>
#include <vector>

struct Layer {
    double refl, trans;
};

constexpr int NCOLS = 3000;
constexpr int NLEV = 32;

Layer two_stream(double tau, double omega, double g)
{
    const double beta = 0.5 * (1.0 - g) * omega * tau;
    const double gone = (1.0 - omega) * tau;
    const double den = 1.0 / (1.0 + beta + gone);
    return {beta * den, den};
}

void layer_optics(const std::vector<double> &tau, const std::vector<double> &omega, double g, std::vector<Layer> &lay)
{
    for (int c = 0; c < NCOLS; ++c)
        for (int k = 0; k < NLEV; ++k)
            lay[c * NLEV + k] = two_stream(tau[c * NLEV + k], omega[c * NLEV + k], g);
}

// level 0 is the top; one column is one unit of work
void fluxes(const std::vector<Layer> &lay, const std::vector<double> &ground, double solar,
            std::vector<double> &net)
{
    for (int c = 0; c < NCOLS; ++c) {
        double albedo[NLEV + 1];
        albedo[NLEV] = ground[c];
        for (int k = NLEV - 1; k >= 0; --k) {
            const Layer &l = lay[c * NLEV + k];
            albedo[k] = l.refl + l.trans * l.trans * albedo[k + 1] / (1.0 - l.refl * albedo[k + 1]);
        }
        double down = solar;
        net[c * (NLEV + 1)] = down * (1.0 - albedo[0]);
        for (int k = 0; k < NLEV; ++k) {
            const Layer &l = lay[c * NLEV + k];
            down = down * l.trans / (1.0 - l.refl * albedo[k + 1]);
            net[c * (NLEV + 1) + k + 1] = down * (1.0 - albedo[k + 1]);
        }
    }
}

void heating(const double *net, double *rate, const double *mass)
{
    for (int c = 0; c < NCOLS; ++c) {
        const double *f = net + c * (NLEV + 1);
        for (int k = 0; k < NLEV; ++k)
            rate[c * NLEV + k] = (f[k] - f[k + 1]) / (1004.0 * mass[k]);
    }
}

int main()
{
    std::vector<double> tau(NCOLS * NLEV), omega(NCOLS * NLEV), ground(NCOLS, 0.15);
    std::vector<double> net(NCOLS * (NLEV + 1)), rate(NCOLS * NLEV), mass(NLEV, 320.0);
    std::vector<Layer> lay(NCOLS * NLEV);
    for (int i = 0; i < NCOLS * NLEV; ++i) {
        tau[i] = 0.02 + 0.001 * (i % 50);
        omega[i] = 0.9 + 0.001 * (i % 90);
    }
    layer_optics(tau, omega, 0.85, lay);
    fluxes(lay, ground, 1361.0, net);
    heating(net.data(), rate.data(), mass.data());
    std::printf("%g %g\n", net[NLEV], rate[5]);
}
