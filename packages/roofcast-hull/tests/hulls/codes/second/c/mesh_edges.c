/* Fluxes along the edges of a mesh. */
#define NODES 50000
#define EDGES 150000

void edge_fluxes(const int edges[EDGES][2], const double *weight, const double *q, double *residual)
{
    for (int e = 0; e < EDGES; e++) {
        int a = edges[e][0], b = edges[e][1];
        double flux = weight[e] * (q[b] - q[a]);
        residual[a] += flux;
        residual[b] -= flux;
    }
}
