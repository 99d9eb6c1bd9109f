// Rays through a voxel grid (Amanatides & Woo): each pixel's ray steps from voxel to voxel until it meets
// a filled one or leaves the grid. No class: data decide how far and where a ray goes.
#include <cuda_runtime.h>
#include <cfloat>
#include <iostream>
#include <vector>

#define GRID 256
#define IMG_W 1280
#define IMG_H 720

#define checkErr(call)                                                                     \
  {                                                                                        \
    cudaError_t e = call;                                                                  \
    if (e != cudaSuccess) {                                                                \
      std::cerr << __FILE__ << ":" << __LINE__ << " " << cudaGetErrorString(e) << "\n";    \
      exit(1);                                                                             \
    }                                                                                      \
  }

struct Camera {
  float3 eye, forward, right, up;
};

__device__ inline float safe_inv(float v) { return fabsf(v) > 1e-8f ? 1.0f / v : (v < 0 ? -1e8f : 1e8f); }

__global__ void cast_rays(const unsigned char* voxels, float* depth, Camera cam) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= IMG_W || py >= IMG_H) return;

  float sx = (px + 0.5f - 0.5f * IMG_W) / IMG_H;
  float sy = (py + 0.5f - 0.5f * IMG_H) / IMG_H;
  float3 d = make_float3(cam.forward.x + sx * cam.right.x + sy * cam.up.x,
                         cam.forward.y + sx * cam.right.y + sy * cam.up.y,
                         cam.forward.z + sx * cam.right.z + sy * cam.up.z);
  float inv = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
  d.x *= inv;
  d.y *= inv;
  d.z *= inv;

  int x = (int)floorf(cam.eye.x), y = (int)floorf(cam.eye.y), z = (int)floorf(cam.eye.z);
  int stepx = d.x < 0 ? -1 : 1, stepy = d.y < 0 ? -1 : 1, stepz = d.z < 0 ? -1 : 1;
  float ix = safe_inv(d.x), iy = safe_inv(d.y), iz = safe_inv(d.z);
  float tx = (x + (stepx > 0) - cam.eye.x) * ix;
  float ty = (y + (stepy > 0) - cam.eye.y) * iy;
  float tz = (z + (stepz > 0) - cam.eye.z) * iz;
  float t = 0.0f, result = FLT_MAX;

  while (x >= 0 && y >= 0 && z >= 0 && x < GRID && y < GRID && z < GRID) {
    if (voxels[(z * GRID + y) * GRID + x]) {
      result = t;
      break;
    }
    if (tx < ty && tx < tz) {
      t = tx;
      tx += fabsf(ix);
      x += stepx;
    } else if (ty < tz) {
      t = ty;
      ty += fabsf(iy);
      y += stepy;
    } else {
      t = tz;
      tz += fabsf(iz);
      z += stepz;
    }
  }
  depth[py * IMG_W + px] = result;
}

int main() {
  std::vector<unsigned char> vox(size_t(GRID) * GRID * GRID, 0);
  for (int z = 0; z < GRID; ++z)
    for (int y = 0; y < GRID; ++y)
      for (int x = 0; x < GRID; ++x) {
        int a = x % 64 - 32, b = y % 64 - 32, c = z - 180;
        vox[(size_t(z) * GRID + y) * GRID + x] = a * a + b * b + c * c < 24 * 24;
      }
  unsigned char* dv;
  float* depth;
  checkErr(cudaMalloc(&dv, vox.size()));
  checkErr(cudaMalloc(&depth, IMG_W * IMG_H * sizeof(float)));
  checkErr(cudaMemcpy(dv, vox.data(), vox.size(), cudaMemcpyHostToDevice));

  Camera cam{make_float3(128.3f, 127.1f, 2.5f), make_float3(0, 0, 1), make_float3(1, 0, 0), make_float3(0, 1, 0)};
  dim3 block(16, 8), grid((IMG_W + 15) / 16, (IMG_H + 7) / 8);
  cast_rays<<<grid, block>>>(dv, depth, cam);
  checkErr(cudaGetLastError());
  std::vector<float> h(IMG_W * IMG_H);
  checkErr(cudaMemcpy(h.data(), depth, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int hits = 0;
  for (float v : h) hits += v < FLT_MAX;
  std::cout << hits << " rays hit\n";
  cudaFree(dv);
  cudaFree(depth);
  return 0;
}
