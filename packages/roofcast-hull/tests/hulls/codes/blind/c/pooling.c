#define C 32
#define IN 64
#define OUT (IN / 2)

void maxpool(const float in[C][IN][IN], float out[C][OUT][OUT])
{
    for (int c = 0; c < C; ++c)
        for (int y = 0; y < OUT; ++y)
            for (int x = 0; x < OUT; ++x) {
                float m = in[c][2 * y][2 * x];
                for (int dy = 0; dy < 2; ++dy)
                    for (int dx = 0; dx < 2; ++dx)
                        if (in[c][2 * y + dy][2 * x + dx] > m) m = in[c][2 * y + dy][2 * x + dx];
                out[c][y][x] = m;
            }
}

void global_max(const float in[C][IN][IN], float out[C])
{
    for (int c = 0; c < C; ++c) {
        out[c] = in[c][0][0];
        for (int y = 0; y < IN; ++y)
            for (int x = 0; x < IN; ++x)
                if (in[c][y][x] > out[c]) out[c] = in[c][y][x];
    }
}
