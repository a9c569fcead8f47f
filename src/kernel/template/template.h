/* A parsed template (docs/template.md). Parsing reads files only through a callback. Thread-safe: a
 * parsed template changes only when users add values, which is protected by a lock. */
#pragma once

#include "base/hash.h"
#include "base/launch.h"
#include "base/status.h"
#include "base/text.h"
#include "kernel/text/expression.h"
#include "kernel/text/types.h"

enum {
    GT_AXIS_MAX = 32,
    GT_PROBLEM_MAX = 16,
    GT_OTHER_MAX = 8,  /* maximum number of values for a scalar in prove() */
    GT_PROVED_MAX = 16 /* maximum number of members of a scalar in prove() */
};

/* An integer, or a word that the template owns. Expressions compare words by `number`, which is
 * different for each word: the value of the enum for words of gt_pass, and -1 for "auto". */
typedef struct gt_value {
    int64_t number;
    const char *word;
} gt_value;

typedef enum gt_axis_kind {
    GT_AXIS_TUNE,
    GT_AXIS_VECTOR,
    GT_AXIS_PASS,
    GT_AXIS_CLUSTER,
    GT_AXIS_CARVEOUT,
    GT_AXIS_L2_PERSIST,
    GT_AXIS_KINDS
} gt_axis_kind;

/* An axis. Values that users add (gt_space_open(), or gt_config_parse() with `add`) come after the
 * first `count` values. They are freed together with the template. */
typedef struct gt_axis {
    char name[GT_NAME_MAX]; /* name of the axis; for pass(), the name of the block */
    gt_axis_kind kind;
    const gt_value *values;  /* `number` is a gt_pass for pass(), and KB for carveout() */
    uint32_t count;          /* number of values in the clause */
    uint32_t default_choice; /* index into `values` */
    bool in_source;          /* true if the generated source may depend on the value */
    /* true if the source depends on the axis only by expressions, so values may share a source */
    bool shares_source;
    uint64_t buffers; /* bit i: arguments[i] is a buffer of this vector() or l2_persist() */
    gt_place place;
} gt_axis;

typedef enum gt_problem_kind {
    GT_PROBLEM_SIZE,  /* an integer that is set at run time and is never a macro */
    GT_PROBLEM_CONST, /* an integer that is a macro at compile time */
    GT_PROBLEM_TYPE   /* one of the words in `values`, which is a macro at compile time */
} gt_problem_kind;

typedef struct gt_problem_value {
    char name[GT_NAME_MAX];
    gt_problem_kind kind;
    gt_value fallback;
    const gt_value *values; /* values that a type or const may have */
    uint32_t count;
    gt_place place;
} gt_problem_value;

typedef enum gt_direction { GT_IN, GT_OUT, GT_INOUT } gt_direction;
/* How an input is filled. The same seed produces the same contents. */
typedef struct gt_fill {
    gt_fill_kind kind;
    /* range of uniform() and sorted(); for other fills, `low` is their value or expression */
    const gt_expression *low, *high;
    const char *file; /* name of the file in file("name"), or NULL */
    gt_place place;
} gt_fill;
/* Returns true if the host generates the elements. Otherwise the measure worker does. */
static inline bool gt_fill_is_sent(gt_fill_kind kind)
{
    return kind >= GT_FILL_EXPRESSION;
}

/* The contents of all numbers in a member (gt_leaf_is_within()). "#0" is the first member's
 * path. */
typedef struct gt_initialiser {
    char path[GT_NAME_MAX];
    gt_fill fill;               /* contents of a buffer or block */
    const gt_expression *value; /* value of a scalar */
} gt_initialiser;

/* A list `= {…}` for elements that contain several numbers. */
typedef struct gt_initialisers {
    gt_initialiser *items;
    uint32_t count;
    bool single; /* true if there is a single fill or value instead of a list */
} gt_initialisers;

/* The values of a scalar that are listed in prove(). */
typedef struct gt_proved {
    char path[GT_NAME_MAX]; /* member of a struct, such as "dims", or "" for the whole scalar */
    const gt_expression *others[GT_OTHER_MAX]; /* values that the proof tries, if any */
    uint32_t other_count;
    gt_place place;
} gt_proved;

/* An argument, a scratch buffer, or a parameter block. A block is a buffer with one extent. If it
 * has no extent, it is a single element, which kernels read as name(). */
typedef struct gt_argument {
    char name[GT_NAME_MAX]; /* name, which is "grid.x" for a buffer in a struct `grid` */
    uint32_t holder;        /* 1 + index of the struct that points to the buffer; 0: a parameter */
    bool is_buffer;
    gt_direction direction; /* GT_IN for scalars */
    char type[GT_NAME_MAX]; /* an element type, a struct, or a problem value that is a type */
    const gt_expression *extents[3]; /* extents of a buffer, the slowest dimension first */
    uint32_t extent_count;
    gt_fill fill;                    /* fill of a buffer */
    char pointee[GT_NAME_MAX];       /* type to which a null pointer points */
    const char *expected;            /* file with the correct contents of an output, or NULL */
    const gt_expression *value;      /* a scalar's value; NULL: the problem value with its name */
    bool keeps;                      /* true for an offset, which the proof does not change */
    gt_proved proved[GT_PROVED_MAX]; /* values of prove() */
    uint32_t proved_count;
    gt_initialisers initialisers;
    bool nan_ok, finite; /* finite: the proof never fills the buffer with NaN or infinities */
    uint32_t in_place;   /* for an output, 1 + index of the input that may use the same buffer */
    bool cleared, races;
    const struct gt_map *map; /* map or texture that replaces the buffer in the kernel */
    const struct gt_texture_clause *texture;
    int axis; /* index of the axis of a pass() block, or -1 for a constant() block */
    gt_place place;
} gt_argument;

/* The amount of work of a launch, which work() states. */
typedef struct gt_work {
    bool stated;
    uint64_t axes;  /* bit i: axis i affects the work; 0: all variants do the same work */
    gt_place place; /* position of work(), or of kernel() if there is no work() */
} gt_work;

/* A parsed template. Its private parts are in declared.h, for src/kernel only. */
typedef struct gt_template {
    char name[GT_NAME_MAX];
    const char *path, *text, *summary; /* summary: text of the comment in the first line, or "" */
    gt_axis axes[GT_AXIS_MAX];
    uint32_t axis_count;
    gt_problem_value problem[GT_PROBLEM_MAX];
    uint32_t problem_count;
    gt_argument *arguments; /* all arguments except pass() blocks, then scratch buffers */
    uint32_t argument_count, parameter_count; /* `parameter_count` includes scratch buffers */
    uint32_t taken_count; /* number of arguments that are kernel parameters; they come first */
    gt_argument passes[GT_BLOCK_MAX]; /* pass() blocks, which the caller passes first */
    uint32_t pass_count;
    gt_work work;
    const struct gt_config *starts; /* configurations in start() clauses, in their order */
    uint32_t start_count;
    /* hash of the code, headers, args, reference, tolerances and work, for the key of a scenario */
    gt_hash identity;
    bool has_headers; /* true if there are headers that only the compiler reads */
    bool uses_std;    /* true if the code may need headers of std that it does not include */
    struct gt_template_parts *parts;
} gt_template;

/* A file that is named in an #include or include(). */
typedef struct gt_include {
    const char *name; /* the name as written */
    const char *from; /* path of the file that includes it */
    bool system;      /* true for <name>, false for "name" */
    bool join;        /* true for include(), false for #include */
} gt_include;

/* A file that was found: one of the template's own, or a header that the compiler reads. */
typedef struct gt_included {
    char *text, *path; /* owned by the caller; `text` is NULL for a header */
    gt_hash digest;    /* for a header, the hash of its contents or of the toolkit's version */
} gt_included;

/* Finds an included file. If it returns ENOTFOUND, the compiler must find the file. After any other
 * failure, parsing stops. */
typedef gputune_status (*gt_include_fn)(void *user, const gt_include *include, gt_included *out);

/* Returns true if the kernel's own default variant is the reference, as in reference(self). */
bool gt_template_is_own_reference(const gt_template *template);
/* Returns true if the template has a reference(), a check() or an expect(). */
bool gt_template_is_judged(const gt_template *template);

/* Parses a copy of `text` for a kernel (NULL: the first one). `include` may be NULL.
 * gt_template_free() frees *out. ETEMPLATE with a position, or ENOTFOUND if there is no such
 * kernel. */
gputune_status gt_template_parse(gt_template **out, const char *path, const char *text,
                                 const char *kernel, gt_include_fn include, void *user);
void gt_template_free(gt_template *template);

/* Calls `each` for each kernel of a text until a call fails. ETEMPLATE for unreadable clauses. */
gputune_status gt_template_names(const char *path, const char *text, gt_include_fn include,
                                 void *user, gputune_status (*each)(void *to, const char *name),
                                 void *to);

/* Return the index of the axis or problem value with this name, or -1 if there is none. */
int gt_template_axis_index(const gt_template *template, const char *name);
int gt_template_problem_index(const gt_template *template, const char *name);
/* Returns the problem value with this name if it is a type, otherwise NULL. */
const gt_problem_value *gt_problem_type(const gt_template *template, const char *name);
/* Explains a compiler's message about a define() or a macro of gputune by appending a sentence. */
void gt_template_explain(gt_text *out, const gt_template *template, const char *message);
/* Returns the word of the clause that declares axes of this kind. */
const char *gt_axis_kind_name(gt_axis_kind kind);
/* Returns true if kernels use dynamic shared memory but no launch states how much. */
bool gt_template_lacks_shared(const gt_template *template);
/* Finds the first __constant__ that is used but gets no value from the code or a clause. Writes its
 * name to `out`. */
bool gt_template_leaves_constant(char out[GT_NAME_MAX], const gt_template *template);
/* Returns true if the code initialises the __constant__ `name`, even if the value is zero. */
bool gt_template_gives_constant(const gt_template *template, const char *name);
/* Returns true if the axis is a vector width, and the argument is one of its buffers. */
static inline bool gt_axis_widens(const gt_axis *axis, uint32_t argument)
{
    return axis->kind == GT_AXIS_VECTOR && (axis->buffers >> argument & 1);
}
