/* A Gaussian process over a few hundred points of a domain. It predicts the value of a point that
 * was not tried, and how uncertain the value is (Rasmussen and Williams, Gaussian Processes for
 * Machine Learning, ch. 2 and 5).
 *
 * The covariance is the sum of two kernels. A Matern kernel with nu = 5/2 covers all coordinates,
 * with a length scale for each. An additive kernel covers the effects of single coordinates and of
 * pairs (Duvenaud, Nickisch, Rasmussen 2011), which can be learnt from few points. The mean is a
 * constant. Several targets use the same points; the covariance is learnt from the first target. */
#pragma once

#include "search/coordinates.h"

enum { GT_GAUSSIAN_ROWS = 400 };

typedef enum gt_target {
    GT_TARGET_TIME,
    GT_TARGET_FAILURE, /* 1 if the configuration failed, 0 if it did not */
    GT_TARGET_COMPILE,
    GT_TARGETS
} gt_target;

/* The values of a target in each row. */
typedef struct gt_target_values {
    double y[GT_GAUSSIAN_ROWS]; /* value in each row; NAN if it is unknown */
    double u[GT_GAUSSIAN_ROWS]; /* the residuals multiplied by the inverse of the Cholesky factor */
    double mean;
    double signal; /* variance of the effect of all coordinates together */
} gt_target_values;

typedef struct gt_gaussian {
    uint32_t dimensions;
    double weight[GT_COORDINATES]; /* inverse of the squared length scale */
    double part[GT_COORDINATES];   /* variance of the coordinate's own effect / signal variance */
    double noise;                  /* variance of a value's noise / signal variance */
    uint32_t count;                /* number of rows; set it to 0 to remove all rows */
    gt_target_values target[GT_TARGETS];
    float *z;      /* coordinates of the rows; GT_GAUSSIAN_ROWS values for each dimension */
    double *lower; /* Cholesky factor of the covariance matrix, row by row */
    struct gt_gaussian_sample *sample; /* memory for learning */
} gt_gaussian;

/* Initialises a Gaussian process without rows. gt_gaussian_close() frees its memory. May return
 * ENOMEM. */
gputune_status gt_gaussian_open(gt_gaussian *out, const gt_coordinates *coordinates);
void gt_gaussian_close(gt_gaussian *gaussian);

/* Returns the covariance of the additive kernel (single coordinates and pairs), divided by the
 * signal variance. `sum` is the sum of part * (1 - distance), and `squares` is the sum of the
 * squares of the terms. */
static inline double gt_gaussian_apart(double sum, double squares)
{
    return sum + (sum * sum - squares) / 2; /* the part of a pair is the product of both parts */
}

/* Returns the dot product. Adding up four sums separately allows the compiler to vectorise it. */
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

/* Adds a point, whose target values are unknown at first, and returns its row. There must be fewer
 * than GT_GAUSSIAN_ROWS rows. */
uint32_t gt_gaussian_add(gt_gaussian *gaussian, const float *z);
/* Updates the Gaussian process after adding rows or changing values of y. Required before
 * predictions. */
void gt_gaussian_update(gt_gaussian *gaussian);
/* Learns the covariance from the rows with a known value, using `steps` optimisation steps. Then
 * updates the Gaussian process. All prospects must be computed again. */
void gt_gaussian_learn(gt_gaussian *gaussian, uint32_t steps);

/* Returns the negative log likelihood, divided by the number of known values, plus a constant. */
double gt_gaussian_misfit(const gt_gaussian *gaussian);
/* Allocates memory for learning, which the caller frees. Returns NULL if there is no memory. */
struct gt_gaussian_sample *gt_gaussian_sample_new(void);

/* A point to predict. It keeps its row of the Cholesky factor and computes only new elements. */
typedef struct gt_prospect {
    float z[GT_COORDINATES];
    uint32_t rows;    /* number of known elements of v; 0 for a new point and after learning */
    double reduction; /* how much the rows reduce the variance, divided by the signal variance */
    double v[GT_GAUSSIAN_ROWS];
} gt_prospect;
/* Updates a prospect for the rows that were added since the last call. */
void gt_gaussian_look(const gt_gaussian *gaussian, gt_prospect *prospect);
/* Return the expected value of a target, and its standard deviation, at an updated prospect. */
double gt_gaussian_expect(const gt_gaussian *gaussian, const gt_prospect *prospect,
                          gt_target target);
double gt_gaussian_deviation(const gt_gaussian *gaussian, const gt_prospect *prospect,
                             gt_target target);
