#include <cstdio>
#include <cstdlib>

template <typename T>
struct Mat {
    int rows, cols;
    T* d;
    Mat(int r, int c) : rows(r), cols(c), d(new T[r * c]()) {}
    ~Mat() { delete[] d; }
    T& operator()(int r, int c) { return d[r * cols + c]; }
    const T& operator()(int r, int c) const { return d[r * cols + c]; }
};

constexpr int BATCH = 256, FEAT = 64, CLASSES = 32;

// plain SGD on the last layer: W -= lr / BATCH * x^T dy
void weight_step(const Mat<float>& x, const Mat<float>& dy, Mat<float>& w, float lr)
{
    for (int f = 0; f < FEAT; ++f)
        for (int c = 0; c < CLASSES; ++c) {
            float g = 0;
            for (int b = 0; b < BATCH; ++b)
                g += x(b, f) * dy(b, c);
            w(f, c) -= lr * g / BATCH;
        }
}

int main()
{
    Mat<float> x(BATCH, FEAT), dy(BATCH, CLASSES), w(FEAT, CLASSES);
    for (int i = 0; i < BATCH * FEAT; ++i) x.d[i] = std::rand() % 7 - 3;
    for (int i = 0; i < BATCH * CLASSES; ++i) dy.d[i] = 0.01f * (std::rand() % 9 - 4);
    weight_step(x, dy, w, 0.1f);
    std::printf("%f\n", w(3, 4));
}
