/* Problems (problem.c), and a template's buffers and scalars for a problem (workload.c). */
#pragma once

#include "base/device.h"
#include "kernel/template/template.h"

/* The problem values, in the template's order. */
typedef struct gt_problem {
    gt_value values[GT_PROBLEM_MAX];
} gt_problem;

/* Sets *out to the template's default problem, and then applies `sizes`; types are given as
 * "T=half". EINVAL for an unknown or repeated name, a size below 0 or above 2^40, or a type that
 * the template does not list. */
gputune_status gt_problem_bind(gt_problem *out, const gt_template *template, gputune_sizes sizes);
/* Sets *out to a text such as "n=67108864 T=half". The caller frees *out. ENOMEM. */
gputune_status gt_problem_text(char **out, const gt_template *template, const gt_problem *problem);
/* Parses a text that gt_problem_text() wrote. Fails like gt_problem_bind(). */
gputune_status gt_problem_parse(gt_problem *out, const gt_template *template, const char *text);
/* Returns the type that a name denotes. Resolves type problem values and typedefs, and returns
 * other names unchanged. */
const char *gt_type_word(const gt_template *template, const gt_problem *problem, const char *name);
/* Like gt_type_word(), but returns the usual name of a number type, such as "half". */
const char *gt_type_text(const gt_template *template, const gt_problem *problem, const char *name);

/* Returns a problem of about a megabyte, if the template allows such small sizes. */
gt_problem gt_problem_small(const gt_template *template, const gt_problem *problem,
                            const gt_device *device);
/* Makes a small odd-tail problem: halves the sizes, then subtracts a small prime. Keeps sizes that
 * a require() connects with a tunable or that a vector must divide, so all valid configurations
 * stay valid. Returns false and the same problem if no size may change. */
bool gt_problem_odd_tail(gt_problem *out, const gt_template *template, const gt_problem *problem,
                         const gt_device *device);

/* Number of launch features that are known before compilation, per kernel and per launch. */
enum { GT_STEP_FEATURES = 5, GT_LAUNCH_FEATURES = GT_STEPS_MAX * GT_STEP_FEATURES + 1 };
enum { GT_NUMBER_MAX = 400, GT_OTHERS_MAX = 128 };

/* A scalar, or one number of a struct or vector element. */
typedef struct gt_number {
    char name[GT_NAME_MAX]; /* name such as "pos.x" */
    gt_type type;
    uint32_t offset; /* offset in bytes from the start of the element */
    gt_fill_kind fill;
    double low, high;  /* range of the fill; in a scalar, `low` is the floating-point value */
    bool free;         /* true if a uniform fill has no declared range */
    int64_t integer;   /* integer value of a scalar */
    int problem_value; /* index of the problem value with the scalar's name, or -1 */
    bool open;         /* true if proofs may vary the number */
    bool is_filled;    /* true if the number belongs to a buffer or block, false in a scalar */
    bool keeps;        /* true for an offset, which proofs must not change (gt_argument.keeps) */
    bool finite;       /* true if the number must not become NaN or infinite */
    uint32_t first_other, other_count; /* range of its prove() values in gt_workload.others */
} gt_number;

/* A buffer or parameter block of a workload. */
typedef struct gt_buffer {
    char name[GT_NAME_MAX];
    gt_type type; /* component type; the least precise float if types differ */
    gt_direction direction;
    uint64_t elements; /* number of components, such as 4 * n for float4 y[n] */
    uint64_t bytes;
    uint32_t per_element;  /* number of components per declared element; 0 means 1 */
    uint32_t alignment;    /* alignment of an element in bytes; 0: alignment of a component */
    uint32_t first_number; /* index of the first number in gt_workload.numbers */
    uint32_t number_count; /* number of separately filled numbers; 0: one fill for all */
    uint32_t common;       /* 1 + index of the number that proofs fill all elements with, or 0 */
    gt_fill_kind fill;
    double low, high;
    bool nan_ok, races;
    bool is_placeholder;    /* true if the contents do not matter, as in y[max(1, n)] for n = 0 */
    bool free, finite;      /* free: no declared range; finite: no NaN or infinity allowed */
    uint32_t variety;       /* variation of the fill (gt_variety) */
    uint32_t copy_of;       /* 1 + index of the input that shares contents and address, or 0 */
    uint32_t in_place;      /* for outputs: 1 + index of the input at the same address, or 0 */
    gt_type reference_type; /* component type in the reference, such as F64 for double */
} gt_buffer;

typedef struct gt_scalar {
    char name[GT_NAME_MAX];
    uint32_t bytes;
    uint32_t first_number, number_count; /* range of gt_workload.numbers; may be empty */
} gt_scalar;

typedef struct gt_tolerance {
    double atol, rtol, stol;
    bool stated; /* true if the template states the tolerance; otherwise see tolerance.h */
} gt_tolerance;

/* Return the bytes of an element, its alignment, and the number of elements. */
uint32_t gt_buffer_element_bytes(const gt_buffer *buffer);
uint32_t gt_buffer_alignment(const gt_buffer *buffer);
uint64_t gt_buffer_count(const gt_buffer *buffer);
/* The buffers and scalars of a problem, and how results are verified. The caller's arguments are
 * the blocks, followed by the template's args(). Each argument of args() is buffers[index] or
 * scalars[index]. */
typedef struct gt_workload {
    uint32_t block_count;
    gt_buffer blocks[GT_BLOCK_MAX]; /* parameter blocks, which are inputs in host memory */
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
        double real; /* value of a scalar with a float type */
    } others[GT_OTHERS_MAX];
    gt_tolerance tolerance;
    bool has_reference, has_scale; /* has_scale: the reference also outputs sums of magnitudes */
    bool refers_to_itself;         /* true for reference(self) */
    bool has_check;                /* true if a check() kernel verifies the results */
    bool has_expected;             /* true if files contain the correct outputs */
    bool varied;                   /* true if inputs have runs of equal values (vary.h) */
    bool unbounded; /* true if results may overflow because of large scalars (vary.h) */
    bool has_init;  /* true if a kernel fills or completes the inputs */
    gt_launch init; /* launch of the init() kernel; its last parameter is the seed */
    /* The launches of reference() and check(). reference(self) is launched like a variant, but
     * without a window of level-2 cache. Other kernels receive pass() blocks as GT_PASS_GLOBAL and
     * constant() blocks as GT_PASS_CONSTANT. Buffers cleared for the kernel are also cleared for
     * these launches. With `scale`, the reference's last parameter is a buffer as long as the first
     * output. The check's last parameter is an 8-byte counter of wrong elements. */
    gt_launch reference, check;
    double work_bytes, work_flops; /* bytes and flops per launch of the default; 0: not stated */
    uint32_t alignment[GT_PARAMETER_MAX]; /* guaranteed alignment of each buffer in bytes */
} gt_workload;

/* Returns an input by index. Buffers come first; blocks begin at GT_PARAMETER_MAX. */
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

/* Returns true if the template defines the correct results. Otherwise the default variant does. */
static inline bool gt_workload_is_judged(const gt_workload *workload)
{
    return workload->has_reference || workload->has_check || workload->has_expected;
}

/* Binds a template to a problem. `alignment` is the guaranteed alignment of buffers in bytes;
 * `alignments` overrides it for single buffers. EINVAL for a buffer that is too large, ETEMPLATE
 * for an expression that fails. */
gputune_status gt_workload_bind(gt_workload *out, const gt_template *template,
                                const gt_problem *problem, const gt_device *device,
                                uint32_t alignment, const gputune_alignment *alignments,
                                size_t alignment_count);
/* Returns the number of a scalar, or NULL if the scalar is a struct or vector. */
const gt_number *gt_scalar_number(const gt_workload *workload, const gt_scalar *scalar);
enum { GT_COMPONENT_TEXT = 2 * GT_NAME_MAX };
/* Returns the name of a number for messages, such as "p.scale". */
const char *gt_number_title(char out[GT_COMPONENT_TEXT], const gt_workload *workload,
                            uint32_t number);
/* Return the name of a component for messages ("y[3]", or "y[3].z" in a vector), and its type. */
const char *gt_component_name(char out[GT_COMPONENT_TEXT], const gt_workload *workload,
                              const gt_buffer *buffer, uint64_t index);
gt_type gt_component_type(const gt_workload *workload, const gt_buffer *buffer, uint64_t index);
/* Returns the bytes of an output in the reference, which may use double. */
uint64_t gt_buffer_reference_bytes(const gt_buffer *buffer);
/* Returns the bytes of buffers that only the reference uses: `scale` and copies of outputs. */
uint64_t gt_reference_scratch_bytes(const gt_workload *workload);
/* Returns the device memory in bytes that verifying and measuring need, with guard zones. */
uint64_t gt_workload_device_bytes(const gt_workload *workload);
