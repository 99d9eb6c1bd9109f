#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

struct saxpy_functor {
    const float a;
    saxpy_functor(float _a) : a(_a) {}
    __host__ __device__ float operator()(const float &x, const float &y) const { return a * x + y; }
};

void saxpy_fast(float A, thrust::device_vector<float> &X, thrust::device_vector<float> &Y)
{
    thrust::transform(X.begin(), X.end(), Y.begin(), Y.begin(), saxpy_functor(A));
}

float total(thrust::device_vector<float> &X)
{
    return thrust::reduce(X.begin(), X.end(), 0.0f, thrust::plus<float>());
}

int main()
{
    const int n = 2000000;
    thrust::device_vector<float> X(n), Y(n);
    saxpy_fast(2.0f, X, Y);
    return total(X) > 0;
}
