// P1 triangles: row-sum mass matrix assembled on the nodes of a structured mesh whose numbering the kernel does not know.
#include <cstdio>
#include <vector>

constexpr int NX = 448, NY = 448;
constexpr int NODES = NX * NY;                       // 200704
constexpr int TRIS = 2 * (NX - 1) * (NY - 1);        // 399618

struct Mesh {
    const int *a, *b, *c;
    const double *x, *y;
};

__global__ void assemble(Mesh mesh, const double *__restrict__ rho, double *mass)
{
    const int e = threadIdx.x + blockIdx.x * blockDim.x;
    if (e < TRIS) {
        const int i = mesh.a[e], j = mesh.b[e], k = mesh.c[e];
        const double ux = mesh.x[j] - mesh.x[i], uy = mesh.y[j] - mesh.y[i];
        const double vx = mesh.x[k] - mesh.x[i], vy = mesh.y[k] - mesh.y[i];
        const double share = rho[e] * fabs(ux * vy - uy * vx) / 6.0;
        atomicAdd(mass + i, share);
        atomicAdd(mass + j, share);
        atomicAdd(mass + k, share);
    }
}

__global__ void invert_mass(double *mass)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < NODES) mass[i] = 1.0 / mass[i];
}

template <class T> T *upload(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main()
{
    std::vector<int> a(TRIS), b(TRIS), c(TRIS);
    std::vector<double> x(NODES), y(NODES), rho(TRIS, 1.2);
    for (int i = 0; i < NODES; i++) { x[i] = (i % NX) * 0.01; y[i] = (i / NX) * 0.01; }
    int e = 0;
    for (int j = 0; j + 1 < NY; j++)
        for (int i = 0; i + 1 < NX; i++) {
            int n = j * NX + i;
            a[e] = n; b[e] = n + 1; c[e++] = n + NX;
            a[e] = n + 1; b[e] = n + NX + 1; c[e++] = n + NX;
        }
    Mesh mesh{upload(a), upload(b), upload(c), upload(x), upload(y)};
    double *drho = upload(rho), *mass;
    cudaMalloc(&mass, NODES * sizeof(double));
    cudaMemset(mass, 0, NODES * sizeof(double));
    assemble<<<(TRIS + 255) / 256, 256>>>(mesh, drho, mass);
    invert_mass<<<(NODES + 255) / 256, 256>>>(mass);
    cudaMemcpy(x.data(), mass, NODES * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%g\n", x[NX + 1]);
}
