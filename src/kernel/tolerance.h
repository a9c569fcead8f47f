/* Tolerances of a template that states none: how far two right kernels may be apart that add and
 * round in another order. Pure. The rule (template.h has it for users):
 *
 * A sum of m terms that is added one after another in a type of unit roundoff u is off by about
 * u * sqrt(m) * S, where S is how strongly the result depends on its terms (the root of the sum of
 * their squares). S is measured: the reference runs once more with inputs moved by a small relative
 * step, up or down at random, and S is how far its results move over that step. So S knows about
 * cancellation, coefficients and functions without being told. An output that no input moves has
 * its largest magnitude for S. The number of terms is measured too where there are many outputs:
 * by how many of them stay as they are when few inputs move. */
#pragma once

#include "kernel/problem.h"

enum {
    GT_TOLERANCE_FEW = 64,   /* fewer elements than this are too few to measure S by one step, */
    GT_TOLERANCE_STEPS = 6,  /* so many are then taken, and the largest counts */
    GT_TOLERANCE_SPARSE = 64 /* one in so many inputs moves to count terms */
};

/* What the steps showed of one output. */
typedef struct gt_sensitivity {
    double step;     /* relative, of the inputs; 0: no input could be moved */
    double largest;  /* |result| */
    double moved;    /* largest |result - moved result| */
    double relative; /* the same over |result|; INFINITY where a result of 0 moved */
    double still;    /* share of the elements that a sparse step left alone; 0: unknown */
} gt_sensitivity;

/* Half the distance from 1 to the next larger number, 0 for integers. */
double gt_type_roundoff(gt_type type);
/* The relative step for inputs: the root of the coarsest roundoff among inputs and outputs, far
 * above what rounding hides and far below what bends a smooth function. 0 without float outputs. */
double gt_tolerance_step(const gt_workload *workload);
/* How many terms an element of the output has, at least 1: flops over elements where the template
 * states them; and what was measured (enough elements stayed still), or inputs over the root of the
 * elements, which is right for sums, matrix products and rows. */
double gt_tolerance_terms(const gt_workload *workload, uint32_t output,
                          const gt_sensitivity *sensitivity);
/* The same where S is known of each element: `stol` is then for scales that are the largest steps
 * of four elements side by side. False: too little is known, or the template says. */
bool gt_tolerance_of_element(gt_tolerance *out, const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);
/* The tolerance of an output: what the template states, or else what follows from the type, the
 * terms and the measured sensitivity. With `scale` from the reference that takes the place of S. */
gt_tolerance gt_tolerance_of(const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);

/* By what tolerances grow on data that are all alike or extreme: roundings that cancel on random
 * data add up there. A sum of 225 products of constants was off by 1.1 of a tolerance of 1e-6 of
 * its magnitudes, which random data keep. */
#define GT_TOLERANCE_VARIED 8.0
