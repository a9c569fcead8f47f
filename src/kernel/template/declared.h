/* The private parts of a parsed template, for src/kernel only. */
#pragma once

#include "kernel/template/config.h"
#include "kernel/template/template.h"
#include "kernel/text/lexer.h"

#include "base/array.h"
#include "base/text.h"

#include <pthread.h>

enum {
    GT_AXIS_VALUES = 255,     /* maximum number of values per axis, including added ones */
    GT_AXIS_OWN_VALUES = 192, /* maximum number of values of one axis in its clause */
    GT_WORDS_MAX = 128,       /* maximum number of different words in expressions */
    GT_WORDS_ADDED = 1024,    /* maximum number of words, including words that users add */
    GT_REQUIRE_MAX = 64,
    GT_START_MAX = 16,
    GT_SCRATCH_MAX = 8,
    GT_STRUCTURE_MAX = 16,
    GT_DEFINE_MAX = 64,
    GT_FILES_MAX = 512,
    GT_ORDERS_MAX = 32,
    GT_OPTION_MAX = 64,
    GT_JUDGE_VALUES = 24,
    GT_WORD_AUTO = 5, /* index of "auto" in words[], after "" and the names of gt_pass */
    GT_WORD_FIXED = 6
};

/* One to three expressions, or up to five for tensor maps. Missing expressions count as 1. */
typedef struct gt_dimensions {
    const gt_expression *items[GT_TENSORMAP_RANK];
    uint32_t count;
} gt_dimensions;

/* A tensormap() clause. Dimensions are listed from the slowest to the fastest. */
typedef struct gt_map {
    char name[GT_NAME_MAX];
    uint32_t argument; /* index of the buffer in args() */
    bool replaces;     /* true if the map replaces the buffer as a parameter */
    gt_dimensions box;
    gt_dimensions sizes;   /* sizes of the tensor; empty: the extents of the buffer */
    gt_dimensions strides; /* strides in elements, without the fastest dimension; empty: packed */
    const gt_expression *swizzle, *interleave, *l2; /* NULL: 0 */
    uint32_t nan_fill;                              /* 0 or 1 */
    gt_place place;
} gt_map;

/* Filters and address modes of textures, with the driver's numbers. */
enum { GT_TEXTURE_POINT, GT_TEXTURE_LINEAR };
enum { GT_TEXTURE_WRAP, GT_TEXTURE_CLAMP, GT_TEXTURE_MIRROR, GT_TEXTURE_BORDER };

/* A texture() clause: how the kernel reads a buffer. */
typedef struct gt_texture_clause {
    uint32_t argument;                                /* index of the buffer in args() */
    uint32_t filter, address;                         /* values of the driver's enumerations */
    uint32_t memory;                                  /* a gt_texture_memory */
    uint32_t normalized_coordinates, normalized_read; /* 0 or 1 */
    const gt_expression *width; /* elements per row; NULL: the buffer's last extent */
    gt_place place;
} gt_texture_clause;

/* A define() clause: a name with an expression, a name with a text, or only a name. */
typedef struct gt_define {
    char name[GT_NAME_MAX];
    const gt_expression *value;
    const char *text;
    bool is_name; /* true if the name is not defined as a macro */
} gt_define;

/* The name of a kernel in a clause: scan, ns::scan or scan<T, BLOCK>. */
typedef struct gt_kernel_name {
    char name[GT_NAME_MAX];   /* name without template arguments */
    char entry[GT_ENTRY_MAX]; /* name in compiled images, such as ns::scan_launch2 for launch 2 */
    size_t qualified;         /* length of `entry` without a launch number */
    bool is_template;
    gt_lexer arguments; /* text between '<' and '>' */
    gt_place place;
} gt_kernel_name;

/* One branch of an item of options(). Only the first branch whose condition holds is used. */
typedef struct gt_option {
    uint32_t item;
    const gt_expression *condition; /* NULL: always true */
    const char *text;               /* "": no option */
} gt_option;

/* A kernel launch: a launch() clause, or the only kernel of the template. */
typedef struct gt_template_step {
    gt_kernel_name kernel; /* must be the first member for GT_NAMED() */
    gt_dimensions block, grid, cluster;
    const gt_expression *shared, *cooperative, *times, *programmatic, *when;
    uint32_t argument_count; /* number of `arguments` */
    bool takes_none;         /* true for a launch() with args = () */
    /* indices into a list that contains args(), then scratch(), then `computed` */
    uint32_t arguments[GT_PARAMETER_MAX];
} gt_template_step;

/* An argument of a launch() that is an expression. */
typedef struct gt_template_value {
    const gt_expression *value;
    gt_type type; /* the integer type of the kernel's parameter */
    /* 1 + index of the buffer if the argument points into a buffer at offset `value`; else 0 */
    uint32_t base;
} gt_template_value;

/* The clauses that affect compiling, and the clauses that affect launching. */
#define GT_WORDS_COMPILED "launch_bounds maxreg options"
#define GT_WORDS_LAUNCHED "block grid shared cooperative launch for"

/* An item of a pipeline with loops. Items are executed in the order of their clauses. */
typedef enum gt_order_kind {
    GT_ORDER_LAUNCH, /* `index` is the kernel to launch */
    GT_ORDER_FOR,    /* `index` is the counter of the loop that begins */
    GT_ORDER_END,    /* `index` is the counter of the loop that ends */
    GT_ORDER_SWAP    /* `index` and `other` are buffers as in gt_template_step.arguments */
} gt_order_kind;

typedef struct gt_order {
    gt_order_kind kind;
    uint32_t index, other;
    const gt_expression *begin, *condition, *next; /* expressions of a `for` */
    gt_place place;
} gt_order;

/* A kernel that determines inputs or correct results: reference, check or init. */
typedef struct gt_judge {
    bool present;
    gt_kernel_name kernel;
    gt_dimensions block, grid; /* empty: 256 threads, one per element of the first output */
    const gt_expression *rtol, *atol, *stol;
    uint32_t scale_bytes; /* element size of the parameter `scale` in bytes */
    bool scale;           /* true if the last parameter is called `scale` */
    uint64_t double_mask; /* bit i: argument i is declared double */
    uint64_t unread_mask; /* bit i: only the compiler knows the type of output i */
    uint64_t copied;      /* bit i: the reference needs a copy of argument i */
    uint32_t value_count; /* number of `values`, passed as long long after the copies */
    const gt_expression *values[GT_JUDGE_VALUES];
    bool self;       /* true for reference(self); `present` is then false */
    uint64_t chosen; /* bit i: choices[i] applies to axis i; other axes keep their default */
    uint8_t choices[GT_AXIS_MAX];
} gt_judge;

/* A text to compile, without the generated macros. */
typedef struct gt_body {
    char *text;
    size_t head;    /* length of the leading #includes; macros come after these */
    char *mark;     /* `#line` mark for the text after the head */
    gt_hash tokens; /* hash of the text's tokens */
    /* Masks of names; bit i stands for gt_name_at(i). */
    uint64_t instances; /* template arguments of the kernels */
    uint64_t arguments; /* names in `instances`, and names in expressions of launch(args = (…)) */
    uint64_t macros;    /* names that become macros; may include names in `arguments` */
    uint64_t doubtful;  /* axes that are macros and that the code may redefine */
} gt_body;

typedef struct gt_source_file {
    char *path, *text;
} gt_source_file;

typedef struct gt_template_parts {
    gt_texts kept; /* memory that the parser allocated with gt_keep() */
    gt_source_file files[GT_FILES_MAX];
    uint32_t file_count;
    gt_value *axis_values[GT_AXIS_MAX]; /* arrays of GT_AXIS_VALUES items, for gt_axis.values */
    gt_kernel_name kernel;
    gt_config starts[GT_START_MAX]; /* array to which gt_template.starts points */
    bool is_pipeline; /* true if there is a launch(); `kernel` is then the name of the pipeline */
    gt_template_step steps[GT_STEPS_MAX]; /* one per launch(), or one for the only kernel */
    uint32_t step_count;
    bool has_loops; /* true if there is a for(), swap(), `when`, or an expression in args = (…) */
    gt_order orders[GT_ORDERS_MAX];
    uint32_t order_count;
    gt_template_value computed[GT_VALUES_MAX]; /* arguments of launch() that are expressions */
    uint32_t computed_count;
    char counters[GT_COUNTERS_MAX][GT_NAME_MAX]; /* counter names of the open loops */
    uint32_t open_loops;
    const gt_expression *launch_bounds[2], *maxreg, *work_bytes, *work_flops;
    const gt_expression *expressions; /* head of the list of all expressions, the newest first */
    const gt_expression *constraints[GT_REQUIRE_MAX];
    uint32_t constraint_count;
    struct gt_structure *structures[GT_STRUCTURE_MAX]; /* structs that arguments use */
    uint32_t structure_count;
    gt_map maps[GT_TENSORMAP_MAX];
    uint32_t map_count;
    gt_texture_clause textures[GT_TEXTURE_MAX];
    uint32_t texture_count;
    gt_define defines[GT_DEFINE_MAX];
    uint32_t define_count;
    gt_option options[GT_OPTION_MAX];
    uint32_t option_count, option_items;
    gt_judge reference, check; /* `reference` has the tolerances, even if there is no reference */
    gt_judge init;             /* the kernel that fills inputs; launched like a reference */
    bool expects;              /* true if expect() names files with the expected results */
    gt_body kernel_body,
        judge_body;         /* code of the kernels, and code of reference, check and init */
    gt_hash headers;        /* hash of the headers that only the compiler reads; zero: none */
    gt_hash geometry;       /* hash of the clauses that affect the launch */
    gt_hash making;         /* hash of the clauses that affect the code of a configuration */
    uint64_t geometry_axes; /* bit i: clauses that affect the launch use axis i */

    pthread_mutex_t lock;              /* protects the members below */
    uint32_t value_count[GT_AXIS_MAX]; /* number of values of each axis, including user values */
    const char *words[GT_WORDS_ADDED];
    uint32_t word_count;
} gt_template_parts;

/* Makes the template own `memory`, or frees it on failure. ENOMEM, also if `memory` is NULL. */
gputune_status gt_keep(gt_template_parts *parts, void *memory);
/* Copies the first `length` bytes of `text` to *out, which the template owns. ENOMEM. */
gputune_status gt_keep_text(const char **out, gt_template_parts *parts, const char *text,
                            size_t length);
/* Makes an empty template. gt_template_free() frees *out. ENOMEM. */
gputune_status gt_template_new(gt_template **out);

/* Returns the index of the item whose first member is the string `name`, or -1. */
#define GT_NAMED(items, count, name) gt_index_by_name(items, sizeof *(items), count, name)
int gt_index_by_name(const void *items, size_t bytes, uint32_t count, const char *name);

/* A tunable or a problem value, by its index; all tunables come first. */
typedef struct gt_chosen_name {
    const char *name;
    bool is_axis, is_size;  /* is_size: true for a run-time size */
    const gt_value *values; /* possible values, or NULL for any */
    uint32_t count;
    gt_place place;
} gt_chosen_name;

enum { GT_NAMES_MAX = GT_AXIS_MAX + GT_PROBLEM_MAX };
uint32_t gt_name_count(const gt_template *template);
gt_chosen_name gt_name_at(const gt_template *template, uint32_t index);
/* Returns the index of a tunable or problem value, or -1 if there is none. */
int gt_name_index(const gt_template *template, const char *name);
/* Finds an axis or a problem value by name. EINVAL with the nearest name or a list in the
 * message. */
gputune_status gt_name_find(uint32_t *out, const gt_template *template, bool is_axis,
                            const char *name);

/* Returns the expression for flops in work(), or for bytes if flops are not stated; NULL without
 * work(). */
const gt_expression *gt_work_measure(const gt_template *template);

/* Finds or adds a word, which the template owns. EINVAL if there are too many words.
 * Thread-safe. */
gputune_status gt_template_word(gt_value *out, const gt_template *template, const char *word);
/* Sets *out to the index of a value of an axis. If `add`, adds a new value. EINVAL for an invalid
 * or unknown value. Thread-safe. In config.c. */
gputune_status gt_axis_choice(uint8_t *out, const gt_template *template, uint32_t axis,
                              const char *text, bool add);
/* Returns NULL if the axis accepts the value, otherwise a list of accepted values: "1, 2, 4 or
 * 8". */
const char *gt_axis_refuses(const gt_axis *axis, const gt_value *value);
/* Writes a value as text ("4", "half") to `out` and returns `out`. GT_TEXT_OF_VALUE() provides the
 * buffer, which lives until the end of the enclosing block. */
const char *gt_value_text(char out[GT_NAME_MAX], const gt_value *value);
#define GT_TEXT_OF_VALUE(value) gt_value_text((char[GT_NAME_MAX]){""}, value)
/* Appends values as text: "1, 2, 4". */
void gt_values_append(gt_text *out, const gt_value *values, uint32_t count);
