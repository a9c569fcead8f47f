/* The types of buffer elements, and the ways to fill them. The host includes this file as C, and
 * the service kernels as CUDA C++ before farm/service.h. It must not include other headers. */
#pragma once

typedef enum gt_fill_kind {
    GT_FILL_UNIFORM,
    GT_FILL_INDEX,
    GT_FILL_ZERO,
    GT_FILL_CONSTANT,
    GT_FILL_SORTED,
    GT_FILL_PERMUTATION,
    GT_FILL_PREFIX,
    /* the host generates this fill and the following ones, and sends the values to the worker */
    GT_FILL_EXPRESSION,
    GT_FILL_FILE
} gt_fill_kind;

/* The type of one component of an element. Floating-point types come last. */
typedef enum gt_type {
    GT_TYPE_I8,
    GT_TYPE_U8,
    GT_TYPE_I16,
    GT_TYPE_U16,
    GT_TYPE_I32,
    GT_TYPE_U32,
    GT_TYPE_I64,
    GT_TYPE_U64,
    GT_TYPE_BOOL,
    GT_TYPE_F16,
    GT_TYPE_BF16,
    GT_TYPE_F32,
    GT_TYPE_F64,
    GT_TYPE_E4M3, /* fp8 with 4 bits of exponent: no infinity, saturates at 448 */
    GT_TYPE_E5M2  /* fp8 with 5 bits of exponent: saturates at 57344 */
} gt_type;
