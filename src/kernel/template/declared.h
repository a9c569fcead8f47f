/* The private parts of a parsed template, only for src/kernel. */
#pragma once

#include "kernel/template/config.h"
#include "kernel/template/template.h"
#include "kernel/text/lexer.h"

#include "base/array.h"
#include "base/text.h"

#include <pthread.h>

enum {
    GT_AXIS_VALUES = 255, /* maximum number of values of an axis, including those that users add */
    GT_AXIS_OWN_VALUES = 192, /* maximum number of values in the clause of an axis */
    GT_WORDS_MAX = 128,       /* maximum number of different words in a template's expressions */
    GT_WORDS_ADDED = 1024, /* maximum number of different words, including those that users add */
    GT_REQUIRE_MAX = 64,
    GT_START_MAX = 16,
    GT_SCRATCH_MAX = 8,
    GT_STRUCTURE_MAX = 16,
    GT_DEFINE_MAX = 64,
    GT_FILES_MAX = 512,
    GT_ORDERS_MAX = 32,
    GT_OPTION_MAX = 64,
    GT_JUDGE_VALUES = 24,
    /* index of "auto" in words[], which begins with "" and the names of gt_pass */
    GT_WORD_AUTO = 5,
    GT_WORD_FIXED = 6
};

/* One to three expressions, or up to five for a tensor map. A missing expression means 1. */
typedef struct gt_dimensions {
    const gt_expression *items[GT_TENSORMAP_RANK];
    uint32_t count;
} gt_dimensions;

/* A tensormap() clause. Its dimensions start with the slowest one. */
typedef struct gt_map {
    char name[GT_NAME_MAX];
    uint32_t argument; /* index of the buffer in args() */
    bool replaces;     /* true if the kernel gets the map instead of the buffer */
    gt_dimensions box;
    gt_dimensions sizes;   /* sizes of the tensor; if empty, those of the buffer */
    gt_dimensions strides; /* strides in elements of all but the fastest dimension; empty: packed */
    const gt_expression *swizzle, *interleave, *l2; /* NULL: 0 */
    uint32_t nan_fill;                              /* 0 or 1 */
    gt_place place;
} gt_map;

/* Filters and address modes of textures. The numbers are those of the driver. */
enum { GT_TEXTURE_POINT, GT_TEXTURE_LINEAR };
enum { GT_TEXTURE_WRAP, GT_TEXTURE_CLAMP, GT_TEXTURE_MIRROR, GT_TEXTURE_BORDER };

/* A texture() clause, which states how a kernel reads a buffer. */
typedef struct gt_texture_clause {
    uint32_t argument;                                /* index of the buffer in args() */
    uint32_t filter, address;                         /* values of the driver's enumerations */
    uint32_t memory;                                  /* a gt_texture_memory */
    uint32_t normalized_coordinates, normalized_read; /* 0 or 1 */
    const gt_expression *width; /* number of elements of a row; NULL: the last extent */
    gt_place place;
} gt_texture_clause;

/* A define() clause. It has a name and an expression, a name and a text, or only a name. */
typedef struct gt_define {
    char name[GT_NAME_MAX];
    const gt_expression *value;
    const char *text;
    bool is_name; /* true if no macro is defined for the name */
} gt_define;

/* The name of a kernel in a clause, such as scan, ns::scan or scan<T, BLOCK>. */
typedef struct gt_kernel_name {
    char name[GT_NAME_MAX];   /* name without template arguments */
    char entry[GT_ENTRY_MAX]; /* name in compiled code, such as ns::scan or ns::scan_launch2 */
    size_t qualified;         /* length of `entry` without a suffix such as "_launch2" */
    bool is_template;
    gt_lexer arguments; /* text between the '<' and the '>' */
    gt_place place;
} gt_kernel_name;

/* A branch of an item in options(). The first branch whose condition is true is used. */
typedef struct gt_option {
    uint32_t item;
    const gt_expression *condition; /* NULL: always true */
    const char *text;               /* "": no option */
} gt_option;

/* A launch of a kernel: a launch() clause, or the only kernel of the template. */
typedef struct gt_template_step {
    gt_kernel_name kernel; /* must be the first member, because of GT_NAMED() */
    gt_dimensions block, grid, cluster;
    const gt_expression *shared, *cooperative, *times, *programmatic, *when;
    uint32_t argument_count; /* number of `arguments` */
    bool takes_none;         /* true if the launch() has args = () */
    /* indices into one list of the args(), the scratch() buffers, the tensor maps that replace no
     * buffer, and `computed` */
    uint32_t arguments[GT_PARAMETER_MAX];
} gt_template_step;

/* An argument of a launch() that is given as an expression. */
typedef struct gt_template_value {
    const gt_expression *value;
    gt_type type; /* the integer type of the kernel's parameter */
    /* 1 + index of a buffer if the argument points to element `value` of this buffer, or 0 */
    uint32_t base;
} gt_template_value;

/* Words of the clauses that affect compiling, and words of the clauses that affect launching. */
#define GT_WORDS_COMPILED "launch_bounds maxreg options"
#define GT_WORDS_LAUNCHED "block grid shared cooperative launch for"

/* An item of a pipeline with loops. The items are executed in the order of the clauses. */
typedef enum gt_order_kind {
    GT_ORDER_LAUNCH, /* `index` is the kernel to launch */
    GT_ORDER_FOR,    /* `index` is the counter of the loop that begins */
    GT_ORDER_END,    /* `index` is the counter of the loop that ends */
    GT_ORDER_SWAP    /* swaps two buffers, which are indices as in gt_template_step.arguments */
} gt_order_kind;

typedef struct gt_order {
    gt_order_kind kind;
    uint32_t index, other;
    const gt_expression *begin, *condition, *next; /* the three expressions of a `for` */
    gt_place place;
} gt_order;

/* A kernel that makes inputs or decides which results are correct: reference, check or init. */
typedef struct gt_judge {
    bool present;
    gt_kernel_name kernel;
    /* if both are empty: 256 threads per block, and one thread per element of the first output */
    gt_dimensions block, grid;
    const gt_expression *rtol, *atol, *stol;
    uint32_t scale_bytes; /* size in bytes of an element of the parameter `scale` */
    bool scale;           /* true if the last parameter has the name `scale` */
    uint64_t double_mask; /* bit i: argument i has the type double */
    uint64_t unread_mask; /* bit i: the type of output i is known only to the compiler */
    uint64_t copied;      /* bit i: the reference needs a copy of argument i */
    uint32_t value_count; /* number of `values`, which are passed as long long after the copies */
    const gt_expression *values[GT_JUDGE_VALUES];
    bool self;       /* true for reference(self); `present` is then false */
    uint64_t chosen; /* bit i: axis i has the value choices[i] instead of its default */
    uint8_t choices[GT_AXIS_MAX];
} gt_judge;

/* A text to compile. It does not contain the generated macros. */
typedef struct gt_body {
    char *text;
    size_t head;    /* length of the #includes at the start of `text`; macros follow them */
    char *mark;     /* #line directive for the text after the head */
    gt_hash tokens; /* hash of the text's tokens */
    /* Sets of names. Bit i stands for gt_name_at(i). */
    uint64_t instances; /* names in template arguments of the kernels */
    uint64_t arguments; /* names in `instances`, and in expressions of launch(args = (…)) */
    uint64_t macros;    /* names that are defined as macros; some may be in `arguments`, too */
} gt_body;

typedef struct gt_source_file {
    char *path, *text;
} gt_source_file;

typedef struct gt_template_parts {
    gt_texts kept; /* memory that belongs to the template (gt_keep()) */
    gt_source_file files[GT_FILES_MAX];
    uint32_t file_count;
    gt_value *axis_values[GT_AXIS_MAX]; /* values of each axis, in arrays of GT_AXIS_VALUES */
    gt_kernel_name kernel;
    gt_config starts[GT_START_MAX]; /* the array that gt_template.starts points to */
    bool is_pipeline; /* true if there is a launch(); `kernel` is then only the pipeline's name */
    gt_template_step steps[GT_STEPS_MAX]; /* one for each launch(), or one for the only kernel */
    uint32_t step_count;
    bool has_loops; /* true if there is a for(), swap(), `when` or an address in args = (…) */
    gt_order orders[GT_ORDERS_MAX];
    uint32_t order_count;
    gt_template_value computed[GT_VALUES_MAX]; /* arguments of launch() that are expressions */
    uint32_t computed_count;
    char counters[GT_COUNTERS_MAX][GT_NAME_MAX]; /* names of the counters of all open loops */
    uint32_t open_loops;
    const gt_expression *launch_bounds[2], *maxreg, *work_bytes, *work_flops;
    const gt_expression *expressions; /* newest expression; `before` links to older ones */
    const gt_expression *constraints[GT_REQUIRE_MAX];
    uint32_t constraint_count;
    struct gt_structure *structures[GT_STRUCTURE_MAX]; /* structs that are types of arguments */
    uint32_t structure_count;
    gt_map maps[GT_TENSORMAP_MAX];
    uint32_t map_count, added_maps; /* added_maps: number of maps that replace no buffer */
    gt_texture_clause textures[GT_TEXTURE_MAX];
    uint32_t texture_count;
    gt_define defines[GT_DEFINE_MAX];
    uint32_t define_count;
    gt_option options[GT_OPTION_MAX];
    uint32_t option_count, option_items;
    gt_judge reference, check; /* the tolerances are in `reference` */
    gt_judge init;             /* the kernel that makes inputs; it is launched like a reference */
    bool expects;              /* true if expect() names files with correct results */
    gt_body kernel_body, judge_body; /* code of the kernels, and code of the judges */
    gt_hash headers;  /* hash of the headers that only the compiler reads; zero if there are none */
    gt_hash geometry; /* hash of all clauses that affect launching */
    gt_hash making;   /* hash of all clauses that affect how code is generated */
    uint64_t geometry_axes; /* bit i: a clause that affects launching uses axis i */

    pthread_mutex_t lock;              /* protects the members below */
    uint32_t value_count[GT_AXIS_MAX]; /* number of values of each axis, including added ones */
    const char *words[GT_WORDS_ADDED];
    uint32_t word_count;
} gt_template_parts;

/* Returns the number that stands for computed[0] in gt_template_step.arguments. */
static inline uint32_t gt_first_computed(const gt_template *template)
{
    return template->parameter_count + template->parts->added_maps;
}

/* Gives `memory` to the template, or frees it on failure. ENOMEM also if `memory` is NULL. */
gputune_status gt_keep(gt_template_parts *parts, void *memory);
/* Sets *out to a copy of `length` bytes of `text`, which the template owns. May return ENOMEM. */
gputune_status gt_keep_text(const char **out, gt_template_parts *parts, const char *text,
                            size_t length);
/* Creates an empty template. gt_template_free() frees *out. May return ENOMEM. */
gputune_status gt_template_new(gt_template **out);

/* Returns the index of the item whose first member is the string `name`, or -1 if there is none. */
#define GT_NAMED(items, count, name) gt_index_by_name(items, sizeof *(items), count, name)
int gt_index_by_name(const void *items, size_t bytes, uint32_t count, const char *name);

/* A tunable or a problem value. One index counts both, beginning with the tunables. */
typedef struct gt_chosen_name {
    const char *name;
    bool is_axis, is_size;  /* is_size: true for a run-time size */
    const gt_value *values; /* allowed values, or NULL if any value is allowed */
    uint32_t count;
    gt_place place;
} gt_chosen_name;

enum { GT_NAMES_MAX = GT_AXIS_MAX + GT_PROBLEM_MAX };
uint32_t gt_name_count(const gt_template *template);
gt_chosen_name gt_name_at(const gt_template *template, uint32_t index);
/* Returns the index of a tunable or problem value, or -1 if none has this name. */
int gt_name_index(const gt_template *template, const char *name);
/* Finds an axis or a problem value by its name. EINVAL with a message that proposes a similar name
 * or lists all names. */
gputune_status gt_name_find(uint32_t *out, const gt_template *template, bool is_axis,
                            const char *name);

/* Returns the expression in work() for flops. If only bytes are stated, returns the expression for
 * bytes. NULL without work(). */
const gt_expression *gt_work_measure(const gt_template *template);

/* Finds a word, or adds it to the words of the template. EINVAL if there are too many words.
 * Thread-safe. */
gputune_status gt_template_word(gt_value *out, const gt_template *template, const char *word);
/* Sets *out to the index of a value of an axis. If `add`, adds a value that is not known yet.
 * EINVAL if the value is invalid or unknown. Thread-safe (config.c). */
gputune_status gt_axis_choice(uint8_t *out, const gt_template *template, uint32_t axis,
                              const char *text, bool add);
/* Returns NULL if the axis accepts the value. Otherwise returns the accepted values: "1, 2, 4 or
 * 8". */
const char *gt_axis_refuses(const gt_axis *axis, const gt_value *value);
/* Writes a value as text, such as "4" or "half", to `out` and returns `out`. GT_TEXT_OF_VALUE()
 * supplies a buffer that is valid until the end of the enclosing block. */
const char *gt_value_text(char out[GT_NAME_MAX], const gt_value *value);
#define GT_TEXT_OF_VALUE(value) gt_value_text((char[GT_NAME_MAX]){""}, value)
/* Appends a list of values: "1, 2, 4". */
void gt_values_append(gt_text *out, const gt_value *values, uint32_t count);
