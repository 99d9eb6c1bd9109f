/* Running sums, orders and transforms in plain C. */
#include <math.h>
#include <stdlib.h>

#define N 65536

void running(const double *a, double *out)
{
    double s = 0.0;
    for (int i = 0; i < N; i++) {
        s += a[i];
        out[i] = s;
    }
}

void exclusive(const int *a, int *out)
{
    int s = 0;
    for (int i = 0; i < N; i++) {
        out[i] = s;
        s += a[i];
    }
}

void in_place(float *x)
{
    for (int i = 1; i < N; i++)
        x[i] += x[i - 1];
}

/* A filter with memory: no running sum. */
void smooth(const float *x, float *y)
{
    y[0] = x[0];
    for (int i = 1; i < N; i++)
        y[i] = 0.9f * y[i - 1] + 0.1f * x[i];
}

void merge_sort(float *v, float *w)
{
    for (int width = 1; width < N; width *= 2) {
        for (int lo = 0; lo < N; lo += 2 * width) {
            int mid = lo + width < N ? lo + width : N, hi = lo + 2 * width < N ? lo + 2 * width : N;
            int i = lo, j = mid;
            for (int k = lo; k < hi; k++) {
                if (i < mid && (j >= hi || v[i] <= v[j]))
                    w[k] = v[i++];
                else
                    w[k] = v[j++];
            }
        }
        for (int k = 0; k < N; k++)
            v[k] = w[k];
    }
}

/* Compares all with all: no order by stages. */
void selection_sort(int *v)
{
    for (int i = 0; i < N; i++) {
        int least = i;
        for (int j = i + 1; j < N; j++)
            if (v[j] < v[least]) least = j;
        int h = v[i]; v[i] = v[least]; v[least] = h;
    }
}

void fft(double *re, double *im)
{
    for (int i = 1, j = 0; i < N; i++) {
        int bit = N >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            double h = re[i]; re[i] = re[j]; re[j] = h;
            h = im[i]; im[i] = im[j]; im[j] = h;
        }
    }
    for (int len = 2; len <= N; len <<= 1) {
        double angle = -2.0 * 3.14159265358979323846 / len;
        for (int i = 0; i < N; i += len)
            for (int k = 0; k < len / 2; k++) {
                double c = cos(angle * k), s = sin(angle * k);
                int a = i + k, b = i + k + len / 2;
                double xr = re[b] * c - im[b] * s, xi = re[b] * s + im[b] * c;
                re[b] = re[a] - xr; im[b] = im[a] - xi;
                re[a] += xr; im[a] += xi;
            }
    }
}
