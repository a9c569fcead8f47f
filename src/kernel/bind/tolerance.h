/* Default tolerances: how far two correct kernels may differ because they add and round in
 * different orders. docs/template.md describes the rule for users.
 *
 * A sum of m terms, computed term by term with unit roundoff u, has an error of about u * sqrt(m) *
 * S. S is the root of the sum of the squared terms, and measures how strongly the result depends on
 * its terms. To measure S, the reference runs again with each input moved up or down by a small
 * relative step; S is the change of the results divided by the step. This covers cancellation,
 * coefficients and functions. If no input affects an output, S is the output's largest magnitude.
 * The number of terms is measured by moving only a few inputs and counting unchanged outputs, if
 * there are enough outputs. */
#pragma once

#include "kernel/bind/problem.h"

enum {
    GT_TOLERANCE_FEW = 64,  /* outputs with fewer elements need several steps to measure S */
    GT_TOLERANCE_STEPS = 6, /* number of steps for these outputs; the largest S is used */
    /* a sparse step, which counts terms, changes one of this many input elements */
    GT_TOLERANCE_SPARSE = 64
};

/* The measured sensitivity of an output to small changes of the inputs. */
typedef struct gt_sensitivity {
    double step;     /* relative step of the inputs; 0: no input could be moved */
    double largest;  /* largest |result| */
    double moved;    /* largest |result - moved result| */
    double relative; /* largest |result - moved result| / |result|; INFINITY if a 0 changed */
    double still;    /* fraction of elements that a sparse step did not change; 0: unknown */
} gt_sensitivity;

/* Returns half the distance from 1 to the next larger number of the type, or 0 for integers. */
double gt_type_roundoff(gt_type type);
/* Returns the relative step for measuring S: the square root of the coarsest roundoff. This step is
 * far larger than rounding errors, and so small that smooth functions are almost linear. 0: no
 * output is a float. */
double gt_tolerance_step(const gt_workload *workload);
/* Returns the number of terms of an element: the larger of the declared and the measured number.
 * The measured number is at most inputs / sqrt(elements), the exact number for sums and matrix
 * products. */
double gt_tolerance_terms(const gt_workload *workload, uint32_t output,
                          const gt_sensitivity *sensitivity);
/* Sets *out to a tolerance with a separate S for each element. Returns false if S is unknown or not
 * needed. */
bool gt_tolerance_of_element(gt_tolerance *out, const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);
/* Returns the tolerance of an output: the stated one, or one computed from the output's type, terms
 * and sensitivity. A `scale` output of the reference replaces S. */
gt_tolerance gt_tolerance_of(const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);

/* Factor of tolerances for constant or extreme data, because rounding errors then add up instead of
 * cancelling. A sum of 225 products differed by 1.1e-6 of its magnitudes on constants, but by less
 * than 1e-6 on random data. */
#define GT_TOLERANCE_VARIED 8.0
