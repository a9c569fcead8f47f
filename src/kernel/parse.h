/* The pragmas' grammar, a function for each word. All fail with ETEMPLATE and a place; what they
 * make is kept in the template, also when they fail half-way. */
#pragma once

#include "kernel/name_use.h"
#include "kernel/reader.h"
#include "kernel/symbols.h"

/* A template in the making. */
typedef struct gt_parse {
    gt_template *template;
    gt_template_parts *parts;
    const char *code; /* without the pragmas, and without what its #if leave out for certain */
    char *left;       /* the same, owned */
    gt_place axis_places[GT_AXIS_MAX], problem_places[GT_PROBLEM_MAX];
    gt_lexer vector_buffers[GT_AXIS_MAX]; /* the names, read when the arguments are known */
    gt_place scratch_places[GT_SCRATCH_MAX], require_places[GT_REQUIRE_MAX];
    uint64_t defaulted;                   /* bit i: axis i */
    gt_name_uses kernel_uses, judge_uses; /* in the two bodies */
    gt_text elements;                     /* the kernel of a reference by elements, or nothing */
} gt_parse;

/* Reads one clause's body, which must be used up (the caller checks). */
typedef gputune_status (*gt_parse_fn)(gt_parse *parse, const gt_clause *clause, gt_lexer *body);

gputune_status gt_parse_kernel(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_problem(gt_parse *, const gt_clause *, gt_lexer *);
/* `NAME = v, v, …`, one or more of them, of the kind that the clause is named for. */
gputune_status gt_parse_axis(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_vector(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_pass(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_constant(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_cluster(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_default(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_args(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_scratch(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_clear(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_prove(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_in_place(gt_parse *, const gt_clause *, gt_lexer *);
/* The setting that the clause is named for. */
gputune_status gt_parse_setting(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_launch(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_for(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_end(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_swap(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_cooperative(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_require(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_work(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_reference(gt_parse *, const gt_clause *, gt_lexer *);
/* Its form by elements: whether `NAME[` follows, and the assignments, of which it makes
 * parse->elements, a kernel of this name. Leaves `body` on the settings or its end. */
#define GT_ELEMENTS_REFERENCE "gputune_reference"
bool gt_elements_follow(const gt_lexer *body);
gputune_status gt_read_elements(gt_parse *parse, gt_lexer *body);
gputune_status gt_parse_check(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_init(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_expect(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_tensormap(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_texture(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_options(gt_parse *, const gt_clause *, gt_lexer *);
gputune_status gt_parse_define(gt_parse *, const gt_clause *, gt_lexer *);

/* ---- template_words.c ---- */

/* Checks which clauses there are, and reads their bodies, in the order in which they need each
 * other. */
gputune_status gt_parse_clauses(gt_parse *parse, const gt_reader *reader);

/* ---- template_identity.c ---- */

/* Sets what the parsed template is known by: `identity`, `geometry`, and which axes reach its
 * source and its launch. ENOMEM. */
gputune_status gt_template_identify(gt_parse *parse, const gt_reader *reader);

/* ---- parse_kernel.c: how clauses name kernels ---- */

/* Reads `NAME`, `NS::NAME` or `NAME<argument, …>`. */
gputune_status gt_read_kernel_name(gt_kernel_name *out, gt_lexer *lexer, const char *what);
/* Notes which axes and problem values are template arguments of the kernel, which the body holds.
 * ETEMPLATE for names that have no value when a source is generated. */
gputune_status gt_bind_kernel_arguments(gt_parse *parse, gt_body *body,
                                        const gt_kernel_name *kernel);

/* ---- parse_loops.c ---- */

/* Adds what is carried out next; *out is the template's. */
gputune_status gt_parse_order(gt_order **out, gt_parse *parse, gt_order_kind kind, uint32_t index,
                              gt_place place);
/* Ends the loops that are open behind the last clause, and checks what others use of them. */
gputune_status gt_loops_finish(gt_parse *parse);

/* ---- name_check.c ---- */

/* Holds what the bodies do with the names of tunables and problem values against what these are:
 * ETEMPLATE for a name that is a macro and something else. */
gputune_status gt_names_check(const gt_parse *parse);
/* ETEMPLATE for a tunable whose values make no variants: neither the kernel's source nor its launch
 * depends on them. The axes' in_source must be set. */
gputune_status gt_axes_check(const gt_parse *parse);

/* Resolves the buffers of the vector axes, once the arguments are known. */
gputune_status gt_parse_vector_buffers(gt_parse *parse);
/* The place of a name among args(), or behind them in scratch(); -1: there is none. */
int gt_parse_parameter_index(const gt_parse *parse, const char *name);
/* The place of a buffer whose name is read, of args() or with `scratch` also of scratch(). */
gputune_status gt_read_buffer(uint32_t *out, const gt_parse *parse, gt_lexer *body, bool scratch,
                              const char *expected);
/* The same, of those that the kernel takes itself. */
gputune_status gt_read_taken_buffer(uint32_t *out, const gt_parse *parse, gt_lexer *body,
                                    bool scratch, const char *expected);

/* `NAME = v, v`: a new axis of that kind; and its parts. */
gputune_status gt_new_axis(uint32_t *out, gt_parse *parse, gt_lexer *body, gt_axis_kind kind);
gputune_status gt_read_axis_values(gt_parse *parse, uint32_t index, gt_lexer *body);

/* Pieces that several of them share. `use` are the bits of symbols.h. */
gputune_status gt_read_integer_expression(gt_expression **out, gt_parse *parse, gt_lexer *lexer,
                                          unsigned use);
gputune_status gt_read_real_expression(gt_expression **out, gt_parse *parse, gt_lexer *lexer,
                                       unsigned use);
/* An expression of numbers alone, computed. */
gputune_status gt_read_constant(int64_t *out, gt_parse *parse, gt_lexer *lexer);
/* One to three expressions separated by commas; stops at a comma that a `NAME =` follows. */
gputune_status gt_read_dimensions(gt_dimensions *out, gt_parse *parse, gt_lexer *lexer,
                                  unsigned use);
/* `[extent][extent]…`, one to three. */
gputune_status gt_read_extents(gt_expression *out[3], uint32_t *count, gt_parse *parse,
                               gt_lexer *lexer, unsigned use);
/* A value of a problem value or an axis: a word, or an integer. */
gputune_status gt_read_value(gt_value *out, gt_parse *parse, gt_lexer *lexer);
/* Values separated by commas into `values` (room for `most`), each once; stops at a comma that a
 * `NAME =` follows. */
gputune_status gt_read_values(gt_value *values, uint32_t *count, uint32_t most, gt_parse *parse,
                              gt_lexer *lexer);
/* `AXIS = value`, with one of the axis's own values. Bit i of *given: axis i was read before. */
gputune_status gt_read_choice(uint32_t *axis, uint8_t *choice, uint64_t *given, gt_parse *parse,
                              gt_lexer *body);
/* A new name for an axis, a problem value or a buffer: not a type, not a device property, not the
 * engine's, not taken. */
gputune_status gt_read_new_name(char out[GT_NAME_MAX], gt_parse *parse, gt_lexer *lexer,
                                const char *what);
/* Reads a sign and a fill (template.h), if the sign comes next. *stated: it did. */
gputune_status gt_read_fill(gt_fill *out, bool *stated, gt_parse *parse, gt_lexer *lexer,
                            const char *sign);
/* Reads `file("name")`; the name is the template's to free. Fails where *out is set already. */
gputune_status gt_read_file_name(const char **out, gt_lexer *lexer);
/* Reads `SIGN { item, .path = item, … }`, if the sign and a brace come next; items are fills, or
 * real expressions. *stated: they did. */
gputune_status gt_read_initialisers(gt_initialisers *out, bool *stated, gt_parse *parse,
                                    gt_lexer *lexer, const char *sign, bool fills);
void gt_initialisers_free(gt_initialisers *initialisers);
/* Reads an element type: a type's name, that of a struct or typedef in the template's code, or a
 * problem type's whose words are all types. */
gputune_status gt_read_element_type(char out[GT_NAME_MAX], gt_parse *parse, gt_lexer *lexer);
/* Whether any type that such a name can stand for is an integer. */
bool gt_element_may_be_integer(const gt_template *template, const char *name);
