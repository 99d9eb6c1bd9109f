#include <cstdint>
#include <memory>
class Image {
public:
    Image(int w, int h) : w_(w), h_(h), px_(std::make_unique<std::uint8_t[]>(static_cast<std::size_t>(w) * h)) {}
    std::uint8_t *row(int y) { return px_.get() + y * w_; }
    const std::uint8_t *row(int y) const { return px_.get() + y * w_; }
    int width() const { return w_; }
    int height() const { return h_; }
private:
    int w_, h_;
    std::unique_ptr<std::uint8_t[]> px_;
};
void threshold(const Image &in, Image &out, std::uint8_t t)
{
    for (int y = 0; y < in.height(); ++y) {
        const std::uint8_t *s = in.row(y);
        std::uint8_t *d = out.row(y);
        for (int x = 0; x < in.width(); ++x) d[x] = s[x] > t ? 255 : 0;
    }
}
int main()
{
    Image a(1920, 1080), b(1920, 1080);
    threshold(a, b, 128);
}
