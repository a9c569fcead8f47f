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
    GT_TOLERANCE_FEW = 64,   /* outputs with fewer elements need several steps to measure S */
    GT_TOLERANCE_STEPS = 6,  /* number of these steps, of which the largest counts */
    GT_TOLERANCE_SPARSE = 64 /* to count terms, a sparse step moves one of this many inputs */
};

/* The measured sensitivity of an output to small steps of the inputs. */
typedef struct gt_sensitivity {
    double step;     /* relative step of the inputs; 0: no input could be moved */
    double largest;  /* largest |result| */
    double moved;    /* largest |result - moved result| */
    double relative; /* the same, divided by |result|; INFINITY if a 0 moved */
    double still;    /* share of the elements that did not move in a sparse step; 0: unknown */
} gt_sensitivity;

/* Returns half the distance from 1 to the next larger number of the type; 0 for integers. */
double gt_type_roundoff(gt_type type);
/* Returns the relative step of the inputs: the root of the coarsest roundoff, which is far above
 * roundings and far below the curvature of smooth functions. 0: there is no float output. */
double gt_tolerance_step(const gt_workload *workload);
/* Returns the number of terms of an element: the declared or the measured number, whichever is
 * larger. The measured number is at most inputs / sqrt(elements), which is exact for sums and
 * matrix products. */
double gt_tolerance_terms(const gt_workload *workload, uint32_t output,
                          const gt_sensitivity *sensitivity);
/* Sets *out to a tolerance from each element's S. Returns false if S is unknown or not needed. */
bool gt_tolerance_of_element(gt_tolerance *out, const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);
/* Returns the tolerance of an output: the template's, or the one that follows from its type, terms
 * and sensitivity. If the reference outputs `scale`, that replaces S. */
gt_tolerance gt_tolerance_of(const gt_workload *workload, uint32_t output,
                             const gt_sensitivity *sensitivity);

/* Tolerances grow by this factor on data that is constant or extreme, because roundings add up
 * there that cancel on random data. A sum of 225 products of constants exceeded a tolerance of 1e-6
 * of its magnitudes 1.1 times; random data stays below it. */
#define GT_TOLERANCE_VARIED 8.0
