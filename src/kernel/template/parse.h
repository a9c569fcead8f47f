/* The pragmas' grammar, with a function for each word. All functions fail with ETEMPLATE and a
 * place. The template keeps what they allocate, also if they fail half-way.
 */
#pragma once

#include "kernel/template/names.h"
#include "kernel/template/reader.h"
#include "kernel/template/settings.h"
#include "kernel/template/symbols.h"

/* A template in the making. */
typedef struct gt_parse {
    gt_template *template;
    gt_template_parts *parts;
    const gt_clause *clause; /* the one that is read, */
    const char *word;        /* its word, which lasts as long as the program; NULL: none is read */
    gt_lexer at;             /* and where: in its body, or in a struct of the code */
    const char *code; /* the text without pragmas and without lines that #if surely leave out */
    char *left;       /* the memory that `code` points to, owned */
    char *possible;   /* `code` with the lines that a header's macro may let in; owned */
    gt_lexer vector_buffers[GT_AXIS_MAX]; /* on the names of an axis's buffers, which are read when
                                             the arguments are known */
    uint64_t defaulted;                   /* bit i: default() names axis i */
    gt_name_uses kernel_uses, judge_uses; /* of kernel_body and judge_body */
    gt_text elements; /* the source of the kernel made from a reference by elements, or empty */
} gt_parse;

/* Reads the body of one clause, p->clause, from p->at up to its end, or one of its items where it
 * is a list of them; the caller goes on behind a comma and checks that nothing is left. There is
 * one function for each word; gt_parse_axis() reads axes `NAME = v, v, …` of the kind that the word
 * names, and gt_parse_setting() the setting (settings.h) that it names. */
typedef gputune_status gt_parse_fn(gt_parse *p);
gt_parse_fn gt_parse_kernel, gt_parse_problem, gt_parse_axis, gt_parse_vector, gt_parse_pass,
    gt_parse_constant, gt_parse_cluster, gt_parse_default, gt_parse_args, gt_parse_scratch,
    gt_parse_clear, gt_parse_races, gt_parse_prove, gt_parse_in_place, gt_parse_setting,
    gt_parse_launch, gt_parse_for, gt_parse_end, gt_parse_swap, gt_parse_cooperative,
    gt_parse_require, gt_parse_work, gt_parse_reference, gt_parse_check, gt_parse_init,
    gt_parse_expect, gt_parse_tensormap, gt_parse_texture, gt_parse_options, gt_parse_define;

/* Returns whether the code declares a `__constant__` or `__device__ TYPE NAME` that a launch can
 * find: outside of brackets. `type`: the word in front of the name; `behind`: the text behind it.
 * In parse_axes.c. */
bool gt_declares_constant(gt_token *type, gt_lexer *behind, const gt_parse *p, const char *name);

/* Returns whether a kernel has such a clause once, or all of them together state one thing, as
 * args() do. In template.c. */
bool gt_clause_is_single(const char *word);

/* ---- parse_launch.c: how clauses name kernels ---- */

/* Reads `NAME`, `NS::NAME` or `NAME<argument, …>`. */
gputune_status gt_read_kernel_name(gt_kernel_name *out, gt_lexer *lexer, const char *what);
/* Notes in `body`, whose text has the kernel, which axes and problem values are template arguments
 * of the kernel. ETEMPLATE for names that have no value when a source is generated. */
gputune_status gt_bind_kernel_arguments(gt_parse *p, gt_body *body, const gt_kernel_name *kernel);

/* Ends the loops that are still open behind the last clause. ETEMPLATE for a require() or a
 * scratch() that uses a grid or block which changes in a loop. */
gputune_status gt_loops_finish(gt_parse *p);

/* ---- names.c ---- */

/* Checks how the bodies use the names of tunables and problem values. ETEMPLATE for a name that
 * would be a macro but is also something else in the code. */
gputune_status gt_names_check(const gt_parse *p);
/* ETEMPLATE for a tunable on whose value neither the kernel's source nor its launch depends. The
 * axes' in_source must be set. */
gputune_status gt_axes_check(const gt_parse *p);

/* Resolves the buffers of the vector axes, once the arguments are known. */
gputune_status gt_parse_vector_buffers(gt_parse *p);
/* The index of a name among args(), or behind these in scratch(); -1: it is in neither. */
int gt_parse_parameter_index(const gt_parse *p, const char *name);
/* Reads the name of a buffer of args(), or with `scratch` also of scratch(), and sets *out to its
 * index. `expected` is for messages. */
gputune_status gt_read_buffer(uint32_t *out, gt_parse *p, bool scratch, const char *expected);
/* The same, but the buffer must be one that the kernel takes itself, not one that a struct points
 * to. */
gputune_status gt_read_taken_buffer(uint32_t *out, gt_parse *p, bool scratch, const char *expected);

/* Checks that nothing is left of a clause. */
gputune_status gt_read_end(const gt_parse *p);
/* Pieces that several clauses share. `use` says which names the expression may use: the GT_USE_
 * bits of symbols.h. */
gputune_status gt_read_integer_expression(const gt_expression **out, gt_parse *p, unsigned use);
gputune_status gt_read_real_expression(const gt_expression **out, gt_parse *p, unsigned use);
/* Reads the integer expression that another text is, which stands for what is at `place`. */
gputune_status gt_read_text(const gt_expression **out, gt_parse *p, const char *text, size_t length,
                            gt_place place, unsigned use);
/* Reads an integer expression of numbers alone, and computes it. */
gputune_status gt_read_constant(int64_t *out, gt_parse *p);
/* Reads one to `most` expressions (three, or five) separated by commas, in parentheses or up to a
 * comma that `NAME =` follows. */
gputune_status gt_read_dimensions(gt_dimensions *out, uint32_t most, gt_parse *p, unsigned use);
/* Reads `NAME = …` for one of the settings of the struct *to. Bit i of *given says that setting i
 * was read before, and is set here. */
gputune_status gt_read_setting(void *to, const gt_settings *settings, uint32_t *given, gt_parse *p);
/* Reads one to three extents, `[e][e]…`. */
gputune_status gt_read_extents(const gt_expression *out[3], uint32_t *count, gt_parse *p,
                               unsigned use);
/* Reads one value of a problem value or an axis: a word or an integer. */
gputune_status gt_read_value(gt_value *out, gt_parse *p);
/* Reads different values separated by commas into `values`, at most `most` of them; stops at a
 * comma that `NAME =` follows. */
gputune_status gt_read_values(gt_value *values, uint32_t *count, uint32_t most, gt_parse *p);
/* Reads `AXIS = value`, where the value is one of the axis's own. Bit i of *given says that axis i
 * was read before, and is set here. */
gputune_status gt_read_choice(uint32_t *axis, uint8_t *choice, uint64_t *given, gt_parse *p);
/* Reads a new name for an axis, a problem value or a buffer. The name must not be a type, a device
 * property, one of the engine's names, or taken already. */
gputune_status gt_read_new_name(char out[GT_NAME_MAX], gt_parse *p, const char *what);
/* Reads `file("name")`. Fails if *out is set already. */
gputune_status gt_read_file_name(const char **out, gt_parse *p);
/* If the token `sign` and a brace come next, reads `SIGN { item, .path = item, … }`, where items
 * are fills if `fills` is set, else real expressions. */
gputune_status gt_read_initialisers(gt_initialisers *out, gt_parse *p, const char *sign,
                                    bool fills);
/* If the token `sign` comes next, reads what the argument or block holds at first: a list as above,
 * or a fill (template.h) for all numbers. */
gputune_status gt_read_contents(gt_argument *out, gt_parse *p, const char *sign);
/* Reads the name of an element type: a number type, a struct or typedef of the template's code, or
 * a type problem value whose words are all types. */
gputune_status gt_read_element_type(char out[GT_NAME_MAX], gt_parse *p);
/* Returns whether one of the types that such a name can stand for is an integer type. */
bool gt_element_may_be_integer(const gt_template *template, const char *name);
