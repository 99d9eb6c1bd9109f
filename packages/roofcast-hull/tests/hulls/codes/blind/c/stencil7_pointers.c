#include <stddef.h>
#define NX 100
#define NY 100
#define NZ 100
#define AT(x, y, z) ((x) + NX * ((y) + (size_t)NY * (z)))

void probe(const double *in, double *out, double c0, double c1)
{
    for (int z = 1; z < NZ - 1; ++z)
        for (int y = 1; y < NY - 1; ++y) {
            const double *p = in + AT(1, y, z);
            double *q = out + AT(1, y, z);
            for (int x = 1; x < NX - 1; ++x, ++p, ++q)
                *q = c0 * p[0] + c1 * (p[-1] + p[1] + p[-NX] + p[NX] + p[-NX * NY] + p[NX * NY]);
        }
}
