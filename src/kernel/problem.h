/* A template bound to problem values (problem.c), awkward problems (awkward.c), and what a problem
 * needs in memory, as numbers (workload.c). */
#pragma once

#include "base/device.h"
#include "kernel/template.h"

/* Values in the template's order. */
typedef struct gt_problem {
    gt_value values[GT_PROBLEM_MAX];
} gt_problem;

/* Values by name over the template's defaults; a word comes as "T=half" (include/gputune.h).
 * EINVAL names an unknown or repeated one with the nearest, a size below 1 or above 2^40, a type
 * that is not among the listed. */
gputune_status gt_problem_bind(gt_problem *out, const gt_template *template, gputune_sizes sizes);
/* "n=67108864 T=half" in the template's order; ENOMEM. Caller frees. */
gputune_status gt_problem_text(char **out, const gt_template *template, const gt_problem *problem);
/* Binds such a text; fails as gt_problem_bind() does. */
gputune_status gt_problem_parse(gt_problem *out, const gt_template *template, const char *text);
/* The problem that stands for this one in keys: bucketed sizes rounded up to their power of two. */
gt_problem gt_problem_bucket(const gt_template *template, const gt_problem *problem);
/* A problem like this one that takes about a megabyte, by halves of its sizes as far as the
 * template allows them: for what takes long on any other. */
gt_problem gt_problem_small(const gt_template *template, const gt_problem *problem,
                            const gt_device *device);
/* An awkward problem for verification: sizes reduced by a small prime that leaves tails, cut down
 * to be cheap. A size that shares a require() with a tunable, or is an innermost extent of several
 * that a vector axis must divide, stays: what is valid at the problem is valid at the awkward one.
 * *changed is false (and *out the problem) when no size may change, or data come from files. */
gputune_status gt_problem_awkward(gt_problem *out, bool *changed, const gt_template *template,
                                  const gt_problem *problem, const gt_device *device);

enum { GT_NUMBER_MAX = 256 };

/* One number of an element that has several of their own: a struct's, or a vector's. */
typedef struct gt_number {
    char name[GT_NAME_MAX]; /* "pos.x" */
    gt_type type;
    uint32_t offset; /* bytes from the beginning of the element */
    gt_fill_kind fill;
    double low, high;  /* of the fill; a scalar's value if it is floating: low */
    int64_t integer;   /* a scalar's value */
    int problem_value; /* of a scalar: index of the problem value that it is named like, or -1 */
} gt_number;

/* One buffer of a workload. */
typedef struct gt_buffer {
    char name[GT_NAME_MAX];
    gt_type type; /* of a component; with numbers: of the coarsest float, or of the first */
    gt_direction direction;
    uint64_t elements; /* components: of float4 y[n] four times n */
    uint64_t bytes;
    uint32_t per_element;  /* components of one element as declared; 0: 1 */
    uint32_t alignment;    /* that an element has by its type; 0: the component's */
    uint32_t first_number; /* of the workload's: the components of one element, */
    uint32_t number_count; /* each with a type and a fill of its own; 0: all are alike */
    gt_fill_kind fill;
    double low, high;
    bool nan_ok;
    bool free, finite; /* no range is declared; neither NaN nor infinities are allowed */
    uint32_t variety;  /* gt_variety of the elements (vary.h) */
    uint32_t in_place; /* of an output: 1 and the index of the input buffer that may be passed for
                          it; 0: none */
    gt_type reference_type; /* of an output in the reference: F64 where it declares doubles */
} gt_buffer;

typedef struct gt_scalar {
    char name[GT_NAME_MAX];
    gt_type type;
    int64_t integer;
    double real;          /* for float types */
    int problem_value;    /* index of the problem value it is named like, or -1 */
    uint32_t bytes;       /* 0: the type's */
    bool is_stated;       /* the template says which values are proved: its own, */
    uint32_t other_count; /* and these */
    int64_t other_integers[GT_OTHER_MAX];
    double other_reals[GT_OTHER_MAX];    /* for float types */
    uint32_t first_number, number_count; /* its numbers; 0: it is the one above */
} gt_scalar;

typedef struct gt_tolerance {
    double atol, rtol, stol;
    bool stated; /* by the template; else the others are 0, and tolerance.h has the rule */
} gt_tolerance;

/* The bytes of one element as declared, the alignment that its type demands, and how many there
 * are. */
uint32_t gt_buffer_element_bytes(const gt_buffer *buffer);
uint32_t gt_buffer_alignment(const gt_buffer *buffer);
uint64_t gt_buffer_count(const gt_buffer *buffer);
/* What one problem needs in memory and how results are judged. arguments[i] says whether the i-th
 * of the template's args() is buffers[index] or scalars[index]; the blocks are the first caller
 * arguments and args() follow. Launches count caller arguments. */
typedef struct gt_workload {
    uint32_t block_count;
    gt_buffer blocks[GT_BLOCK_MAX]; /* as host data, direction IN */
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
    gt_tolerance tolerance;
    bool has_reference, has_scale; /* scale: one more output of the reference, sum of magnitudes */
    bool refers_to_itself;         /* the reference is a launch of the template's own kernels */
    bool has_check;                /* check(kernel) replaces the comparison */
    bool has_expected;             /* the right results come with the setup, for every output */
    bool varied;                   /* inputs have runs of constants (vary.h) */
    bool has_init;                 /* a kernel fills the inputs behind their fills */
    gt_launch init;             /* its last parameter is a scratch of 8 bytes: the seed, by value */
    gt_launch reference, check; /* A reference that is the template's own is a variant's launch, but
                                   for its window of level-2 cache. Of others
                                   pass() blocks come as GT_PASS_GLOBAL, constant() ones as
                                   GT_PASS_CONSTANT; clears as the kernel's (their
                                   bytes are the reference type's). The reference's `scale`, one
                                   element for each of the first output, is its last parameter, a
                                   scratch. A check's last parameter is a scratch of 8 bytes, the
                                   count of wrong elements (zero at the start); it sees outputs
                                   as the variant left them. */
    double work_bytes, work_flops;        /* of a launch of the default; 0: not declared */
    uint32_t alignment[GT_PARAMETER_MAX]; /* bytes that the kernel may assume, by buffer */
    uint64_t innermost[GT_PARAMETER_MAX]; /* elements of the innermost extent, by buffer */
} gt_workload;

/* What a kernel finds at first, by its place: a buffer's index, or GT_PARAMETER_MAX and a block's.
 */
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

/* Whether anything but the default variant says what is right. */
static inline bool gt_workload_is_judged(const gt_workload *workload)
{
    return workload->has_reference || workload->has_check || workload->has_expected;
}

/* Evaluates a template at a problem. EINVAL for sizes whose buffers overflow 2^47 bytes; ETEMPLATE
 * for expressions that fail. `alignment` is the one assumed of every buffer. */
gputune_status gt_workload_bind(gt_workload *out, const gt_template *template,
                                const gt_problem *problem, const gt_device *device,
                                uint32_t alignment, const gputune_alignment *alignments,
                                size_t alignment_count);
/* The bytes of a scalar. */
uint32_t gt_scalar_bytes(const gt_scalar *scalar);
enum { GT_COMPONENT_TEXT = 2 * GT_NAME_MAX };
/* A component of a buffer: what messages call it ("y[3]", or "y[3].z" of a vector), and its type.
 */
const char *gt_component_name(char out[GT_COMPONENT_TEXT], const gt_workload *workload,
                              const gt_buffer *buffer, uint64_t index);
gt_type gt_component_type(const gt_workload *workload, const gt_buffer *buffer, uint64_t index);
/* The bytes that the reference needs for an output: those of doubles where it declares them. */
uint64_t gt_buffer_reference_bytes(const gt_buffer *buffer);
/* Those of a reference's own buffers: `scale`, and copies of what outputs held. */
uint64_t gt_reference_scratch_bytes(const gt_workload *workload);
/* Device bytes that verifying and timing need: buffers, pristine copies, reference, guards. */
uint64_t gt_workload_device_bytes(const gt_workload *workload);
