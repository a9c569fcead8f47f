/* Makes another workload of the same shape for proofs: other scalars and contents of buffers. */
#pragma once

#include "kernel/bind/problem.h"

/* The ways to fill a uniform() buffer. is_varied() in service_fill.cu uses the same numbers. */
typedef enum gt_variety {
    GT_VARIETY_PLAIN,
    GT_VARIETY_EXTREMES, /* runs of the least and largest values and zeros; without a range also
                            numbers beyond 1, denormals and -0 */
    GT_VARIETY_SPECIALS, /* the same; without a declared range also NaN and infinities */
    GT_VARIETY_TIES,     /* few values, of which floats are halfway between whole numbers where the
                            range has such; also of sorted(): runs of four */
    GT_VARIETY_ROWS /* rising integers of an input: the first of eight is the one before, and the
                       last but one is the last, so that rows between them are empty */
} gt_variety;

/* The values of a scalar's number. Each kind beyond NEAR is for floats, FAR also for flags. */
typedef enum gt_scalars {
    GT_SCALARS_OWN,
    GT_SCALARS_NEAR, /* another value of the same sign */
    GT_SCALARS_FAR,  /* a value of the other sign; a flag of 0 or 1 changes */
    GT_SCALARS_ZERO,
    GT_SCALARS_ONE,
    GT_SCALARS_NAN,
    GT_SCALARS_INFINITE,
    GT_SCALARS_HUGE
} gt_scalars;

/* The contents of buffers, up to LOW of those whose fill is uniform(). */
typedef enum gt_contents {
    GT_CONTENTS_PLAIN,
    GT_CONTENTS_EXTREMES,
    GT_CONTENTS_SPECIALS,
    GT_CONTENTS_ZERO, /* all elements are 0, or the value of the declared range that is next to 0 */
    GT_CONTENTS_HIGH, /* all elements are the largest value of the range */
    GT_CONTENTS_LOW,  /* all elements are the least value of the range */
    GT_CONTENTS_TIES, /* GT_VARIETY_TIES, of sorted() too */
    GT_CONTENTS_ROWS, /* GT_VARIETY_ROWS of integers that are prefix(), computed or of a file */
    GT_CONTENTS_TWINS /* inputs of one type and size hold the same, in one buffer */
} gt_contents;

typedef struct gt_variation {
    gt_contents contents;
    uint32_t turn; /* scalars with a list in prove() get the entry of this number */
    uint8_t scalars[GT_NUMBER_MAX]; /* a gt_scalars for each number of the workload */
} gt_variation;

/* A variation in which each number of a scalar that can have a value of that kind has one. Scalars
 * that the template fixes, and integers that are not flags and have no list, keep their values. */
gt_variation gt_variation_make(const gt_workload *workload, gt_scalars scalars,
                               gt_contents contents, uint32_t turn);
/* Makes the workload `out` from `from`. */
void gt_workload_vary(gt_workload *out, const gt_workload *from, const gt_variation *variation);
/* Returns whether the number is a flag without a list: changing it is a guess. */
bool gt_number_is_flag(const gt_workload *workload, uint32_t number);
/* Returns whether the number may change: it is no size, and the template does not fix it. */
bool gt_number_is_open(const gt_workload *workload, uint32_t number);
/* Returns whether such contents differ from the plain ones. */
bool gt_workload_has_contents(const gt_workload *workload, gt_contents contents);
/* The largest value that a buffer's uniform fill draws from its declared range. */
double gt_workload_largest(const gt_buffer *buffer);
/* The number of entries in the longest list that prove() has for a scalar. */
uint32_t gt_workload_longest_list(const gt_workload *workload);
