/* Tolerances of a template that states none: how far two correct kernels may differ because they
 * add and round in different orders. The rule, which template.h states for users:
 *
 * A sum of m terms that is computed term by term in a type with unit roundoff u has an error of
 * about u * sqrt(m) * S. S is how strongly the result depends on its terms (the root of the sum of
 * their squares). To measure S, the reference runs again with inputs moved by a small relative
 * step, up or down at random; S is the change of its results divided by the step. So S covers
 * cancellation, coefficients and functions. If no input moves an output, S is the output's largest
 * magnitude. If there are many outputs, the number of terms is measured, too, by how many outputs
 * do not change when only a few inputs move. */
#pragma once

#include "kernel/bind/problem.h"

enum {
    GT_TOLERANCE_FEW = 64,  /* outputs with fewer elements need several steps to measure S */
    GT_TOLERANCE_STEPS = 6, /* number of these steps; the largest one counts */
    /* a sparse step, which counts terms, moves one of this many inputs */
    GT_TOLERANCE_SPARSE = 64
};

/* The measured sensitivity of an output to small steps of the inputs. */
typedef struct gt_sensitivity {
    double step;     /* relative step of the inputs; 0: no input could be moved */
    double largest;  /* largest |result| */
    double moved;    /* largest |result - moved result| */
    double relative; /* largest |result - moved result| / |result|; INFINITY if a 0 moved */
    double still; /* fraction of the elements that did not move in a sparse step, or 0 if unknown */
} gt_sensitivity;

/* Returns half the distance from 1 to the next larger number of the type, or 0 for integers. */
double gt_type_roundoff(gt_type type);
/* Returns the relative step of the inputs: the square root of the coarsest roundoff. This is far
 * above rounding errors and far below the curvature of smooth functions. 0: no output is a
 * float. */
double gt_tolerance_step(const gt_workload *workload);
/* Returns the number of terms of an element: the declared or the measured number, whichever is
 * larger. The measured number is at most inputs / sqrt(elements), which is exact for sums and
 * matrix products. */
double gt_tolerance_terms(const gt_workload *workload, uint32_t output,
                          const gt_sensitivity *sensitivity);
/* Sets *out to a tolerance that uses the S of each element. Returns false if S is unknown or not
 * needed. */
bool gt_tolerance_of_element(gt_tolerance *out, const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);
/* Returns the tolerance of an output: that of the template, or one that follows from the output's
 * type, terms and sensitivity. If the reference outputs `scale`, it replaces S. */
gt_tolerance gt_tolerance_of(const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);

/* The factor by which tolerances grow on constant or extreme data, on which rounding errors add up
 * that cancel on random data. A sum of 225 products differed by 1.1e-6 of its magnitudes on
 * constants, but by less than 1e-6 on random data. */
#define GT_TOLERANCE_VARIED 8.0
