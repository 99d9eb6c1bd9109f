#include <math.h>
#define LOGN 12
#define N (1 << LOGN)

void fft(double re[N], double im[N])
{
    for (int len = 2; len <= N; len <<= 1) {
        double ang = -2.0 * 3.14159265358979323846 / len;
        for (int i = 0; i < N; i += len)
            for (int k = 0; k < len / 2; k++) {
                double wr = cos(ang * k), wi = sin(ang * k);
                int u = i + k, v = i + k + len / 2;
                double tr = re[v] * wr - im[v] * wi;
                double ti = re[v] * wi + im[v] * wr;
                re[v] = re[u] - tr;
                im[v] = im[u] - ti;
                re[u] += tr;
                im[u] += ti;
            }
    }
}
