/* Reads the header of NumPy's file format, versions 1 to 3. */
#pragma once

#include "base/text.h"
#include "kernel/text/types.h"

enum { GT_NPY_DIMENSIONS = 8 };

typedef struct gt_npy {
    gt_type type;
    uint32_t dimensions; /* number of dimensions; 0 if the array is a single number */
    uint64_t shape[GT_NPY_DIMENSIONS];
    uint64_t elements, bytes; /* number of elements, and total size of the data in bytes */
    size_t data;              /* byte offset of the data in the file */
} gt_npy;

/* Reads the header of a file in memory and checks that its data are complete. EINVAL for Fortran
 * order and unsupported formats, types or byte orders. The message begins with `path`. */
gputune_status gt_npy_read(gt_npy *out, const void *bytes, size_t count, const char *path);
/* Appends a description of an array, for messages: "(3, 4) of float". */
void gt_npy_describe(gt_text *out, gt_type type, const uint64_t *shape, uint32_t dimensions);
