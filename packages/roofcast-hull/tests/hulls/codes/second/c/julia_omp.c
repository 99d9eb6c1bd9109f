/* How soon points of a Julia set leave. */
#define SIDE 800

void julia(unsigned char out[SIDE][SIDE])
{
#pragma omp parallel for schedule(dynamic)
    for (int py = 0; py < SIDE; py++)
        for (int px = 0; px < SIDE; px++) {
            double x = 3.0 * px / SIDE - 1.5, y = 3.0 * py / SIDE - 1.5;
            int n = 0;
            while (x * x + y * y < 4.0 && n < 255) {
                double t = x * x - y * y - 0.8;
                y = 2.0 * x * y + 0.156;
                x = t;
                n++;
            }
            out[py][px] = n;
        }
}
