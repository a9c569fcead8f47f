/* Varies a workload for the proof: changes scalars and contents, but no sizes. */
#pragma once

#include "kernel/bind/problem.h"

/* Patterns with which the proof fills buffers (is_varied() and is_tied() in service_fill.cu). */
typedef enum gt_variety {
    GT_VARIETY_PLAIN,
    /* runs of the least value, of the largest value and of zeros; also denormals and -0 if the
     * range contains them */
    GT_VARIETY_EXTREMES,
    GT_VARIETY_SPECIALS, /* like EXTREMES; without a range, also NaN and infinities */
    GT_VARIETY_TIES,     /* few values, some halfway between integers; runs of four if sorted() */
    GT_VARIETY_ROWS,     /* ascending integers, some of them repeated, so some rows are empty */
    GT_VARIETY_REFILLED  /* another fill in place of uniform() */
} gt_variety;

/* How to vary a scalar. Applies to floats whose values the template does not fix. FAR also applies
 * to flags. If prove() lists values for a number, NEAR, FAR and ZERO use a value from this list. */
typedef enum gt_scalars {
    GT_SCALARS_OWN,
    GT_SCALARS_NEAR, /* a different value with the same sign */
    GT_SCALARS_FAR,  /* a value with the opposite sign; the other value of a flag */
    GT_SCALARS_ZERO,
    GT_SCALARS_ONE,
    GT_SCALARS_NAN,
    GT_SCALARS_INFINITE,
    GT_SCALARS_HUGE
} gt_scalars;

/* How to vary buffers that uniform() fills. ZERO, HIGH, LOW and TIES also affect sorted() ones. */
typedef enum gt_contents {
    GT_CONTENTS_PLAIN,
    GT_CONTENTS_EXTREMES,
    GT_CONTENTS_SPECIALS,
    GT_CONTENTS_ZERO, /* every element is 0, or the number of its range that is closest to 0 */
    GT_CONTENTS_HIGH, /* every element is the largest value of its range */
    GT_CONTENTS_LOW,  /* every element is the least value of its range */
    GT_CONTENTS_TIES,
    GT_CONTENTS_ROWS,   /* GT_VARIETY_ROWS, for integers that prefix() or a file fills */
    GT_CONTENTS_PAIRS,  /* inputs with the same type and size have the same address and contents */
    GT_CONTENTS_RISING, /* the elements are sorted */
    GT_CONTENTS_COUNT
} gt_contents;

typedef struct gt_variation {
    gt_contents contents;
    uint32_t turn;                  /* number that selects a value from each list in prove() */
    uint8_t scalars[GT_NUMBER_MAX]; /* how to vary each of gt_workload.numbers (gt_scalars) */
} gt_variation;

/* Makes a variation. Numbers to which `scalars` does not apply keep their values. */
gt_variation gt_variation_make(const gt_workload *workload, gt_scalars scalars,
                               gt_contents contents, uint32_t turn);
void gt_workload_vary(gt_workload *out, const gt_workload *from, const gt_variation *variation);
/* Returns true if the number is a flag, which is an integer 0 or 1 without a list in prove(). */
bool gt_number_is_flag(const gt_workload *workload, uint32_t number);
/* Returns true if `contents` affects any buffer. Returns false if init() fills the buffers. */
bool gt_workload_has_contents(const gt_workload *workload, gt_contents contents);
/* Returns true if an input contains NaN and infinities. */
bool gt_workload_has_specials(const gt_workload *workload);
/* Returns the largest value that uniform() can draw. For floats, it is below `high`. */
double gt_workload_largest(gt_type type, double low, double high);
/* Returns the length of the longest list of values in prove(). */
uint32_t gt_workload_longest_list(const gt_workload *workload);
