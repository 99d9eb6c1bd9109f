// A 1-D convolution layer: forward, gradient of the weights, a step of SGD.
#include <cstddef>
#include <cstdio>
#include <vector>

template <typename T>
struct Mat {
    T *p;
    int rows, cols;
    T &operator()(int r, int c) const { return p[static_cast<std::size_t>(r) * cols + c]; }
};

constexpr int CIN = 16, COUT = 32, TAPS = 5;
constexpr int LEN = 2048, OUTLEN = LEN - TAPS + 1;

void conv_forward(Mat<const float> in, const float *w, const float *bias, Mat<float> out)
{
#pragma omp parallel for
    for (int co = 0; co < COUT; ++co)
        for (int t = 0; t < OUTLEN; ++t) {
            float acc = bias[co];
            for (int ci = 0; ci < CIN; ++ci)
                for (int k = 0; k < TAPS; ++k)
                    acc += w[(co * CIN + ci) * TAPS + k] * in(ci, t + k);
            out(co, t) = acc > 0.0f ? acc : 0.0f;
        }
}

void conv_weight_grad(Mat<const float> in, Mat<const float> dout, float *dw)
{
    for (int co = 0; co < COUT; ++co)
        for (int ci = 0; ci < CIN; ++ci)
            for (int k = 0; k < TAPS; ++k) {
                float g = 0.0f;
                for (int t = 0; t < OUTLEN; ++t)
                    g += dout(co, t) * in(ci, t + k);
                dw[(co * CIN + ci) * TAPS + k] = g;
            }
}

void sgd(std::vector<float> &w, const std::vector<float> &dw, std::vector<float> &vel, float lr, float mu, float decay)
{
    auto step = [=](float &wi, float gi, float &vi) {
        gi += decay * wi;
        vi = mu * vi + gi;
        wi -= lr * vi;
    };
    for (std::size_t i = 0; i < w.size(); ++i)
        step(w[i], dw[i], vel[i]);
}

int main()
{
    std::vector<float> x(CIN * LEN), y(COUT * OUTLEN), dy(COUT * OUTLEN, 0.01f);
    std::vector<float> w(COUT * CIN * TAPS, 0.05f), dw(COUT * CIN * TAPS), vel(COUT * CIN * TAPS), b(COUT, 0.1f);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i % 13) - 6.0f;
    Mat<const float> in{x.data(), CIN, LEN};
    conv_forward(in, w.data(), b.data(), Mat<float>{y.data(), COUT, OUTLEN});
    conv_weight_grad(in, Mat<const float>{dy.data(), COUT, OUTLEN}, dw.data());
    sgd(w, dw, vel, 0.01f, 0.9f, 1e-4f);
    std::printf("%g %g\n", y[3], w[7]);
}
