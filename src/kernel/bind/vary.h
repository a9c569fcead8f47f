/* Varies a workload for proofs: other scalars and contents, but the same shape. */
#pragma once

#include "kernel/bind/problem.h"

/* Patterns of varied buffer contents. is_varied() in service_fill.cu uses the same numbers. */
typedef enum gt_variety {
    GT_VARIETY_PLAIN,
    /* runs of the least value, of the largest value and of zeros; fills without a range also get
     * denormals and -0 */
    GT_VARIETY_EXTREMES,
    GT_VARIETY_SPECIALS, /* like EXTREMES; fills without a range also get NaN and infinities */
    GT_VARIETY_TIES,     /* few values, some halfway between integers; runs of four if sorted() */
    GT_VARIETY_ROWS      /* ascending integers with repetitions, so some rows are empty */
} gt_variety;

/* How to vary a scalar. Applies to floats that the template does not fix; FAR also applies to
 * flags. A number with a list in prove() gets a value from the list for NEAR, FAR and ZERO. */
typedef enum gt_scalars {
    GT_SCALARS_OWN,
    GT_SCALARS_NEAR, /* a different value with the same sign */
    GT_SCALARS_FAR,  /* a value with the opposite sign; a flag changes between 0 and 1 */
    GT_SCALARS_ZERO,
    GT_SCALARS_ONE,
    GT_SCALARS_NAN,
    GT_SCALARS_INFINITE,
    GT_SCALARS_HUGE
} gt_scalars;

/* How to vary the contents of all buffers. EXTREMES to LOW apply only to uniform() buffers. */
typedef enum gt_contents {
    GT_CONTENTS_PLAIN,
    GT_CONTENTS_EXTREMES,
    GT_CONTENTS_SPECIALS,
    GT_CONTENTS_ZERO, /* every element is 0, or the number in the range closest to 0 */
    GT_CONTENTS_HIGH, /* every element is the largest value of the range */
    GT_CONTENTS_LOW,  /* every element is the least value of the range */
    GT_CONTENTS_TIES, /* GT_VARIETY_TIES; also applies to sorted() buffers */
    GT_CONTENTS_ROWS, /* GT_VARIETY_ROWS, for integers from prefix() or from a file */
    GT_CONTENTS_PAIRS /* inputs of equal type and size share contents and address */
} gt_contents;

typedef struct gt_variation {
    gt_contents contents;
    uint32_t turn;                  /* selects a value from each list in prove() */
    uint8_t scalars[GT_NUMBER_MAX]; /* a gt_scalars value for each of gt_workload.numbers */
} gt_variation;

/* Makes a variation that applies `scalars` to each number that it can vary. Other numbers keep
 * their values. */
gt_variation gt_variation_make(const gt_workload *workload, gt_scalars scalars,
                               gt_contents contents, uint32_t turn);
void gt_workload_vary(gt_workload *out, const gt_workload *from, const gt_variation *variation);
/* Returns true if the number is a flag: an integer that is 0 or 1 and has no list in prove(). */
bool gt_number_is_flag(const gt_workload *workload, uint32_t number);
/* Returns true if `contents` applies to any buffer. Returns false if init() fills the buffers. */
bool gt_workload_has_contents(const gt_workload *workload, gt_contents contents);
/* Returns the largest value that a uniform fill draws; for floats, this is below `high`. */
double gt_workload_largest(gt_type type, double low, double high);
/* Returns the length of the longest value list in prove(). */
uint32_t gt_workload_longest_list(const gt_workload *workload);
