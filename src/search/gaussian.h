/* A Gaussian process over a few hundred points of a domain: what is expected of a point that was
 * not tried, and how sure that is (Rasmussen and Williams, Gaussian Processes for Machine Learning,
 * ch. 2 and 5). The covariance is Matern's with nu = 5/2 over all coordinates, a length scale each,
 * plus what each coordinate, and each pair of them, does by itself (Duvenaud, Nickisch, Rasmussen
 * 2011): main effects show in few points, interactions later.
 * The mean is a constant. Several targets share the points; the covariance is learnt for the first.
 * Pure. */
#pragma once

#include "search/coordinates.h"

enum { GT_GAUSSIAN_ROWS = 400 };

typedef enum gt_target {
    GT_TARGET_TIME,
    GT_TARGET_FAILURE, /* 1: failed, 0: did not */
    GT_TARGET_COMPILE,
    GT_TARGETS
} gt_target;

/* What is known of one target in each row. */
typedef struct gt_target_values {
    double y[GT_GAUSSIAN_ROWS]; /* NAN: not known, taken to be as expected */
    double u[GT_GAUSSIAN_ROWS]; /* the factor's inverse times the residuals */
    double mean;
    double signal; /* the variance of what all coordinates do together */
} gt_target_values;

typedef struct gt_gaussian {
    uint32_t dimensions;
    bool is_word[GT_COORDINATES];
    double weight[GT_COORDINATES]; /* the squared inverse of a length scale */
    double part[GT_COORDINATES];   /* variance of what it does by itself, in signals */
    double noise;                  /* variance of one value, in signals */
    uint32_t count;                /* rows so far */
    gt_target_values target[GT_TARGETS];
    float *z;      /* coordinate by coordinate, GT_GAUSSIAN_ROWS of each */
    double *lower; /* Cholesky's factor of the covariance, row by row */
} gt_gaussian;

/* ENOMEM. The caller's, for gt_gaussian_close(). */
gputune_status gt_gaussian_open(gt_gaussian *out, const gt_coordinates *coordinates);
void gt_gaussian_close(gt_gaussian *gaussian);

/* The covariance of what single coordinates and pairs of them do, in signals: `sum` is that of the
 * parts two points share, `squares` of the squares of each. */
static inline double gt_gaussian_apart(double sum, double squares)
{
    return sum + (sum * sum - squares) / 2; /* each pair's part is the product of theirs */
}

/* Drops all rows, keeps what was learnt. */
void gt_gaussian_clear(gt_gaussian *gaussian);
/* Adds a point whose targets are not known yet. There must be room. Returns its row. */
uint32_t gt_gaussian_add(gt_gaussian *gaussian, const float *z);
/* Brings the process up to date after rows were added or a y was written. Called before it is asked
 * for anything. */
void gt_gaussian_update(gt_gaussian *gaussian);
/* Improves the covariance in `steps` steps by the likelihood of the known rows, then calls
 * gt_gaussian_update(). Earlier prospects are void. Without memory nothing changes. */
void gt_gaussian_learn(gt_gaussian *gaussian, uint32_t steps);

/* How badly the covariance suits the known rows: minus the logarithm of their likelihood, for each
 * of them, but for a constant. NAN without memory. */
double gt_gaussian_misfit(const gt_gaussian *gaussian);

/* The factor's row for a point that is asked about. The caller keeps it, so that each element is
 * computed once. */
typedef struct gt_prospect {
    uint32_t rows;    /* computed so far; 0 for a new point, and after learning */
    double reduction; /* of the variance, in signals */
    double v[GT_GAUSSIAN_ROWS];
} gt_prospect;
/* Brings the prospect up to date with the rows. */
void gt_gaussian_look(const gt_gaussian *gaussian, const float *z, gt_prospect *prospect);
/* What is expected of a target there, and its standard deviation, from an up-to-date prospect. */
double gt_gaussian_expect(const gt_gaussian *gaussian, const gt_prospect *prospect,
                          gt_target target);
double gt_gaussian_deviation(const gt_gaussian *gaussian, const gt_prospect *prospect,
                             gt_target target);
