#define N 300000

typedef struct {
    double re, im;
} cplx;

static cplx mul(cplx a, cplx b)
{
    cplx c;
    c.re = a.re * b.re - a.im * b.im;
    c.im = a.re * b.im + a.im * b.re;
    return c;
}

void rotate_all(cplx z[N], cplx by)
{
    for (int i = 0; i < N; i++) z[i] = mul(z[i], by);
}

void power(const cplx z[N], double p[N])
{
    for (int i = 0; i < N; i++) p[i] = z[i].re * z[i].re + z[i].im * z[i].im;
}
