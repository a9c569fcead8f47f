/* The parser of templates. parse_*.c parse clauses, body*.c make the code to compile, and names.c
 * checks names. All functions fail with ETEMPLATE and a place. The template owns everything that
 * they allocate, even after a failure. */
#pragma once

#include "kernel/template/reader.h"
#include "kernel/template/symbols.h"
#include "kernel/text/branches.h"
#include "kernel/text/declarations.h"

/* A clause or a setting `NAME = …`, with a word, expressions or arguments as its value. */
typedef struct gt_setting {
    const char *word;
    /* offset of the struct member for the value: a gt_dimensions if `most` is 3 or more, the index
     * of a word if `most` is 0, otherwise an array of `most` expressions */
    size_t offset;
    uint32_t most; /* maximum number of expressions; 0: a word or arguments */
    /* GT_USE_ bits for the clause, and for the setting; 0: there is no such clause or setting */
    unsigned clause_use, launch_use;
    bool in_source;       /* true for a member of gt_template_parts, which applies to all kernels */
    bool is_real;         /* true if the clause's expressions may be floating-point */
    const char *words;    /* allowed words or numbers, or NULL for any */
    const char *expected; /* the allowed words, as text for messages */
} gt_setting;

typedef struct gt_settings {
    const gt_setting *items;
    uint32_t count;
    const char *example; /* an example for messages: "a setting such as block = 256" */
} gt_settings;

/* How a text uses a name. Unset places have line 0. */
typedef struct gt_name_use {
    bool occurs;        /* true if the text contains the name, directly or through a macro */
    bool is_read;       /* true if code, conditions or macros use the value */
    bool is_in_doubt;   /* true if a #define may change the value */
    gt_place parameter; /* first function or C++ template with a parameter of this name */
    gt_place global;    /* first declaration of this name outside of functions and classes */
    gt_place tested;    /* first directive that treats the name as a macro */
} gt_name_use;

typedef struct gt_name_uses {
    gt_name_use names[GT_NAMES_MAX]; /* names in the order of gt_name_at() */
    uint64_t declared_defines;       /* bit i: the text declares the name of define() i */
} gt_name_uses;

/* A template that is being parsed. */
typedef struct gt_parse {
    gt_template *template;
    gt_template_parts *parts;
    const gt_template_reader *reader;
    const gt_clause *clause;
    const char *word;      /* word of the clause, from the table of clauses; NULL: no clause */
    size_t member;         /* offset of the member that the clause sets, if the table has one */
    gt_lexer at;           /* current token, in the clause or in a struct of the code */
    char *code;            /* the code without pragmas and disabled #if branches; owned */
    gt_declarations found; /* the declarations in `code`; owned */
    char *possible;        /* `code` plus the lines that a header may enable; owned */
    gt_lexer vector_buffers[GT_AXIS_MAX]; /* buffers of vector clauses, parsed after args() */
    uint64_t defaulted;                   /* bit i: a default() clause has a value for axis i */
    gt_name_uses kernel_uses, judge_uses; /* how kernel_body and judge_body use names */
    gt_text elements; /* source of a reference that assigns elements; empty without one */
} gt_parse;

/* Parses the current clause, or one item of its list. */
typedef gputune_status gt_parse_fn(gt_parse *p);
gt_parse_fn gt_parse_kernel, gt_parse_problem, gt_parse_axis, gt_parse_vector, gt_parse_pass,
    gt_parse_constant, gt_parse_cluster, gt_parse_default, gt_parse_start, gt_parse_args,
    gt_parse_scratch, gt_parse_written, gt_parse_prove, gt_parse_in_place, gt_parse_setting,
    gt_parse_launch, gt_parse_for, gt_parse_end, gt_parse_swap, gt_parse_cooperative,
    gt_parse_require, gt_parse_work, gt_parse_reference, gt_parse_judge, gt_parse_expect,
    gt_parse_tensormap, gt_parse_texture, gt_parse_options, gt_parse_define;

/* Finds `__constant__ TYPE NAME` or `__device__ TYPE NAME` in the code. Sets *type, and opens
 * *after on the text after the name. */
bool gt_declares_constant(gt_token *type, gt_lexer *after, const gt_parse *p, const char *name);

/* Returns true if the clause may be given only once for a kernel. Also true if repeated clauses are
 * joined, as for args(). */
bool gt_clause_is_single(const char *word);

/* ---- parse_launch.c ---- */

/* Reads `NAME`, `NS::NAME` or `NAME<argument, …>`. */
gputune_status gt_read_kernel_name(gt_kernel_name *out, gt_lexer *lexer, const char *what);
/* Records in `body` the names among a kernel's template arguments. Refuses names without a value at
 * compile time. */
gputune_status gt_bind_kernel_arguments(gt_parse *p, gt_body *body, const gt_kernel_name *kernel);

/* Ends all open loops after the last clause. Refuses a require() or scratch() that depends on a
 * grid or block that changes in a loop. */
gputune_status gt_loops_finish(gt_parse *p);

/* Returns whether a name may be a macro according to the text, the clauses and the headers. A
 * callback for gt_branches_cut(). */
gt_meaning gt_possible_meaning(const void *reader, const gt_token *name, int64_t *value);

/* ---- names.c ---- */

/* Finds how a text uses names. All clauses must have been read. ENOMEM. */
gputune_status gt_name_uses_find(gt_name_uses *out, const gt_parse *p, const char *text);
/* Returns true if gputune defines the token: a tunable, a compile-time problem value, or the macro
 * of a value (NAME_word). */
bool gt_name_is_chosen(const gt_template *template, const gt_token *token);
/* Returns a mask of the names that kernels get as template arguments, or in launch() or args(); bit
 * i stands for gt_name_at(i). If a parameter has such a name, the name is not a macro. */
uint64_t gt_names_given(const gt_template *template);
/* Refuses names that would be macros but are also declared in the code. */
gputune_status gt_names_check(const gt_parse *p);
/* Refuses tunables without an effect. Uses gt_axis.in_source. */
gputune_status gt_axes_check(const gt_parse *p);

/* ---- body.c and body_check.c ---- */

/* Checks the functions that clauses name, and records their entries and template arguments. */
gputune_status gt_functions_check(gt_parse *p, const char *text);
/* Blanks overloads of the kernel that do not match args(), if one overload matches. ENOMEM. */
gputune_status gt_overloads_blank(const gt_parse *parse, char *text);
/* Checks the functions of `text`, and makes parts->kernel_body and parts->judge_body from it. */
gputune_status gt_bodies_make(gt_parse *parse, const char *text);
/* Returns the index of the first launch of a function, or step_count. */
uint32_t gt_step_of(const gt_template_parts *parts, const char *name);
/* Names the entry of the later instances of a C++ kernel in a pipeline: "scan_launch3". */
gputune_status gt_instances_name(gt_template_parts *parts);

/* ---- clauses ---- */

/* Parses the buffers of vector() and l2_persist() clauses. All clauses must have been read. */
gputune_status gt_parse_vector_buffers(gt_parse *p);
/* Returns the argument or scratch buffer with this name, or NULL. */
gt_argument *gt_parse_parameter(const gt_parse *p, const char *name);
/* The buffers that a clause accepts: a mask of 1 << gt_direction and these bits. */
enum {
    GT_BUFFER_ANY = 7, /* every buffer of args() */
    GT_BUFFER_SCRATCH = 8,
    GT_BUFFER_WRITTEN = 1 << GT_OUT | 1 << GT_INOUT | GT_BUFFER_SCRATCH,
    GT_BUFFER_TAKEN = 16 /* a parameter of the kernel, not a pointer in a struct */
};
/* Reads the name of a buffer and sets *out to its index. `what` completes the error message "'NAME'
 * is not …", for example with "a buffer; expected one of args()". */
gputune_status gt_read_buffer(uint32_t *out, gt_parse *p, unsigned kinds, const char *example,
                              const char *what);

/* Checks that the current clause has no further tokens. */
gputune_status gt_read_end(const gt_parse *p);
/* Reads an expression. `use` has GT_USE_ bits (symbols.h) for the allowed names. The expression
 * must be an integer expression unless `is_real`. */
gputune_status gt_read_expression(const gt_expression **out, gt_parse *p, unsigned use,
                                  bool is_real);
/* Reads an integer expression from another text. Messages name `place`. */
gputune_status gt_read_text(const gt_expression **out, gt_parse *p, const char *text, size_t length,
                            gt_place place, unsigned use);
/* Reads an integer expression without names, and sets *out to its value. */
gputune_status gt_read_constant(int64_t *out, gt_parse *p);
/* Reads one to `most` expressions, either in parentheses or up to a comma before `NAME =`. */
gputune_status gt_read_dimensions(gt_dimensions *out, uint32_t most, gt_parse *p, unsigned use);
/* Reads a setting `NAME = …` into *to, and sets its bit in *given. */
gputune_status gt_read_setting(void *to, const gt_settings *settings, uint32_t *given, gt_parse *p);
/* Reads one to three extents, `[e][e]…`. */
gputune_status gt_read_extents(const gt_expression *out[3], uint32_t *count, gt_parse *p,
                               unsigned use);
/* Reads a value: a word or an integer. */
gputune_status gt_read_value(gt_value *out, gt_parse *p);
/* Reads up to `most` different values, until a comma before `NAME =`. */
gputune_status gt_read_values(gt_value *values, uint32_t *count, uint32_t most, gt_parse *p);
/* Reads `AXIS = value` with a value from the axis's clause. Sets *axis and *choice, and the axis's
 * bit in *given. */
gputune_status gt_read_choice(uint32_t *axis, uint8_t *choice, uint64_t *given, gt_parse *p);
/* Reads a new name. Refuses types, device properties, reserved names, and names already in use. */
gputune_status gt_read_new_name(char out[GT_NAME_MAX], gt_parse *p, const char *what);
/* Reads `file("name")`. Fails if *out is already set. */
gputune_status gt_read_file_name(const char **out, gt_parse *p);
/* If `sign` and a brace follow, reads a list of fills or expressions. Items may also be written
 * `.path = item`. */
gputune_status gt_read_initialisers(gt_initialisers *out, gt_parse *p, const char *sign,
                                    bool fills);
/* If `sign` follows, reads a list of fills, or one fill for all numbers. Integer inputs without a
 * fill fail at `place` unless there is an init() kernel. */
gputune_status gt_read_contents(gt_argument *out, gt_parse *p, const char *sign, gt_place place);
/* Reads the name of an element type: a number type, a struct or typedef of the code, or a type
 * problem value. */
gputune_status gt_read_element_type(char out[GT_NAME_MAX], gt_parse *p);
/* Returns true if the type of this name may be an integer type. */
bool gt_element_may_be_integer(const gt_template *template, const char *name);
