/* A parsed template (docs/template.md). Parsing works on text only; files are read through a
 * callback. A template never changes after it was parsed, so any thread may read it. */
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
    GT_OTHER_MAX = 8,  /* further values of a scalar in proofs */
    GT_PROVED_MAX = 16 /* members of one scalar that prove() names */
};

/* An integer, or a word, which the template owns; its `number` is what expressions see: equal for
 * equal words, a gt_pass value for its name, -1 for "auto". */
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
    GT_AXIS_PREFERRED_CLUSTER,
    GT_AXIS_KINDS
} gt_axis_kind;

/* One tunable. Values that users add (gt_space_open(), gt_config_parse()) are in values[] from
 * index `count` on for the template's life, so an index stays valid. */
typedef struct gt_axis {
    char name[GT_NAME_MAX]; /* a pass axis is named like its block */
    gt_axis_kind kind;
    const gt_value *values;  /* pass: number is a gt_pass; carveout: KB, -1 for auto */
    uint32_t count;          /* of the template's own values */
    uint32_t default_choice; /* index into values */
    bool in_source;          /* its value may change the generated source */
    uint64_t buffers;        /* vector, l2_persist: bit i: argument i, or behind them a scratch */
    uint32_t dimension;      /* cluster: 0, 1, 2 for x, y, z */
    gt_place place;
} gt_axis;

typedef enum gt_problem_kind {
    GT_PROBLEM_SIZE,  /* run-time integer, never a macro */
    GT_PROBLEM_CONST, /* compile-time integer macro */
    GT_PROBLEM_TYPE   /* compile-time word macro, one of `values` */
} gt_problem_kind;

typedef struct gt_problem_value {
    char name[GT_NAME_MAX];
    gt_problem_kind kind;
    bool bucket_pow2;
    gt_value fallback;      /* the default */
    const gt_value *values; /* the allowed values of a type, or of a const that lists several */
    uint32_t count;
    gt_place place;
} gt_problem_value;

typedef enum gt_direction { GT_IN, GT_OUT, GT_INOUT } gt_direction;
/* How an input is filled; equal seeds give equal contents. */
typedef struct gt_fill {
    gt_fill_kind kind;
    const gt_expression *low,
        *high;        /* of uniform, sorted, constant, prefix; an expression is in `low` */
    const char *file; /* the name in file("name"); NULL: none */
    gt_place place;
} gt_fill;
/* Returns whether the elements come from the host, since the measure worker cannot make them. */
static inline bool gt_fill_is_sent(gt_fill_kind kind)
{
    return kind >= GT_FILL_EXPRESSION;
}

/* The contents of the numbers that a path names (gt_leaf_is_within()), #0 for the first item. */
typedef struct gt_initialiser {
    char path[GT_NAME_MAX];
    gt_fill fill;               /* of a buffer or block */
    const gt_expression *value; /* of a scalar */
} gt_initialiser;

/* `= {…}` for elements of several numbers. */
typedef struct gt_initialisers {
    gt_initialiser *items;
    uint32_t count;
    bool single; /* no list: the template states one fill or value for all numbers */
} gt_initialisers;

/* The values that prove() gives a scalar. */
typedef struct gt_proved {
    char path[GT_NAME_MAX];                    /* of a struct's member: "dims"; "": all of it */
    const gt_expression *others[GT_OTHER_MAX]; /* further values; none: it keeps its own */
    uint32_t other_count;
    gt_place place;
} gt_proved;

/* An argument, a scratch buffer (GT_FILL_ZERO: zeros at first), or a block of parameters, which is
 * a buffer of one extent, or of none if it is one element that is read as name(). */
typedef struct gt_argument {
    char name[GT_NAME_MAX]; /* for a buffer that a struct points to: "grid.x" */
    uint32_t holder; /* 1 + the index of the struct that points to it; 0: it is a parameter */
    bool is_buffer;
    gt_direction direction; /* GT_IN for what is no buffer */
    char type[GT_NAME_MAX]; /* as written: the name of a type problem value, element or struct */
    const gt_expression *extents[3]; /* of a buffer, slowest first; NULL beyond extent_count */
    uint32_t extent_count;
    gt_fill fill;               /* of a buffer */
    char pointee[GT_NAME_MAX];  /* of a null pointer (`type` is uint64_t): the type pointed to */
    const char *expected;       /* the file of an output's right results; NULL: none */
    const gt_expression *value; /* of a scalar: its default, or the size that it is named like */
    bool keeps;                 /* a scalar that is an offset: it has its own value in proofs */
    gt_proved proved[GT_PROVED_MAX]; /* what prove() says of the scalar, or of its members */
    uint32_t proved_count;
    gt_initialisers initialisers;
    bool nan_ok, finite;      /* finite: no proof fills the buffer with NaN or infinities */
    uint32_t in_place;        /* of an output: 1 + the index of the input that may be its buffer */
    bool cleared, races;      /* clear() or races() names the buffer, or scratch */
    const struct gt_map *map; /* what the kernel takes in the buffer's place; */
    const struct gt_texture_clause *texture; /* both NULL: its address */
    int axis; /* of a block: how it is passed; -1: it is a __constant__ of the code */
    gt_place place;
} gt_argument;

/* The work of a launch, as the template states it. */
typedef struct gt_work {
    bool stated;    /* there is a work() */
    uint64_t axes;  /* bit i: the work depends on axis i; 0: launches of all variants do the same */
    gt_place place; /* of work(), or of kernel() where there is none */
} gt_work;

/* A parsed template. Its other parts are in declared.h, for src/kernel only. */
typedef struct gt_template {
    char name[GT_NAME_MAX];
    const char *path, *text, *summary; /* summary: the first comment line without slashes, or "" */
    gt_axis axes[GT_AXIS_MAX];
    uint32_t axis_count;
    gt_problem_value problem[GT_PROBLEM_MAX];
    uint32_t problem_count;
    gt_argument *arguments; /* without the pass blocks, and behind them scratch buffers */
    uint32_t argument_count, parameter_count; /* without, and with scratch */
    uint32_t taken_count; /* how many of the arguments, the first, the kernel takes itself */
    gt_argument passes[GT_BLOCK_MAX]; /* the blocks: the first arguments of the caller */
    uint32_t pass_count;
    gt_work work;
    gt_hash identity; /* the part of a scenario's key: token stream (comments and pragmas out, own
                         files in), headers' digests, args, reference, tolerances, work */
    bool has_headers; /* the compiler has to read headers, and needs the folders to search */
    struct gt_template_parts *parts;
} gt_template;

/* The file that an #include or include() asks for. */
typedef struct gt_include {
    const char *name; /* as written */
    const char *from; /* the including file's path */
    bool system;      /* <name>, else "name" */
    bool join;        /* the file is asked for by include(): its text is needed, wherever it lies */
} gt_include;

/* An included file: one of the template's own, or a header, which the compiler reads. */
typedef struct gt_included {
    char *text,
        *path;      /* the caller's to free; the path is for messages and cycles. NULL: a header */
    gt_hash digest; /* of a header: equal for equal content, or for an equal toolkit */
} gt_included;

/* Finds an included file. ENOTFOUND leaves it to the compiler; other failures end the parsing. */
typedef gputune_status (*gt_include_fn)(void *user, const gt_include *include, gt_included *out);

/* Returns whether the kernel's own default variant is its reference: reference(self). */
bool gt_template_is_own_reference(const gt_template *template);

/* Parses `text` (copied) for `kernel` (NULL: the first). ETEMPLATE with a place. ENOTFOUND: no such
 * kernel. `include` may be NULL. gt_template_free() frees *out. */
gputune_status gt_template_parse(gt_template **out, const char *path, const char *text,
                                 const char *kernel, gt_include_fn include, void *user);
void gt_template_free(gt_template *template);

/* Calls `each` for the kernels of a text until it fails. ETEMPLATE if pragmas are unreadable. */
gputune_status gt_template_names(const char *path, const char *text, gt_include_fn include,
                                 void *user, gputune_status (*each)(void *to, const char *name),
                                 void *to);

/* The index of the axis, or of the problem value, of that name; -1: there is none. */
int gt_template_axis_index(const gt_template *template, const char *name);
int gt_template_problem_index(const gt_template *template, const char *name);
/* The type problem value of that name; NULL: there is none. */
const gt_problem_value *gt_problem_type(const gt_template *template, const char *name);
/* Appends to a compiler's message if a define() or a macro of gputune explains it. */
void gt_template_explain(gt_text *out, const gt_template *template, const char *message);
/* The word of the pragma that declares axes of this kind. */
const char *gt_axis_kind_name(gt_axis_kind kind);
/* Returns whether the kernels' code has dynamic shared memory and no launch gives any bytes. */
bool gt_template_lacks_shared(const gt_template *template);
/* Finds the first __constant__ that is used, and that neither the code nor a clause fills. */
bool gt_template_leaves_constant(char out[GT_NAME_MAX], const gt_template *template);
/* Returns whether that __constant__ has a value in the code, which may be zero. */
bool gt_template_gives_constant(const gt_template *template, const char *name);
/* Returns whether the axis widens the accesses to the argument. */
static inline bool gt_axis_widens(const gt_axis *axis, uint32_t argument)
{
    return axis->kind == GT_AXIS_VECTOR && (axis->buffers >> argument & 1);
}
