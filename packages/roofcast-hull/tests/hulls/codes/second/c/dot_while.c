/* A dot product as old books write it. */
static float u[1 << 20], v[1 << 20];

float dot(const float *x, const float *y, int n)
{
    float s = 0.0f;
    while (n--)
        s += *x++ * *y++;
    return s;
}

int main(void)
{
    return dot(u, v, 1 << 20) > 0.0f;
}
