/* Classifier head in plain C: logits -> probabilities, loss of the targets, gradient of the logits,
 * gradient of the bias. Self-counted at full size. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 512
#define CLASSES 100

void softmax_forward(const float *logits, float *probs)
{
    for (int b = 0; b < BATCH; b++) {
        const float *l = logits + b * CLASSES;
        float *p = probs + b * CLASSES;
        float maxval = -10000.0f;
        for (int i = 0; i < CLASSES; i++)
            if (l[i] > maxval)
                maxval = l[i];
        float sum = 0.0f;
        for (int i = 0; i < CLASSES; i++) {
            p[i] = expf(l[i] - maxval);
            sum += p[i];
        }
        for (int i = 0; i < CLASSES; i++)
            p[i] /= sum;
    }
}

/* mean loss: -log of the probability of the target */
float nll(const float *probs, const int *targets)
{
    float loss = 0.0f;
    for (int b = 0; b < BATCH; b++)
        loss -= logf(probs[b * CLASSES + targets[b]]);
    return loss / BATCH;
}

void xent_softmax_backward(float *dlogits, const float *probs, const int *targets)
{
    const float dloss = 1.0f / BATCH;
    for (int b = 0; b < BATCH; b++) {
        int ix = targets[b];
        for (int i = 0; i < CLASSES; i++) {
            float indicator = i == ix ? 1.0f : 0.0f;
            dlogits[b * CLASSES + i] += (probs[b * CLASSES + i] - indicator) * dloss;
        }
    }
}

void bias_backward(float *dbias, const float *dlogits)
{
    for (int i = 0; i < CLASSES; i++) {
        float s = 0.0f;
        for (int b = 0; b < BATCH; b++)
            s += dlogits[b * CLASSES + i];
        dbias[i] += s;
    }
}

int main(void)
{
    float *logits = malloc(sizeof(float) * BATCH * CLASSES), *probs = malloc(sizeof(float) * BATCH * CLASSES);
    float *dl = calloc(BATCH * CLASSES, sizeof(float)), *db = calloc(CLASSES, sizeof(float));
    int *targets = malloc(sizeof(int) * BATCH);
    if (!logits || !probs || !dl || !db || !targets) return 1;
    for (int i = 0; i < BATCH * CLASSES; i++) logits[i] = (i * 37 % 101) * 0.05f;
    for (int b = 0; b < BATCH; b++) targets[b] = b * 13 % CLASSES;
    softmax_forward(logits, probs);
    float loss = nll(probs, targets);
    xent_softmax_backward(dl, probs, targets);
    bias_backward(db, dl);
    printf("loss %f db0 %g\n", loss, db[0]);
    free(logits); free(probs); free(dl); free(db); free(targets);
    return 0;
}
