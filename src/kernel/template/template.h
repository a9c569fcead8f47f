/* A parsed template (docs/template.md). Parsing does no I/O; a callback reads files. Thread-safe: a
 * parsed template changes only when users add values, which a lock protects. */
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
    GT_OTHER_MAX = 8,  /* maximum number of values of a scalar in prove() */
    GT_PROVED_MAX = 16 /* maximum number of members of one scalar in prove() */
};

/* An integer, or a word that the template owns. Expressions use `number`: equal words have equal
 * numbers, names of gt_pass have their enum value, and "auto" is -1. */
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

/* A tunable. Values that users add (gt_space_open(), gt_config_parse() with `add`) follow the first
 * `count` values, and live as long as the template. */
typedef struct gt_axis {
    char name[GT_NAME_MAX]; /* name of the axis; for an axis of pass(), the name of its block */
    gt_axis_kind kind;
    const gt_value *values;  /* `number` is a gt_pass for pass, and KB or -1 (auto) for carveout */
    uint32_t count;          /* number of values in the template */
    uint32_t default_choice; /* index into `values` */
    bool in_source;          /* true if the value may change the generated source */
    uint64_t buffers;        /* buffers of vector or l2_persist; bit i: arguments[i] */
    gt_place place;
} gt_axis;

typedef enum gt_problem_kind {
    GT_PROBLEM_SIZE,  /* an integer at run time, never a macro */
    GT_PROBLEM_CONST, /* an integer macro at compile time */
    GT_PROBLEM_TYPE   /* a word macro at compile time, one of `values` */
} gt_problem_kind;

typedef struct gt_problem_value {
    char name[GT_NAME_MAX];
    gt_problem_kind kind;
    gt_value fallback;
    const gt_value *values; /* allowed values of a type, or of a const */
    uint32_t count;
    gt_place place;
} gt_problem_value;

typedef enum gt_direction { GT_IN, GT_OUT, GT_INOUT } gt_direction;
/* How an input is filled. Equal seeds produce equal contents. */
typedef struct gt_fill {
    gt_fill_kind kind;
    /* range of uniform and sorted; for other fills, `low` is the value or the expression */
    const gt_expression *low, *high;
    const char *file; /* the name in file("name"), or NULL */
    gt_place place;
} gt_fill;
/* Returns true if the host generates the elements, and not the measure worker. */
static inline bool gt_fill_is_sent(gt_fill_kind kind)
{
    return kind >= GT_FILL_EXPRESSION;
}

/* The contents of the numbers at a path (gt_leaf_is_within()). #0 is the first item. */
typedef struct gt_initialiser {
    char path[GT_NAME_MAX];
    gt_fill fill;               /* contents of a buffer or block */
    const gt_expression *value; /* value of a scalar */
} gt_initialiser;

/* A list `= {…}` for elements that consist of several numbers. */
typedef struct gt_initialisers {
    gt_initialiser *items;
    uint32_t count;
    bool single; /* true for one fill or value instead of a list */
} gt_initialisers;

/* The values of a scalar in prove(). */
typedef struct gt_proved {
    char path[GT_NAME_MAX]; /* member of a struct, such as "dims"; "": the whole scalar */
    const gt_expression *others[GT_OTHER_MAX]; /* values to try; empty: keep the scalar's value */
    uint32_t other_count;
    gt_place place;
} gt_proved;

/* An argument, a scratch buffer, or a parameter block. A block is a buffer with one extent, or a
 * single element without extents that kernels read as name(). */
typedef struct gt_argument {
    char name[GT_NAME_MAX]; /* name, such as "grid.x" for a buffer in a struct */
    uint32_t holder; /* 1 + index of the struct that points to the buffer; 0: a kernel parameter */
    bool is_buffer;
    gt_direction direction;          /* GT_IN for scalars */
    char type[GT_NAME_MAX];          /* a type problem value, an element type or a struct */
    const gt_expression *extents[3]; /* extents of a buffer, slowest dimension first */
    uint32_t extent_count;
    gt_fill fill;               /* fill of a buffer */
    char pointee[GT_NAME_MAX];  /* type of the target of a null pointer */
    const char *expected;       /* file with the expected results of an output, or NULL */
    const gt_expression *value; /* value of a scalar: its default, or the size with the same name */
    bool keeps;                 /* true for an offset, which proofs do not change */
    gt_proved proved[GT_PROVED_MAX]; /* values of prove() */
    uint32_t proved_count;
    gt_initialisers initialisers;
    bool nan_ok, finite; /* finite: proofs do not fill the buffer with NaN or infinities */
    uint32_t in_place;   /* for an output: 1 + index of the input that may share its buffer */
    bool cleared, races;
    const struct gt_map *map; /* tensor map or texture that replaces the parameter */
    const struct gt_texture_clause *texture;
    int axis; /* index of the axis of a pass() block; -1 for a constant() block */
    gt_place place;
} gt_argument;

/* The work of a launch, as the template states it. */
typedef struct gt_work {
    bool stated;
    uint64_t axes;  /* bit i: the work depends on axis i; 0: all variants do the same work */
    gt_place place; /* place of work(), or of kernel() without a work() */
} gt_work;

/* A parsed template. declared.h has its private parts, for src/kernel only. */
typedef struct gt_template {
    char name[GT_NAME_MAX];
    const char *path, *text, *summary; /* summary: text of the first comment line, or "" */
    gt_axis axes[GT_AXIS_MAX];
    uint32_t axis_count;
    gt_problem_value problem[GT_PROBLEM_MAX];
    uint32_t problem_count;
    gt_argument *arguments; /* arguments without pass blocks, followed by scratch buffers */
    uint32_t argument_count,
        parameter_count;              /* number of arguments without and with scratch buffers */
    uint32_t taken_count;             /* number of kernel parameters, which come first */
    gt_argument passes[GT_BLOCK_MAX]; /* pass blocks, which are the caller's first arguments */
    uint32_t pass_count;
    gt_work work;
    const struct gt_config *starts; /* configurations of the start() clauses, in order */
    uint32_t start_count;
    /* hash of code, headers, args, reference, tolerances and work; part of a scenario's key */
    gt_hash identity;
    bool has_headers; /* true if the compiler must find headers */
    struct gt_template_parts *parts;
} gt_template;

/* A file that an #include or include() names. */
typedef struct gt_include {
    const char *name; /* the name as written */
    const char *from; /* path of the including file */
    bool system;      /* true for <name>, false for "name" */
    bool join;        /* true for include(), false for #include */
} gt_include;

/* An included file: one of the template's own files, or a header that the compiler reads. */
typedef struct gt_included {
    char *text, *path; /* owned by the caller; text: NULL for a header */
    gt_hash digest;    /* for a header: digest of its contents or of the toolkit's version */
} gt_included;

/* Finds an included file. After ENOTFOUND, the compiler reads the file; other failures end the
 * parsing. */
typedef gputune_status (*gt_include_fn)(void *user, const gt_include *include, gt_included *out);

/* Returns true if the reference is the kernel's own default variant: reference(self). */
bool gt_template_is_own_reference(const gt_template *template);

/* Parses a copy of `text` for `kernel` (NULL: the first kernel). gt_template_free() frees *out.
 * `include` may be NULL. ETEMPLATE with a place, or ENOTFOUND for an unknown kernel. */
gputune_status gt_template_parse(gt_template **out, const char *path, const char *text,
                                 const char *kernel, gt_include_fn include, void *user);
void gt_template_free(gt_template *template);

/* Calls `each` for every kernel of a text until a call fails. ETEMPLATE for unreadable clauses. */
gputune_status gt_template_names(const char *path, const char *text, gt_include_fn include,
                                 void *user, gputune_status (*each)(void *to, const char *name),
                                 void *to);

/* Return the index of the axis or problem value with this name, or -1. */
int gt_template_axis_index(const gt_template *template, const char *name);
int gt_template_problem_index(const gt_template *template, const char *name);
/* Returns the type problem value with this name, or NULL. */
const gt_problem_value *gt_problem_type(const gt_template *template, const char *name);
/* Appends an explanation to a compiler message that a define() or a macro of gputune caused. */
void gt_template_explain(gt_text *out, const gt_template *template, const char *message);
/* Returns the word of the clause that declares axes of this kind. */
const char *gt_axis_kind_name(gt_axis_kind kind);
/* Returns true if the kernels use dynamic shared memory, but no launch states its size. */
bool gt_template_lacks_shared(const gt_template *template);
/* Finds the first __constant__ that is used but has no value from the code or a clause. Writes its
 * name to `out`. */
bool gt_template_leaves_constant(char out[GT_NAME_MAX], const gt_template *template);
/* Returns true if the code initialises the __constant__ `name`, even with zero. */
bool gt_template_gives_constant(const gt_template *template, const char *name);
/* Returns true if the axis is the width of vector accesses to the argument. */
static inline bool gt_axis_widens(const gt_axis *axis, uint32_t argument)
{
    return axis->kind == GT_AXIS_VECTOR && (axis->buffers >> argument & 1);
}
