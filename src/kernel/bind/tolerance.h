/* Tolerances of a template that states none: how far the results of two right kernels may be apart
 * that add and round in different orders. The rule, which template.h states for users:
 *
 * A sum of m terms that is added one after another in a type of unit roundoff u is off by about
 * u * sqrt(m) * S, where S is how strongly the result depends on its terms (the root of the sum of
 * their squares). S is measured: the reference runs once more with inputs moved by a small relative
 * step, up or down at random, and S is how far its results move over that step. So S knows about
 * cancellation, coefficients and functions without being told. An output that no input moves has
 * its largest magnitude for S. The number of terms is measured too where there are many outputs:
 * by how many of them stay as they are when few inputs move. */
#pragma once

#include "kernel/bind/problem.h"

enum {
    GT_TOLERANCE_FEW = 64,   /* an output with fewer elements needs several steps to measure S: */
    GT_TOLERANCE_STEPS = 6,  /* this many, of which the largest counts */
    GT_TOLERANCE_SPARSE = 64 /* to count terms, a sparse step moves one in this many inputs */
};

/* The sensitivity of one output, from the reference's runs with moved inputs. */
typedef struct gt_sensitivity {
    double step;     /* relative step of the inputs; 0: no input could be moved */
    double largest;  /* largest |result| */
    double moved;    /* largest |result - moved result| */
    double relative; /* largest |result - moved result| / |result|; INFINITY if a 0 moved */
    double still;    /* share of the elements that a sparse step left alone; 0: unknown */
} gt_sensitivity;

/* Returns half the distance from 1 to the type's next larger number; 0 for integers. */
double gt_type_roundoff(gt_type type);
/* Returns the relative step by which inputs are moved, the root of the coarsest roundoff: far above
 * what rounding hides, far below what bends a smooth function. 0: no float output. */
double gt_tolerance_step(const gt_workload *workload);
/* Returns how many terms an element has: flops / elements, or if larger the measured number (by the
 * elements that stayed still), at most inputs / sqrt(elements), right for sums and products. */
double gt_tolerance_terms(const gt_workload *workload, uint32_t output,
                          const gt_sensitivity *sensitivity);
/* Sets *out to an output's tolerance by each element's S. false: S is unknown, or not needed. */
bool gt_tolerance_of_element(gt_tolerance *out, const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);
/* The tolerance of an output: the template's own, or else the one that follows from the type, the
 * terms and the measured sensitivity. If the reference gives `scale`, this takes the place of S. */
gt_tolerance gt_tolerance_of(const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);

/* The factor by which tolerances grow on data that are all alike or extreme: roundings that cancel
 * on random data add up there. A sum of 225 products of constants was off by 1.1 times a tolerance
 * of 1e-6 of its magnitudes, within which random data stay. */
#define GT_TOLERANCE_VARIED 8.0
