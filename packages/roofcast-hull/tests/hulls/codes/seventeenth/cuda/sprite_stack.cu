// Compositor of a game: layers of uchar4 sprites over a background, and a half-size thumbnail; a chase through a linked list of events.
#include <cstdio>
#include <vector>

const int W = 1280, H = 720, LAYERS = 4;

__device__ inline unsigned char over1(unsigned char top, unsigned char below, unsigned a)
{
    return (unsigned char)((top * a + below * (255u - a) + 127u) / 255u);
}

__global__ void flatten(const uchar4 *layers, uchar4 *screen)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    uchar4 out = make_uchar4(20, 24, 32, 255);
    for (int l = 0; l < LAYERS; ++l) {
        uchar4 s = layers[(l * H + y) * W + x];
        out.x = over1(s.x, out.x, s.w);
        out.y = over1(s.y, out.y, s.w);
        out.z = over1(s.z, out.z, s.w);
    }
    screen[y * W + x] = out;
}

__global__ void thumbnail(const uchar4 *screen, uchar4 *small)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= W / 2) return;
    const uchar4 *p = screen + 2 * y * W + 2 * x;
    uchar4 a = p[0], b = p[1], c = p[W], d = p[W + 1];
    small[y * (W / 2) + x] = make_uchar4((a.x + b.x + c.x + d.x + 2) >> 2, (a.y + b.y + c.y + d.y + 2) >> 2,
                                         (a.z + b.z + c.z + d.z + 2) >> 2, 255);
}

__global__ void last_event(const int *head, const int *next, int *last, int actors)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= actors) return;
    int e = head[a];
    while (next[e] >= 0) e = next[e];
    last[a] = e;
}

int main()
{
    std::vector<uchar4> l(W * H * LAYERS);
    for (size_t i = 0; i < l.size(); ++i) l[i] = make_uchar4(i % 256, i / 7 % 256, i / 31 % 256, i / 1000 % 256);
    const int actors = 4096, events = 65536;
    std::vector<int> head(actors), next(events);
    for (int a = 0; a < actors; ++a) head[a] = a;
    for (int e = 0; e < events; ++e) next[e] = e + actors < events && (e * 2654435761u >> 28) != 0 ? e + actors : -1;
    uchar4 *dl, *ds, *dt; int *dh, *dn, *de;
    cudaMalloc(&dl, l.size() * sizeof(uchar4)); cudaMalloc(&ds, W * H * sizeof(uchar4)); cudaMalloc(&dt, W * H / 4 * sizeof(uchar4));
    cudaMalloc(&dh, actors * 4); cudaMalloc(&de, actors * 4); cudaMalloc(&dn, events * 4);
    cudaMemcpy(dl, l.data(), l.size() * sizeof(uchar4), cudaMemcpyHostToDevice);
    cudaMemcpy(dh, head.data(), actors * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dn, next.data(), events * 4, cudaMemcpyHostToDevice);
    flatten<<<dim3(W / 128, H), 128>>>(dl, ds);
    thumbnail<<<dim3(W / 128, H / 2), 64>>>(ds, dt);
    last_event<<<actors / 128, 128>>>(dh, dn, de, actors);
    uchar4 c;
    cudaMemcpy(&c, dt + 555, sizeof c, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", c.x, c.y, c.z);
}
