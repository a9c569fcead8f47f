/* Another workload of the same shape, on which variants are proved too: other values for scalars
 * that are no sizes, and other contents. Pure. */
#pragma once

#include "kernel/problem.h"

/* What the elements of a buffer are whose fill is uniform(): the service kernels know these numbers
 * (varied_value() in service_fill.cu). */
typedef enum gt_variety {
    GT_VARIETY_PLAIN,
    GT_VARIETY_EXTREMES, /* runs of the least and the largest value and of zeros, and here and there
                            one of them; without a declared range numbers beyond 1, denormals and
                            -0 */
    GT_VARIETY_SPECIALS  /* the same with NaN and infinities where no range is declared */
} gt_variety;

/* The values of scalars that are no sizes. */
typedef enum gt_scalars {
    GT_SCALARS_OWN,
    GT_SCALARS_NEAR, /* other ones of the same sign */
    GT_SCALARS_FAR,  /* of the other sign; flags of 0 and 1 change */
    GT_SCALARS_ZERO  /* floats are zero */
} gt_scalars;

/* The contents of buffers whose fill is uniform(). */
typedef enum gt_contents {
    GT_CONTENTS_PLAIN,
    GT_CONTENTS_EXTREMES,
    GT_CONTENTS_SPECIALS,
    GT_CONTENTS_ZERO, /* all elements are 0, or what is next to it in the declared range; */
    GT_CONTENTS_HIGH, /* the largest; */
    GT_CONTENTS_LOW   /* the least */
} gt_contents;

typedef struct gt_variation {
    gt_scalars scalars;
    gt_contents contents;
    uint32_t turn; /* of a scalar with a list in prove(), that entry is taken */
} gt_variation;

/* Makes `out` of `from`. Scalars that the template fixes, and integers that are no flags and have
 * no list, keep their values. */
void gt_workload_vary(gt_workload *out, const gt_workload *from, const gt_variation *variation);
/* Whether other scalars, or other contents, are possible at all. */
bool gt_workload_has_scalars(const gt_workload *workload);
bool gt_workload_has_contents(const gt_workload *workload);
/* The largest value of a buffer's declared range that its uniform fill draws. */
double gt_workload_largest(const gt_buffer *buffer);
/* The most entries that a scalar's list has. */
uint32_t gt_workload_longest_list(const gt_workload *workload);
