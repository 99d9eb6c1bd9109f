#include <span>
#include <vector>
void lerp_all(std::span<const float> a, std::span<const float> b, std::span<float> out, float t)
{
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] + t * (b[i] - a[i]);
}
int main()
{
    std::vector<float> a(150000), b(150000), c(150000);
    lerp_all(a, b, c, 0.3f);
}
