// Softplus over a vector.
#include <cmath>
#include <vector>

void softplus(std::vector<float> &values)
{
    for (auto &v : values) v = std::log1p(std::exp(v));
}

int main()
{
    std::vector<float> values(1500000);
    softplus(values);
    return values[0] > 100;
}
