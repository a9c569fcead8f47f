/* A Gaussian process over a few hundred points of a domain. Predicts the value of an untried point
 * and its uncertainty (Rasmussen and Williams, Gaussian Processes for Machine Learning, ch. 2 and
 * 5).
 *
 * The covariance is the sum of two kernels: a Matern kernel with nu = 5/2 over all coordinates,
 * with one length scale per coordinate, and an additive kernel for effects of single coordinates
 * and of pairs (Duvenaud, Nickisch, Rasmussen 2011), because few points suffice to show main
 * effects. The mean is a constant. Several targets share the points; the covariance is learnt from
 * the first target. Pure. */
#pragma once

#include "search/coordinates.h"

enum { GT_GAUSSIAN_ROWS = 400 };

typedef enum gt_target {
    GT_TARGET_TIME,
    GT_TARGET_FAILURE, /* 1: failed, 0: did not fail */
    GT_TARGET_COMPILE,
    GT_TARGETS
} gt_target;

/* The values of one target at each row. */
typedef struct gt_target_values {
    double y[GT_GAUSSIAN_ROWS]; /* values; NAN: unknown, treated as equal to the prediction */
    double u[GT_GAUSSIAN_ROWS]; /* residuals, multiplied by the inverse of Cholesky's factor */
    double mean;
    double signal; /* variance of the joint effect of all coordinates */
} gt_target_values;

typedef struct gt_gaussian {
    uint32_t dimensions;
    double weight[GT_COORDINATES]; /* inverse square of the length scale */
    double part[GT_COORDINATES];   /* variance of the coordinate's own effect / signal variance */
    double noise;                  /* variance of one value's noise / signal variance */
    uint32_t count;                /* number of rows; setting it to 0 deletes them */
    gt_target_values target[GT_TARGETS];
    float *z;      /* coordinates of the rows, GT_GAUSSIAN_ROWS for each dimension */
    double *lower; /* Cholesky's factor of the covariance, row by row */
    struct gt_gaussian_sample *sample; /* memory for learning */
} gt_gaussian;

/* Opens a process without rows. gt_gaussian_close() releases *out. ENOMEM. */
gputune_status gt_gaussian_open(gt_gaussian *out, const gt_coordinates *coordinates);
void gt_gaussian_close(gt_gaussian *gaussian);

/* Returns the additive covariance (single coordinates and pairs), divided by the signal variance.
 * `sum` is the sum of the shared parts, `squares` the sum of their squares. */
static inline double gt_gaussian_apart(double sum, double squares)
{
    return sum + (sum * sum - squares) / 2; /* the part of a pair is the product of its two parts */
}

/* Returns the scalar product. Four independent partial sums let the compiler vectorise it. */
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

/* Adds a point with unknown target values and returns its row. Requires count <
 * GT_GAUSSIAN_ROWS. */
uint32_t gt_gaussian_add(gt_gaussian *gaussian, const float *z);
/* Updates the process. Call after adding rows or changing y, before predicting. */
void gt_gaussian_update(gt_gaussian *gaussian);
/* Learns the covariance from the rows with a known value in `steps` optimisation steps, and updates
 * the process. Prospects computed before become invalid. */
void gt_gaussian_learn(gt_gaussian *gaussian, uint32_t steps);

/* Returns the negative log likelihood per row with a known value, up to a constant. */
double gt_gaussian_misfit(const gt_gaussian *gaussian);
/* Allocates memory for learning, which the caller frees. Returns NULL if memory runs out. */
struct gt_gaussian_sample *gt_gaussian_sample_new(void);

/* A point to predict. Stores its row of Cholesky's factor, to compute each element only once. */
typedef struct gt_prospect {
    float z[GT_COORDINATES];
    uint32_t rows;    /* number of computed elements; set to 0 for a new point and after learning */
    double reduction; /* reduction of the variance by the rows / signal variance */
    double v[GT_GAUSSIAN_ROWS];
} gt_prospect;
/* Updates a prospect for the rows added since the last update. */
void gt_gaussian_look(const gt_gaussian *gaussian, gt_prospect *prospect);
/* Return the expected value of a target at an updated prospect, and its standard deviation. */
double gt_gaussian_expect(const gt_gaussian *gaussian, const gt_prospect *prospect,
                          gt_target target);
double gt_gaussian_deviation(const gt_gaussian *gaussian, const gt_prospect *prospect,
                             gt_target target);
