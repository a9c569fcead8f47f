/* NumPy's file format, versions 1 to 3: what a file says of its elements. Pure: works on bytes. */
#pragma once

#include "base/text.h"
#include "kernel/template.h"

enum { GT_NPY_DIMENSIONS = 8 };

typedef struct gt_npy {
    gt_type type;
    uint32_t dimensions; /* 0: a single number */
    uint64_t shape[GT_NPY_DIMENSIONS];
    uint64_t elements, bytes; /* of the data */
    size_t data;              /* where they begin in the file */
} gt_npy;

/* Reads the header of a file's bytes and checks that all its data are there. EINVAL with `path` in
 * front for what is no NPY file, another byte order, Fortran order, or elements that no kernel's
 * argument has. */
gputune_status gt_npy_read(gt_npy *out, const void *bytes, size_t count, const char *path);
enum { GT_NPY_HEAD = 256 };
/* What stands in front of the data of an array in a file. Elements that NumPy lacks (bfloat16, fp8)
 * become unsigned numbers of their bits. At most GT_NPY_DIMENSIONS dimensions. */
void gt_npy_head(uint8_t out[GT_NPY_HEAD], gt_type type, const uint64_t *shape,
                 uint32_t dimensions);
/* "(3, 4) of float": shape and type, for messages. */
void gt_npy_describe(gt_text *out, gt_type type, const uint64_t *shape, uint32_t dimensions);
