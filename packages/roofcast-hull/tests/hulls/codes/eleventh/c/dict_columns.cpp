// Encoded columns: dictionary decoding, zone maps, and the size of an intersection of two bitmaps.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace col {

constexpr std::size_t kRows = 1 << 20;
constexpr std::size_t kZone = 4096;
constexpr std::size_t kDict = 1000;

template <class V>
class Slice {
  public:
    Slice(V *d, std::size_t n) : data_(d), n_(n) {}
    Slice(std::vector<std::remove_const_t<V>> &v) : data_(v.data()), n_(v.size()) {}
    V &operator[](std::size_t i) const { return data_[i]; }
    std::size_t size() const { return n_; }

  private:
    V *data_;
    std::size_t n_;
};

void decode(Slice<const std::uint16_t> code, Slice<const double> dict, Slice<double> out)
{
    for (std::size_t i = 0; i < kRows; ++i)
        out[i] = dict[code[i]];
}

void zone_maps(Slice<const double> v, Slice<double> lo, Slice<double> hi)
{
    for (std::size_t z = 0; z < kRows / kZone; ++z) {
        double a = v[z * kZone], b = a;
        for (std::size_t i = 1; i < kZone; ++i) {
            const double e = v[z * kZone + i];
            a = std::min(a, e);
            b = std::max(b, e);
        }
        lo[z] = a;
        hi[z] = b;
    }
}

std::uint64_t both(const std::uint64_t *p, const std::uint64_t *q, std::size_t words)
{
    std::uint64_t n = 0;
    const std::uint64_t *end = p + words;
    for (; p != end; ++p, ++q)
        n += static_cast<std::uint64_t>(__builtin_popcountll(*p & *q));
    return n;
}

}  // namespace col

int main()
{
    using namespace col;
    std::vector<std::uint16_t> code(kRows);
    std::vector<double> dict(kDict), out(kRows), lo(kRows / kZone), hi(kRows / kZone);
    std::vector<std::uint64_t> left(kRows / 64), right(kRows / 64);
    for (auto &c : code)
        c = static_cast<std::uint16_t>(std::rand() % kDict);
    for (std::size_t i = 0; i < kDict; ++i)
        dict[i] = 0.25 * i;
    for (std::size_t i = 0; i < kRows / 64; ++i) {
        left[i] = 0x5555555555555555ull * (i & 3);
        right[i] = ~left[i] ^ (i << 7);
    }
    decode(code, dict, out);
    zone_maps(Slice<const double>(out.data(), out.size()), lo, hi);
    std::printf("%g %g %llu\n", lo[3], hi[3], (unsigned long long)both(left.data(), right.data(), kRows / 64));
}
