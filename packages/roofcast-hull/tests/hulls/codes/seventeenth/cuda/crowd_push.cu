// Pedestrians that keep away from one another (social forces) in a square hall.
#include <cstdio>
#include <vector>

#define PEOPLE 4096
#define TILE 128

struct Manners { float strength, reach, inv_range, inv_tau, dt; };

__global__ void steer(const float2 *pos, const float2 *vel, const float2 *want, float2 *next, Manners m)
{
    __shared__ float2 crowd[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const float2 me = pos[i];
    float fx = 0.f, fy = 0.f;
    for (int t = 0; t < PEOPLE / TILE; ++t) {
        crowd[threadIdx.x] = pos[t * TILE + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; ++j) {
            float dx = me.x - crowd[j].x, dy = me.y - crowd[j].y;
            float r2 = dx * dx + dy * dy + 1e-6f;
            float inv = rsqrtf(r2);
            float push = m.strength * expf((m.reach - r2 * inv) * m.inv_range) * inv;
            fx += push * dx;
            fy += push * dy;
        }
        __syncthreads();
    }
    float2 v = vel[i], w = want[i];
    fx += (w.x - v.x) * m.inv_tau;
    fy += (w.y - v.y) * m.inv_tau;
    next[i] = make_float2(v.x + m.dt * fx, v.y + m.dt * fy);
}

__global__ void walk(float2 *pos, const float2 *vel, float dt, float hall)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PEOPLE) return;
    float2 p = pos[i], v = vel[i];
    p.x = fminf(fmaxf(p.x + dt * v.x, 0.f), hall);
    p.y = fminf(fmaxf(p.y + dt * v.y, 0.f), hall);
    pos[i] = p;
}

int main()
{
    std::vector<float2> p(PEOPLE), w(PEOPLE);
    for (int i = 0; i < PEOPLE; ++i) {
        p[i] = make_float2(0.7f * (i % 64), 0.7f * (i / 64));
        w[i] = make_float2(i % 2 ? 1.3f : -1.3f, 0.1f);
    }
    float2 *pos, *v[2], *want;
    cudaMalloc(&pos, PEOPLE * sizeof(float2)); cudaMalloc(&want, PEOPLE * sizeof(float2));
    cudaMalloc(&v[0], PEOPLE * sizeof(float2)); cudaMalloc(&v[1], PEOPLE * sizeof(float2));
    cudaMemcpy(pos, p.data(), PEOPLE * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(want, w.data(), PEOPLE * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemset(v[0], 0, PEOPLE * sizeof(float2));
    Manners m = {2.0f, 0.6f, 5.0f, 2.0f, 0.02f};
    for (int step = 0; step < 50; ++step) {
        int now = step & 1;
        steer<<<PEOPLE / TILE, TILE>>>(pos, v[now], want, v[1 - now], m);
        walk<<<PEOPLE / 256, 256>>>(pos, v[1 - now], m.dt, 50.f);
    }
    cudaMemcpy(p.data(), pos, PEOPLE * sizeof(float2), cudaMemcpyDeviceToHost);
    printf("%f %f\n", p[9].x, p[9].y);
}
