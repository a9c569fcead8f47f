/* Varies a workload for proofs: the same shape with other scalars and contents. */
#pragma once

#include "kernel/bind/problem.h"

/* How the contents of a buffer are varied. is_varied() in service_fill.cu uses the same numbers. */
typedef enum gt_variety {
    GT_VARIETY_PLAIN,
    /* runs of the least value, the largest value and zeros; if the template declares no range,
     * also numbers beyond 1, denormals and -0 */
    GT_VARIETY_EXTREMES,
    /* like EXTREMES; if the template declares no range, also NaN and infinities */
    GT_VARIETY_SPECIALS,
    GT_VARIETY_TIES, /* few different values; floats halfway between whole numbers if possible; in
                        sorted() buffers, runs of four */
    GT_VARIETY_ROWS  /* rising integers; some equal their neighbours, so some rows are empty */
} gt_variety;

/* How a number of a scalar is varied. The kinds after NEAR apply to floats; FAR also applies to
 * flags. */
typedef enum gt_scalars {
    GT_SCALARS_OWN,
    GT_SCALARS_NEAR, /* another value with the same sign */
    GT_SCALARS_FAR,  /* a value with the other sign; a flag changes between 0 and 1 */
    GT_SCALARS_ZERO,
    GT_SCALARS_ONE,
    GT_SCALARS_NAN,
    GT_SCALARS_INFINITE,
    GT_SCALARS_HUGE
} gt_scalars;

/* How the contents of all buffers are varied. The kinds up to LOW apply only to uniform()
 * buffers. */
typedef enum gt_contents {
    GT_CONTENTS_PLAIN,
    GT_CONTENTS_EXTREMES,
    GT_CONTENTS_SPECIALS,
    GT_CONTENTS_ZERO, /* every element is 0, or the number of the range that is closest to 0 */
    GT_CONTENTS_HIGH, /* every element is the largest value of the range */
    GT_CONTENTS_LOW,  /* every element is the least value of the range */
    GT_CONTENTS_TIES, /* GT_VARIETY_TIES; also applies to sorted() buffers */
    /* GT_VARIETY_ROWS; for integers that prefix() computes or that a file contains */
    GT_CONTENTS_ROWS,
    GT_CONTENTS_PAIRS /* inputs with the same type and size have the same contents and address */
} gt_contents;

typedef struct gt_variation {
    gt_contents contents;
    uint32_t turn;                  /* index of the value to take from each list of prove() */
    uint8_t scalars[GT_NUMBER_MAX]; /* by number of the workload: a gt_scalars */
} gt_variation;

/* Returns a variation that changes every number that can be varied in this way. Omits numbers that
 * the template fixes, and integers that are neither flags nor listed in prove(). */
gt_variation gt_variation_make(const gt_workload *workload, gt_scalars scalars,
                               gt_contents contents, uint32_t turn);
void gt_workload_vary(gt_workload *out, const gt_workload *from, const gt_variation *variation);
/* Returns true if the number is a flag: an integer of 0 or 1 without a list in prove(). */
bool gt_number_is_flag(const gt_workload *workload, uint32_t number);
/* Returns true if the number may be varied: it is not a size, and the template does not fix it. */
bool gt_number_is_open(const gt_workload *workload, uint32_t number);
/* Returns true if the contents would differ from the plain ones. */
bool gt_workload_has_contents(const gt_workload *workload, gt_contents contents);
/* Returns the largest value that a buffer's uniform fill draws. */
double gt_workload_largest(const gt_buffer *buffer);
/* Returns the length of the longest list that prove() has for a scalar. */
uint32_t gt_workload_longest_list(const gt_workload *workload);
