/* A Gaussian process to which points can be added one by one. */
#include "search/gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = GT_GAUSSIAN_ROWS };

/* Initial values in a gt_gaussian: all weights together, all parts together, and the noise. */
#define FIRST_WEIGHT 4.0
#define FIRST_PART   1.0
#define FIRST_NOISE  1e-2
#define LEAST        1e-9 /* lower bound of a variance, which rounding errors can make negative */

gputune_status gt_gaussian_open(gt_gaussian *out, const gt_coordinates *coordinates)
{
    *out = (gt_gaussian){.dimensions = coordinates->count, .noise = FIRST_NOISE};
    for (uint32_t d = 0; d < out->dimensions; d++) {
        out->weight[d] = FIRST_WEIGHT / out->dimensions;
        out->part[d] = FIRST_PART / out->dimensions;
    }
    out->z = calloc((size_t)ROWS * (out->dimensions + 1), sizeof *out->z);
    out->lower = calloc((size_t)ROWS * ROWS, sizeof *out->lower);
    out->sample = gt_gaussian_sample_new();
    if (!out->z || !out->lower || !out->sample) {
        gt_gaussian_close(out);
        return gt_fail_memory();
    }
    return GPUTUNE_OK;
}

void gt_gaussian_close(gt_gaussian *gaussian)
{
    free(gaussian->z);
    free(gaussian->lower);
    free(gaussian->sample);
    gaussian->z = NULL;
    gaussian->lower = NULL;
    gaussian->sample = NULL;
}

static float matern(float squared)
{
    float r = sqrtf(5 * squared);
    return (1 + r + r * r / 3) * expf(-r);
}

/* Three sums over the dimensions for each row. Their terms are weight * distance^2, s, and s^2,
 * where s = part * (1 - distance). Single precision is enough because the noise is much larger. */
typedef struct likeness {
    float squared[ROWS], shared[ROWS], squares[ROWS];
} likeness;

static void add_coordinate(likeness *restrict out, const gt_gaussian *g, uint32_t d, float at,
                           uint32_t from, uint32_t to)
{
    const float *restrict row = g->z + (size_t)d * ROWS;
    const float weight = (float)g->weight[d], part = (float)g->part[d];
    for (uint32_t i = from; i < to; i++) {
        float apart = fabsf(row[i] - at),
              distance = apart < 1 ? apart : 1; /* two different unordered values have distance 1 */
        float shared = part * (1 - distance);
        out->squared[i] += weight * distance * distance;
        out->shared[i] += shared;
        out->squares[i] += shared * shared;
    }
}

/* Writes the covariances of the point z with the rows `from` to `to` - 1 to `out`. */
static void covariances(double *out, const gt_gaussian *g, const float *z, uint32_t from,
                        uint32_t to)
{
    likeness like;
    memset(like.squared + from, 0, (to - from) * sizeof *like.squared);
    memset(like.shared + from, 0, (to - from) * sizeof *like.shared);
    memset(like.squares + from, 0, (to - from) * sizeof *like.squares);
    for (uint32_t d = 0; d < g->dimensions; d++) {
        add_coordinate(&like, g, d, z[d], from, to);
    }
    for (uint32_t i = from; i < to; i++) {
        double apart = gt_gaussian_apart((double)like.shared[i], (double)like.squares[i]);
        out[i] = (double)matern(like.squared[i]) + apart;
    }
}

/* Returns the variance of a point before any data is known, divided by the signal variance. */
static double variance(const gt_gaussian *g)
{
    double sum = 0, squares = 0;
    for (uint32_t d = 0; d < g->dimensions; d++) {
        sum += g->part[d];
        squares += g->part[d] * g->part[d];
    }
    return 1 + gt_gaussian_apart(sum, squares);
}

/* Solves L x = v for rows `from` to `to` - 1 of the Cholesky factor L. Replaces v by x. */
static void solve_forward(double *v, const gt_gaussian *g, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const double *row = g->lower + (size_t)i * ROWS;
        v[i] = (v[i] - gt_dot(row, v, i)) / row[i];
    }
}

uint32_t gt_gaussian_add(gt_gaussian *gaussian, const float *z)
{
    uint32_t i = gaussian->count++;
    for (uint32_t d = 0; d < gaussian->dimensions; d++) {
        gaussian->z[(size_t)d * ROWS + i] = z[d];
    }
    for (int t = 0; t < GT_TARGETS; t++) {
        gaussian->target[t].y[i] = (double)NAN;
    }
    double *row = gaussian->lower + (size_t)i * ROWS;
    covariances(row, gaussian, z, 0, i);
    solve_forward(row, gaussian, 0, i);
    row[i] = sqrt(fmax(variance(gaussian) + gaussian->noise - gt_dot(row, row, i), LEAST));
    return i;
}

/* Estimates a target's mean by generalised least squares. Rows without a value have residual 0. */
static void settle_target(const gt_gaussian *g, gt_target_values *target)
{
    double ones[ROWS] = {0}, *u = target->u, known = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        const double *row = g->lower + (size_t)i * ROWS, y = target->y[i];
        bool is_known = !isnan(y);
        ones[i] = is_known ? (1 - gt_dot(row, ones, i)) / row[i] : 0;
        u[i] = is_known ? (y - gt_dot(row, u, i)) / row[i] : 0;
        known += is_known;
    }
    double weight = gt_dot(ones, ones, g->count);
    target->mean = weight > 0 ? gt_dot(ones, u, g->count) / weight : 0;
    for (uint32_t i = 0; i < g->count; i++) {
        u[i] -= target->mean * ones[i];
    }
    /* the prior counts as two values of variance 1, because the values are standardised */
    target->signal = (gt_dot(u, u, g->count) + 2) / (known + 2);
}

void gt_gaussian_update(gt_gaussian *gaussian)
{
    for (int t = 0; t < GT_TARGETS; t++) {
        settle_target(gaussian, &gaussian->target[t]);
    }
}

void gt_gaussian_look(const gt_gaussian *gaussian, gt_prospect *prospect)
{
    const uint32_t from = prospect->rows, to = gaussian->count;
    double *v = prospect->v;
    covariances(v, gaussian, prospect->z, from, to);
    solve_forward(v, gaussian, from, to);
    prospect->reduction = (from ? prospect->reduction : 0) + gt_dot(v + from, v + from, to - from);
    prospect->rows = to;
}

double gt_gaussian_expect(const gt_gaussian *gaussian, const gt_prospect *prospect,
                          gt_target target)
{
    const gt_target_values *values = &gaussian->target[target];
    return values->mean + gt_dot(prospect->v, values->u, gaussian->count);
}

double gt_gaussian_deviation(const gt_gaussian *gaussian, const gt_prospect *prospect,
                             gt_target target)
{
    double rest = fmax(variance(gaussian) - prospect->reduction, LEAST);
    return sqrt(gaussian->target[target].signal * rest);
}
