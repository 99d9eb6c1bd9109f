#define ROWS 20000
#define NNZ 180000

struct csr {
    int ptr[ROWS + 1];
    int col[NNZ];
    double val[NNZ];
};

void spmv(const struct csr *m, const double x[ROWS], double y[ROWS])
{
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < ROWS; i++) {
        double t = 0.0;
        for (int k = m->ptr[i]; k < m->ptr[i + 1]; k++)
            t += m->val[k] * x[m->col[k]];
        y[i] = t;
    }
}
