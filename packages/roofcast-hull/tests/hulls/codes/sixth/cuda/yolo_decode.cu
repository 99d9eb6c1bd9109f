// Decode the raw 13x13 head of a small YOLO (VOC, 20 classes, 3 anchors a cell):
// corners in pixels, best class and its score.  One thread a box.
// Operations a box: centre 2 x 5, extent 2 x 2, corners 8, objectness 3, classes 20 comparisons,
// class sigmoid 3, score 1 = 49; signs (4) may be counted too, 0.5*w may be shared.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define GRID_W 13
#define GRID_H 13
#define ANCHORS 3
#define CLASSES 20
#define CHANNELS (5 + CLASSES)
#define BATCH 2
#define STRIDE 32.0f

__device__ inline float sigmoidf(float v) { return 1.0f / (1.0f + expf(-v)); }

extern "C" __global__ void yolo_decode(const float *raw, const float *anchors, float *boxes, float *scores, int *labels)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= BATCH * ANCHORS * GRID_H * GRID_W) return;
    int gx = id % GRID_W;
    int gy = (id / GRID_W) % GRID_H;
    int a = (id / (GRID_W * GRID_H)) % ANCHORS;
    int b = id / (GRID_W * GRID_H * ANCHORS);

    const int plane = GRID_H * GRID_W;
    const float *p = raw + ((b * ANCHORS + a) * CHANNELS) * plane + gy * GRID_W + gx;

    float cx = (sigmoidf(p[0 * plane]) + gx) * STRIDE;
    float cy = (sigmoidf(p[1 * plane]) + gy) * STRIDE;
    float bw = expf(p[2 * plane]) * anchors[2 * a];
    float bh = expf(p[3 * plane]) * anchors[2 * a + 1];
    float obj = sigmoidf(p[4 * plane]);

    int best = 0;
    float top = -1e30f;
    for (int k = 0; k < CLASSES; ++k) {
        float v = p[(5 + k) * plane];
        if (v > top) {
            top = v;
            best = k;
        }
    }

    boxes[4 * id + 0] = cx - 0.5f * bw;
    boxes[4 * id + 1] = cy - 0.5f * bh;
    boxes[4 * id + 2] = cx + 0.5f * bw;
    boxes[4 * id + 3] = cy + 0.5f * bh;
    scores[id] = obj * sigmoidf(top);
    labels[id] = best;
}

int main(void)
{
    const int nbox = BATCH * ANCHORS * GRID_H * GRID_W;
    const int nraw = nbox * CHANNELS;
    float h_anchors[2 * ANCHORS] = {81, 82, 135, 169, 344, 319};
    float *raw, *anc, *boxes, *scores;
    int *labels;
    cudaMallocManaged(&raw, nraw * sizeof(float));
    cudaMallocManaged(&anc, sizeof h_anchors);
    cudaMallocManaged(&boxes, 4 * nbox * sizeof(float));
    cudaMallocManaged(&scores, nbox * sizeof(float));
    cudaMallocManaged(&labels, nbox * sizeof(int));
    memcpy(anc, h_anchors, sizeof h_anchors);
    for (int i = 0; i < nraw; ++i) raw[i] = 0.01f * (i % 97) - 0.4f;

    yolo_decode<<<(nbox + 127) / 128, 128>>>(raw, anc, boxes, scores, labels);
    cudaDeviceSynchronize();
    printf("box 0: %.1f %.1f %.1f %.1f score %.3f class %d\n", boxes[0], boxes[1], boxes[2], boxes[3], scores[0], labels[0]);
    return 0;
}
