// Crowds of a strategy game: each cell points to its cheapest neighbour; agents look their cell up and walk
#include <cstdio>
#include <vector>

constexpr int GRID = 1024, AGENTS = 500000;
__constant__ float2 STEP[9];

struct Agent { float x, y; };

__global__ void point_cells(const unsigned short *__restrict__ cost, unsigned char *__restrict__ dir)
{
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x == 0 || x == GRID - 1 || y == 0 || y == GRID - 1) return;
    unsigned short least = 0xffff;
    int which = 4;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        const unsigned short c = cost[(y + k / 3 - 1) * GRID + x + k % 3 - 1];
        if (c < least) { least = c; which = k; }
    }
    dir[y * GRID + x] = (unsigned char)which;
}

__global__ void walk(Agent *__restrict__ agents, const unsigned char *__restrict__ dir, float pace)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= AGENTS) return;
    Agent a = agents[i];
    const int cx = (int)a.x, cy = (int)a.y;
    const float2 s = STEP[dir[cy * GRID + cx]];
    a.x += pace * s.x;
    a.y += pace * s.y;
    agents[i] = a;
}

int main()
{
    std::vector<unsigned short> h(GRID * GRID);
    std::vector<Agent> ha(AGENTS);
    for (int i = 0; i < GRID * GRID; i++) h[i] = (unsigned short)(abs(i % GRID - 500) + abs(i / GRID - 300) + i % 3);
    for (int i = 0; i < AGENTS; i++) ha[i] = {2.0f + (i * 37) % 1000, 2.0f + (i / 500) % 1000};
    float2 steps[9];
    for (int k = 0; k < 9; k++) steps[k] = make_float2(k % 3 - 1, k / 3 - 1);
    cudaMemcpyToSymbol(STEP, steps, sizeof steps);
    unsigned short *cost; unsigned char *dir; Agent *agents;
    cudaMalloc(&cost, GRID * GRID * 2);
    cudaMalloc(&dir, GRID * GRID);
    cudaMalloc(&agents, AGENTS * sizeof(Agent));
    cudaMemset(dir, 4, GRID * GRID);
    cudaMemcpy(cost, h.data(), GRID * GRID * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(agents, ha.data(), AGENTS * sizeof(Agent), cudaMemcpyHostToDevice);
    point_cells<<<dim3(GRID / 16, GRID / 16), dim3(16, 16)>>>(cost, dir);
    walk<<<(AGENTS + 255) / 256, 256>>>(agents, dir, 0.1f);
    cudaMemcpy(ha.data(), agents, AGENTS * sizeof(Agent), cudaMemcpyDeviceToHost);
    printf("%f\n", ha[5].x);
}
