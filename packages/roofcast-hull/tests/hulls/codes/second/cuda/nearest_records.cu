// Distance of every record to a place.
#include <cuda_runtime.h>
#include <math.h>
#include <vector>

typedef struct latLong { float lat; float lng; } LatLong;

__global__ void distances(LatLong *d_locations, float *d_distances, int numRecords, float lat, float lng)
{
    int id = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (id < numRecords) {
        LatLong *at = d_locations + id;
        float *to = d_distances + id;
        *to = sqrtf((lat - at->lat) * (lat - at->lat) + (lng - at->lng) * (lng - at->lng));
    }
}

int main()
{
    const int numRecords = 42764;
    std::vector<LatLong> locations(numRecords);
    LatLong *d_locations;
    float *d_distances;
    cudaMalloc((void **)&d_locations, sizeof(LatLong) * numRecords);
    cudaMalloc((void **)&d_distances, sizeof(float) * numRecords);
    cudaMemcpy(d_locations, &locations[0], sizeof(LatLong) * numRecords, cudaMemcpyHostToDevice);
    dim3 gridDim(168, 1);
    distances<<<gridDim, 256>>>(d_locations, d_distances, numRecords, 30.0f, 90.0f);
    cudaDeviceSynchronize();
    return 0;
}
