/* Problems (problem.c), and the buffers and scalars of a template for a problem (workload.c). */
#pragma once

#include "base/device.h"
#include "kernel/template/template.h"

/* The problem values, in the order of the template. */
typedef struct gt_problem {
    gt_value values[GT_PROBLEM_MAX];
} gt_problem;

/* Sets *out to the default problem of the template, changed by `sizes`. Types are written as
 * "T=half". EINVAL if a name is unknown or occurs twice, if a size is below 0 or above 2^40, or if
 * the template does not list a type. */
gputune_status gt_problem_bind(gt_problem *out, const gt_template *template, gputune_sizes sizes);
/* Sets *out to a text, such as "n=67108864 T=half". The caller frees *out. May return ENOMEM. */
gputune_status gt_problem_text(char **out, const gt_template *template, const gt_problem *problem);
/* Parses a text that gt_problem_text() has written. Returns the errors of gt_problem_bind(). */
gputune_status gt_problem_parse(gt_problem *out, const gt_template *template, const char *text);
/* Returns the type that a name stands for, if the name is a typedef or a problem value that is a
 * type. Otherwise returns the name itself. */
const char *gt_type_word(const gt_template *template, const gt_problem *problem, const char *name);
/* Like gt_type_word(), but returns the usual name of each number type, such as "half". */
const char *gt_type_text(const gt_template *template, const gt_problem *problem, const char *name);

/* Returns a problem that needs about a megabyte, if the template allows such small sizes. */
gt_problem gt_problem_small(const gt_template *template, const gt_problem *problem,
                            const gt_device *device);
/* Makes a small problem whose sizes no block or vector divides: halves the sizes, then subtracts a
 * small prime. Keeps sizes that a vector must divide or that a require() compares with a tunable,
 * so all configurations remain valid. Returns false and the same problem if no size may change. */
bool gt_problem_odd_tail(gt_problem *out, const gt_template *template, const gt_problem *problem,
                         const gt_device *device);

/* Number of features of a launch, per kernel and in total. They are known before it is compiled. */
enum { GT_STEP_FEATURES = 5, GT_LAUNCH_FEATURES = GT_STEPS_MAX * GT_STEP_FEATURES + 1 };
enum { GT_NUMBER_MAX = 400, GT_OTHERS_MAX = 128 };

/* A scalar, or one of the numbers in a struct or vector. */
typedef struct gt_number {
    char name[GT_NAME_MAX]; /* name in its struct or vector, such as "pos.x" */
    gt_type type;
    uint32_t offset; /* offset in bytes from the start of the element */
    gt_fill_kind fill;
    double low, high;  /* range of the fill; for a floating-point scalar, `low` is its value */
    bool free;         /* true if uniform() has no range */
    int64_t integer;   /* integer value of a scalar */
    int problem_value; /* index of the problem value with the same name, or -1 */
    bool open;         /* true if the proof may change the number */
    bool is_filled;    /* true if the number is in a buffer or block, not in a scalar */
    bool keeps;        /* true for an offset, which the proof does not change (gt_argument.keeps) */
    bool finite;       /* true if the proof must not set the number to NaN or infinity */
    uint32_t first_other, other_count; /* values of prove(), as a range of gt_workload.others */
} gt_number;

/* A buffer or a parameter block. */
typedef struct gt_buffer {
    char name[GT_NAME_MAX];
    gt_type type; /* type of the components; the least precise one if they differ */
    gt_direction direction;
    uint64_t elements; /* number of components, which is 4 * n for float4 y[n] */
    uint64_t bytes;
    uint32_t per_element;  /* number of components of an element; 0 means 1 */
    uint32_t alignment;    /* alignment of an element in bytes; 0 for that of a component */
    uint32_t first_number; /* index of the buffer's first number in gt_workload.numbers */
    uint32_t number_count; /* numbers per element if each has its own fill; 0: one fill for all */
    uint32_t common;       /* 1 + index of a number that the proof stores in all elements, or 0 */
    gt_fill_kind fill;
    double low, high;
    bool nan_ok, races;
    bool is_placeholder;    /* true if the contents are never used, as in y[max(1, n)] for n = 0 */
    bool free, finite;      /* free: no range; finite: the proof stores no NaN or infinity */
    uint32_t variety;       /* how the proof varies the fill (gt_variety) */
    double least, most;     /* range of the fill that GT_VARIETY_REFILLED has replaced */
    uint32_t copy_of;       /* 1 + index of an input with the same address and contents, or 0 */
    uint32_t in_place;      /* for an output, 1 + index of the input with the same address, or 0 */
    gt_type reference_type; /* component type in the reference, which is F64 if it uses double */
} gt_buffer;

typedef struct gt_scalar {
    char name[GT_NAME_MAX];
    uint32_t bytes;
    uint32_t first_number, number_count; /* the scalar's part of gt_workload.numbers */
} gt_scalar;

typedef struct gt_tolerance {
    double atol, rtol, stol;
    bool stated; /* true if the template states the tolerance, false if gputune computes it */
} gt_tolerance;

/* Return the size of an element in bytes, its alignment, and the number of elements. */
uint32_t gt_buffer_element_bytes(const gt_buffer *buffer);
uint32_t gt_buffer_alignment(const gt_buffer *buffer);
uint64_t gt_buffer_count(const gt_buffer *buffer);
/* The buffers and scalars for a problem, and how results are verified. The caller passes the blocks
 * and then the arguments in args(). Each argument is in `buffers` or in `scalars`, at its
 * `index`. */
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
        double real; /* value, if the scalar's type is floating-point */
    } others[GT_OTHERS_MAX];
    gt_tolerance tolerance;
    bool has_reference, has_scale; /* has_scale: the reference also outputs `scale` */
    bool refers_to_itself;         /* true for reference(self) */
    bool has_check;                /* true if a kernel in check() verifies the results */
    bool has_expected;             /* true if the correct outputs are read from files */
    bool varied;                   /* true if inputs contain runs of equal values (vary.h) */
    bool unbounded;                /* true if scalars are NaN, infinite or very large (vary.h) */
    bool huge;                     /* true if scalars are very large (vary.h) */
    bool has_init;                 /* true if a kernel in init() fills inputs */
    gt_launch init; /* launch of the kernel in init(); its last parameter is a seed */
    /* The launches of reference() and check(). reference(self) is launched like a variant, but
     * without a window of level-2 cache. Other reference kernels and check kernels receive pass()
     * blocks as GT_PASS_GLOBAL and constant() blocks as GT_PASS_CONSTANT. Buffers that a variant
     * clears before a launch are also cleared before these kernels. If has_scale, the reference's
     * last parameter is a buffer as long as the first output. The last parameter of check() is an
     * 8-byte counter of wrong elements. */
    gt_launch reference, check;
    double work_bytes, work_flops; /* bytes and flops per launch of the default; 0: not stated */
    uint32_t alignment[GT_PARAMETER_MAX]; /* alignment in bytes that the caller promises */
} gt_workload;

/* Returns an input. If `place` is below GT_PARAMETER_MAX, it is a buffer, and otherwise a block. */
static inline const gt_buffer *gt_workload_input(const gt_workload *workload, uint32_t place)
{
    return place < GT_PARAMETER_MAX ? &workload->buffers[place]
                                    : &workload->blocks[place - GT_PARAMETER_MAX];
}

/* Returns true if the template, and not the default variant, defines the correct results. */
static inline bool gt_workload_is_judged(const gt_workload *workload)
{
    return workload->has_reference || workload->has_check || workload->has_expected;
}

/* Binds a template to a problem. `alignments` states the alignment of some buffers. All others are
 * aligned to at least `alignment` bytes, or to 16 bytes if `alignment` is 0. EINVAL if a buffer is
 * too large, ETEMPLATE if an expression cannot be evaluated. */
gputune_status gt_workload_bind(gt_workload *out, const gt_template *template,
                                const gt_problem *problem, const gt_device *device,
                                uint32_t alignment, const gputune_alignment *alignments,
                                size_t alignment_count);
/* Returns the gt_number with the scalar's value, or NULL if the scalar is a struct or a vector. */
const gt_number *gt_scalar_number(const gt_workload *workload, const gt_scalar *scalar);
enum { GT_COMPONENT_TEXT = 2 * GT_NAME_MAX };
/* Returns a number's name for messages, such as "p.scale". */
const char *gt_number_title(char out[GT_COMPONENT_TEXT], const gt_workload *workload,
                            uint32_t number);
/* Return the type of a component, and its name for messages: "y[3]", or "y[3].z" in a vector. */
const char *gt_component_name(char out[GT_COMPONENT_TEXT], const gt_workload *workload,
                              const gt_buffer *buffer, uint64_t index);
gt_type gt_component_type(const gt_workload *workload, const gt_buffer *buffer, uint64_t index);
/* Returns the size in bytes of an output of the reference, which may use double. */
uint64_t gt_buffer_reference_bytes(const gt_buffer *buffer);
/* Returns the bytes of buffers that only the reference needs: `scale`, and copies of outputs. */
uint64_t gt_reference_scratch_bytes(const gt_workload *workload);
/* Returns the bytes of device memory for verifying and measuring, including guard zones. */
uint64_t gt_workload_device_bytes(const gt_workload *workload);
