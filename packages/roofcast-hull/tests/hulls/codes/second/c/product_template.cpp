// A product of square matrices, size and type by template.
#include <memory>

template <typename T, int N>
void product(const T (&a)[N][N], const T (&b)[N][N], T (&c)[N][N])
{
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) c[i][j] = T(0);
    for (int i = 0; i < N; ++i)
        for (int k = 0; k < N; ++k)
            for (int j = 0; j < N; ++j) c[i][j] += a[i][k] * b[k][j];
}

static float a[384][384], b[384][384], c[384][384];

int main()
{
    product<float, 384>(a, b, c);
    return c[0][0] != 0.0f;
}
