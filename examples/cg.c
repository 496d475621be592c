// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A program to scan: conjugate gradients (Hestenes & Stiefel 1952) on the seven-point Laplacian of an n^3 grid,
 * OpenMP. Assembly is serial, the iterations stream the matrix from memory, and the answer is checked.
 *
 *   cg [n] [tolerance]      exit status 0 if the solution is right
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix { /* compressed sparse rows */
    int rows;
    int *start, *column;
    double *value;
};

static void *need(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        fprintf(stderr, "cg: out of memory\n");
        exit(1);
    }
    return p;
}

/* Serial on purpose: the part of the program that more cores do not help. */
static struct matrix assemble(int n)
{
    struct matrix a = {.rows = n * n * n};
    a.start = need((size_t)a.rows + 1, sizeof *a.start);
    a.column = need((size_t)a.rows * 7, sizeof *a.column);
    a.value = need((size_t)a.rows * 7, sizeof *a.value);
    int k = 0;
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int row = (z * n + y) * n + x;
                const int neighbour[6][2] = {{z > 0, -n * n}, {y > 0, -n},    {x > 0, -1},
                                             {x < n - 1, 1},  {y < n - 1, n}, {z < n - 1, n * n}};
                a.start[row] = k;
                for (int i = 0; i < 3; i++)
                    if (neighbour[i][0]) {
                        a.column[k] = row + neighbour[i][1];
                        a.value[k++] = -1;
                    }
                a.column[k] = row;
                a.value[k++] = 6.01; /* a little more than 6: well conditioned enough to end in a second */
                for (int i = 3; i < 6; i++)
                    if (neighbour[i][0]) {
                        a.column[k] = row + neighbour[i][1];
                        a.value[k++] = -1;
                    }
            }
    a.start[a.rows] = k;
    return a;
}

static void multiply(const struct matrix *a, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            sum += a->value[k] * x[a->column[k]];
        y[i] = sum;
    }
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y = keep * y + factor * x */
static void combine(double *y, double keep, const double *x, double factor, int n)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        y[i] = keep * y[i] + factor * x[i];
}

static int solve(const struct matrix *a, const double *b, double *x, double tolerance)
{
    int n = a->rows, iteration = 0;
    double *r = need((size_t)n, sizeof *r), *p = need((size_t)n, sizeof *p), *q = need((size_t)n, sizeof *q);
    combine(r, 0, b, 1, n);
    combine(p, 0, b, 1, n);
    double rr = dot(r, r, n), target = tolerance * tolerance * rr;
    while (rr > target && iteration < 10000) {
        multiply(a, p, q);
        double alpha = rr / dot(p, q, n);
        combine(x, 1, p, alpha, n);
        combine(r, 1, q, -alpha, n);
        double next = dot(r, r, n);
        combine(p, next / rr, r, 1, n);
        rr = next;
        iteration++;
    }
    free(r);
    free(p);
    free(q);
    return iteration;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 72;
    double tolerance = argc > 2 ? atof(argv[2]) : 1e-8;
    if (n < 2 || n > 500 || !(tolerance > 0)) {
        fprintf(stderr, "usage: cg [n from 2 to 500] [tolerance]\n");
        return 2;
    }
    double begin = omp_get_wtime();
    struct matrix a = assemble(n);
    double *truth = need((size_t)a.rows, sizeof *truth), *b = need((size_t)a.rows, sizeof *b),
           *x = need((size_t)a.rows, sizeof *x);
    for (int i = 0; i < a.rows; i++)
        truth[i] = 1 + (i % 17) / 17.0;
    multiply(&a, truth, b);
    int iterations = solve(&a, b, x, tolerance);
    combine(x, 1, truth, -1, a.rows);
    double error = sqrt(dot(x, x, a.rows) / dot(truth, truth, a.rows));
    printf("threads %d, unknowns %d, iterations %d, relative error %.1e, time %.3f s\n", omp_get_max_threads(), a.rows,
           iterations, error, omp_get_wtime() - begin);
    free(a.start);
    free(a.column);
    free(a.value);
    free(truth);
    free(b);
    free(x);
    return error < 1e-4 ? 0 : 1;
}
