/* Learns the length scales, parts and noise of a Gaussian process. It maximises the product of
 * likelihood and prior with resilient propagation (Riedmiller and Braun 1993), which uses only the
 * signs of the gradient. */
#include "search/gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = GT_GAUSSIAN_ROWS, MOST = 180, PARAMETERS = 2 * GT_COORDINATES + 1 };

/* All parameters have log-normal priors. With n coordinates, the prior of a length scale is centred
 * at SCALE_CENTRE * sqrt(n), and the prior of a part at PART_CENTRE / n. A SPREAD is the standard
 * deviation of the logarithm of a parameter. */
#define SCALE_CENTRE   0.5
#define SCALE_SPREAD   1.0
#define PART_CENTRE    1.0
#define PART_SPREAD    3.0
#define NOISE_CENTRE   1e-2
#define NOISE_SPREAD   1.5
#define SMALLEST_NOISE 1e-4
/* Limits for the logarithms of the parameters. */
#define LOWEST  (-9.0)
#define HIGHEST 7.0

/* Up to MOST rows that have a value, and buffers for learning. */
typedef struct gt_gaussian_sample {
    const gt_gaussian *gaussian;
    uint32_t count;
    uint32_t row[MOST]; /* index of each row in the process */
    double y[MOST];     /* values of the rows minus their mean */
    double k[MOST][MOST], inverse[MOST][MOST], slope[MOST][MOST];
    double shared[MOST][MOST]; /* sum of part * (1 - distance) over the dimensions, for two rows */
} sample;

/* The logarithms of the parameters: the weights, the parts, and the noise. */
typedef struct parameters {
    double value[PARAMETERS];
} parameters;

struct gt_gaussian_sample *gt_gaussian_sample_new(void)
{
    return malloc(sizeof(sample));
}

static void take_rows(sample *s, const gt_gaussian *g)
{
    const double *y = g->target[GT_TARGET_TIME].y;
    uint32_t known = 0, seen = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        known += !isnan(y[i]);
    }
    s->gaussian = g;
    s->count = 0;
    double sum = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        if (isnan(y[i])) {
            continue;
        }
        /* if there are too many rows, use an evenly spaced subset */
        bool due = known <= MOST || (seen + 1) * MOST / known > seen * MOST / known;
        seen++;
        if (due) {
            s->row[s->count] = i;
            s->y[s->count++] = y[i];
            sum += y[i];
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        s->y[i] -= sum / s->count;
    }
}

/* Computes the distances in coordinate `d` between row `a` and each row before it. */
static void distances(double *out, const sample *s, uint32_t d, uint32_t a)
{
    const float *z = s->gaussian->z + (size_t)d * ROWS;
    float at = z[s->row[a]];
    for (uint32_t b = 0; b < a; b++) {
        float apart = fabsf(z[s->row[b]] - at);
        out[b] = apart < 1 ? (double)apart : 1;
    }
}

/* Computes row `a` of the covariance, and its derivative with respect to the squared distance. */
static void fill_row(sample *s, const double *weight, const double *part, uint32_t a)
{
    double distance[MOST], squares[MOST] = {0}, *k = s->k[a], *slope = s->slope[a];
    double *shared = s->shared[a];
    memset(k, 0, (a + 1) * sizeof *k);
    memset(shared, 0, (a + 1) * sizeof *shared);
    for (uint32_t d = 0; d < s->gaussian->dimensions; d++) {
        distances(distance, s, d, a);
        for (uint32_t b = 0; b < a; b++) {
            double one = part[d] * (1 - distance[b]);
            k[b] += weight[d] * distance[b] * distance[b];
            shared[b] += one;
            squares[b] += one * one;
        }
    }
    for (uint32_t b = 0; b < a; b++) {
        double r = sqrt(5 * k[b]), e = exp(-r);
        slope[b] = -5.0 / 6 * (1 + r) * e;
        k[b] = (1 + r + r * r / 3) * e + gt_gaussian_apart(shared[b], squares[b]);
    }
}

static void fill_covariances(sample *s, const double *weight, const double *part, double noise)
{
    double sum = 0, squares = 0;
    for (uint32_t d = 0; d < s->gaussian->dimensions; d++) {
        sum += part[d];
        squares += part[d] * part[d];
    }
    for (uint32_t a = 0; a < s->count; a++) {
        fill_row(s, weight, part, a);
        s->k[a][a] = 1 + noise + gt_gaussian_apart(sum, squares);
        s->shared[a][a] = sum;
    }
}

/* Factors the covariance in place. Returns half of the logarithm of its determinant. */
static double decompose_covariances(sample *s)
{
    double log_root = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        double *row = s->k[i];
        for (uint32_t j = 0; j <= i; j++) {
            double rest = row[j] - gt_dot(row, s->k[j], j);
            row[j] = j < i ? rest / s->k[j][j] : sqrt(rest > 1e-10 ? rest : 1e-10);
        }
        log_root += log(row[i]);
    }
    return log_root;
}

/* Replaces the Cholesky factor by the lower half of the inverse of the covariance matrix. */
static void invert_covariances(sample *s)
{
    uint32_t n = s->count;
    for (uint32_t j = 0; j < n; j++) {
        double *column = s->inverse[j];
        memset(column, 0, n * sizeof *column);
        column[j] = 1 / s->k[j][j];
        for (uint32_t i = j + 1; i < n; i++) {
            column[i] = -gt_dot(s->k[i] + j, column + j, i - j) / s->k[i][i];
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            s->k[i][j] = gt_dot(s->inverse[i] + i, s->inverse[j] + i, n - i);
        }
    }
}

/* Returns the negative logarithm of a log-normal density, and adds its derivative to *gradient. */
static double prior(double log_value, double centre, double spread, double *gradient)
{
    double z = (log_value - log(centre)) / spread;
    *gradient += z / spread;
    return z * z / 2;
}

static double add_priors(const double *theta, uint32_t dimensions, double *gradient)
{
    double weight = 1 / (SCALE_CENTRE * SCALE_CENTRE * dimensions), sum = 0;
    for (uint32_t d = 0; d < dimensions; d++) {
        sum += prior(theta[d], weight, 2 * SCALE_SPREAD, &gradient[d]);
        sum += prior(theta[dimensions + d], PART_CENTRE / dimensions, PART_SPREAD,
                     &gradient[dimensions + d]);
    }
    uint32_t noise = 2 * dimensions;
    return sum + prior(theta[noise], NOISE_CENTRE, NOISE_SPREAD, &gradient[noise]);
}

/* Adds the contribution of row `a` of the covariance matrix to the gradient. */
static void add_gradient(sample *s, const double *alpha, double signal, const double *weight,
                         const double *part, double *gradient, uint32_t a)
{
    uint32_t dimensions = s->gaussian->dimensions;
    double distance[MOST], *slope = s->slope[a], *pull = s->k[a], *shared = s->shared[a];
    for (uint32_t b = 0; b <= a; b++) {
        pull[b] -= alpha[a] * alpha[b] / signal;
        slope[b] *= b < a ? pull[b] : 0;
    }
    for (uint32_t d = 0; d < dimensions; d++) {
        double together = 0, apart = pull[a] / 2 * (1 + shared[a] - part[d]);
        distances(distance, s, d, a);
        for (uint32_t b = 0; b < a; b++) {
            double share = 1 - distance[b];
            together += slope[b] * distance[b] * distance[b];
            apart += pull[b] * share * (1 + shared[b] - part[d] * share);
        }
        gradient[d] += weight[d] * together;
        gradient[dimensions + d] += part[d] * apart;
    }
}

/* Returns the most likely signal variance. The prior counts as two values of variance 1. */
static double signal_of(double fit, uint32_t count)
{
    return (fit + 2) / (count + 2);
}

/* Returns the negative logarithm of likelihood times prior, and computes its gradient. */
static double objective(sample *s, const double *theta, double *gradient)
{
    uint32_t dimensions = s->gaussian->dimensions, n = s->count;
    double weight[GT_COORDINATES], part[GT_COORDINATES], alpha[MOST];
    double noise = exp(theta[(size_t)2 * dimensions]), fit = 0, trace = 0, squares = 0;
    for (uint32_t d = 0; d < dimensions; d++) {
        weight[d] = exp(theta[d]);
        part[d] = exp(theta[dimensions + d]);
    }
    fill_covariances(s, weight, part, noise);
    double log_root = decompose_covariances(s);
    invert_covariances(s);
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < n; j++) {
            sum += (j <= i ? s->k[i][j] : s->k[j][i]) * s->y[j];
        }
        alpha[i] = sum;
        fit += sum * s->y[i];
        squares += sum * sum;
        trace += s->k[i][i];
    }
    double signal = signal_of(fit, n);
    memset(gradient, 0, PARAMETERS * sizeof *gradient);
    for (uint32_t a = 0; a < n; a++) {
        add_gradient(s, alpha, signal, weight, part, gradient, a);
    }
    gradient[(size_t)2 * dimensions] += 0.5 * noise * (trace - squares / signal);
    return 0.5 * (n + 2) * log(signal) + log_root + add_priors(theta, dimensions, gradient);
}

static double move_parameter(double value, double gradient, double *step, double *last,
                             double lowest)
{
    double agree = gradient * *last;
    *step = agree > 0 ? fmin(*step * 1.3, 1.5) : agree < 0 ? *step * 0.5 : *step;
    *last = agree < 0 ? 0 : gradient;
    value -= *last > 0 ? *step : *last < 0 ? -*step : 0;
    return fmin(fmax(value, lowest), HIGHEST);
}

static void descend_gradient(sample *s, parameters *at, uint32_t steps)
{
    uint32_t count = 2 * s->gaussian->dimensions + 1;
    double step[PARAMETERS], last[PARAMETERS] = {0}, gradient[PARAMETERS], least = INFINITY;
    parameters best = *at;
    for (uint32_t i = 0; i < count; i++) {
        step[i] = 0.3;
    }
    for (uint32_t t = 0; t <= steps; t++) {
        double value = objective(s, at->value, gradient);
        if (value < least) {
            least = value;
            best = *at;
        }
        for (uint32_t i = 0; i < count; i++) {
            double lowest = i + 1 == count ? log(SMALLEST_NOISE) : LOWEST;
            at->value[i] = move_parameter(at->value[i], gradient[i], &step[i], &last[i], lowest);
        }
    }
    *at = best;
}

static void take_parameters(gt_gaussian *g, const parameters *from)
{
    for (uint32_t d = 0; d < g->dimensions; d++) {
        g->weight[d] = exp(from->value[d]);
        g->part[d] = exp(from->value[g->dimensions + d]);
    }
    g->noise = exp(from->value[(size_t)2 * g->dimensions]);
}

static void factor_again(gt_gaussian *g)
{
    uint32_t count = g->count;
    g->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        float z[GT_COORDINATES];
        double y[GT_TARGETS];
        for (uint32_t d = 0; d < g->dimensions; d++) {
            z[d] = g->z[(size_t)d * ROWS + i];
        }
        for (int t = 0; t < GT_TARGETS; t++) {
            y[t] = g->target[t].y[i];
        }
        gt_gaussian_add(g, z);
        for (int t = 0; t < GT_TARGETS; t++) {
            g->target[t].y[i] = y[t];
        }
    }
    gt_gaussian_update(g);
}

static parameters parameters_of(const gt_gaussian *g)
{
    parameters at = {{0}};
    for (uint32_t d = 0; d < g->dimensions; d++) {
        at.value[d] = log(g->weight[d]);
        at.value[g->dimensions + d] = log(g->part[d]);
    }
    at.value[(size_t)2 * g->dimensions] = log(g->noise);
    return at;
}

void gt_gaussian_learn(gt_gaussian *gaussian, uint32_t steps)
{
    sample *s = gaussian->sample;
    parameters at = parameters_of(gaussian);
    take_rows(s, gaussian);
    if (s->count > 2 && gaussian->dimensions) {
        descend_gradient(s, &at, steps);
        take_parameters(gaussian, &at);
    }
    factor_again(gaussian);
}

double gt_gaussian_misfit(const gt_gaussian *gaussian)
{
    sample *s = gaussian->sample;
    take_rows(s, gaussian);
    fill_covariances(s, gaussian->weight, gaussian->part, gaussian->noise);
    double log_root = decompose_covariances(s), fit = 0, u[MOST];
    for (uint32_t i = 0; i < s->count; i++) {
        u[i] = (s->y[i] - gt_dot(s->k[i], u, i)) / s->k[i][i];
        fit += u[i] * u[i];
    }
    uint32_t count = s->count;
    return count ? (0.5 * (count + 2) * log(signal_of(fit, count)) + log_root) / count : 0;
}
