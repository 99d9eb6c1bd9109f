#include <cstdio>
#include <utility>
#include <vector>

class Field {
public:
    Field(int ny, int nx) : ny_(ny), nx_(nx), cells_(static_cast<size_t>(ny) * nx) {}
    float& at(int y, int x) { return cells_[static_cast<size_t>(y) * nx_ + x]; }
    float at(int y, int x) const { return cells_[static_cast<size_t>(y) * nx_ + x]; }
    int ny() const { return ny_; }
    int nx() const { return nx_; }

private:
    int ny_, nx_;
    std::vector<float> cells_;
};

// wind from the south-west; cx and cy are Courant numbers
void carry(const Field& smoke, Field& later, float cx, float cy)
{
    for (int y = 1; y < smoke.ny(); ++y) {
        for (int x = 1; x < smoke.nx(); ++x) {
            const float here = smoke.at(y, x);
            later.at(y, x) = here - cx * (here - smoke.at(y, x - 1)) - cy * (here - smoke.at(y - 1, x));
        }
    }
}

int main()
{
    Field smoke(350, 500), later(350, 500);
    smoke.at(40, 60) = 100.0f;
    carry(smoke, later, 0.3f, 0.2f);
    std::printf("%f %f\n", later.at(40, 61), later.at(41, 60));
    return 0;
}
