/* A Gaussian process over sizes with a fixed covariance. */
#include "search/rule_model.h"

#include "search/gaussian.h"

#include <math.h>
#include <string.h>

/* Returns the covariance of two points; `trend` is their scalar product. */
static double covariance_of(double squared, double trend)
{
    const double length = 6, trend_variance = 10;
    const double distance = sqrt(3 * squared) / length;
    return (1 + distance) * exp(-distance) + trend_variance * (1 + trend);
}

static void set_covariance(gt_rule_model *m, const double *points)
{
    const uint32_t d = m->dimensions;
    for (uint32_t i = 0; i < m->count; i++) {
        for (uint32_t k = 0; k <= i; k++) {
            const double *a = &points[(size_t)i * d], *b = &points[(size_t)k * d];
            double squared = 0;
            for (uint32_t j = 0; j < d; j++) {
                squared += (a[j] - b[j]) * (a[j] - b[j]);
            }
            m->covariance[(size_t)i * m->count + k] = m->covariance[(size_t)k * m->count + i] =
                covariance_of(squared, gt_dot(a, b, d));
        }
    }
}

gputune_status gt_rule_model_open(gt_rule_model *out, const double *coordinates, uint32_t stride,
                                  uint32_t dimensions, uint32_t count)
{
    const size_t square = (size_t)count * count;
    gt_rule_model model = {.count = count, .dimensions = dimensions};
    GT_FREED double *points = calloc((size_t)count * dimensions + 1, sizeof *points);
    model.covariance = calloc(square + 1, sizeof *model.covariance);
    model.factor = calloc(square + 1, sizeof *model.factor);
    model.weights = calloc(count + 1, sizeof *model.weights);
    model.known = calloc(count + 1, sizeof *model.known);
    if (!points || !model.covariance || !model.factor || !model.weights || !model.known) {
        gt_rule_model_close(&model);
        return gt_fail_memory();
    }
    for (uint32_t j = 0; j < dimensions; j++) {
        double sum = 0;
        for (uint32_t s = 0; s < count; s++) {
            double *point = &points[(size_t)s * dimensions + j];
            *point = log(fmax(coordinates[(size_t)s * stride + j], 1));
            sum += *point;
        }
        for (uint32_t s = 0; s < count; s++) {
            points[(size_t)s * dimensions + j] -= sum / count;
        }
    }
    set_covariance(&model, points);
    *out = model;
    return GPUTUNE_OK;
}

void gt_rule_model_close(gt_rule_model *model)
{
    free(model->covariance);
    free(model->factor);
    free(model->weights);
    free(model->known);
    *model = (gt_rule_model){0};
}

/* Computes the Cholesky factor for the known sizes, unless these are the same as before. */
static void factor(gt_rule_model *m, const double *values)
{
    const double noise = 1e-3;
    uint32_t count = 0;
    bool same = true;
    for (uint32_t s = 0; s < m->count; s++) {
        if (!isnan(values[s])) {
            same = same && count < m->known_count && m->known[count] == s;
            m->known[count++] = s;
        }
    }
    if (same && count == m->known_count) {
        return;
    }
    m->known_count = count;
    for (uint32_t i = 0; i < count; i++) {
        double *row = &m->factor[(size_t)i * m->count];
        for (uint32_t k = 0; k <= i; k++) {
            const double *other = &m->factor[(size_t)k * m->count];
            const double left = m->covariance[(size_t)m->known[i] * m->count + m->known[k]] +
                                (i == k ? noise : 0) - gt_dot(row, other, k);
            row[k] = i == k ? sqrt(left) : left / other[k];
        }
    }
}

/* Solves for the weights of the known sizes. */
static void solve(gt_rule_model *m, const double *values, double mean)
{
    const uint32_t count = m->known_count;
    double *w = m->weights;
    for (uint32_t i = 0; i < count; i++) {
        const double *row = &m->factor[(size_t)i * m->count];
        w[i] = (values[m->known[i]] - mean - gt_dot(row, w, i)) / row[i];
    }
    for (uint32_t i = count; i-- > 0;) {
        const double *row = &m->factor[(size_t)i * m->count];
        w[i] /= row[i];
        for (uint32_t k = 0; k < i; k++) {
            w[k] -= row[k] * w[i];
        }
    }
}

void gt_rule_model_complete(gt_rule_model *m, double *values)
{
    factor(m, values);
    double mean = 0;
    for (uint32_t i = 0; i < m->known_count; i++) {
        mean += values[m->known[i]] / m->known_count;
    }
    solve(m, values, mean);
    for (uint32_t s = 0; s < m->count && m->known_count > 0; s++) {
        if (isnan(values[s])) {
            values[s] = mean;
            for (uint32_t i = 0; i < m->known_count; i++) {
                values[s] += m->covariance[(size_t)s * m->count + m->known[i]] * m->weights[i];
            }
        }
    }
}
