#include <cmath>
#include <cstdio>
#include <vector>

struct Voices { std::vector<float> phase, step, loudness; };

static constexpr int VOICES = 64, FRAMES = 4096, TABLE = 2048;

// each frame sums all voices; the table has one more element than a turn
void render(const float* phase, const float* step, const float* loudness, const float* table, float* out) {
    for (int n = 0; n < FRAMES; ++n) {
        float mix = 0.f;
        for (int v = 0; v < VOICES; ++v) {
            float turn = phase[v] + n * step[v];
            turn -= std::floor(turn);
            const float at = turn * TABLE;
            const int i = static_cast<int>(at);
            const float f = at - i;
            mix += loudness[v] * (table[i] + f * (table[i + 1] - table[i]));
        }
        out[n] = mix;
    }
}

// panned into interleaved stereo with a soft knee
void soft_stereo(const float* mono, float left, float right, float* stereo) {
    for (int n = 0; n < FRAMES; ++n) {
        const float m = mono[n];
        const float s = m / (1.f + std::fabs(m));
        stereo[2 * n] = left * s;
        stereo[2 * n + 1] = right * s;
    }
}

int main() {
    Voices v{std::vector<float>(VOICES), std::vector<float>(VOICES), std::vector<float>(VOICES)};
    std::vector<float> table(TABLE + 1), out(FRAMES), stereo(2 * FRAMES);
    for (int i = 0; i <= TABLE; ++i) table[i] = std::sin(6.2831853f * i / TABLE);
    for (int k = 0; k < VOICES; ++k) {
        v.phase[k] = 0.013f * k;
        v.step[k] = 0.002f + 0.0003f * k;
        v.loudness[k] = 1.f / VOICES;
    }
    render(v.phase.data(), v.step.data(), v.loudness.data(), table.data(), out.data());
    soft_stereo(out.data(), 0.8f, 0.6f, stereo.data());
    std::printf("%f %f\n", out[100], stereo[8191]);
}
