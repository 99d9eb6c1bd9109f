#include <stdio.h>
#include <stdlib.h>

typedef short sample_t;
#define SECONDS 60
#define RATE 44100

struct frame {
    sample_t left, right;
};

static void downmix(const struct frame *restrict in, sample_t *restrict out, size_t frames)
{
    for (size_t i = 0; i < frames; ++i)
        out[i] = (sample_t)((in[i].left + in[i].right) / 2);
}

int main(void)
{
    const size_t frames = (size_t)SECONDS * RATE;
    struct frame *in = calloc(frames, sizeof *in);
    sample_t *out = calloc(frames, sizeof *out);
    if (!in || !out) {
        perror("calloc");
        return EXIT_FAILURE;
    }
    downmix(in, out, frames);
    printf("%d\n", out[frames / 2]);
    free(in);
    free(out);
    return EXIT_SUCCESS;
}
