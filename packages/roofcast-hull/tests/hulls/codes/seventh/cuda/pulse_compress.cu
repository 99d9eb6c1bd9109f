// Radar pulse compression, the step between the two FFTs: each pulse's spectrum times the conjugate of the
// transmitted chirp's spectrum, scaled for the inverse transform. In place. By hand: 6 + 2 a sample.
#include <complex>
#include <cstdio>
#include <stdexcept>
#include <vector>
#include <cuComplex.h>
#include <cuda_runtime.h>

class PulseCompressor {
public:
    PulseCompressor(int pulses, int samples) : pulses_(pulses), samples_(samples)
    {
        if (cudaMalloc(&data_, sizeof(cuFloatComplex) * pulses * samples) != cudaSuccess ||
            cudaMalloc(&ref_, sizeof(cuFloatComplex) * samples) != cudaSuccess)
            throw std::runtime_error("cudaMalloc");
    }
    ~PulseCompressor() { cudaFree(data_); cudaFree(ref_); }
    void load(const std::vector<std::complex<float>> &d, const std::vector<std::complex<float>> &r)
    {
        cudaMemcpy(data_, d.data(), d.size() * sizeof(cuFloatComplex), cudaMemcpyHostToDevice);
        cudaMemcpy(ref_, r.data(), r.size() * sizeof(cuFloatComplex), cudaMemcpyHostToDevice);
    }
    void run();
    void store(std::vector<std::complex<float>> &d) const
    {
        cudaMemcpy(d.data(), data_, d.size() * sizeof(cuFloatComplex), cudaMemcpyDeviceToHost);
    }

private:
    int pulses_, samples_;
    cuFloatComplex *data_ = nullptr, *ref_ = nullptr;
};

__global__ void matchSpectrum(cuFloatComplex *data, const cuFloatComplex *ref, int samples, float scale)
{
    const int bin = blockIdx.x * blockDim.x + threadIdx.x;
    const int pulse = blockIdx.y;
    if (bin >= samples) return;
    const cuFloatComplex a = data[pulse * samples + bin];
    const cuFloatComplex b = ref[bin];
    const float re = a.x * b.x + a.y * b.y;
    const float im = a.y * b.x - a.x * b.y;
    data[pulse * samples + bin] = make_cuFloatComplex(re * scale, im * scale);
}

void PulseCompressor::run()
{
    dim3 block(256);
    dim3 grid((samples_ + block.x - 1) / block.x, pulses_);
    matchSpectrum<<<grid, block>>>(data_, ref_, samples_, 1.0f / samples_);
}

int main()
{
    constexpr int kPulses = 512, kSamples = 4096;
    std::vector<std::complex<float>> d(kPulses * kSamples), r(kSamples);
    for (int i = 0; i < kSamples; ++i) r[i] = std::polar(1.0f, 1e-4f * i * i);
    for (size_t i = 0; i < d.size(); ++i) d[i] = r[i % kSamples];
    PulseCompressor pc(kPulses, kSamples);
    pc.load(d, r);
    pc.run();
    pc.store(d);
    printf("%f %f\n", d[0].real(), d[0].imag());
    return 0;
}
