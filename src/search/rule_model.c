/* A Gaussian process with a fixed covariance. A prediction that leaves out some points is computed
 * from the inverse covariance of all points (Rasmussen and Williams, Gaussian Processes for Machine
 * Learning, ch. 5.4.2). */
#include "search/rule_model.h"

#include "search/gaussian.h"

#include <math.h>
#include <string.h>

static double covariance_of(const double *a, const double *b, uint32_t dimensions)
{
    const double trend_variance = 300;
    double squared = 0, trend = 1;
    for (uint32_t d = 0; d < dimensions; d++) {
        squared += (a[d] - b[d]) * (a[d] - b[d]);
        trend += a[d] * b[d];
    }
    return exp(-sqrt(squared)) + trend_variance * trend;
}

/* Replaces the lower half of a symmetric matrix by its Cholesky factor. */
static void factor_matrix(double *matrix, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double *row = &matrix[(size_t)i * count];
        for (uint32_t k = 0; k <= i; k++) {
            const double *other = &matrix[(size_t)k * count];
            const double left = row[k] - gt_dot(row, other, k);
            row[k] = i == k ? sqrt(left) : left / other[k];
        }
    }
}

/* Solves the system with the Cholesky factor in place. Elements of x before `first` must be 0. */
static void solve_system(const double *factor, uint32_t count, uint32_t first, double *x)
{
    for (uint32_t i = first; i < count; i++) {
        const double *row = &factor[(size_t)i * count];
        x[i] = (x[i] - gt_dot(row + first, x + first, i - first)) / row[i];
    }
    for (uint32_t i = count; i-- > 0;) {
        const double *row = &factor[(size_t)i * count];
        x[i] /= row[i];
        for (uint32_t k = 0; k < i; k++) {
            x[k] -= row[k] * x[i];
        }
    }
}

/* Matrices of count * count elements, and vectors with an element for each known point. */
typedef struct workspace {
    double *factor, *inverse, *part; /* `part`: submatrix for the points of one fold */
    double *weights;                 /* a row for each fold, and a last row for all points */
    double *some;
    uint32_t *members;
} workspace;

static void free_workspace(workspace *w)
{
    free(w->factor);
    free(w->inverse);
    free(w->part);
    free(w->weights);
    free(w->some);
    free(w->members);
}

static gputune_status open_workspace(workspace *w, const gt_rule_known *known)
{
    const size_t square = (size_t)known->count * known->count + 1;
    w->factor = calloc(square, sizeof *w->factor);
    w->inverse = calloc(square, sizeof *w->inverse);
    w->part = calloc(square, sizeof *w->part);
    w->weights = calloc((size_t)known->count * (known->fold_count + 1) + 1, sizeof *w->weights);
    w->some = calloc(known->count + 1, sizeof *w->some);
    w->members = calloc(known->count + 1, sizeof *w->members);
    return w->factor && w->inverse && w->part && w->weights && w->some && w->members
               ? GPUTUNE_OK
               : gt_fail_memory();
}

static void invert_matrix(workspace *w, const gt_rule_known *known)
{
    const double noise = 3e-3;
    const uint32_t count = known->count, d = known->dimensions;
    for (uint32_t i = 0; i < count; i++) {
        double *row = &w->factor[(size_t)i * count];
        for (uint32_t k = 0; k <= i; k++) {
            row[k] = covariance_of(&known->points[(size_t)i * d], &known->points[(size_t)k * d], d);
        }
        row[i] += noise;
    }
    factor_matrix(w->factor, count);
    for (uint32_t i = 0; i < count; i++) {
        double *row = &w->inverse[(size_t)i * count];
        row[i] = 1;
        solve_system(w->factor, count, i, row);
    }
}

/* Computes the weights for a prediction without the points of a fold, whose weights become 0. */
static void leave_out(workspace *w, const gt_rule_known *known, uint32_t fold, double *weights)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < known->count; i++) {
        w->members[count] = i;
        count += known->folds[i] == fold;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k <= i; k++) {
            w->part[(size_t)i * count + k] =
                w->inverse[(size_t)w->members[i] * known->count + w->members[k]];
        }
        w->some[i] = weights[w->members[i]];
    }
    factor_matrix(w->part, count);
    solve_system(w->part, count, 0, w->some);
    for (uint32_t i = 0; i < count; i++) {
        const double *row = &w->inverse[(size_t)w->members[i] * known->count];
        for (uint32_t k = 0; k < known->count; k++) {
            weights[k] -= row[k] * w->some[i];
        }
    }
}

gputune_status gt_rule_model_predict(double *out, double *apart, const gt_rule_known *known,
                                     const double *points, uint32_t count)
{
    const uint32_t all = known->count, folds = known->fold_count, d = known->dimensions;
    GT_SCOPED(free_workspace) workspace w = {0};
    GT_TRY(open_workspace(&w, known));
    double mean = 0;
    for (uint32_t i = 0; i < all; i++) {
        mean += known->values[i] / all;
    }
    invert_matrix(&w, known);
    double *weights = &w.weights[(size_t)folds * all];
    for (uint32_t i = 0; i < all; i++) {
        weights[i] = known->values[i] - mean;
    }
    solve_system(w.factor, all, 0, weights);
    for (uint32_t i = 0; i < all; i++) {
        apart[i] = known->values[i] - weights[i] / w.inverse[(size_t)i * (all + 1)];
    }
    for (uint32_t fold = 0; fold < folds; fold++) {
        memcpy(&w.weights[(size_t)fold * all], weights, all * sizeof *weights);
        leave_out(&w, known, fold, &w.weights[(size_t)fold * all]);
    }
    for (uint32_t p = 0; p < count; p++) {
        for (uint32_t i = 0; i < all; i++) {
            w.some[i] = covariance_of(&points[(size_t)p * d], &known->points[(size_t)i * d], d);
        }
        for (uint32_t fold = 0; fold <= folds; fold++) {
            out[(size_t)fold * count + p] =
                mean + gt_dot(w.some, &w.weights[(size_t)fold * all], all);
        }
    }
    return GPUTUNE_OK;
}
