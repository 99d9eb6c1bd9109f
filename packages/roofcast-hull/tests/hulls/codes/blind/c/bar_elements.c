/* assembly of a bar: linear elements between node e and node e + 1 */
#define ELEMENTS 1000000
#define NODES (ELEMENTS + 1)

void stiffness(const double *young, const double *area, const double *length, double *k)
{
    for (int e = 0; e < ELEMENTS; e++)
        k[e] = young[e] * area[e] / length[e];
}

/* gather form: every node adds up its two elements */
void diagonal(const double k[ELEMENTS], double diag[NODES], double off[ELEMENTS])
{
    for (int n = 1; n < NODES - 1; n++)
        diag[n] = k[n - 1] + k[n];
    diag[0] = k[0];
    diag[NODES - 1] = k[ELEMENTS - 1];
    for (int e = 0; e < ELEMENTS; e++)
        off[e] = -k[e];
}
