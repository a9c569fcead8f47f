/* The parts of a parsed template beyond its public members. For src/kernel only. */
#pragma once

#include "kernel/template/template.h"
#include "kernel/text/lexer.h"

#include "base/array.h"
#include "base/text.h"

#include <pthread.h>

enum {
    GT_AXIS_VALUES = 255,     /* values of one axis, with those that users add */
    GT_AXIS_OWN_VALUES = 192, /* values of one axis in the template */
    GT_WORDS_MAX = 128,       /* different words among all values, in expressions */
    GT_WORDS_ADDED = 1024,    /* different words, with those that users add */
    GT_REQUIRE_MAX = 64,
    GT_SCRATCH_MAX = 8,
    GT_STRUCTURE_MAX = 16,
    GT_DEFINE_MAX = 64,
    GT_FILES_MAX = 512,
    GT_ORDERS_MAX = 32,
    GT_OPTION_MAX = 64,
    GT_JUDGE_VALUES = 24,
    GT_WORD_AUTO = 5, /* words[] begins with "", the names of the gt_pass values, and "auto" */
    GT_WORD_FIXED = 6
};

/* One to three expressions, of tensor maps up to five; missing ones stand for 1. */
typedef struct gt_dimensions {
    const gt_expression *items[GT_TENSORMAP_RANK];
    uint32_t count;
} gt_dimensions;

/* A tensormap(). Expressions come slowest dimension first, like a buffer's extents. */
typedef struct gt_map {
    char name[GT_NAME_MAX];
    uint32_t argument; /* index of the buffer in args() */
    bool replaces;     /* the map is the parameter in the buffer's place; else one behind scratch */
    gt_dimensions box;
    gt_dimensions sizes;   /* none: the buffer's extents */
    gt_dimensions strides; /* in elements, of all dimensions but the last; none: packed */
    const gt_expression *swizzle, *interleave, *l2; /* NULL: 0 */
    uint32_t nan_fill;                              /* 0 or 1 */
    gt_place place;
} gt_map;

/* The filters and address modes of texture(), with the driver's numbers. */
enum { GT_TEXTURE_POINT, GT_TEXTURE_LINEAR };
enum { GT_TEXTURE_WRAP, GT_TEXTURE_CLAMP, GT_TEXTURE_MIRROR, GT_TEXTURE_BORDER };

/* A texture(): how the kernel reads a buffer. */
typedef struct gt_texture_clause {
    uint32_t argument;        /* index of the buffer in args() */
    uint32_t filter, address; /* the driver's enumerators, as in gt_texture */
    uint32_t memory;          /* a gt_texture_memory */
    uint32_t normalized_coordinates, normalized_read; /* 0 or 1 */
    const gt_expression *width; /* elements of a row; NULL: the buffer's last extent */
    gt_place place;
} gt_texture_clause;

/* Return the CUarray_format of elements of this type (those of 8 bytes are read as two integers; 0:
 * none; from GT_TEXTURE_FLOATS on floating), and the channels. In parse_maps.c. */
enum { GT_TEXTURE_FLOATS = 16 };
uint32_t gt_texture_format(gt_type type);
uint32_t gt_texture_channels(const gt_element *element);
/* Checks the argument's elements and the clause's settings. ETEMPLATE, with the clause's place. */
gputune_status gt_texture_check(const gt_texture_clause *clause, const gt_argument *argument,
                                const gt_element *element);

/* A macro made by the engine: an expression's value, a text as it stands, or nothing. */
typedef struct gt_define {
    char name[GT_NAME_MAX];
    const gt_expression *value;
    const char *text;
    bool is_name; /* no macro: it depends on a run-time size, or the code declares the name */
} gt_define;

/* A kernel as a clause names it: scan, ns::scan or scan<T, BLOCK>. */
typedef struct gt_kernel_name {
    char name[GT_NAME_MAX];   /* without the template arguments */
    char entry[GT_ENTRY_MAX]; /* its name in compiled images; of a template, with the namespaces */
    bool is_template;
    gt_lexer arguments; /* between '<' and '>' */
    gt_place place;
} gt_kernel_name;

/* One branch of an item of options(), of which the first whose condition holds is taken. */
typedef struct gt_option {
    uint32_t item;
    const gt_expression *condition; /* NULL: always */
    const char *text;               /* "": no option */
} gt_option;

/* One kernel that is launched: that of a launch(), or the template's only one. */
typedef struct gt_template_step {
    gt_kernel_name kernel;              /* first, as GT_NAMED() finds steps by it */
    gt_dimensions block, grid, cluster; /* no cluster where there are cluster axes */
    const gt_expression *shared, *cooperative, *times, *programmatic, *when;
    uint32_t argument_count;              /* in `args` of a launch() */
    bool takes_none;                      /* the launch() has args = () */
    uint32_t arguments[GT_PARAMETER_MAX]; /* indices: args(), then scratch(), then `computed` */
} gt_template_step;

/* An argument of a launch() that is an expression. */
typedef struct gt_template_value {
    const gt_expression *value;
    gt_type type;  /* of the kernel's parameter, an integer */
    uint32_t base; /* 1 + index of the buffer whose element `value` it points to; 0: none */
} gt_template_value;

/* The words of clauses that say how code is compiled, and how it is launched. */
#define GT_WORDS_COMPILED "launch_bounds maxreg options"
#define GT_WORDS_LAUNCHED "block grid shared cooperative launch for"

/* The orders of a pipeline with loops, which it carries out one after another. */
typedef enum gt_order_kind {
    GT_ORDER_LAUNCH, /* `index`: the step */
    GT_ORDER_FOR,    /* `index`: the counter of the loop that begins */
    GT_ORDER_END,    /* `index`: the counter of the loop that ends */
    GT_ORDER_SWAP    /* `index` and `other`: as in gt_template_step.arguments */
} gt_order_kind;

typedef struct gt_order {
    gt_order_kind kind;
    uint32_t index, other;
    const gt_expression *begin, *condition, *next; /* of a `for` */
    gt_place place;
} gt_order;

/* The reference, the check kernel, or the one that fills inputs. */
typedef struct gt_judge {
    bool present;
    gt_kernel_name kernel;
    gt_dimensions block, grid; /* none: 256 threads, one for each element of the first output */
    const gt_expression *rtol, *atol, *stol;
    uint32_t scale_bytes; /* bytes of one element of the parameter `scale` */
    bool scale;           /* the kernel has one more parameter, called `scale` */
    uint64_t double_mask; /* bit i: argument i is declared double */
    uint64_t unread_mask; /* bit i: output i has a type that only the compiler knows */
    uint64_t
        copied; /* of a reference by elements; bit i: it takes a copy of what argument i held */
    uint32_t value_count; /* `values` are parameters behind the copies, each a long long */
    const gt_expression *values[GT_JUDGE_VALUES];
    bool self; /* reference(self): the kernel in another configuration; `present` is not set */
    uint64_t chosen; /* bit i: axis i has choices[i]; other axes have their default */
    uint8_t choices[GT_AXIS_MAX];
} gt_judge;

/* A text that is compiled, still without the macros in front of it. */
typedef struct gt_body {
    char *text;
    size_t head;    /* bytes of leading #includes: macros must not reach into headers */
    char *mark;     /* `#line` of what stands behind them */
    gt_hash tokens; /* of the text's token stream */
    /* Masks of names, bit i for gt_name_at(i). */
    uint64_t instances; /* values that are template arguments of the text's kernels */
    uint64_t arguments; /* these, and those that arguments computed in launch() use */
    uint64_t macros;    /* values that are macros; they may be arguments as well */
    uint64_t doubtful;  /* axes that are macros which the text may redefine */
} gt_body;

typedef struct gt_source_file {
    char *path, *text;
} gt_source_file;

typedef struct gt_template_parts {
    gt_texts kept; /* all memory that parsing allocated, by gt_keep() */
    gt_source_file files[GT_FILES_MAX];
    uint32_t file_count;
    gt_value *axis_values[GT_AXIS_MAX]; /* GT_AXIS_VALUES each; gt_axis.values points here */
    gt_kernel_name kernel;
    bool is_pipeline; /* there are launch(), and `kernel` is no function's name */
    gt_template_step steps[GT_STEPS_MAX]; /* the only kernel, or one step for each launch() */
    uint32_t step_count;
    bool has_loops; /* `orders` count: there is a for(), swap(), `when` or computed argument */
    gt_order orders[GT_ORDERS_MAX];
    uint32_t order_count;
    gt_template_value computed[GT_VALUES_MAX]; /* arguments in launch() */
    uint32_t computed_count;
    char counters[GT_COUNTERS_MAX][GT_NAME_MAX]; /* of the loops that are open while parsing */
    uint32_t open_loops;
    const gt_expression *launch_bounds[2], *maxreg, *work_bytes, *work_flops;
    const gt_expression *expressions; /* of all clauses; the one that was read last */
    const gt_expression *constraints[GT_REQUIRE_MAX];
    uint32_t constraint_count;
    struct gt_structure *structures[GT_STRUCTURE_MAX]; /* the structs that arguments use */
    uint32_t structure_count;
    gt_map maps[GT_TENSORMAP_MAX];
    uint32_t map_count;
    gt_texture_clause textures[GT_TEXTURE_MAX];
    uint32_t texture_count;
    gt_define defines[GT_DEFINE_MAX];
    uint32_t define_count;
    gt_option options[GT_OPTION_MAX];
    uint32_t option_count, option_items;
    gt_judge reference, check; /* `reference` has the tolerances, even if it is not present */
    gt_judge init;             /* the kernel that fills inputs: no judge, but launched like one */
    bool expects;              /* the arguments name files of expected results */
    gt_body kernel_body, judge_body; /* the code without, and with, the reference and the check */
    gt_hash headers;  /* of the headers that the compiler reads by itself; zero: there are none */
    gt_hash geometry; /* of the texts that say how to launch */
    gt_hash making;   /* of the texts that say how a configuration becomes code */
    uint64_t geometry_axes; /* bit i: axis i occurs in the texts of `geometry` */

    pthread_mutex_t lock;              /* protects the members below */
    uint32_t value_count[GT_AXIS_MAX]; /* an axis's values, with those that users added */
    const char *words[GT_WORDS_ADDED];
    uint32_t word_count;
} gt_template_parts;

/* Gives memory, which may be NULL, to the template; frees it if this fails. ENOMEM. */
gputune_status gt_keep(gt_template_parts *parts, void *memory);
/* Sets *out to a copy of the first `length` bytes, which the template keeps. ENOMEM. */
gputune_status gt_keep_text(const char **out, gt_template_parts *parts, const char *text,
                            size_t length);
/* Makes a template without anything, for gt_template_free(). ENOMEM. */
gputune_status gt_template_new(gt_template **out);

/* Returns the index of `name` among structs that begin with their names, or -1. */
#define GT_NAMED(items, count, name) gt_index_by_name(items, sizeof *(items), count, name)
int gt_index_by_name(const void *items, size_t bytes, uint32_t count, const char *name);

/* A name that gputune gives a value: a tunable, or behind all of these a problem value. */
typedef struct gt_chosen_name {
    const char *name;
    bool is_axis, is_size;  /* is_size: its value is known at run time alone */
    const gt_value *values; /* which it may have; none: any */
    uint32_t count;
    gt_place place;
} gt_chosen_name;

enum { GT_NAMES_MAX = GT_AXIS_MAX + GT_PROBLEM_MAX };
uint32_t gt_name_count(const gt_template *template);
gt_chosen_name gt_name_at(const gt_template *template, uint32_t index);
/* The index of the name; -1: gputune gives it no value. */
int gt_name_index(const gt_template *template, const char *name);
/* Sets *out to the index of the axis, or problem value. EINVAL with the nearest name or a list. */
gputune_status gt_name_find(uint32_t *out, const gt_template *template, bool is_axis,
                            const char *name);

/* Returns the expression of the flops, or else of the bytes; NULL: there is none. */
const gt_expression *gt_work_measure(const gt_template *template);

/* ---- config.c: the values of axes, and those that users add to a template ---- */

/* Sets *out to a word value that the template owns. EINVAL: too many words. Thread-safe. */
gputune_status gt_template_word(gt_value *out, const gt_template *template, const char *word);
/* Sets *out to the index of an axis's value, which `add` may add. EINVAL. Thread-safe. */
gputune_status gt_axis_choice(uint8_t *out, const gt_template *template, uint32_t axis,
                              const char *text, bool add);
/* Returns NULL if the axis takes the value; else those that it takes: "1, 2, 4 or 8". */
const char *gt_axis_refuses(const gt_axis *axis, const gt_value *value);
/* Writes a value as text ("4", "half"). The macro's text lasts to the end of its block. */
const char *gt_value_text(char out[GT_NAME_MAX], const gt_value *value);
#define GT_TEXT_OF_VALUE(value) gt_value_text((char[GT_NAME_MAX]){""}, value)
/* Appends the texts of several values: "1, 2, 4". */
void gt_values_append(gt_text *out, const gt_value *values, uint32_t count);
