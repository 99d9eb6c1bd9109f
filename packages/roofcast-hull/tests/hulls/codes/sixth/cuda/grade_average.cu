// Homework 1: weighted average of five exams for every student, one thread a student.
// 5 multiplications and 5 additions a student.
#include <stdio.h>

#define STUDENTS 1234
#define EXAMS 5

__global__ void average(float *grades, float *weights, float *result)
{
    int student = blockIdx.x * blockDim.x + threadIdx.x;
    if (student < STUDENTS) {
        float total = 0.0f;
        for (int exam = 0; exam < EXAMS; exam++)
            total = total + grades[student * EXAMS + exam] * weights[exam];
        result[student] = total;
    }
}

int main()
{
    static float grades[STUDENTS][EXAMS];
    float weights[EXAMS] = {0.1f, 0.15f, 0.15f, 0.2f, 0.4f};
    static float result[STUDENTS];
    for (int s = 0; s < STUDENTS; s++)
        for (int e = 0; e < EXAMS; e++)
            grades[s][e] = 50 + (s * 13 + e * 29) % 51;

    float *dg, *dw, *dr;
    cudaMalloc(&dg, sizeof(grades));
    cudaMalloc(&dw, sizeof(weights));
    cudaMalloc(&dr, sizeof(result));
    cudaMemcpy(dg, grades, sizeof(grades), cudaMemcpyHostToDevice);
    cudaMemcpy(dw, weights, sizeof(weights), cudaMemcpyHostToDevice);
    average<<<(STUDENTS + 99) / 100, 100>>>(dg, dw, dr);
    cudaMemcpy(result, dr, sizeof(result), cudaMemcpyDeviceToHost);
    printf("first %.2f last %.2f\n", result[0], result[STUDENTS - 1]);
    return 0;
}
