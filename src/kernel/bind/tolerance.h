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
    GT_TOLERANCE_STEPS = 6, /* number of steps for few elements; the largest S is used */
    /* a sparse step changes one input element in 64, to measure the number of terms */
    GT_TOLERANCE_SPARSE = 64
};

/* How strongly an output changed when the inputs were changed a little. */
typedef struct gt_sensitivity {
    double step;     /* relative change of the inputs; 0 if no input could be changed */
    double largest;  /* largest |result| */
    double moved;    /* largest |result - changed result| */
    double relative; /* largest |result - changed result| / |result|; INFINITY if a zero changed */
    double still;    /* fraction of elements that did not change in a sparse step; 0 if unknown */
} gt_sensitivity;

/* Returns half the distance between 1 and the next larger number of the type, or 0 for integers. */
double gt_type_roundoff(gt_type type);
/* Returns the relative step with which S is measured, which is the square root of the largest
 * roundoff. Such a step is much larger than rounding errors, but so small that smooth functions are
 * almost linear. Returns 0 if no output is floating-point. */
double gt_tolerance_step(const gt_workload *workload);
/* Returns the number of terms of an element. This is the number that the template states or the
 * measured number, whichever is larger. The measured number is limited to inputs / sqrt(elements),
 * which is exact for sums and matrix products. */
double gt_tolerance_terms(const gt_workload *workload, uint32_t output,
                          const gt_sensitivity *sensitivity);
/* Sets *out to a tolerance that uses a separate S for each element. Returns false if S is unknown
 * or not needed. */
bool gt_tolerance_of_element(gt_tolerance *out, const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);
/* Returns the tolerance of an output. If the template does not state one, it is computed from the
 * output's type, terms and sensitivity. A `scale` output of the reference replaces S. */
gt_tolerance gt_tolerance_of(const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);

/* Factor for the tolerance if the data are constant or extreme: the rounding errors of a sum then
 * have the same sign, so they add up. */
#define GT_TOLERANCE_VARIED 8.0
