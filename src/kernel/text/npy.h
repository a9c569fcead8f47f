/* The header of NumPy's file format, versions 1 to 3, which describes the elements. */
#pragma once

#include "base/text.h"
#include "kernel/text/types.h"

enum { GT_NPY_DIMENSIONS = 8 };

typedef struct gt_npy {
    gt_type type;
    uint32_t dimensions; /* 0: the array is a single number */
    uint64_t shape[GT_NPY_DIMENSIONS];
    uint64_t elements, bytes; /* number of elements, and their size in bytes */
    size_t data;              /* byte offset of the data in the file */
} gt_npy;

/* Reads the header of a file, and checks that the data are complete. EINVAL for other files,
 * unsupported elements or byte orders, and Fortran order; the message begins with `path`. */
gputune_status gt_npy_read(gt_npy *out, const void *bytes, size_t count, const char *path);
/* Appends a shape and a type for a message: "(3, 4) of float". */
void gt_npy_describe(gt_text *out, gt_type type, const uint64_t *shape, uint32_t dimensions);
