/* A Gaussian process over a few hundred points of a domain. It says which value is expected of a
 * point that was not tried, and how uncertain that value is (Rasmussen and Williams, Gaussian
 * Processes for Machine Learning, ch. 2 and 5). The covariance has two parts: Matern's with nu =
 * 5/2 over all coordinates, with a length scale for each; and additive effects of single
 * coordinates and of pairs (Duvenaud, Nickisch, Rasmussen 2011), because main effects show in few
 * points, interactions only in more. The mean is a constant. Several targets share the points; the
 * covariance is learnt for the first target. Pure. */
#pragma once

#include "search/coordinates.h"

enum { GT_GAUSSIAN_ROWS = 400 };

typedef enum gt_target {
    GT_TARGET_TIME,
    GT_TARGET_FAILURE, /* 1: failed, 0: did not */
    GT_TARGET_COMPILE,
    GT_TARGETS
} gt_target;

/* The values of one target, by row. */
typedef struct gt_target_values {
    double y[GT_GAUSSIAN_ROWS]; /* NAN: not known, and taken to be as expected */
    double u[GT_GAUSSIAN_ROWS]; /* the factor's inverse times the residuals */
    double mean;
    double signal; /* the variance of what all coordinates do together */
} gt_target_values;

typedef struct gt_gaussian {
    uint32_t dimensions;
    double weight[GT_COORDINATES]; /* the squared inverse of a length scale */
    double part[GT_COORDINATES];   /* variance of the coordinate's effect by itself, in signals */
    double noise;                  /* variance of one value, in signals */
    uint32_t count;                /* rows so far */
    gt_target_values target[GT_TARGETS];
    float *z;      /* coordinates of the rows: GT_GAUSSIAN_ROWS values of each coordinate */
    double *lower; /* Cholesky's factor of the covariance, row by row */
} gt_gaussian;

/* Opens a process without rows. ENOMEM. *out is the caller's, for gt_gaussian_close(). */
gputune_status gt_gaussian_open(gt_gaussian *out, const gt_coordinates *coordinates);
void gt_gaussian_close(gt_gaussian *gaussian);

/* The covariance, in signals, that two points have by the effects of single coordinates and of
 * pairs. `sum` is the sum of the parts that the two points share, `squares` the sum of the squares
 * of these parts. */
static inline double gt_gaussian_apart(double sum, double squares)
{
    return sum + (sum * sum - squares) / 2; /* a pair's part is the product of its two parts */
}

/* The scalar product, in sums that do not wait for each other. */
static inline double gt_dot(const double *a, const double *b, uint32_t count)
{
    double sum[4] = {0};
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int j = 0; j < 4; j++) {
            sum[j] += a[i + j] * b[i + j];
        }
    }
    for (; i < count; i++) {
        sum[0] += a[i] * b[i];
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* Drops all rows, and keeps the learnt covariance. */
void gt_gaussian_clear(gt_gaussian *gaussian);
/* Adds a point whose targets are not known yet, and returns its row. There must be room: count <
 * GT_GAUSSIAN_ROWS. */
uint32_t gt_gaussian_add(gt_gaussian *gaussian, const float *z);
/* Brings the process up to date after rows were added or a y was written. Must be called before the
 * process is asked for anything. */
void gt_gaussian_update(gt_gaussian *gaussian);
/* Improves the covariance in `steps` steps by the likelihood of the known rows, then calls
 * gt_gaussian_update(). Earlier prospects are then void. If memory is short, nothing changes. */
void gt_gaussian_learn(gt_gaussian *gaussian, uint32_t steps);

/* How badly the covariance fits the known rows: minus the logarithm of their likelihood, per row
 * and without a constant term. NAN if memory is short. */
double gt_gaussian_misfit(const gt_gaussian *gaussian);

enum { GT_TOGETHER = 4 }; /* points that cost less when they are looked at together */

/* A point that is asked about, and its row of Cholesky's factor. The caller keeps the prospect, so
 * that each element is computed once. */
typedef struct gt_prospect {
    float z[GT_COORDINATES];
    uint32_t rows;    /* elements computed so far; set to 0 for a new point, and after learning */
    double reduction; /* by how much the rows reduce the variance, in signals */
    double v[GT_GAUSSIAN_ROWS];
} gt_prospect;
/* Brings 1 to GT_TOGETHER prospects, which have as many rows each, up to date with the rows. */
void gt_gaussian_look(const gt_gaussian *gaussian, gt_prospect *const *prospects, uint32_t count);
/* The expected value of a target at the prospect's point, and its standard deviation. The prospect
 * must be up to date. */
double gt_gaussian_expect(const gt_gaussian *gaussian, const gt_prospect *prospect,
                          gt_target target);
double gt_gaussian_deviation(const gt_gaussian *gaussian, const gt_prospect *prospect,
                             gt_target target);
