#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define LEN 800000

typedef struct { double re, im; } cplx;
typedef struct { int rows, cols, stride; float *data; } matrix;
struct particle { float x, y, z, vx, vy, vz; };

void walk_pointers(const float *a, const float *b, float *c)
{
    const float *end = a + LEN;
    while (a != end) *c++ = *a++ + *b++;
}

void walk_struct(struct particle *p, float dt)
{
    for (int i = 0; i < LEN; i++, p++) {
        p->x += p->vx * dt;
        p->y += p->vy * dt;
        p->z += p->vz * dt;
    }
}

void countdown(double *x, double s)
{
    int n = LEN;
    while (n-- > 0) x[n] *= s;
}

void do_loop(const int *a, int *b)
{
    int i = 0;
    do {
        b[i] = a[i] ^ (a[i] >> 1);
        i++;
    } while (i < LEN);
}

double dot4(const double *x, const double *y)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int i = 0; i < LEN; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    return s0 + s1 + s2 + s3;
}

void add_matrices(const matrix *a, const matrix *b, matrix *c)
{
    for (int i = 0; i < 600; i++)
        for (int j = 0; j < 700; j++)
            c->data[i * c->stride + j] = a->data[i * a->stride + j] + b->data[i * b->stride + j];
}

void gray_decode(const uint32_t *g, uint32_t *out)
{
    for (size_t i = 0; i < LEN; i++) {
        uint32_t v = g[i];
        for (int s = 1; s < 32; s <<= 1) v ^= v >> s;
        out[i] = v;
    }
}

void magnitude(const cplx *z, double *m)
{
    for (long i = 0; i < LEN; ++i) m[i] = sqrt(z[i].re * z[i].re + z[i].im * z[i].im);
}

void halve_image(int h, int w, const uint8_t in[h][w], uint8_t out[h / 2][w / 2])
{
    for (int y = 0; y < h / 2; y++)
        for (int x = 0; x < w / 2; x++)
            out[y][x] = (in[2 * y][2 * x] + in[2 * y][2 * x + 1] + in[2 * y + 1][2 * x] + in[2 * y + 1][2 * x + 1]) / 4;
}

void mirror_rows(float *img)
{
    for (int y = 0; y < 1000; y++) {
        float *row = img + y * 1200;
        for (int i = 0, j = 1199; i < j; i++, j--) {
            float t = row[i];
            row[i] = row[j];
            row[j] = t;
        }
    }
}

void lower_matvec(const double *L, const double *x, double *y, int n)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j <= i; j++) s += L[i * n + j] * x[j];
        y[i] = s;
    }
}

void blur_checked(const float *in, float *out)
{
    for (int y = 0; y < 768; y++)
        for (int x = 0; x < 1024; x++) {
            float s = 0;
            int n = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int yy = y + dy, xx = x + dx;
                    if (yy < 0 || yy >= 768 || xx < 0 || xx >= 1024) continue;
                    s += in[yy * 1024 + xx];
                    n++;
                }
            out[y * 1024 + x] = s / n;
        }
}

void saturating(const int16_t *a, const int16_t *b, int16_t *c)
{
    for (int i = 0; i < LEN; i++) {
        int s = a[i] + b[i];
        c[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s;
    }
}

int count_above(const float *x, float t)
{
    int c = 0;
    for (int i = 0; i < LEN; i++)
        if (x[i] > t) c++;
    return c;
}

double polygon_area(const double *x, const double *y, int n)
{
    double twice = 0;
    for (int i = 0, j = n - 1; i < n; j = i++) twice += x[j] * y[i] - x[i] * y[j];
    return twice / 2;
}

void relax_colour(double u[600][600], const double f[600][600], int colour)
{
    for (int i = 1; i < 599; i++)
        for (int j = 1 + (i + colour) % 2; j < 599; j += 2)
            u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
}

float dot_counted_down(const float *x, const float *y, int n)
{
    float s = 0;
    while (n--) s += *x++ * *y++;
    return s;
}

void translate(unsigned char *text, const unsigned char table[256], int n)
{
    for (unsigned char *p = text; p < text + n; p++) *p = table[*p];
}
