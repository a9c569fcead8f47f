/* A template at problem values: awkward problems (problem.c), buffers and scalars (workload.c). */
#pragma once

#include "base/device.h"
#include "kernel/template/template.h"

/* One value for each problem value of the template, in the template's order. */
typedef struct gt_problem {
    gt_value values[GT_PROBLEM_MAX];
} gt_problem;

/* Sets *out to the template's defaults, replaced by the named values in `sizes`; a word comes as
 * "T=half" (include/gputune.h). EINVAL for a name that is unknown (with the nearest one) or comes
 * twice, a size below 0 or above 2^40, and a type that the template does not list. */
gputune_status gt_problem_bind(gt_problem *out, const gt_template *template, gputune_sizes sizes);
/* Writes "n=67108864 T=half", in the template's order. The caller frees *out. ENOMEM. */
gputune_status gt_problem_text(char **out, const gt_template *template, const gt_problem *problem);
/* Reads the text of gt_problem_text(); fails as gt_problem_bind() does. */
gputune_status gt_problem_parse(gt_problem *out, const gt_template *template, const char *text);
/* Returns the type that a name stands for at a problem: the word of a type problem value, which may
 * itself be such a name; the type that a typedef of the code renames; else the name itself. */
const char *gt_type_word(const gt_template *template, const gt_problem *problem, const char *name);
/* Returns the usual name of a number type ("half"), and gt_type_word() for others. */
const char *gt_type_text(const gt_template *template, const gt_problem *problem, const char *name);

/* Returns the problem for keys: sizes with a bucket become powers of two. */
gt_problem gt_problem_bucket(const gt_template *template, const gt_problem *problem);
/* Returns a problem of about a megabyte: sizes are halved as far as the template allows. */
gt_problem gt_problem_small(const gt_template *template, const gt_problem *problem,
                            const gt_device *device);
/* Makes an awkward problem for verification, with tails and cheap: sizes are cut down and reduced
 * by a small prime, unless a require() ties them to a tunable or a vector must divide them. So
 * every valid configuration stays valid. If no size may change, or data come from files, *changed
 * is false and *out the problem itself. */
gputune_status gt_problem_awkward(gt_problem *out, bool *changed, const gt_template *template,
                                  const gt_problem *problem, const gt_device *device);

/* Numbers that are known of a launch before it is compiled: of each step, and in all. */
enum { GT_STEP_FEATURES = 5, GT_LAUNCH_FEATURES = GT_STEPS_MAX * GT_STEP_FEATURES + 1 };
enum { GT_NUMBER_MAX = 320, GT_OTHERS_MAX = 128 };

/* One number of a scalar, or of an element with several that have types of their own. */
typedef struct gt_number {
    char name[GT_NAME_MAX]; /* "pos.x" */
    gt_type type;
    uint32_t offset; /* bytes from the beginning of the element */
    gt_fill_kind fill;
    double low, high;  /* the fill's range; in a scalar, `low` is a floating value */
    int64_t integer;   /* in a scalar: an integer value */
    int problem_value; /* in a scalar: index of the problem value with the same name, or -1 */
    bool derived;      /* in a scalar: an integer that is computed from problem values */
    bool is_stated;    /* in a scalar: prove() names it, and proofs have its own value, */
    bool keeps;        /* or it is an offset (gt_argument.keeps) */
    uint32_t first_other, other_count; /* in a scalar: further values, in gt_workload.others */
} gt_number;

/* One buffer of a workload. */
typedef struct gt_buffer {
    char name[GT_NAME_MAX];
    gt_type type; /* of a component; of several numbers, the coarsest float or first */
    gt_direction direction;
    uint64_t elements; /* counts components: 4 * n for float4 y[n] */
    uint64_t bytes;
    uint32_t per_element;  /* components of one element as declared; 0: 1 */
    uint32_t alignment;    /* bytes to which the element's type is aligned; 0: the component's */
    uint32_t first_number; /* index in gt_workload.numbers of the first of number_count numbers */
    uint32_t number_count; /* components with types and fills of their own; 0: all are alike */
    gt_fill_kind fill;
    double low, high;
    bool nan_ok, races;
    bool free, finite; /* free: no range is declared; finite: NaN and infinities are not allowed */
    uint32_t variety;  /* gt_variety of the elements (vary.h) */
    uint32_t twin;     /* of a varied input: 1 + the index of the one that it is to be; 0: none */
    uint32_t in_place; /* of an output: 1 + the index of the input in its place; 0: none */
    gt_type reference_type; /* the output's type in the reference: F64 if that declares doubles */
} gt_buffer;

typedef struct gt_scalar {
    char name[GT_NAME_MAX];
    uint32_t bytes;
    uint32_t first_number, number_count; /* in gt_workload.numbers; a struct may have none */
} gt_scalar;

typedef struct gt_tolerance {
    double atol, rtol, stol;
    bool stated; /* by the template; else the numbers are 0, and the rule of tolerance.h holds */
} gt_tolerance;

/* Return an element's bytes, the alignment that its type needs, and how many there are. */
uint32_t gt_buffer_element_bytes(const gt_buffer *buffer);
uint32_t gt_buffer_alignment(const gt_buffer *buffer);
uint64_t gt_buffer_count(const gt_buffer *buffer);
/* The buffers and scalars of one problem, and how results are judged. The caller's arguments are
 * the blocks, then args(): argument i of these is buffers[index] or scalars[index]. */
typedef struct gt_workload {
    uint32_t block_count;
    gt_buffer blocks[GT_BLOCK_MAX]; /* their data on the host; the direction is IN */
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
        double real; /* for float types */
    } others[GT_OTHERS_MAX];
    gt_tolerance tolerance;
    bool has_reference, has_scale; /* scale: the reference also outputs the sums of magnitudes */
    bool refers_to_itself;         /* the reference is a launch of the template's own kernels */
    bool has_check;                /* check(kernel) replaces the comparison */
    bool has_expected;             /* the right results come with the setup, for every output */
    bool varied;                   /* inputs have runs of constants (vary.h) */
    bool unbounded; /* scalars are so large that results need not be finite (vary.h) */
    bool has_init;  /* a kernel completes the inputs after their fills */
    gt_launch init; /* its last parameter is a scratch of 8 bytes: the seed, by value */
    /* reference(self) is launched as a variant is, but without its window of level-2 cache. Any
     * other reference, and the check, get pass() blocks as GT_PASS_GLOBAL and constant() blocks as
     * GT_PASS_CONSTANT, and the buffers that the kernel clears are cleared. The last parameter of a
     * reference with `scale` is a scratch with an element for each of the first output's; that of a
     * check, a scratch of 8 bytes for the count of wrong elements. */
    gt_launch reference, check;
    double work_bytes, work_flops;        /* of one launch of the default; 0: not declared */
    uint32_t alignment[GT_PARAMETER_MAX]; /* bytes that the kernel may assume, by buffer */
} gt_workload;

/* Number buffers and, from GT_PARAMETER_MAX on, blocks in one row. */
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

/* Returns whether the template defines the right results, and not the default variant. */
static inline bool gt_workload_is_judged(const gt_workload *workload)
{
    return workload->has_reference || workload->has_check || workload->has_expected;
}

/* Evaluates a template at a problem. `alignment`, in bytes, is assumed of every buffer but those in
 * `alignments`. EINVAL for too large buffers; ETEMPLATE for expressions that fail. */
gputune_status gt_workload_bind(gt_workload *out, const gt_template *template,
                                const gt_problem *problem, const gt_device *device,
                                uint32_t alignment, const gputune_alignment *alignments,
                                size_t alignment_count);
/* The number that a scalar is; NULL: the scalar is a struct or a vector. */
const gt_number *gt_scalar_number(const gt_workload *workload, const gt_scalar *scalar);
enum { GT_COMPONENT_TEXT = 2 * GT_NAME_MAX };
/* Return the component's name in messages ("y[3]", in vectors "y[3].z"), and its type. */
const char *gt_component_name(char out[GT_COMPONENT_TEXT], const gt_workload *workload,
                              const gt_buffer *buffer, uint64_t index);
gt_type gt_component_type(const gt_workload *workload, const gt_buffer *buffer, uint64_t index);
/* The bytes that an output has in the reference, which may declare it as doubles. */
uint64_t gt_buffer_reference_bytes(const gt_buffer *buffer);
/* Returns the bytes of the reference's own buffers: `scale`, and copies of outputs. */
uint64_t gt_reference_scratch_bytes(const gt_workload *workload);
/* Returns the bytes of device memory that verifying and timing need, guards included. */
uint64_t gt_workload_device_bytes(const gt_workload *workload);
