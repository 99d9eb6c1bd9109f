// Texture preparation: premultiplied alpha and one level of a box-filtered mip chain.
#include <cstdint>
#include <cstdio>
#include <vector>

struct Texel { std::uint8_t r, g, b, a; };

template <class P>
class Image {
public:
    Image(int w, int h) : w_(w), h_(h), px_(static_cast<std::size_t>(w) * h) {}
    int width() const { return w_; }
    int height() const { return h_; }
    P& operator()(int x, int y) { return px_[static_cast<std::size_t>(y) * w_ + x]; }
    const P& operator()(int x, int y) const { return px_[static_cast<std::size_t>(y) * w_ + x]; }
private:
    int w_, h_;
    std::vector<P> px_;
};

constexpr int W = 1024, H = 768;

void premultiply(Image<Texel>& img)
{
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            Texel& t = img(x, y);
            t.r = static_cast<std::uint8_t>((t.r * t.a + 127) / 255);
            t.g = static_cast<std::uint8_t>((t.g * t.a + 127) / 255);
            t.b = static_cast<std::uint8_t>((t.b * t.a + 127) / 255);
        }
}

void shrink(const Image<Texel>& src, Image<Texel>& dst)
{
    for (int y = 0; y < H / 2; ++y)
        for (int x = 0; x < W / 2; ++x) {
            const Texel& a = src(2 * x, 2 * y);
            const Texel& b = src(2 * x + 1, 2 * y);
            const Texel& c = src(2 * x, 2 * y + 1);
            const Texel& d = src(2 * x + 1, 2 * y + 1);
            Texel& o = dst(x, y);
            o.r = (a.r + b.r + c.r + d.r + 2) >> 2;
            o.g = (a.g + b.g + c.g + d.g + 2) >> 2;
            o.b = (a.b + b.b + c.b + d.b + 2) >> 2;
            o.a = (a.a + b.a + c.a + d.a + 2) >> 2;
        }
}

int main()
{
    Image<Texel> top(W, H), half(W / 2, H / 2);
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x)
            top(x, y) = Texel{std::uint8_t(x), std::uint8_t(y), std::uint8_t(x ^ y), std::uint8_t(x + y)};
    premultiply(top);
    shrink(top, half);
    std::printf("%d\n", half(30, 40).g);
}
