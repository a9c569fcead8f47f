/* Problems (problem.c), and the workload of a template at a problem (workload.c). */
#pragma once

#include "base/device.h"
#include "kernel/template/template.h"

/* The problem values, in the template's order. */
typedef struct gt_problem {
    gt_value values[GT_PROBLEM_MAX];
} gt_problem;

/* Sets *out to the template's defaults, replaced by the values in `sizes`; a word is given as
 * "T=half". EINVAL for a name that is unknown or given twice, for a size below 0 or above 2^40, and
 * for a type that the template does not list. */
gputune_status gt_problem_bind(gt_problem *out, const gt_template *template, gputune_sizes sizes);
/* Sets *out to "n=67108864 T=half", in the order of the template. The caller frees *out. ENOMEM. */
gputune_status gt_problem_text(char **out, const gt_template *template, const gt_problem *problem);
/* Reads the text that gt_problem_text() writes. Fails like gt_problem_bind(). */
gputune_status gt_problem_parse(gt_problem *out, const gt_template *template, const char *text);
/* Returns the type that a name denotes at a problem. Follows type problem values and typedefs of
 * the code; returns other names unchanged. */
const char *gt_type_word(const gt_template *template, const gt_problem *problem, const char *name);
/* Returns the usual name of a number type ("half"); for other types, returns gt_type_word(). */
const char *gt_type_text(const gt_template *template, const gt_problem *problem, const char *name);

/* Returns a problem of about a megabyte. Halves sizes if the template allows it. */
gt_problem gt_problem_small(const gt_template *template, const gt_problem *problem,
                            const gt_device *device);
/* Makes a small odd-tail problem for verification. Sizes are halved and then reduced by a small
 * prime. Sizes that a require() connects with a tunable, or that vectors must divide, do not
 * change, so every valid configuration stays valid. Returns false, and the same problem, if no size
 * may change. */
bool gt_problem_odd_tail(gt_problem *out, const gt_template *template, const gt_problem *problem,
                         const gt_device *device);

/* Features of a launch that are known before compilation: their number per kernel, and their
 * maximum number. */
enum { GT_STEP_FEATURES = 5, GT_LAUNCH_FEATURES = GT_STEPS_MAX * GT_STEP_FEATURES + 1 };
enum { GT_NUMBER_MAX = 320, GT_OTHERS_MAX = 128 };

/* A number in a scalar, or in an element that consists of several numbers. */
typedef struct gt_number {
    char name[GT_NAME_MAX]; /* "pos.x" */
    gt_type type;
    uint32_t offset; /* offset in bytes from the element's beginning */
    gt_fill_kind fill;
    double low, high;  /* range of the fill; for a scalar, `low` is its floating-point value */
    int64_t integer;   /* for a scalar: its integer value */
    int problem_value; /* for a scalar: index of the problem value with the same name, or -1 */
    bool derived;      /* true for a scalar that is computed from problem values */
    bool is_stated;    /* true for a scalar whose values prove() lists */
    bool keeps;        /* true for an offset, which proofs must not change (gt_argument.keeps) */
    /* for a scalar: index and number of its further values in gt_workload.others */
    uint32_t first_other, other_count;
} gt_number;

/* A buffer or block of a workload. */
typedef struct gt_buffer {
    char name[GT_NAME_MAX];
    gt_type type; /* type of a component; if the types differ, the least precise float */
    gt_direction direction;
    uint64_t elements; /* number of components, such as 4 * n for float4 y[n] */
    uint64_t bytes;
    uint32_t per_element; /* number of components in a declared element; 0 means 1 */
    /* alignment of the element's type in bytes; 0: the alignment of a component */
    uint32_t alignment;
    uint32_t first_number; /* index of its first number in gt_workload.numbers */
    /* number of numbers that are filled separately; 0: all are filled in the same way */
    uint32_t number_count;
    gt_fill_kind fill;
    double low, high;
    bool nan_ok, races;
    /* free: the template declares no range; finite: NaN and infinities must not occur */
    bool free, finite;
    uint32_t variety; /* how the fill is varied (gt_variety) */
    /* 1 + index of the input whose contents this input copies if it is varied, or 0 */
    uint32_t copy_of;
    uint32_t in_place; /* for an output: 1 + index of the input at the same address, or 0 */
    /* for an output: type in the reference; F64 if the reference declares doubles */
    gt_type reference_type;
} gt_buffer;

typedef struct gt_scalar {
    char name[GT_NAME_MAX];
    uint32_t bytes;
    uint32_t first_number, number_count; /* a range of gt_workload.numbers, which may be empty */
} gt_scalar;

typedef struct gt_tolerance {
    double atol, rtol, stol;
    bool stated; /* true if the template states the tolerance; otherwise see tolerance.h */
} gt_tolerance;

/* Return the bytes of an element, its alignment, and the number of elements. */
uint32_t gt_buffer_element_bytes(const gt_buffer *buffer);
uint32_t gt_buffer_alignment(const gt_buffer *buffer);
uint64_t gt_buffer_count(const gt_buffer *buffer);
/* The buffers and scalars of a problem, and how results are judged. A caller passes first the
 * blocks, then the template's args(). Each argument of args() is buffers[index] or
 * scalars[index]. */
typedef struct gt_workload {
    uint32_t block_count;
    gt_buffer blocks[GT_BLOCK_MAX]; /* blocks of parameters, which are inputs in host memory */
    uint32_t argument_count;
    struct gt_workload_argument {
        bool is_buffer;
        uint32_t index;
    } arguments[GT_PARAMETER_MAX];
    uint32_t buffer_count, scalar_count;
    gt_buffer buffers[GT_PARAMETER_MAX];
    gt_scalar scalars[GT_PARAMETER_MAX];
    uint32_t number_count;
    gt_number numbers[GT_NUMBER_MAX];
    uint32_t other_count;
    struct gt_other {
        int64_t integer;
        double real; /* value for float types */
    } others[GT_OTHERS_MAX];
    gt_tolerance tolerance;
    bool has_reference, has_scale; /* has_scale: the reference also outputs sums of magnitudes */
    bool refers_to_itself; /* true if the reference is a configuration of the kernel itself */
    bool has_check;        /* true if a check() kernel judges results, and they are not compared */
    bool has_expected;     /* true if files contain the correct outputs */
    bool varied;           /* true if inputs have runs of equal values (vary.h) */
    bool unbounded;        /* true if scalars are so large that results may be infinite (vary.h) */
    bool has_init;         /* true if a kernel fills the inputs, or completes them */
    gt_launch init;        /* launch of that kernel; its last parameter is the seed */
    /* reference(self) is launched like a variant, but without a window of level-2 cache. Other
     * references and the check receive pass() blocks as GT_PASS_GLOBAL and constant() blocks as
     * GT_PASS_CONSTANT. Buffers that are cleared for the kernel are cleared for them, too. With
     * `scale`, the last parameter of a reference is a buffer as long as the first output. The last
     * parameter of a check is a buffer of 8 bytes for the number of wrong elements. */
    gt_launch reference, check;
    /* work of one launch of the default; 0: the template does not state it */
    double work_bytes, work_flops;
    uint32_t alignment[GT_PARAMETER_MAX]; /* guaranteed alignment of each buffer, in bytes */
} gt_workload;

/* Returns an input by its index: buffers come first, blocks begin at GT_PARAMETER_MAX. */
static inline const gt_buffer *gt_workload_input(const gt_workload *workload, uint32_t place)
{
    return place < GT_PARAMETER_MAX ? &workload->buffers[place]
                                    : &workload->blocks[place - GT_PARAMETER_MAX];
}
static inline bool gt_workload_has_input(const gt_workload *workload, uint32_t place)
{
    return place < GT_PARAMETER_MAX ? place < workload->buffer_count
                                    : place - GT_PARAMETER_MAX < workload->block_count;
}

/* Returns true if the template defines the correct results. Otherwise the default defines them. */
static inline bool gt_workload_is_judged(const gt_workload *workload)
{
    return workload->has_reference || workload->has_check || workload->has_expected;
}

/* Evaluates a template at a problem. `alignment` is the guaranteed alignment of buffers in bytes;
 * `alignments` overrides it for some of them. EINVAL for a buffer that is too large, ETEMPLATE for
 * an expression that fails. */
gputune_status gt_workload_bind(gt_workload *out, const gt_template *template,
                                const gt_problem *problem, const gt_device *device,
                                uint32_t alignment, const gputune_alignment *alignments,
                                size_t alignment_count);
/* Returns the number of a scalar that is a number. NULL: the scalar is a struct or a vector. */
const gt_number *gt_scalar_number(const gt_workload *workload, const gt_scalar *scalar);
enum { GT_COMPONENT_TEXT = 2 * GT_NAME_MAX };
/* Return the name of a component for messages ("y[3]", in vectors "y[3].z"), and its type. */
const char *gt_component_name(char out[GT_COMPONENT_TEXT], const gt_workload *workload,
                              const gt_buffer *buffer, uint64_t index);
gt_type gt_component_type(const gt_workload *workload, const gt_buffer *buffer, uint64_t index);
/* Returns the size of an output in the reference, in bytes. The reference may use doubles. */
uint64_t gt_buffer_reference_bytes(const gt_buffer *buffer);
/* Returns the bytes of the buffers that only the reference uses: `scale`, and copies of outputs. */
uint64_t gt_reference_scratch_bytes(const gt_workload *workload);
/* Returns the device memory for verifying and measuring, including guard zones. */
uint64_t gt_workload_device_bytes(const gt_workload *workload);
