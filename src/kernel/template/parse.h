/* How a template is parsed: the pragmas' grammar, with a function for each word, in parse_*.c; the
 * texts that are compiled, in body*.c; how they use names, in names.c. All functions fail with
 * ETEMPLATE and a place. The template keeps what they allocate, also if they fail half-way. */
#pragma once

#include "kernel/template/reader.h"
#include "kernel/template/symbols.h"
#include "kernel/text/branches.h"

/* A setting that is an expression, `NAME = …` in a clause, or a clause of its own. */
typedef struct gt_setting {
    const char *word;
    size_t
        offset;    /* of the member in the setting's struct: a gt_dimensions if `most` is 3 or more,
                      else `most` expressions; with `words` and without expressions, a word's index */
    uint32_t most; /* expressions that the setting takes; 0: none, but a word or arguments */
    unsigned clause_use,
        launch_use;       /* the GT_USE_ bits as a clause, and after NAME =; 0: not there */
    bool in_source;       /* it says how the code of all steps is compiled, in gt_template_parts */
    bool is_real;         /* its expressions may be floating */
    const char *words;    /* the words or numbers that it takes; NULL: any */
    const char *expected; /* the words, for messages */
} gt_setting;

typedef struct gt_settings {
    const gt_setting *items;
    uint32_t count;
    const char *example; /* for messages: "a setting such as block = 256" */
} gt_settings;

/* How a text uses one name. A place with line 0: there is no such place. */
typedef struct gt_name_use {
    bool occurs;        /* the text contains the name, or reads it */
    bool is_read;       /* its value reaches the compiler, in code, conditions or macros */
    bool is_in_doubt;   /* a #define may change it: only the compiler knows whether it does */
    gt_place parameter; /* of the first function or C++ template with a parameter of that name */
    gt_place global;    /* of the first declaration of that name outside of functions and classes */
    gt_place tested;    /* of the first directive that takes it for a macro */
} gt_name_use;

typedef struct gt_name_uses {
    gt_name_use names[GT_NAMES_MAX]; /* as gt_name_at() has them */
    uint64_t declared_defines;       /* bit i: the text declares a name like define() i */
} gt_name_uses;

/* A template in the making. */
typedef struct gt_parse {
    gt_template *template;
    gt_template_parts *parts;
    const gt_template_reader *reader;
    const gt_clause *clause; /* the clause that is being read, */
    const char *word;        /* its word, which lasts as long as the program; NULL: none is read */
    size_t member;           /* the offset of what it fills, if its row has one */
    gt_lexer at;             /* and where: in its body, or in a struct of the code */
    const char *code; /* the text without pragmas and without lines that #if surely leave out */
    char *left;       /* the memory that `code` points to, owned */
    char *possible;   /* `code` with the lines that a header's macro may let in; owned */
    gt_lexer vector_buffers[GT_AXIS_MAX]; /* on an axis's buffers, which are read after arguments */
    uint64_t defaulted;                   /* bit i: default() names axis i */
    gt_name_uses kernel_uses, judge_uses; /* of kernel_body and judge_body */
    gt_text elements; /* the source of the kernel made from a reference by elements, or empty */
} gt_parse;

/* Reads the body of one clause, p->clause, from p->at on, or one item of a list of them. */
typedef gputune_status gt_parse_fn(gt_parse *p);
gt_parse_fn gt_parse_kernel, gt_parse_problem, gt_parse_axis, gt_parse_vector, gt_parse_pass,
    gt_parse_constant, gt_parse_cluster, gt_parse_default, gt_parse_args, gt_parse_scratch,
    gt_parse_written, gt_parse_prove, gt_parse_in_place, gt_parse_setting, gt_parse_launch,
    gt_parse_for, gt_parse_end, gt_parse_swap, gt_parse_cooperative, gt_parse_require,
    gt_parse_work, gt_parse_reference, gt_parse_judge, gt_parse_expect, gt_parse_tensormap,
    gt_parse_texture, gt_parse_options, gt_parse_define;

/* Finds `__constant__` or `__device__ TYPE NAME` in the code: its *type, and what is behind it. */
bool gt_declares_constant(gt_token *type, gt_lexer *behind, const gt_parse *p, const char *name);

/* Returns whether a kernel has such a clause once, or all together state one thing, as args(). */
bool gt_clause_is_single(const char *word);

/* ---- parse_launch.c: how clauses name kernels ---- */

/* Reads `NAME`, `NS::NAME` or `NAME<argument, …>`. */
gputune_status gt_read_kernel_name(gt_kernel_name *out, gt_lexer *lexer, const char *what);
/* Notes in `body` which axes and problem values are template arguments of the kernel, which it has.
 * Refuses names that have no value when a source is generated. */
gputune_status gt_bind_kernel_arguments(gt_parse *p, gt_body *body, const gt_kernel_name *kernel);

/* Ends the loops that are still open after the last clause. Refuses a require() or scratch() that
 * uses a grid or block which changes in a loop. */
gputune_status gt_loops_finish(gt_parse *p);

/* Returns what the reader's text, clauses and headers define a name as, for gt_branches_cut(). */
gt_meaning gt_possible_meaning(const void *reader, const gt_token *name, int64_t *value);

/* ---- names.c ---- */

/* Finds how a text uses names, when the clauses were read. ENOMEM. */
gputune_status gt_name_uses_find(gt_name_uses *out, const gt_parse *p, const char *text);
/* Returns whether gputune gives the token its value: it is the name of a tunable or of a
 * compile-time problem value, or the macro of one of their words (NAME_word). */
bool gt_name_is_chosen(const gt_template *template, const gt_token *token);
/* Returns the names whose values kernels get as arguments, bit i for gt_name_at(i): in kernel<…>,
 * in a launch(), or in args(). Such a name is no macro where a parameter is called so. */
uint64_t gt_names_given(const gt_template *template);
/* Refuses a name that would be a macro but is also something else in the code. */
gputune_status gt_names_check(const gt_parse *p);
/* Refuses a tunable that changes nothing. The axes' in_source must be set. */
gputune_status gt_axes_check(const gt_parse *p);

/* ---- body.c and body_check.c ---- */

/* Finds and checks the functions that clauses name, and notes entries and template arguments. */
gputune_status gt_functions_check(gt_parse *p, const char *text);
/* If one of several functions with the kernel's name fits args(), blanks the others in `text`. */
void gt_overloads_blank(const gt_parse *parse, char *text);
/* Checks the functions of `text`, and makes parts->kernel_body and parts->judge_body of it. */
gputune_status gt_bodies_make(gt_parse *parse, const char *text);
/* The first step that launches the function; step_count: none does. */
uint32_t gt_step_of(const gt_template_parts *parts, const char *name);
/* Gives each instance of a C++ kernel in a pipeline an entry of its own: "scan", "scan_launch3". */
gputune_status gt_instances_name(gt_template_parts *parts);

/* ---- clauses ---- */

/* Resolves the buffers of the vector axes, once the arguments are known. */
gputune_status gt_parse_vector_buffers(gt_parse *p);
/* The index of a name among args(), or behind these in scratch(); -1: it is in neither. */
int gt_parse_parameter_index(const gt_parse *p, const char *name);
/* Reads the name of a buffer of args(), with `scratch` also of scratch(), and with `taken` of none
 * that a struct points to, and sets *out to its index. */
gputune_status gt_read_buffer(uint32_t *out, gt_parse *p, bool scratch, bool taken,
                              const char *expected);

/* Checks that nothing is left of a clause. */
gputune_status gt_read_end(const gt_parse *p);
/* Read expressions, with the names whose GT_USE_ bits (symbols.h) are in `use`. */
gputune_status gt_read_expression(const gt_expression **out, gt_parse *p, unsigned use,
                                  bool is_real);
/* Reads the integer expression that another text is, which stands for what is at `place`. */
gputune_status gt_read_text(const gt_expression **out, gt_parse *p, const char *text, size_t length,
                            gt_place place, unsigned use);
/* Reads an integer expression of numbers alone, and computes it. */
gputune_status gt_read_constant(int64_t *out, gt_parse *p);
/* Reads one to `most` expressions, in parentheses or up to a comma before `NAME =`. */
gputune_status gt_read_dimensions(gt_dimensions *out, uint32_t most, gt_parse *p, unsigned use);
/* Reads `NAME = …`, a setting of the struct *to, and sets its bit of *given. */
gputune_status gt_read_setting(void *to, const gt_settings *settings, uint32_t *given, gt_parse *p);
/* Reads one to three extents, `[e][e]…`. */
gputune_status gt_read_extents(const gt_expression *out[3], uint32_t *count, gt_parse *p,
                               unsigned use);
/* Reads one value of a problem value or an axis: a word or an integer. */
gputune_status gt_read_value(gt_value *out, gt_parse *p);
/* Reads at most `most` different values, up to a comma before `NAME =`. */
gputune_status gt_read_values(gt_value *values, uint32_t *count, uint32_t most, gt_parse *p);
/* Reads `AXIS = value`, one of the axis's own, and sets the axis's bit of *given. */
gputune_status gt_read_choice(uint32_t *axis, uint8_t *choice, uint64_t *given, gt_parse *p);
/* Reads a new name. Refuses types, device properties, reserved and taken names. */
gputune_status gt_read_new_name(char out[GT_NAME_MAX], gt_parse *p, const char *what);
/* Reads `file("name")`. Fails if *out is set already. */
gputune_status gt_read_file_name(const char **out, gt_parse *p);
/* If `sign` and a brace come next, reads a list of fills or expressions, `.path = item` too. */
gputune_status gt_read_initialisers(gt_initialisers *out, gt_parse *p, const char *sign,
                                    bool fills);
/* If `sign` comes next, reads such a list, or a fill for all numbers. */
gputune_status gt_read_contents(gt_argument *out, gt_parse *p, const char *sign);
/* Reads the name of a number type, a struct or typedef of the code, or a type problem value. */
gputune_status gt_read_element_type(char out[GT_NAME_MAX], gt_parse *p);
/* Returns whether such a name can stand for an integer type. */
bool gt_element_may_be_integer(const gt_template *template, const char *name);
