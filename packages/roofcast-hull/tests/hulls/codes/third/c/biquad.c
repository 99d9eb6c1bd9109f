/* Second-order sections, one for each channel. */
#define CHANNELS 64
#define SAMPLES 16384

static float input[CHANNELS][SAMPLES], output[CHANNELS][SAMPLES];

void biquad(float x[CHANNELS][SAMPLES], float y[CHANNELS][SAMPLES], float b0, float b1, float b2, float a1, float a2)
{
    for (int c = 0; c < CHANNELS; c++) {
        float x1 = 0, x2 = 0, y1 = 0, y2 = 0;
        for (int t = 0; t < SAMPLES; t++) {
            float in = x[c][t];
            float out = b0 * in + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
            x2 = x1;
            x1 = in;
            y2 = y1;
            y1 = out;
            y[c][t] = out;
        }
    }
}

int main(void)
{
    biquad(input, output, 0.2f, 0.4f, 0.2f, -0.37f, 0.2f);
    return 0;
}
